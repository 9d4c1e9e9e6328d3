#include "io/background.h"

#include <sys/resource.h>

#include "io/internal/real.h"

namespace lakestream {

void step_back() {
  // A tenth of the time that a thread of the usual niceness gets beside it. On Linux it is one of
  // the thread, and raising it is always allowed.
  constexpr int kNiceness = 10;
  (void)::setpriority(PRIO_PROCESS, 0, kNiceness);
}

BackgroundEnv::BackgroundEnv(const Env& env, size_t threads)
    : pool_(internal::make_background_pool(threads)),
      env_{env.clock, env.network, env.disk, env.random, *pool_} {}

BackgroundEnv::~BackgroundEnv() = default;

}  // namespace lakestream
