#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/bench_load.h"
#include "cli/commands.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "client/admin.h"
#include "io/random.h"

namespace lakestream::cli {
namespace {

using client::Connection;
using Json = nlohmann::ordered_json;

constexpr double kMegabyte = 1e6;
constexpr Duration kArrivalCheck = std::chrono::milliseconds(300);
constexpr int64_t kWritesInFlight = 5;
constexpr int64_t kLookupsInFlight = 128;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  int64_t rows = 1'000'000;
  int64_t row_bytes = 100;
  int64_t buckets = 1;
  int64_t connections = 1;
  std::string kind = "append";
  std::optional<int64_t> in_flight;
  size_t batch_bytes = size_t{1} << 20;
  Duration timeout = std::chrono::seconds(30);
  std::string codec = "zstd";
  std::string acks = "all";
  bool keep = false;
};

// What all flows of one kind did together.
struct Phase {
  FlowResult total;
  double seconds = 0;
};

// Calls on their way of a client.
size_t in_flight_of(const Options& options, LoadKind kind) {
  int64_t usual = kind == LoadKind::kLookup ? kLookupsInFlight : kWritesInFlight;
  return static_cast<size_t>(options.in_flight.value_or(usual));
}

LoadKind first_kind(const Options& options) {
  return options.kind == "append" ? LoadKind::kAppend : LoadKind::kUpsert;
}

LoadKind second_kind(const Options& options) {
  return options.kind == "lookup" ? LoadKind::kLookup : LoadKind::kRead;
}

std::string_view name_of(LoadKind kind) {
  switch (kind) {
    case LoadKind::kAppend:
      return "append";
    case LoadKind::kUpsert:
      return "upsert";
    case LoadKind::kLookup:
      return "lookup";
    case LoadKind::kRead:
      break;
  }
  return "read";
}

// A connection and the shard that it lives on.
struct Flow {
  Shard* shard = nullptr;
  std::shared_ptr<Connection> connection;
  LoadPlan plan;
  std::optional<Result<FlowResult>> result;
};

Task<Result<std::shared_ptr<Connection>>> connect(Env* env,
                                                  Shard* shard,
                                                  Address server,
                                                  client::ConnectionOptions options) {
  std::vector<Address> bootstrap{std::move(server)};
  co_return co_await Connection::open(*env, *shard, std::move(bootstrap), options);
}

Task<bool> close_connection(std::shared_ptr<Connection> connection) {
  co_return (co_await connection->close()).has_value();
}

// What a flow does on its shard.
struct FlowJob {
  Env* env;
  Flow* flow;
  LoadKind kind;
  uint64_t seed;

