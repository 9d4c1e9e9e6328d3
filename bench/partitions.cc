// What many partitions cost: 1,000 partitions of 4 buckets are created, listed and described, and
// the server is ready again after a stop. Then 1 of 20 partitions is read against all of them.
//
//   build/release/bench/partitions
//
// Peer: none; the targets are 2 s from exec to the line "ready", and that reading one of 20
// partitions takes at most 1/18 of the bytes and of the server's processor time.

#include <cstdio>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "client/admin.h"
#include "client/appender.h"
#include "client/scanner.h"
#include "format/arrow_schema.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

using client::Admin;
using client::Appender;
using client::LogScanner;
using Connected = std::shared_ptr<client::Connection>;

constexpr int kPartitions = 1000;
constexpr int32_t kBuckets = 4;
constexpr int kRuns = 3;
constexpr double kTargetSeconds = 2;

constexpr int kReadPartitions = 20;
constexpr int kBatchesOfPartition = 40;
constexpr int64_t kRowsOfBatch = 1000;
constexpr size_t kTextBytes = 1000;
constexpr int kReads = 5;
constexpr double kTargetShare = 1.0 / 18;

Result<TableDescriptor> partitioned_table(int32_t buckets) {
  TableDescriptor table;
  SchemaBuilder schema;
  schema.column("id", DataType::bigint());
  schema.column("text", DataType::string());
  schema.column("part", DataType::string());
  ASSIGN_OR_RETURN(table.schema, schema.build());
  table.partition_keys = {"part"};
  table.distribution.emplace();
  table.distribution->bucket_count = buckets;
  table.properties["table.log.arrow.compression.type"] = "NONE";
  return table;
}

std::string name_of(int partition) { return fmt::format("p{:04}", partition); }

// ---- many partitions

Task<Status> create_all(Connected connection, TablePath table, int count) {
  Admin admin(connection);
  for (int i = 0; i < count; ++i) {
    PartitionSpec spec;
    spec.emplace_back("part", name_of(i));
    CO_RETURN_IF_ERROR(
        co_await admin.create_partition(table, std::move(spec), client::IfExists::kFail));
  }
  co_return ok();
}

Task<Result<size_t>> list_all(Connected connection, TablePath table) {
  Admin admin(connection);
  PartitionSpec all;
  CO_ASSIGN_OR_RETURN(auto partitions, co_await admin.list_partitions(table, all));
  co_return partitions.size();
}

// A client that opens all of the table: metadata and offsets of each partition.
Task<Status> describe_all(Connected connection, TablePath table) {
  client::ScannerOptions options;
  CO_ASSIGN_OR_RETURN(auto scanner, co_await LogScanner::open(connection, table, options));
  co_return co_await scanner->subscribe_all(client::OffsetSpec::earliest());
}

void print(const std::string& what, double seconds, const std::string& verdict) {
  std::printf("%-52s %9.3f s%s\n", what.c_str(), seconds, verdict.c_str());
}

Status many() {
  ScratchDirectory scratch;
  std::string data = scratch.path() + "/data";
  TablePath table{"fluss", "many"};
  ASSIGN_OR_RETURN(auto server, ServerProcess::start(data, {}));
  ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
  ASSIGN_OR_RETURN(TableDescriptor descriptor, partitioned_table(kBuckets));
  Admin admin(session->connection());
  RETURN_IF_ERROR(
      session->run(admin.create_table(table, std::move(descriptor), client::IfExists::kFail)));
  double begin = seconds_now();
  RETURN_IF_ERROR(session->run(create_all(session->connection(), table, kPartitions)));
  print(fmt::format("create {} partitions of {} buckets", kPartitions, kBuckets),
        seconds_now() - begin,
        fmt::format(", {:.1f} ms each", (seconds_now() - begin) * 1000 / kPartitions));
  begin = seconds_now();
  ASSIGN_OR_RETURN(size_t count, session->run(list_all(session->connection(), table)));
  print(fmt::format("list {} partitions", count), seconds_now() - begin, "");
  begin = seconds_now();
  RETURN_IF_ERROR(session->run(describe_all(session->connection(), table)));
  print("metadata and offsets of each partition", seconds_now() - begin, "");
  session.reset();
  server.reset();
  std::vector<double> ready;
  for (int run = 0; run < kRuns; ++run) {
    ASSIGN_OR_RETURN(server, ServerProcess::start(data, {}));
    ready.push_back(server->seconds_to_ready());
    server.reset();
  }
  Spread spread = spread_of(ready);
  print(fmt::format("ready with {} partitions, {} logs", kPartitions, kPartitions * kBuckets),
        spread.median,
        at_most(spread.median, kTargetSeconds, " s"));
  return ok();
}

// ---- one partition of many

