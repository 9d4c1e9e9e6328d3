#pragma once

#include <cstddef>
#include <memory>

#include "io/clock.h"
#include "io/disk.h"
#include "io/network.h"
#include "io/pool.h"

// Makers of the real parts of RealEnv.
//
// Thread rule: the main thread.
namespace lakestream::internal {

std::unique_ptr<Clock> make_real_clock();
std::unique_ptr<Network> make_real_network();
std::unique_ptr<Disk> make_real_disk();

class RealPool : public Pool {
 public:
  // Runs what was submitted and joins the threads; nothing may be submitted afterwards.
  virtual void join() = 0;
};
std::unique_ptr<RealPool> make_real_pool(size_t threads);
// Of threads that have stepped back.
std::unique_ptr<Pool> make_background_pool(size_t threads);

}  // namespace lakestream::internal