  Task<Result<FlowResult>> operator()() const {
    return cli::run_load(kind, env, flow->shard, flow->connection, flow->plan, seed);
  }
};

// Flows that still run, as the control shard sees them.
struct Running {
  size_t count = 0;
  Waiter changed;
};

Task<void> run_flow(Shard* control, FlowJob job, std::shared_ptr<Running> running) {
  job.flow->result = co_await call_on(*control, *job.flow->shard, job);
  --running->count;
  running->changed.wake();
}

Task<Status> run_flows(Env* env, Shard* control, std::vector<Flow>* flows, LoadKind kind) {
  auto running = std::make_shared<Running>();
  for (Flow& flow : *flows) {
    FlowJob job{env, &flow, kind, env->random.next()};
    ++running->count;
    control->spawn(run_flow(control, job, running));
  }
  while (running->count > 0) co_await running->changed.wait();
  for (const Flow& flow : *flows) {
    if (!*flow.result) co_return fail(flow.result->error());
  }
  co_return ok();
}

// With acks=none rows may arrive after their append has ended: waits until no more do.
Task<Status> await_arrival(Env* env,
                           Shard* shard,
                           std::shared_ptr<Connection> connection,
                           TablePath table) {
  client::Admin admin(std::move(connection));
  int64_t before = -1;
  for (;;) {
    CO_ASSIGN_OR_RETURN(auto buckets, co_await admin.table_stats(table));
    int64_t rows = 0;
    for (const client::BucketStats& bucket : buckets) rows += bucket.row_count;
    if (rows == before) co_return ok();
    before = rows;
    co_await sleep_for(env->clock, *shard, kArrivalCheck);
  }
}

Result<Phase> run_phase(const Options& options,
                        RealEnv& real,
                        Shard& control,
                        std::vector<Flow>* flows,
                        LoadKind kind) {
  for (Flow& flow : *flows) flow.plan.in_flight = in_flight_of(options, kind);
  Progress clock(&real.env().clock, std::nullopt);
  RETURN_IF_ERROR(run_blocking(control, run_flows(&real.env(), &control, flows, kind)));
  Phase phase;
  phase.seconds = clock.seconds();
  for (const Flow& flow : *flows) {
    const FlowResult& result = **flow.result;
    phase.total.rows += result.rows;
    phase.total.calls += result.calls;
    phase.total.wire_bytes += result.wire_bytes;
    phase.total.latency.merge(result.latency);
  }
  return phase;
}

std::vector<Flow> make_flows(const Options& options, ShardGroup& shards, const TablePath& table) {
  std::vector<Flow> flows(static_cast<size_t>(options.connections));
  auto rows = static_cast<uint64_t>(options.rows);
  uint64_t first_key = 0;
  for (size_t i = 0; i < flows.size(); ++i) {
    Flow& flow = flows[i];
    flow.shard = &shards.shard(1 + i % (shards.size() - 1));
    flow.plan.table = table;
    flow.plan.rows = rows / flows.size() + (i < rows % flows.size() ? 1 : 0);
    flow.plan.first_key = first_key;
    flow.plan.key_count = rows;
    first_key += flow.plan.rows;
    flow.plan.row_bytes = static_cast<size_t>(options.row_bytes);
    flow.plan.batch_bytes = options.batch_bytes;
    flow.plan.timeout = options.timeout;
    flow.plan.acks = options.acks == "none"     ? client::Acks::kNone
                     : options.acks == "leader" ? client::Acks::kLeader
                                                : client::Acks::kAll;
    flow.plan.flow = static_cast<int32_t>(i);
    flow.plan.flow_count = static_cast<int32_t>(flows.size());
  }
  return flows;
}

Result<TableDescriptor> bench_table(const Options& options) {
  TableDescriptor descriptor;
  ASSIGN_OR_RETURN(descriptor.schema, load_schema(options.kind != "append"));
  descriptor.distribution =
      Distribution{static_cast<int32_t>(options.buckets), descriptor.schema.primary_key()};
  descriptor.properties["table.log.arrow.compression.type"] = options.codec == "zstd"  ? "ZSTD"
                                                              : options.codec == "lz4" ? "LZ4_FRAME"
                                                                                       : "NONE";
  return descriptor;
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

struct Percentile {
  const char* name;
  double share;
};
constexpr Percentile kPercentiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};

Json json_of(const Options& options, const Phase& phase) {
  auto rows = static_cast<double>(phase.total.rows);
  Json latency = Json::object();
  for (const Percentile& percentile : kPercentiles) {
    latency[percentile.name] = milliseconds(phase.total.latency.percentile(percentile.share));
  }
  return {
      {"rows", phase.total.rows},
      {"seconds", phase.seconds},
      {"rows_per_second", rows / phase.seconds},
      {"mb_per_second", rows * static_cast<double>(options.row_bytes) / kMegabyte / phase.seconds},
      {"wire_mb", static_cast<double>(phase.total.wire_bytes) / kMegabyte},
      {"calls", phase.total.calls},
      {"latency_ms", latency}};
}

void print_phase(const Options& options, std::string_view name, const Phase& phase) {
  uint64_t bytes = phase.total.rows * static_cast<uint64_t>(options.row_bytes);
  print_line(fmt::format("{:<7}{} in {:.2f} s: {} ({:.1f} MB on the wire)",
                         name,
                         count_of(phase.total.rows, "row"),
                         phase.seconds,
                         rates_of(phase.total.rows, bytes, phase.seconds),
                         static_cast<double>(phase.total.wire_bytes) / kMegabyte));
  std::string line = fmt::format("       {} calls, milliseconds of one:", phase.total.calls);
  for (const Percentile& percentile : kPercentiles) {
    line += fmt::format(" {} {:.2f}",
                        percentile.name,
                        milliseconds(phase.total.latency.percentile(percentile.share)));
  }
  print_line(line);
}

void print_result(const Options& options, const Phase& written, const Phase& read) {
  if (options.format == OutputFormat::kJson) {
    print_json({{"settings",
                 {{"rows", options.rows},
                  {"row_bytes", options.row_bytes},
                  {"buckets", options.buckets},
                  {"codec", options.codec},
                  {"acks", options.acks},
                  {"connections", options.connections},
                  {"batch_bytes", options.batch_bytes},
                  {"kind", options.kind},
                  {"in_flight", in_flight_of(options, second_kind(options))}}},
                {std::string(name_of(first_kind(options))), json_of(options, written)},
                {std::string(name_of(second_kind(options))), json_of(options, read)}});
    return;
  }
  print_phase(options, name_of(first_kind(options)), written);
  print_phase(options, name_of(second_kind(options)), read);
}

Status measure(const Options& options,
               RealEnv& real,
               ShardGroup& shards,
               const TablePath& table,
               std::vector<Flow>* flows) {
  Shard& control = shards.shard(0);
  LoadKind second = second_kind(options);
  ASSIGN_OR_RETURN(Phase written, run_phase(options, real, control, flows, first_kind(options)));
  if (options.acks == "none") {
    Flow& first = flows->front();
    RETURN_IF_ERROR(run_blocking(*first.shard,
                                 await_arrival(&real.env(), first.shard, first.connection, table)));
  }
  ASSIGN_OR_RETURN(Phase read, run_phase(options, real, control, flows, second));
  print_result(options, written, read);
  if (read.total.rows == written.total.rows) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "{} rows were written and {} read",
                    written.total.rows,
                    read.total.rows);
}

