// What a lookup of a row of 100 bytes costs the server: random keys that are there, one and 16 in a
// request, over as many requests as the peer has clients. Server and load have a core each.
//
//   build/release/bench/lookup
//
// Peer: redis-server without persistence under redis-benchmark, values of the same size, pipelines
// of the same length. The ratio is that of operations per second of the server's processor.

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client/lookuper.h"
#include "client/upserter.h"
#include "format/value.h"
#include "io/random.h"
#include "support/redis.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr size_t kKeys = 1'000'000;
constexpr size_t kValueBytes = 100;
constexpr size_t kNumberBytes = 8;
constexpr size_t kClients = 8;
constexpr int kServerCore = 0;
constexpr int kLoadCore = 1;

struct Rate {
  double per_second = 0;
  double per_cpu_second = 0;
};

Task<Status> fill(std::shared_ptr<client::Connection> connection, TablePath table) {
  CO_ASSIGN_OR_RETURN(
      auto upserter, co_await client::Upserter::open(connection, table, client::UpserterOptions()));
  std::string text(kValueBytes - kNumberBytes, 'x');
  for (size_t i = 0; i < kKeys; ++i) {
    CO_RETURN_IF_ERROR(co_await upserter->room());
    std::vector<Value> row{Value::integer(static_cast<int64_t>(i)), Value::bytes(text)};
    auto taken = upserter->upsert_row(row);
    if (!taken) co_return fail(std::move(taken).error());
  }
  co_return co_await upserter->close();
}

// Lookups one after the other; many of them run at the same time.
struct Workers {
  size_t left = 0;
  std::optional<Error> error;
  Waiter done;
};

Task<void> look_up(client::Lookuper* lookuper,
                   std::shared_ptr<Workers> workers,
                   size_t calls,
                   uint64_t seed) {
  Random random(seed);
  for (size_t i = 0; i < calls && !workers->error; ++i) {
    std::vector<Value> key{Value::integer(static_cast<int64_t>(random.below(kKeys)))};
    auto row = co_await lookuper->lookup_row(std::move(key));
    if (!row) {
      workers->error = std::move(row).error();
    } else if (!*row) {
      workers->error = Error(ErrorCode::kUnknownServerError, "a key that was put is not found");
    }
  }
  if (--workers->left == 0) workers->done.wake();
}

Task<Result<double>> look_up_all(Shard* shard,
                                 std::shared_ptr<client::Connection> connection,
                                 TablePath table,
                                 size_t pipeline,
                                 size_t calls) {
  client::LookupOptions options;
  options.request_keys_max = pipeline;
  options.in_flight_max = kClients;
  CO_ASSIGN_OR_RETURN(auto lookuper, co_await client::Lookuper::open(connection, table, options));
  auto workers = std::make_shared<Workers>();
  workers->left = kClients * pipeline;
  double begin = seconds_now();
  for (size_t i = 0; i < kClients * pipeline; ++i) {
    shard->spawn(look_up(lookuper.get(), workers, calls / (kClients * pipeline), i + 1));
  }
  co_await workers->done.wait();
  double seconds = seconds_now() - begin;
  if (workers->error) co_return fail(*workers->error);
  co_return seconds;
}

Rate rate_of(size_t calls, double seconds, double cpu) {
  return {static_cast<double>(calls) / seconds, static_cast<double>(calls) / cpu};
}

Result<Rate> measure(Running& running, const TablePath& table, size_t pipeline, size_t calls) {
  cli::ClientSession& session = *running.session;
  double cpu = running.server->cpu_seconds();
  ASSIGN_OR_RETURN(
      double seconds,
      session.run(look_up_all(&session.shard(), session.connection(), table, pipeline, calls)));
  return rate_of(calls, seconds, running.server->cpu_seconds() - cpu);
}

Result<Rate> measure_peer(Redis& redis, size_t pipeline, size_t calls) {
  RedisLoad load{.keys = kKeys,
                 .value_bytes = kValueBytes,
                 .clients = kClients,
                 .pipeline = pipeline,
                 .calls = calls};
  double cpu = redis.cpu_seconds();
  ASSIGN_OR_RETURN(double seconds, redis.get(load));
  return rate_of(calls, seconds, redis.cpu_seconds() - cpu);
}

Status run() {
  TablePath table{"fluss", "lookups"};
  // Children run where their parent is when they start.
  bool pinned = pin_to_core(kServerCore);
  ASSIGN_OR_RETURN(auto redis, Redis::start());
  Running running;
  ASSIGN_OR_RETURN(
      running.server,
      ServerProcess::start(running.scratch.path() + "/data", {"lakestream.durability=os"}));
  pinned = pin_to_core(kLoadCore) && pinned;
  if (!pinned) std::printf("server and load share their cores: there are not two to pin to\n");
  ASSIGN_OR_RETURN(running.session, cli::ClientSession::open(running.server->address()));

  ASSIGN_OR_RETURN(Schema plain, text_schema());
  ASSIGN_OR_RETURN(Schema schema, SchemaBuilder(std::move(plain)).primary_key({"id"}).build());
  cli::ClientSession& session = *running.session;
  RETURN_IF_ERROR(session.run(create_table(session.connection(), table, std::move(schema), 1)));
  RETURN_IF_ERROR(session.run(fill(session.connection(), table)));
  RETURN_IF_ERROR(redis->fill({.keys = kKeys, .value_bytes = kValueBytes}));

  std::printf("%-30s %12s %14s %12s %14s %6s\n",
              "lookup",
              "ops/s",
              "ops/cpu s",
              "peer ops/s",
              "peer ops/cpu s",
              "ratio");
  for (size_t pipeline : {size_t{16}, size_t{1}}) {
    size_t calls = pipeline == 1 ? 400'000 : 2'000'000;
    ASSIGN_OR_RETURN(Rate ours, measure(running, table, pipeline, calls));
    ASSIGN_OR_RETURN(Rate peer, measure_peer(*redis, pipeline, calls));
    std::printf("%-30s %12.0f %14.0f %12.0f %14.0f %6.2f\n",
                fmt::format("{} B values, pipeline {}", kValueBytes, pipeline).c_str(),
                ours.per_second,
                ours.per_cpu_second,
                peer.per_second,
                peer.per_cpu_second,
                ours.per_cpu_second / peer.per_cpu_second);
    std::fflush(stdout);
  }
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("lookup", lakestream::bench::run()); }
