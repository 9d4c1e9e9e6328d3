#pragma once

#include <cstddef>
#include <memory>

#include "io/env.h"

// Work that nobody waits for, beside the work of those who wait: threads that give way. They share
// what the processors have left over when others want all of it, and have all of it otherwise.
//
// Thread rule: step_back() is for the thread that is meant; a BackgroundEnv is of the main thread.
//
//   BackgroundEnv background(real.env(), 3);
//   shard.post([] { step_back(); });
//   use(background.env());
namespace lakestream {

// The calling thread gives way from now on, for good.
void step_back();

// The same world with a pool of its own, whose threads have stepped back. Its end waits for the
// jobs. Requires: the shards to which jobs post are there until then.
class BackgroundEnv {
 public:
  BackgroundEnv(const Env& env, size_t threads);
  ~BackgroundEnv();
  Env& env() { return env_; }

 private:
  std::unique_ptr<Pool> pool_;
  Env env_;
};

}  // namespace lakestream
