#include <thread>

#include <boost/asio/steady_timer.hpp>

#include "io/internal/real.h"

namespace lakestream::internal {
namespace {

struct PendingTimer {
  PendingTimer(boost::asio::io_context& context, Duration delay, UniqueFunction<void()> f)
      : timer(context, delay), fire(std::move(f)) {}
  boost::asio::steady_timer timer;
  UniqueFunction<void()> fire;
  bool cancelled = false;
};

class RealTimer final : public Timer::Handle {
 public:
  explicit RealTimer(std::shared_ptr<PendingTimer> pending) : pending_(std::move(pending)) {}
  ~RealTimer() override {
    pending_->cancelled = true;
    pending_->timer.cancel();
  }

 private:
  std::shared_ptr<PendingTimer> pending_;
};

class RealClock final : public Clock {
 public:
  TimestampMs now() override {
    auto since = std::chrono::system_clock::now().time_since_epoch();
    return TimestampMs(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
  }

  Duration monotonic() override { return std::chrono::steady_clock::now().time_since_epoch(); }

  Timer start_timer(Shard& shard, Duration delay, UniqueFunction<void()> fire) override {
    auto pending = std::make_shared<PendingTimer>(shard.context(), delay, std::move(fire));
    pending->timer.async_wait([pending](const boost::system::error_code&) {
      if (!pending->cancelled) pending->fire();
    });
    return Timer(std::make_unique<RealTimer>(pending));
  }

  void pause(Duration delay) override { std::this_thread::sleep_for(delay); }
};

}  // namespace

std::unique_ptr<Clock> make_real_clock() { return std::make_unique<RealClock>(); }

}  // namespace lakestream::internal
