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
//   Result<Bytes> block = co_await run_on_pool(env.pool, shard, [file, range] { return file->read(range); });
namespace lakestream {

class Pool {
 public:
  virtual ~Pool() = default;
  virtual void submit(UniqueFunction<void()> job) = 0;
};

// Runs `job` (which returns a value, not void) on the pool and gives its result back on `home`.
template <typename F>
Task<std::invoke_result_t<F&>> run_on_pool(Pool& pool, Shard& home, F job) {
  using Value = std::invoke_result_t<F&>;
  struct State {
    explicit State(F f) : function(std::move(f)) {}
    F function;
    std::optional<Value> value;
    Waiter waiter;
  };
  auto state = std::make_shared<State>(std::move(job));
  Shard* back = &home;
  pool.submit([state, back] {
    state->value.emplace(state->function());
    back->post([state] { state->waiter.wake(); });
  });
  co_await state->waiter.wait();
  co_return std::move(*state->value);
}

}  // namespace lakestream
