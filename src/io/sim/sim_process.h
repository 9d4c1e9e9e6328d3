#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "io/sim/sim_world.h"

// What the parts of the simulated world share about a process.
//
// Thread rule: the one thread of the world.
namespace lakestream {

// One life of a node: from start or restart to crash or kill.
struct SimNode::Process {
  explicit Process(Random seeded) : random(seeded) {}

  boost::asio::io_context context{1};
  bool dead = false;
  Random random;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<Pool> pool;
  std::unique_ptr<Network> network;
  std::vector<std::unique_ptr<Shard>> shards;
  std::optional<Env> env;
  std::shared_ptr<void> leftovers;
  // Of a dead process: what would have happened. It refers to suspended coroutines, which nothing
  // else does.
  std::vector<UniqueFunction<void()>> lost_events;
};

namespace internal {

std::shared_ptr<SimPorts> make_sim_ports();
std::unique_ptr<Network> make_sim_network(SimWorld& world,
                                          std::shared_ptr<SimNode::Process> process);

}  // namespace internal
}  // namespace lakestream
