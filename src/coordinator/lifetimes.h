#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "base/ids.h"
#include "io/clock.h"

// How long something is kept for a client, out of what the client says.
//
// Thread rule: pure, any thread.
//
//   record.expiration_time = later(clock.now(), lifetime_of(request.ttl_ms));
namespace lakestream::coordinator {

// Below zero is none; what is too long for a Duration is for ever.
inline Duration lifetime_of(int64_t ms) {
  constexpr int64_t kMsMax = std::numeric_limits<int64_t>::max() / 1'000'000;
  return std::chrono::milliseconds(std::clamp<int64_t>(ms, 0, kMsMax));
}

// The end of time when the duration is too long.
inline TimestampMs later(TimestampMs now, Duration duration) {
  int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  int64_t room = std::numeric_limits<int64_t>::max() - now.value();
  return TimestampMs(now.value() + std::min(ms, room));
}

}  // namespace lakestream::coordinator
