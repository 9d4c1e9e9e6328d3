#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/clock.h"
#include "io/disk.h"
#include "io/env.h"
#include "io/network.h"
#include "io/pool.h"
#include "io/random.h"
#include "io/shard.h"

// A world in one thread for tests: virtual time that jumps to the next event, a network with seeded
// delays, disks that lose what was not synced, a pool whose jobs are later events. The same seed
// gives the same run. A SimNode is one machine: its process may crash and start again, its disk
// stays.
//
// Thread rule: everything on the thread that calls run.
//
//   SimWorld world(seed);
//   SimNode& node = world.add_node("a");
//   LogStore store(node.env(), node.shard(0), ...);
//   world.run_until([&] { return done; }, std::chrono::seconds(30));
//   node.crash();  // the process is gone, unsynced bytes are lost or torn
namespace lakestream {

class SimWorld;
class SimDisk;
struct SimPorts;

class SimNode {
 public:
  struct Process;  // one life of the node
  SimNode(SimWorld& world, std::string name, size_t shards);
  ~SimNode();

  Env& env();
  size_t shard_count() const;
  Shard& shard(size_t index);
  SimDisk& disk() { return *disk_; }
  const std::string& name() const { return name_; }

  // Power loss: nothing of the process runs again and the disk keeps what was synced and a seeded,
  // possibly torn part of the rest. Objects of the process must not be used afterwards; `leftovers`
  // keeps what the process owned reachable, because their destructors belong to the lost process.
  void crash(std::shared_ptr<void> leftovers);
  // kill -9: the process is gone, the page cache stays.
  void kill(std::shared_ptr<void> leftovers);
  // A fresh process on the same disk, after crash or kill.
  void restart();

 private:
  SimWorld& world_;
  std::string name_;
  size_t shard_count_;
  std::unique_ptr<SimDisk> disk_;
  std::shared_ptr<Process> process_;
};

class SimWorld {
 public:
  explicit SimWorld(uint64_t seed);
  ~SimWorld();

  SimNode& add_node(std::string name, size_t shards = 1);
  Random& random() { return random_; }
  Duration now() const { return now_; }
  // Moves the wall clock of all nodes; monotonic time is not changed.
  void jump_wall_clock(Duration by) { wall_offset_ += by; }
  TimestampMs wall_now() const;

  // Runs events until `done` holds (true) or `limit` of virtual time has passed or nothing is left
  // to happen (false).
  bool run_until(const std::function<bool()>& done, Duration limit);
  void run_for(Duration time);
  // Runs a task of `shard` to its end. The world must not become idle before.
  template <typename T>
  T run(Shard& shard, Task<T> task);

  // For the parts of the world: `event` happens on `process` after `delay`, unless that died
  // before.
  void schedule(std::shared_ptr<SimNode::Process> process,
                Duration delay,
                UniqueFunction<void()> event);

  // Fixed point of wall time at the start of each world: 2026-01-01T00:00:00Z.
  static constexpr int64_t kWallStartMs = 1'767'225'600'000;

 private:
  friend class SimNode;
  friend class SimNetwork;
  struct Event;
  void step();
  void poll_processes();

  Random random_;
  Duration now_{0};
  Duration wall_offset_{0};
  uint64_t next_event_ = 0;
  std::map<std::pair<Duration, uint64_t>, Event> events_;
  std::shared_ptr<SimPorts> ports_;
  std::vector<std::shared_ptr<SimNode::Process>> processes_;  // also the dead ones
  std::vector<std::unique_ptr<SimNode>> nodes_;
};

template <typename T>
T SimWorld::run(Shard& shard, Task<T> task) {
  auto result = std::make_shared<std::optional<T>>();
  struct Run {
    static Task<void> store(Task<T> inner, std::shared_ptr<std::optional<T>> out) {
      out->emplace(co_await std::move(inner));
    }
  };
  shard.spawn(Run::store(std::move(task), result));
  bool ended = run_until([&] { return result->has_value(); }, std::chrono::hours(24));
  CHECK(ended, "the task waits for something that never happens");
  return std::move(**result);
}

}  // namespace lakestream
