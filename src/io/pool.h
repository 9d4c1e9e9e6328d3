#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/function.h"
#include "io/shard.h"

// Threads for work that blocks: file reads and writes, syncs, SQLite. Jobs of one pool start in the
// order of submission and may run at the same time.
//
// Thread rule: submit from any thread.
//
//   auto job = [file, range] { return file->read(range); };
//   Result<Bytes> block = co_await run_on_pool(env.pool, shard, std::move(job));
namespace lakestream {

class Pool {
 public:
  virtual ~Pool() = default;
  virtual void submit(UniqueFunction<void()> job) = 0;
};

namespace internal {

template <typename F>
struct PoolCall {
  explicit PoolCall(F f) : function(std::move(f)) {}
  F function;
  std::optional<std::invoke_result_t<F&>> value;
  Waiter waiter;
};

template <typename F>
Task<std::invoke_result_t<F&>> await_pool(Pool* pool,
                                          Shard* home,
                                          std::shared_ptr<PoolCall<F>> call) {
  pool->submit([call, home] {
    call->value.emplace(call->function());
    home->post([call] { call->waiter.wake(); });
  });
  co_await call->waiter.wait();
  co_return std::move(*call->value);
}

}  // namespace internal

// Runs `job` (which returns a value, not void) on the pool and gives its result back on `home`. A
// plain function around the coroutine: GCC 12 destroys a lambda twice that is written inside a
// co_await expression and handed to a coroutine by value, so it is moved away before.
template <typename F>
auto run_on_pool(Pool& pool, Shard& home, F&& job) -> Task<std::invoke_result_t<std::decay_t<F>&>> {
  using Call = internal::PoolCall<std::decay_t<F>>;
  return internal::await_pool(&pool, &home, std::make_shared<Call>(std::forward<F>(job)));
}

}  // namespace lakestream
