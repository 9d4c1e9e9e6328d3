#include "base/failpoint.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include "base/config.h"
#include "base/logging.h"

namespace lakestream {
namespace {

constexpr size_t kCount = std::size(kFailpoints);

enum class Action : uint8_t { kNone, kKill, kError };

struct Armed {
  Action action = Action::kNone;
  uint64_t at = 0;  // this time; 0: each time
};

tl::unexpected<Error> wrong(std::string_view part) {
  return make_error(ErrorCode::kInvalidConfigException,
                    "failpoint '{}': give NAME=kill, NAME=error, or either with @N behind it; "
                    "`lakestream failpoints` shows the names",
                    part);
}

std::optional<size_t> index_of(std::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (kFailpoints[i].name == name) return i;
  }
  return std::nullopt;
}

Status arm(std::string_view part, std::array<Armed, kCount>* all) {
  size_t equals = std::min(part.find('='), part.size());
  std::optional<size_t> index = index_of(part.substr(0, equals));
  if (!index || equals == part.size()) return wrong(part);
  std::string_view action = part.substr(equals + 1);
  Armed armed;
  if (size_t at = action.find('@'); at != std::string_view::npos) {
    Result<int64_t> time = parse_integer(action.substr(at + 1));
    if (!time || *time < 1) return wrong(part);
    armed.at = static_cast<uint64_t>(*time);
    action = action.substr(0, at);
  }
  if (action != "kill" && action != "error") return wrong(part);
  armed.action = action == "kill" ? Action::kKill : Action::kError;
  (*all)[*index] = armed;
  return ok();
}

}  // namespace

class ArmedFailpoints {
 public:
  void set(const std::array<Armed, kCount>& armed) {
    armed_ = armed;
    for (std::atomic<uint64_t>& times : times_) times.store(0, std::memory_order_relaxed);
  }

  Status reach(size_t index) {
    const Armed& armed = armed_[index];
    if (armed.action == Action::kNone) return ok();
    uint64_t time = times_[index].fetch_add(1, std::memory_order_relaxed) + 1;
    if (armed.at != 0 && armed.at != time) return ok();
    std::string_view name = kFailpoints[index].name;
    if (armed.action == Action::kKill) {
      LOG_WARN("base", "killed at a failpoint", KV("name", name));
      std::raise(SIGKILL);
    }
    return make_error(ErrorCode::kStorageException, "failpoint {}: an error was asked for", name);
  }

 private:
  std::array<Armed, kCount> armed_;
  std::array<std::atomic<uint64_t>, kCount> times_;
};

Status arm_failpoints(std::string_view text) {
  static ArmedFailpoints all;
  std::array<Armed, kCount> armed;
  bool is_any = false;
  while (!text.empty()) {
    size_t end = std::min(text.find(';'), text.size());
    if (end > 0) {
      RETURN_IF_ERROR(arm(text.substr(0, end), &armed));
      is_any = true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  all.set(armed);
  armed_failpoints.store(is_any ? &all : nullptr, std::memory_order_relaxed);
  return ok();
}

Status reach_failpoint(ArmedFailpoints& armed, size_t index) { return armed.reach(index); }

}  // namespace lakestream
