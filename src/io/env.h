#pragma once

// Everything a module needs of the outside world, passed down constructors as their first argument.
// The real one is made by RealEnv (real_env.h), the simulated one by SimWorld (sim/sim_world.h).
//
// Thread rule: as each member says.
//
//   LogTablet(Env& env, Shard& shard, ...);
namespace lakestream {

class Clock;
class Network;
class Disk;
class Random;
class Pool;

struct Env {
  Clock& clock;
  Network& network;
  Disk& disk;
  Random& random;  // for seeding: fork() one for each shard at start
  Pool& pool;
};

}  // namespace lakestream
