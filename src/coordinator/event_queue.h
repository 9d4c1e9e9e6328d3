#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "io/task.h"

// Lets events happen one at a time, in the order in which they came: an event is a coroutine that
// holds a Turn while it reads and changes the coordinator's state.
//
// Thread rule: shard-local.
//
//   std::optional<EventQueue::Turn> turn = co_await queue.enter();
//   if (!turn) co_return too_busy();
namespace lakestream::coordinator {

class EventQueue {
 public:
  static constexpr size_t kWaitingMax = 10'000;

  class Turn {
   public:
    explicit Turn(EventQueue* queue) : queue_(queue) {}
    Turn(Turn&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (queue_ != nullptr) queue_->leave();
    }

   private:
    EventQueue* queue_;
  };

  // Empty when kWaitingMax events wait already.
  Task<std::optional<Turn>> enter();

 private:
  void leave();

  bool busy_ = false;
  std::deque<std::shared_ptr<Waiter>> waiting_;
};

}  // namespace lakestream::coordinator
