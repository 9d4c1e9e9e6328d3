#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/function.h"
#include "io/task.h"

// A shard is one event loop on one thread (all shards share one thread in simulation). Everything
// mutable belongs to one shard; other threads reach it with post. Posts from one thread run in
// their order.
//
// Thread rule: post and spawn from any thread; the rest on the shard itself.
//
//   Result<Offset> end = co_await call_on(here, home, [&log] { return log.end_offset(); });
namespace lakestream {

class Shard {
 public:
  // `context` must outlive the shard; who runs it is the business of the maker (ShardGroup,
  // SimWorld).
  Shard(size_t index, boost::asio::io_context& context) : index_(index), context_(context) {}
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  size_t index() const { return index_; }
  void post(UniqueFunction<void()> job);
  // Starts the task in a later turn of the loop. An exception that escapes a task ends the process.
  void spawn(Task<void> task);
  bool is_current() const;
  boost::asio::io_context& context() { return context_; }

 private:
  size_t index_;
  boost::asio::io_context& context_;
};

namespace internal {
template <typename T>
struct TaskValue {
  static constexpr bool kIsTask = false;
  using Type = T;
};
template <typename T>
struct TaskValue<Task<T>> {
  static constexpr bool kIsTask = true;
  using Type = T;
};

template <typename F>
struct ShardCall {
  using Traits = TaskValue<std::invoke_result_t<F&>>;
  using Value = typename Traits::Type;
  explicit ShardCall(F f) : function(std::move(f)) {}
  F function;
  std::optional<Value> value;
  Waiter waiter;
};

template <typename F>
Task<void> answer_call(std::shared_ptr<ShardCall<F>> call, Shard* back) {
  call->value.emplace(co_await call->function());
  back->post([call = std::move(call)] { call->waiter.wake(); });
}

template <typename F>
Task<typename ShardCall<F>::Value> await_shard(Shard* here,
                                               Shard* target,
                                               std::shared_ptr<ShardCall<F>> call) {
  constexpr bool kIsTask = ShardCall<F>::Traits::kIsTask;
  if (here == target) {
    if constexpr (kIsTask) {
      co_return co_await call->function();
    } else {
      co_return call->function();
    }
  }
  if constexpr (kIsTask) {
    target->spawn(answer_call(call, here));
  } else {
    target->post([call, here] {
      call->value.emplace(call->function());
      here->post([call] { call->waiter.wake(); });
    });
  }
  co_await call->waiter.wait();
  co_return std::move(*call->value);
}

}  // namespace internal

// Runs `job` (a function that returns a value or a Task of one, not void) on `target` and gives its
// result back on `here`, the caller's shard. One hop each way; none when both are the same. A plain
// function around the coroutine for the reason that run_on_pool gives.
template <typename F>
auto call_on(Shard& here, Shard& target, F&& job)
    -> Task<typename internal::ShardCall<std::decay_t<F>>::Value> {
  using Call = internal::ShardCall<std::decay_t<F>>;
  return internal::await_shard(&here, &target, std::make_shared<Call>(std::forward<F>(job)));
}

}  // namespace lakestream
