#pragma once

#include <chrono>
#include <memory>

#include "base/function.h"
#include "base/ids.h"
#include "io/shard.h"

// Time. now() is the wall clock and may jump; monotonic() only moves forward and is what durations
// are measured with. A Timer fires once on its shard unless it is cancelled or destroyed before.
//
// Thread rule: now, monotonic and pause from any thread; start_timer and Timer on the timer's
// shard.
//
//   Timer deadline = clock.start_timer(shard, std::chrono::milliseconds(500), [&] { expire(); });
namespace lakestream {

using Duration = std::chrono::nanoseconds;

class Timer {
 public:
  class Handle {
   public:
    virtual ~Handle() = default;  // cancels
  };
  Timer() = default;
  explicit Timer(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
  void cancel() { handle_.reset(); }

 private:
  std::unique_ptr<Handle> handle_;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimestampMs now() = 0;
  // Time since an arbitrary start.
  virtual Duration monotonic() = 0;
  virtual Timer start_timer(Shard& shard, Duration delay, UniqueFunction<void()> fire) = 0;
  // Blocks the caller, a job on the pool; in a simulation no time passes.
  virtual void pause(Duration delay) = 0;
};

// Waits on `shard`, the caller's.
Task<void> sleep_for(Clock& clock, Shard& shard, Duration delay);

}  // namespace lakestream
