#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/server_config.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_world.h"
#include "kv/engine.h"
#include "meta/model/model_store.h"
#include "rpc/channel.h"
#include "server/server.h"

// A machine with one server, which loses power or whose process is killed, and a client that
// outlives it, in simulated time.
//
// Thread rule: one thread.
//
//   Machine machine(seed, true);
//   machine.begin_start();
//   machine.world().run_for(std::chrono::seconds(1));
//   machine.lose_power();
//   machine.power_on();
namespace lakestream {

inline constexpr Duration kCallTimeout = std::chrono::seconds(5);

class Machine {
 public:
  // `more` are further options of the server; `objects` is its remote storage, else its own disk.
  Machine(uint64_t seed, bool sync, const TextMap& more = {}, ObjectStore* objects = nullptr)
      : world_(seed),
        node_(world_.add_node("server", 3)),
        client_(world_.add_node("client")),
        objects_(objects) {
    texts_ = {{"data.dir", "/data"},
              {"bind.listeners", "FLUSS://server:9123"},
              {"lakestream.durability", sync ? "sync" : "os"},
              {"log.segment.file-size", "2 kb"},
              {"log.index.interval-size", "100 b"},
              {"log.flush.offset.checkpoint-interval", "700 ms"}};
    for (const auto& [key, value] : more) texts_[key] = value;
  }

  SimWorld& world() { return world_; }
  SimNode& client() { return client_; }
  SimDisk& disk() { return node_.disk(); }
  Shard& control() { return node_.shard(2); }

  // Begins a start of the server; it may be lost before it ends.
  void begin_start() {
    auto config = parse_server_config(texts_);
    ASSERT_TRUE(config) << config.error().to_string();
    process_ = std::make_shared<Process>();
    ServerShards shards{{&node_.shard(0), &node_.shard(1)}, &control()};
    ServerSetup setup{std::move(config->options), texts_, &store_, nullptr};
    setup.objects = objects_;
    setup.kv_engines = make_memory_engines(node_.disk(), {.flush_bytes = 4096});
    control().spawn(start(&node_.env(), shards, std::move(setup), process_));
  }
  bool is_started() const { return process_->result.has_value(); }
  const Result<std::unique_ptr<Server>>& server() const { return *process_->result; }

  void lose_power() { node_.crash(process_); }
  void kill() { node_.kill(process_); }
  void power_on() { node_.restart(); }

 private:
  struct Process {
    std::optional<Result<std::unique_ptr<Server>>> result;
  };
  static Task<void> start(Env* env,
                          ServerShards shards,
                          ServerSetup setup,
                          std::shared_ptr<Process> process) {
    process->result.emplace(co_await Server::start(*env, std::move(shards), std::move(setup)));
  }

  SimWorld world_;
  SimNode& node_;
  SimNode& client_;
  ObjectStore* objects_;
  ModelStore store_;
  TextMap texts_;
  std::shared_ptr<Process> process_;
};

// Calls until the server answers, over as many connections and lives of it as that takes.
class PatientChannel {
 public:
  PatientChannel(SimNode& client, Random random) : client_(client), random_(random) {}

  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> call(
      typename wire::ApiTraits<key>::Request request) {
    for (;;) {
      if (!channel_) {
        Address address{"server", 9123};
        rpc::ChannelOptions options;
        options.timeout = kCallTimeout;
        auto opened = co_await rpc::Channel::open(
            client_.env(), client_.shard(0), std::move(address), std::move(options));
        if (!opened) {
          co_await pause();
          continue;
        }
        channel_ = std::move(*opened);
      }
      auto answer = co_await channel_->call<key>(request, kCallTimeout);
      if (answer || !is_retriable(answer.error().code())) co_return answer;
      co_await reset();
    }
  }

  Task<void> reset() {
    if (channel_) co_await channel_->close();
    channel_ = nullptr;
    co_await pause();
  }

 private:
  Task<void> pause() {
    auto delay = std::chrono::milliseconds(1 + random_.below(50));
    co_await sleep_for(client_.env().clock, client_.shard(0), delay);
  }

  SimNode& client_;
  Random random_;
  std::shared_ptr<rpc::Channel> channel_;
};

// The seeds that the environment asks for: LAKESTREAM_SIM_SEED=17 one, LAKESTREAM_SIM_SEEDS=100:400
// a range whose end is excluded. Without them the first `count`.
inline std::pair<uint64_t, uint64_t> seeds(uint64_t count) {
  if (const char* one = std::getenv("LAKESTREAM_SIM_SEED")) {
    uint64_t seed = std::strtoull(one, nullptr, 10);
    return {seed, seed + 1};
  }
  if (const char* range = std::getenv("LAKESTREAM_SIM_SEEDS")) {
    char* colon = nullptr;
    uint64_t first = std::strtoull(range, &colon, 10);
    return {first, std::strtoull(colon + 1, nullptr, 10)};
  }
  return {0, count};
}

// Runs each of them until one fails, and names that one.
inline void run_seeds(uint64_t count, void (*run_seed)(uint64_t seed)) {
  auto [first, limit] = seeds(count);
  for (uint64_t seed = first; seed < limit; ++seed) {
    run_seed(seed);
    ASSERT_FALSE(testing::Test::HasFailure()) << "LAKESTREAM_SIM_SEED=" << seed;
  }
}

// Whether all of the writers have ended, within two minutes.
template <typename Writers>
bool writers_end(SimWorld& world, const Writers& writers) {
  auto all_ended = [&] {
    return std::all_of(
        writers.begin(), writers.end(), [](const auto& writer) { return writer->has_ended(); });
  };
  return world.run_until(all_ended, std::chrono::minutes(2));
}

}  // namespace lakestream