Status run_flows_of(const Options& options,
                    RealEnv& real,
                    ShardGroup& shards,
                    const TablePath& table) {
  ASSIGN_OR_RETURN(Address server, parse_address(options.server.address));
  ASSIGN_OR_RETURN(client::ConnectionOptions access, connection_options(options.server));
  std::vector<Flow> flows = make_flows(options, shards, table);
  Status result = ok();
  for (Flow& flow : flows) {
    auto connection = run_blocking(*flow.shard, connect(&real.env(), flow.shard, server, access));
    if (!connection) {
      result = fail(std::move(connection).error());
      break;
    }
    flow.connection = *std::move(connection);
  }
  if (result) result = measure(options, real, shards, table, &flows);
  for (Flow& flow : flows) {
    if (flow.connection) run_blocking(*flow.shard, close_connection(flow.connection));
  }
  return result;
}

Task<Status> create(std::shared_ptr<Connection> connection,
                    TablePath table,
                    TableDescriptor descriptor) {
  client::Admin admin(connection);
  CO_RETURN_IF_ERROR(
      co_await admin.create_table(table, std::move(descriptor), client::IfExists::kFail));
  // The first append would wait for the leaders otherwise.
  std::vector<BucketId> all;
  auto latest = co_await admin.list_offsets(table, client::OffsetSpec::latest(), all);
  if (!latest) co_return fail(std::move(latest).error());
  co_return ok();
}

Task<Status> drop(std::shared_ptr<Connection> connection, TablePath table) {
  client::Admin admin(std::move(connection));
  co_return co_await admin.drop_table(std::move(table), client::IfAbsent::kIgnore);
}

Status run(const Options& options) {
  ASSIGN_OR_RETURN(auto session, ClientSession::open(options.server));
  ASSIGN_OR_RETURN(TableDescriptor descriptor, bench_table(options));
  TablePath table{kDefaultDatabase, fmt::format("bench_{:x}", session->env().random.next())};
  RETURN_IF_ERROR(session->run(create(session->connection(), table, std::move(descriptor))));
  auto cores = static_cast<size_t>(std::max(1U, std::thread::hardware_concurrency()));
  size_t flow_shards = std::min(static_cast<size_t>(options.connections), cores);
  Status result = ok();
  {
    RealEnv real(1);
    ShardGroup shards(real, 1 + flow_shards);
    result = run_flows_of(options, real, shards, table);
    shards.stop();
  }
  if (options.keep) {
    std::fprintf(stderr, "kept table %s\n", fmt::format("{}", table).c_str());
    return result;
  }
  Status dropped = session->run(drop(session->connection(), table));
  return result ? dropped : result;
}

void add_number(CLI::App& app,
                const std::string& name,
                int64_t* value,
                const std::string& meaning,
                int64_t max) {
  app.add_option(name, *value, fmt::format("{}, {} by default", meaning, *value))
      ->type_name("N")
      ->check(whole_number(1, max));
}

}  // namespace

std::function<int()> declare_bench(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--kind",
                 options->kind,
                 "append to a log table and read it (default); upsert into a primary-key table and "
                 "read its changes; or upsert and look up random keys")
      ->type_name("append|upsert|lookup")
      ->check(one_of({"append", "upsert", "lookup"}));
  add_number(app, "--rows", &options->rows, "rows to write and to read", 1'000'000'000'000);
  add_number(app, "--row-bytes", &options->row_bytes, "bytes of a row", 1 << 20);
  add_number(app, "--buckets", &options->buckets, "buckets of the table", 4096);
  add_number(app, "--connections", &options->connections, "clients at the same time", 1024);
  app.add_option("--in-flight",
                 options->in_flight,
                 "calls on their way of a client, 5 by default, 128 of lookups")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  add_size_option(app,
                  "--batch-bytes",
                  &options->batch_bytes,
                  "rows of one append or upsert, 1mb by default",
                  1,
                  16 << 20);
  add_duration_option(app,
                      "--timeout",
                      &options->timeout,
                      "give up when the server fails for so long, 30 s by default; 0 s: never");
  app.add_option("--codec", options->codec, "compression of the batches, zstd by default")
      ->type_name("none|lz4|zstd")
      ->check(one_of({"none", "lz4", "zstd"}));
  app.add_option("--acks", options->acks, "who has rows before they count, all by default")
      ->type_name("all|leader|none")
      ->check(one_of({"all", "leader", "none"}));
  app.add_flag("--keep", options->keep, "keep the table, which is dropped otherwise");
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer(
      "Writes to a table of its own, then reads it from the beginning. The latency of a write "
      "ends\n"
      "with its acknowledgement, that of a read with the rows of one poll.");
  return [options] {
    Status result = run(*options);
    return result ? kSuccess : refuse("bench", result.error(), options->format);
  };
}

}  // namespace lakestream::cli
