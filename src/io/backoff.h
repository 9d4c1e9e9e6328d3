#pragma once

#include <algorithm>
#include <cstdint>

#include "io/clock.h"
#include "io/random.h"

// The waits between attempts: doubled from the first to the last, spread by a fifth up and down so
// that clients do not come back all at once.
//
// Thread rule: belongs to one thread.
//
//   Backoff backoff(options.backoff_min, options.backoff_max);
//   co_await session->sleep(backoff.next(session->random()));
namespace lakestream {

class Backoff {
 public:
  Backoff(Duration first, Duration last) : first_(first), last_(last), next_(first) {}

  Duration next(Random& random) {
    Duration base = std::min(next_, last_);
    next_ = std::min(2 * next_, last_);
    return base * (80 + static_cast<int64_t>(random.below(41))) / 100;
  }
  void reset() { next_ = first_; }

 private:
  Duration first_;
  Duration last_;
  Duration next_;
};

}  // namespace lakestream
