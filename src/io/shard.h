#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/function.h"
#include "io/task.h"

// A shard is one event loop on one thread (all shards share one thread in simulation). Everything mutable
// belongs to one shard; other threads reach it with post. Posts from one thread run in their order.
//
// Thread rule: post and spawn from any thread; the rest on the shard itself.
//
//   Result<Offset> end = co_await call_on(here, home, [&log] { return log.end_offset(); });
namespace lakestream {

class Shard {
 public:
  // `context` must outlive the shard; who runs it is the business of the maker (ShardGroup, SimWorld).
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
}  // namespace internal

// Runs `job` (a function that returns a value or a Task of one, not void) on `target` and gives its
// result back on `here`, the caller's shard. One hop each way; none when both are the same.
template <typename F>
auto call_on(Shard& here, Shard& target, F job)
    -> Task<typename internal::TaskValue<std::invoke_result_t<F&>>::Type> {
  using Traits = internal::TaskValue<std::invoke_result_t<F&>>;
  using Value = typename Traits::Type;
  if (&here == &target) {
    if constexpr (Traits::kIsTask) {
      co_return co_await job();
    } else {
      co_return job();
    }
  }
  struct State {
    explicit State(F f) : function(std::move(f)) {}
    F function;
    std::optional<Value> value;
    Waiter waiter;
  };
  auto state = std::make_shared<State>(std::move(job));
  Shard* home = &here;
  if constexpr (Traits::kIsTask) {
    struct Run {
      static Task<void> task(std::shared_ptr<State> shared, Shard* back) {
        shared->value.emplace(co_await shared->function());
        back->post([shared = std::move(shared)] { shared->waiter.wake(); });
      }
    };
    target.spawn(Run::task(state, home));
  } else {
    target.post([state, home] {
      state->value.emplace(state->function());
      home->post([state] { state->waiter.wake(); });
    });
  }
  co_await state->waiter.wait();
  co_return std::move(*state->value);
}

}  // namespace lakestream
