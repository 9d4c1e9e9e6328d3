#pragma once

#include <optional>

#include "base/function.h"
#include "io/shard.h"

// The body of run_blocking (io/real_env.h).
//
// Thread rule: a thread that is not a shard's.
namespace lakestream {
namespace internal {

// Blocks until `done` was called once; `start` gets the function that does so.
void block_until(UniqueFunction<void(UniqueFunction<void()>)> start);

template <typename T>
Task<void> store_result(Task<T> task, std::optional<T>* result, UniqueFunction<void()> done) {
  result->emplace(co_await std::move(task));
  done();
}

}  // namespace internal

template <typename T>
T run_blocking(Shard& shard, Task<T> task) {
  std::optional<T> result;
  internal::block_until([&](UniqueFunction<void()> done) {
    shard.spawn(internal::store_result(std::move(task), &result, std::move(done)));
  });
  return std::move(*result);
}

}  // namespace lakestream