Task<Status> append_all(Connected connection, TablePath table) {
  client::AppenderOptions options;
  CO_ASSIGN_OR_RETURN(auto appender, co_await Appender::open(connection, table, options));
  std::string text(kTextBytes, 'x');
  for (int i = 0; i < kReadPartitions; ++i) {
    std::string name = name_of(i);
    for (int64_t row = 0; row < kBatchesOfPartition * kRowsOfBatch; ++row) {
      std::vector<Value> values{Value::integer(row), Value::bytes(text), Value::bytes(name)};
      Result<client::Delivery> taken = appender->append_row(values);
      while (!taken && taken.error().code() == ErrorCode::kStorageBackpressureException) {
        CO_RETURN_IF_ERROR(co_await appender->room());
        taken = appender->append_row(values);
      }
      if (!taken) co_return fail(std::move(taken).error());
    }
  }
  co_return co_await appender->close();
}

struct ReadResult {
  uint64_t bytes = 0;
  int64_t rows = 0;
};

Task<Result<ReadResult>> read(Connected connection, TablePath table, PartitionSpec partitions) {
  client::ScannerOptions options;
  options.partitions = std::move(partitions);
  options.check_crc = false;
  CO_ASSIGN_OR_RETURN(auto scanner, co_await LogScanner::open(connection, table, options));
  CO_RETURN_IF_ERROR(co_await scanner->subscribe_all(client::OffsetSpec::earliest()));
  CO_RETURN_IF_ERROR(co_await scanner->stop_at_latest());
  ReadResult result;
  while (!scanner->is_finished()) {
    CO_ASSIGN_OR_RETURN(auto batches, co_await scanner->poll(std::chrono::seconds(1)));
    for (const client::ScanBatch& batch : batches) result.rows += batch.rows->num_rows();
  }
  result.bytes = scanner->counters().bytes;
  co_return result;
}

struct Cost {
  ReadResult read;
  double seconds = 0;
  double cpu_seconds = 0;
};

// Of `reads` reads together.
Result<Cost> cost_of(Running& running, const TablePath& table, PartitionSpec spec, int reads) {
  Cost cost;
  ASSIGN_OR_RETURN(double cpu, running.server->cpu_seconds_when_idle());
  double begin = seconds_now();
  for (int i = 0; i < reads; ++i) {
    ASSIGN_OR_RETURN(cost.read,
                     running.session->run(read(running.session->connection(), table, spec)));
  }
  cost.seconds = seconds_now() - begin;
  ASSIGN_OR_RETURN(double cpu_after, running.server->cpu_seconds_when_idle());
  cost.cpu_seconds = cpu_after - cpu;
  return cost;
}

void print_cost(const char* what, const Cost& cost, int reads) {
  std::printf("%-52s %9.3f s %9.1f MB %9.4f s of the server's processor\n",
              what,
              cost.seconds / reads,
              static_cast<double>(cost.read.bytes) / 1e6,
              cost.cpu_seconds / reads);
}

Status some() {
  ASSIGN_OR_RETURN(auto running, Running::start({"lakestream.durability=os"}));
  TablePath table{"fluss", "some"};
  ASSIGN_OR_RETURN(TableDescriptor descriptor, partitioned_table(1));
  Admin admin(running->session->connection());
  RETURN_IF_ERROR(running->session->run(
      admin.create_table(table, std::move(descriptor), client::IfExists::kFail)));
  RETURN_IF_ERROR(running->session->run(append_all(running->session->connection(), table)));
  PartitionSpec one;
  one.emplace_back("part", name_of(kReadPartitions / 2));
  // The first reads of both warm up.
  ASSIGN_OR_RETURN(Cost all, cost_of(*running, table, {}, 1));
  ASSIGN_OR_RETURN(Cost pruned, cost_of(*running, table, one, 1));
  ASSIGN_OR_RETURN(all, cost_of(*running, table, {}, kReads));
  ASSIGN_OR_RETURN(pruned, cost_of(*running, table, one, kReads * kReadPartitions));
  print_cost(fmt::format("read all {} partitions", kReadPartitions).c_str(), all, kReads);
  print_cost("read one of them", pruned, kReads * kReadPartitions);
  double bytes = static_cast<double>(pruned.read.bytes) / static_cast<double>(all.read.bytes);
  double cpu = pruned.cpu_seconds / kReadPartitions / all.cpu_seconds;
  std::printf("%-52s %9.4f%s\n",
              "bytes of one, as a part of all",
              bytes,
              at_most(bytes, kTargetShare, "").c_str());
  std::printf("%-52s %9.4f%s\n",
              "processor time of one, as a part of all",
              cpu,
              at_most(cpu, kTargetShare, "").c_str());
  return ok();
}

Status run() {
  std::printf("partitions\n");
  RETURN_IF_ERROR(many());
  return some();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("partitions", lakestream::bench::run()); }
