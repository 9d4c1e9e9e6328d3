#include "io/clock.h"

namespace lakestream {

Task<void> sleep_for(Clock& clock, Shard& shard, Duration delay) {
  Waiter waiter;
  Timer timer = clock.start_timer(shard, delay, [&waiter] { waiter.wake(); });
  co_await waiter.wait();
}

}  // namespace lakestream
