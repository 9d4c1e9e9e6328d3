#include "coordinator/event_queue.h"

namespace lakestream::coordinator {

Task<std::optional<EventQueue::Turn>> EventQueue::enter() {
  if (busy_) {
    if (waiting_.size() >= kWaitingMax) co_return std::nullopt;
    auto waiter = std::make_shared<Waiter>();
    waiting_.push_back(waiter);
    co_await waiter->wait();
  }
  // The one before has left the queue busy for us.
  busy_ = true;
  co_return std::optional<Turn>(std::in_place, this);
}

void EventQueue::leave() {
  if (waiting_.empty()) {
    busy_ = false;
    return;
  }
  waiting_.front()->wake();
  waiting_.pop_front();
}

}  // namespace lakestream::coordinator
