#pragma once

#include <deque>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/function.h"
#include "io/pool.h"
#include "io/shard.h"

// The work of one log that changes its files, strictly one after the other. An operation is
// prepared on the shard when its turn comes, does its blocking part on the pool and ends on the
// shard. A part that is too short for the way to the pool and back runs on the shard, in a turn of
// its own.
//
// Thread rule: shard-local; the job it prepares runs on a pool thread or the shard.
//
//   queue.enqueue([this]() -> DiskQueue::Job {
//     return [plan = take_plan()]() -> DiskQueue::Done {
//       auto outcome = std::make_unique<Outcome>(carry_out(plan));
//       return [outcome = std::move(outcome)] { note(*outcome); };
//     };
//   });
namespace lakestream::log_internal {

// Held by a shared pointer: a job that is on the pool keeps only a weak one, so that the end of a
// log whose work nobody waits for is harmless.
class DiskQueue : public std::enable_shared_from_this<DiskQueue> {
 public:
  using Done = UniqueFunction<void()>;
  struct Job {
    Job() = default;
    template <typename F>
      requires(!std::is_same_v<std::decay_t<F>, Job>)
    Job(F&& work, bool short_work = false)  // NOLINT(google-explicit-constructor): lambdas convert
        : run(std::forward<F>(work)), is_short(short_work) {}

    UniqueFunction<Done()> run;
    bool is_short = false;
  };
  using Prepare = UniqueFunction<Job()>;  // an empty job: nothing to do

  DiskQueue(Pool& pool, Shard& shard) : pool_(pool), shard_(shard) {}

  void enqueue(Prepare prepare) {
    waiting_.push_back(std::move(prepare));
    if (!busy_) run_next();
  }
  bool idle() const { return !busy_ && waiting_.empty(); }

 private:
  void run_next() {
    busy_ = true;
    while (!waiting_.empty()) {
      Prepare prepare = std::move(waiting_.front());
      waiting_.pop_front();
      Job job = prepare();
      if (!job.run) continue;
      submit(std::move(job));
      return;
    }
    busy_ = false;
  }

  void submit(Job job) {
    if (job.is_short) {
      shard_.post(
          [run = std::move(job.run), weak = weak_from_this()]() mutable { finish(run(), weak); });
      return;
    }
    pool_.submit([run = std::move(job.run), shard = &shard_, weak = weak_from_this()]() mutable {
      shard->post(
          [done = run(), weak = std::move(weak)]() mutable { finish(std::move(done), weak); });
    });
  }

  static void finish(Done done, const std::weak_ptr<DiskQueue>& weak) {
    auto self = weak.lock();
    if (self == nullptr) return;
    done();
    self->run_next();
  }

  Pool& pool_;
  Shard& shard_;
  std::deque<Prepare> waiting_;
  bool busy_ = false;
};

}  // namespace lakestream::log_internal
