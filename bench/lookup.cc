// What a lookup of a row of 100 bytes costs the server: random keys that are there, 16 and one in a
// request, over as many connections as the peer has. Server and load have a core each. Then how
// long answers take at half of that rate, and the same with more rows than the caches hold.
//
//   build/release/bench/lookup [MILLIONS OF KEYS OF THE SECOND PART]
//
// Peer: redis-server without persistence under redis-benchmark, values of the same size, pipelines
// of the same length. The ratio is that of operations per second of the server's processor.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client/admin.h"
#include "client/upserter.h"
#include "format/value.h"
#include "support/lookup_load.h"
#include "support/redis.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr size_t kKeys = 1'000'000;
constexpr size_t kManyMillions = 2;
constexpr size_t kValueBytes = 100;
constexpr size_t kNumberBytes = 8;
constexpr size_t kClients = 8;
constexpr int kServerCore = 0;
constexpr int kLoadCore = 1;
constexpr double kPipelineTarget = 1;
constexpr double kSingleTarget = 0.5;

struct Rate {
  double per_second = 0;
  double per_cpu_second = 0;
};

Task<Status> fill(std::shared_ptr<client::Connection> connection, TablePath table, size_t keys) {
  CO_ASSIGN_OR_RETURN(
      auto upserter, co_await client::Upserter::open(connection, table, client::UpserterOptions()));
  std::string text(kValueBytes - kNumberBytes, 'x');
  for (size_t i = 0; i < keys; ++i) {
    CO_RETURN_IF_ERROR(co_await upserter->room());
    std::vector<Value> row{Value::integer(static_cast<int64_t>(i)), Value::bytes(text)};
    auto taken = upserter->upsert_row(row);
    if (!taken) co_return fail(std::move(taken).error());
  }
  co_return co_await upserter->close();
}

Task<Result<TableId>> id_of(std::shared_ptr<client::Connection> connection, TablePath table) {
  client::Admin admin(connection);
  CO_ASSIGN_OR_RETURN(client::TableInfo info, co_await admin.table_info(table));
  co_return info.id;
}

Rate rate_of(size_t calls, double seconds, double cpu) {
  return {static_cast<double>(calls) / seconds, static_cast<double>(calls) / cpu};
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

// A server with a table of so many rows.
struct Filled {
  std::unique_ptr<Running> running;
  TableId table;
  size_t keys = 0;

  static Result<Filled> make(size_t keys, std::vector<std::string> settings) {
    Filled filled{std::make_unique<Running>(), {}, keys};
    Running& running = *filled.running;
    settings.insert(settings.end(), {"lakestream.durability=os", "lakestream.shards=1"});
    // Children run where their parent is when they start.
    bool pinned = pin_to_core(kServerCore);
    ASSIGN_OR_RETURN(running.server,
                     ServerProcess::start(running.scratch.path() + "/data", settings));
    pinned = pin_to_core(kLoadCore) && pinned;
    if (!pinned) std::printf("server and load share their cores: there are not two to pin to\n");
    ASSIGN_OR_RETURN(running.session, cli::ClientSession::open({running.server->address()}));
    cli::ClientSession& session = *running.session;
    TablePath table{"fluss", "lookups"};
    ASSIGN_OR_RETURN(Schema plain, text_schema());
    ASSIGN_OR_RETURN(Schema schema, SchemaBuilder(std::move(plain)).primary_key({"id"}).build());
    RETURN_IF_ERROR(session.run(create_table(session.connection(), table, std::move(schema), 1)));
    RETURN_IF_ERROR(session.run(fill(session.connection(), table, keys)));
    ASSIGN_OR_RETURN(filled.table, session.run(id_of(session.connection(), table)));
    auto idle = running.server->cpu_seconds_when_idle();
    if (!idle) return fail(std::move(idle).error());
    return filled;
  }
};

Status compare(
    const Filled& filled, Redis& redis, size_t pipeline, const std::string& name, bool has_target) {
  ServerProcess& server = *filled.running->server;
  LookupLoad load{.address = server.address(),
                  .table = filled.table,
                  .keys = filled.keys,
                  .value_bytes = kValueBytes,
                  .clients = kClients,
                  .pipeline = pipeline,
                  .requests = (pipeline == 1 ? 400'000 : 2'000'000) / pipeline};
  size_t calls = load.requests * pipeline;
  double cpu = server.cpu_seconds();
  ASSIGN_OR_RETURN(LookupRun full, run_lookups(load));
  Rate ours = rate_of(calls, full.seconds, server.cpu_seconds() - cpu);
  ASSIGN_OR_RETURN(Rate peer, measure_peer(redis, pipeline, calls));
  load.per_second = static_cast<double>(load.requests) / full.seconds / 2;
  ASSIGN_OR_RETURN(LookupRun half, run_lookups(load));
  double ratio = ours.per_cpu_second / peer.per_cpu_second;
  double target = pipeline == 1 ? kSingleTarget : kPipelineTarget;
  std::printf("%-34s %10.0f %10.0f %10.0f %10.0f %6.2f %8.3f %8.3f%s\n",
              fmt::format("{}, {} a request", name, pipeline).c_str(),
              ours.per_second,
              ours.per_cpu_second,
              peer.per_second,
              peer.per_cpu_second,
              ratio,
              half.p50_seconds * 1e3,
              half.p99_seconds * 1e3,
              has_target ? at_least(ratio, target).c_str() : "");
  std::fflush(stdout);
  return ok();
}

Status run(size_t many_millions) {
  pin_to_core(kServerCore);
  ASSIGN_OR_RETURN(auto redis, Redis::start());
  pin_to_core(kLoadCore);
  RETURN_IF_ERROR(redis->fill({.keys = kKeys, .value_bytes = kValueBytes}));
  std::printf("%-34s %10s %10s %10s %10s %6s %8s %8s\n",
              "lookup, rows of 100 B",
              "ops/s",
              "ops/cpu s",
              "peer ops/s",
              "/cpu s",
              "ratio",
              "half p50",
              "p99 ms");
  for (bool many : {false, true}) {
    std::vector<std::string> small{"kv.rocksdb.shared-block-cache.size=64mb",
                                   "lakestream.kv.row-cache=64mb"};
    size_t keys = many ? many_millions * 1'000'000 : kKeys;
    ASSIGN_OR_RETURN(Filled filled, Filled::make(keys, many ? small : std::vector<std::string>()));
    std::string name = fmt::format("{} million keys{}", keys / 1'000'000, many ? ", 128 MiB" : "");
    for (size_t pipeline : {size_t{16}, size_t{1}}) {
      RETURN_IF_ERROR(compare(filled, *redis, pipeline, name, !many));
    }
  }
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main(int argc, char** argv) {
  using namespace lakestream::bench;
  return finish("lookup", run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : kManyMillions));
}
