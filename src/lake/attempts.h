#pragma once

#include <chrono>

#include "io/backoff.h"
#include "io/clock.h"

// Attempts at a change of a lake table that other writers may come before. All but the first wait,
// longer each time, so that nobody's catalog is hammered.
//
// Thread rule: belongs to one thread of the pool, which waits.
//
//   for (Attempts attempts(clock, 10); attempts.next();) {
//     ASSIGN_OR_RETURN(bool done, change());
//     if (done) return ok();
//   }
namespace lakestream {

class Attempts {
 public:
  Attempts(Clock& clock, int max)
      : clock_(clock), left_(max), random_(static_cast<uint64_t>(clock.monotonic().count())) {}

  bool next() {
    if (left_ == 0) return false;
    --left_;
    if (!is_first_) clock_.pause(backoff_.next(random_));
    is_first_ = false;
    return true;
  }

 private:
  Clock& clock_;
  int left_;
  bool is_first_ = true;
  Random random_;  // seeded with the time, which differs from writer to writer
  Backoff backoff_{std::chrono::milliseconds(5), std::chrono::milliseconds(200)};
};

}  // namespace lakestream
