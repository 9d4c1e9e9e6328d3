#pragma once

#include <cstddef>
#include <memory>

#include "io/env.h"
#include "io/shard.h"

// The real world: system clock, TCP, files, threads.
//
// Thread rule: made and destroyed by the main thread; the parts as their headers say.
//
//   RealEnv real(pool_threads);
//   ShardGroup shards(real, 2);
//   Server server(real.env(), shards);
namespace lakestream {

class RealEnv {
 public:
  explicit RealEnv(size_t pool_threads);
  ~RealEnv();
  Env& env();

 private:
  friend class ShardGroup;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Event loops with a thread each, and the end of the pool whose jobs post to them. The destructor
// stops them; tasks that still wait are destroyed with the loops.
class ShardGroup {
 public:
  ShardGroup(RealEnv& real, size_t count);
  ~ShardGroup();
  size_t size() const;
  Shard& shard(size_t index);
  // Lets every loop end and joins the threads, then those of the pool. Nothing runs on any shard or
  // in the pool afterwards.
  void stop();

 private:
  struct Loop;
  RealEnv& real_;
  std::unique_ptr<std::unique_ptr<Loop>[]> loops_;
  size_t count_;
};

// Runs `task` on `shard` and blocks the calling thread (not a shard's) until it ends.
template <typename T>
T run_blocking(Shard& shard, Task<T> task);

}  // namespace lakestream

#include "io/internal/run_blocking.h"
