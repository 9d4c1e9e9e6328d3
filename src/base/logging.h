#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

// Log lines on stderr: a fixed message and key=value pairs, so that lines can be searched and
// counted. No line on the success path of a request.
//
// Thread rule: any thread; set_log_level before other threads start.
//
//   LOG_INFO("log", "rolled segment", KV("bucket", bucket), KV("base_offset", offset));
namespace lakestream {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

using LogPair = std::pair<std::string_view, std::string>;

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
void log_write(LogLevel level,
               std::string_view module,
               std::string_view message,
               std::initializer_list<LogPair> pairs);

// Lets through one event a second and counts the others, for errors that requests can cause.
// Belongs to one thread.
class LogLimiter {
 public:
  // How many were held back since the last that passed; empty when this one is held back too.
  bool admit(int64_t now_ms, int64_t* suppressed);

 private:
  int64_t last_ms_ = 0;
  int64_t suppressed_ = 0;
};

}  // namespace lakestream

#define KV(key, value) ::lakestream::LogPair(key, ::fmt::format("{}", value))

#define LAKESTREAM_LOG(level, module, message, ...)                   \
  do {                                                                \
    if (::lakestream::log_enabled(level)) {                           \
      ::lakestream::log_write(level, module, message, {__VA_ARGS__}); \
    }                                                                 \
  } while (false)

#define LOG_DEBUG(...) LAKESTREAM_LOG(::lakestream::LogLevel::kDebug, __VA_ARGS__)
#define LOG_INFO(...) LAKESTREAM_LOG(::lakestream::LogLevel::kInfo, __VA_ARGS__)
#define LOG_WARN(...) LAKESTREAM_LOG(::lakestream::LogLevel::kWarn, __VA_ARGS__)
#define LOG_ERROR(...) LAKESTREAM_LOG(::lakestream::LogLevel::kError, __VA_ARGS__)
