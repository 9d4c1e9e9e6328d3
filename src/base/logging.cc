#include "base/logging.h"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace lakestream {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("lakestream",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %L %v");
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *instance;
}

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \"\n=") != std::string_view::npos;
}

void append_value(fmt::memory_buffer& line, std::string_view value) {
  if (!needs_quotes(value)) {
    line.append(value);
    return;
  }
  line.push_back('"');
  for (char c : value) {
    if (c == '"' || c == '\\') line.push_back('\\');
    if (c == '\n') {
      line.append(std::string_view("\\n"));
    } else {
      line.push_back(c);
    }
  }
  line.push_back('"');
}

}  // namespace

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

bool log_enabled(LogLevel level) { return logger().should_log(spdlog_level(level)); }

void log_write(LogLevel level,
               std::string_view module,
               std::string_view message,
               std::initializer_list<LogPair> pairs) {
  fmt::memory_buffer line;
  line.append(module);
  line.append(std::string_view(": "));
  line.append(message);
  for (const auto& [key, value] : pairs) {
    line.push_back(' ');
    line.append(key);
    line.push_back('=');
    append_value(line, value);
  }
  logger().log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

bool LogLimiter::admit(int64_t now_ms, int64_t* suppressed) {
  if (now_ms - last_ms_ < 1000 && last_ms_ != 0) {
    ++suppressed_;
    return false;
  }
  *suppressed = suppressed_;
  suppressed_ = 0;
  last_ms_ = now_ms;
  return true;
}

}  // namespace lakestream
