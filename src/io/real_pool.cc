#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"
#include "io/background.h"
#include "io/internal/real.h"

namespace lakestream::internal {
namespace {

class ThreadPool final : public RealPool {
 public:
  // Each thread begins with `prepare`.
  ThreadPool(size_t threads, void (*prepare)()) {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this, prepare] {
        prepare();
        work();
      });
    }
  }

  ~ThreadPool() override { join(); }

  void join() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    available_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  void submit(UniqueFunction<void()> job) override {
    {
      std::lock_guard lock(mutex_);
      CHECK(!stopping_, "nothing is submitted to a pool that has ended");
      jobs_.push_back(std::move(job));
    }
    available_.notify_one();
  }

 private:
  // Jobs that were submitted before the end still run: a write that was promised happens.
  void work() {
    for (;;) {
      UniqueFunction<void()> job;
      {
        std::unique_lock lock(mutex_);
        available_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable available_;
  std::deque<UniqueFunction<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<RealPool> make_real_pool(size_t threads) {
  return std::make_unique<ThreadPool>(threads, [] {});
}

std::unique_ptr<Pool> make_background_pool(size_t threads) {
  return std::make_unique<ThreadPool>(threads, &step_back);
}

}  // namespace lakestream::internal
