#pragma once

#include <atomic>
#include <cstddef>

// Memory that the connections of a server hold together: requests whose handler runs, and answers
// that wait to be sent.
//
// Thread rule: any thread.
//
//   held.add(frame.size());
//   bool full = held.total() >= options.bytes_max;
namespace lakestream::rpc {

class HeldBytes {
 public:
  void add(size_t bytes) { total_.fetch_add(bytes, std::memory_order_relaxed); }
  void release(size_t bytes) { total_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<size_t> total_{0};
};

}  // namespace lakestream::rpc
