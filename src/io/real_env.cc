#include "io/real_env.h"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/internal/real.h"
#include "io/random.h"

namespace lakestream {

struct RealEnv::Parts {
  explicit Parts(size_t pool_threads)
      : clock(internal::make_real_clock()),
        network(internal::make_real_network()),
        disk(internal::make_real_disk()),
        random(Random::from_system()),
        pool(internal::make_real_pool(pool_threads)),
        env{*clock, *network, *disk, random, *pool} {}

  std::unique_ptr<Clock> clock;
  std::unique_ptr<Network> network;
  std::unique_ptr<Disk> disk;
  Random random;
  std::unique_ptr<internal::RealPool> pool;
  Env env;
};

RealEnv::RealEnv(size_t pool_threads) : parts_(std::make_unique<Parts>(pool_threads)) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that went away is an error of the write
}
RealEnv::~RealEnv() = default;
Env& RealEnv::env() { return parts_->env; }

namespace {

// The kernel's struct sched_attr in its first version; the C library has none.
struct SchedulerAttributes {
  uint32_t size = sizeof(SchedulerAttributes);
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;
  uint64_t deadline = 0;
  uint64_t period = 0;
};

// A thread that computes is interrupted for one that wakes up and wants a shorter turn; otherwise
// it would go on for up to some milliseconds. A shard wakes up for each request and has work for
// much less. Linux takes the wish since 6.12; without it, latency beside other work is worse.
void ask_for_short_turns() {
  constexpr uint64_t kTurnNanoseconds = 200'000;
  SchedulerAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime = kTurnNanoseconds;
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

struct ShardGroup::Loop {
  explicit Loop(size_t index)
      : context(1), work(context.get_executor()), shard(index, context), thread([this] {
          ask_for_short_turns();
          context.run();
        }) {}

  boost::asio::io_context context;
  boost::asio::executor_work_guard<Executor> work;
  Shard shard;
  std::thread thread;
};

ShardGroup::ShardGroup(RealEnv& real, size_t count)
    : real_(real), loops_(std::make_unique<std::unique_ptr<Loop>[]>(count)), count_(count) {
  for (size_t i = 0; i < count; ++i) loops_[i] = std::make_unique<Loop>(i);
}

ShardGroup::~ShardGroup() { stop(); }
size_t ShardGroup::size() const { return count_; }
Shard& ShardGroup::shard(size_t index) { return loops_[index]->shard; }

void ShardGroup::stop() {
  for (size_t i = 0; i < count_; ++i) loops_[i]->context.stop();
  for (size_t i = 0; i < count_; ++i) {
    if (loops_[i]->thread.joinable()) loops_[i]->thread.join();
  }
  // A job of the pool ends with a post to its shard, so the shards have to be there until then.
  real_.parts_->pool->join();
}

namespace internal {

void block_until(UniqueFunction<void(UniqueFunction<void()>)> start) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  auto state = std::make_shared<State>();
  start([state] {
    std::lock_guard lock(state->mutex);
    state->done = true;
    state->changed.notify_all();
  });
  std::unique_lock lock(state->mutex);
  state->changed.wait(lock, [&] { return state->done; });
}

}  // namespace internal
}  // namespace lakestream
