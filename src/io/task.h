#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "base/function.h"

// Coroutines of a shard. A Task starts when it is awaited or spawned (Shard::spawn) and always runs
// on one shard. Waiter and Promise let a coroutine wait for an event of the same shard; Gate counts
// what still runs so that an object can stop in order.
//
// Thread rule: shard-local, all of it. To cross shards use Shard::post, call_on or run_on_pool.
//
//   Promise<int> answer;
//   shard.post([&] { answer.set(42); });
//   int value = co_await answer.get();
namespace lakestream {

using Executor = boost::asio::io_context::executor_type;
template <typename T>
using Task = boost::asio::awaitable<T, Executor>;

// One coroutine waits, one event wakes it. A wake before the wait is remembered.
class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Requires: no other wait is pending.
  Task<void> wait();
  // The waiting coroutine continues in a later turn of the event loop.
  void wake();

 private:
  bool woken_ = false;
  UniqueFunction<void()> resume_;
};

// A value that arrives later, for one coroutine. The Promise must outlive the wait.
template <typename T>
class Promise {
 public:
  void set(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    waiter_.wake();
  }
  bool is_set() const { return value_.has_value(); }
  Task<T> get() {
    if (!value_) co_await waiter_.wait();
    co_return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Waiter waiter_;
};

// Counts running tasks. close() refuses new ones; closed() ends when the last has left.
class Gate {
 public:
  class Pass {
   public:
    explicit Pass(Gate* gate) : gate_(gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    Gate* gate_;
  };

  // Empty when the gate is closed.
  std::optional<Pass> enter() {
    if (closed_) return std::nullopt;
    ++inside_;
    return std::optional<Pass>(std::in_place, this);
  }
  size_t inside() const { return inside_; }
  bool is_closed() const { return closed_; }
  void close() { closed_ = true; }
  Task<void> closed();

 private:
  void leave() {
    if (--inside_ == 0 && closed_) drained_.wake();
  }
  size_t inside_ = 0;
  bool closed_ = false;
  Waiter drained_;
};

}  // namespace lakestream
