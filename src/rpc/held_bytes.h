#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <utility>

// Memory that the connections of a server hold together: requests whose handler runs, answers that
// are made, and those that wait to be sent.
//
// Thread rule: HeldBytes any thread; a HeldShare belongs to one task.
//
//   held.add(frame.size());
//   HeldShare share(&held);  // of a handler, for its answer
//   size_t bytes_max = share.grant(wanted, kAtLeast);
//   share.settle(answer.size());
namespace lakestream::rpc {

class HeldBytes {
 public:
  explicit HeldBytes(size_t goal = std::numeric_limits<size_t>::max()) : goal_(goal) {}

  void add(size_t bytes) { total_.fetch_add(bytes, std::memory_order_relaxed); }
  void release(size_t bytes) { total_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t total() const { return total_.load(std::memory_order_relaxed); }
  // What may be added before there is too much.
  size_t left() const { return goal_ - std::min(goal_, total()); }

 private:
  const size_t goal_;
  std::atomic<size_t> total_{0};
};

// Counts an answer before it is there: many that are made at once get less each.
class HeldShare {
 public:
  // Null: there is enough.
  explicit HeldShare(HeldBytes* held) : held_(held) {}
  ~HeldShare() { settle(0); }
  HeldShare(const HeldShare&) = delete;
  HeldShare& operator=(const HeldShare&) = delete;

  // How many of the wanted bytes the answer may have; `least` even when nothing is left.
  size_t grant(size_t wanted, size_t least) {
    if (held_ == nullptr) return wanted;
    settle(0);
    settle(std::min(wanted, std::max(least, held_->left())));
    return bytes_;
  }
  // So many it has.
  void settle(size_t bytes) {
    if (held_ == nullptr) return;
    held_->add(bytes);
    held_->release(std::exchange(bytes_, bytes));
  }

 private:
  HeldBytes* held_;
  size_t bytes_ = 0;
};

}  // namespace lakestream::rpc
