#pragma once

#include <algorithm>
#include <vector>

#include "io/clock.h"
#include "io/task.h"

// An event that any number of coroutines wait for. A wake that nobody waits for is not remembered,
// so look at the condition first and again after the wait.
//
// Thread rule: shard-local.
//
//   while (!done) co_await changed.wait();
namespace lakestream::client {

class Notice {
 public:
  Notice() = default;
  Notice(const Notice&) = delete;
  Notice& operator=(const Notice&) = delete;

  Task<void> wait() {
    Waiter waiter;
    waiters_.push_back(&waiter);
    co_await waiter.wait();
  }
  // Ends after `limit` even without a wake.
  Task<void> wait_for(Clock* clock, Shard* shard, Duration limit) {
    Waiter waiter;
    waiters_.push_back(&waiter);
    Timer timer = clock->start_timer(*shard, limit, [&waiter] { waiter.wake(); });
    co_await waiter.wait();
    std::erase(waiters_, &waiter);
  }
  void wake_all() {
    for (Waiter* waiter : std::exchange(waiters_, {})) waiter->wake();
  }

 private:
  std::vector<Waiter*> waiters_;  // on the frames of those who wait
};

}  // namespace lakestream::client
