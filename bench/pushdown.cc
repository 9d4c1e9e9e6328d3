// What a reader is spared when the server leaves out columns and batches that cannot match: 20
// columns of 8 bytes, uncompressed, sorted by the first one; 2 columns, a condition that 1 % of the
// batches match, and both, each beside the whole read. The log is in the page cache.
//
//   build/release/bench/pushdown
//
// Peer: the whole read of the same log in the same run.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client/appender.h"
#include "client/scanner.h"
#include "format/batch_builder.h"
#include "support/raw_read.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr int kRuns = 3;
constexpr size_t kColumns = 20;
constexpr size_t kRowBytes = kColumns * 8;
constexpr size_t kLogBytes = 512'000'000;
constexpr size_t kBatchBytes[] = {1 << 20, 64 << 10};
constexpr double kMatchingShare = 0.01;
constexpr double kShareTarget = 5;          // percent
constexpr double kColumnsShareTarget = 17;  // percent: 2 of 20 columns, and what is around them

Result<Schema> wide_schema() {
  SchemaBuilder builder;
  for (size_t i = 0; i < kColumns; ++i) {
    builder.column(fmt::format("c{}", i),
                   i % 2 == 0 ? DataType::bigint().not_null() : DataType::double_().not_null());
  }
  return builder.build();
}

struct Load {
  TablePath table;
  size_t batches = 0;
  size_t batch_rows = 0;

  size_t rows() const { return batches * batch_rows; }
};

Result<Bytes> sorted_batch(const Schema& schema,
                           const BatchOptions& options,
                           const Load& load,
                           size_t number) {
  BatchBuilder builder(schema, options);
  std::vector<Value> row(kColumns);
  for (size_t i = number * load.batch_rows; i < (number + 1) * load.batch_rows; ++i) {
    for (size_t column = 0; column < kColumns; ++column) {
      row[column] = column % 2 == 0 ? Value::integer(static_cast<int64_t>(i))
                                    : Value::double_(static_cast<double>(i));
    }
    RETURN_IF_ERROR(builder.append(ChangeType::kAppend, row));
  }
  return builder.finish({});
}

Task<Status> fill(std::shared_ptr<client::Connection> connection, Load load) {
  auto schema = wide_schema();
  if (!schema) co_return fail(std::move(schema).error());
  Properties properties;
  properties["table.statistics.columns"] = "c0,c1";
  CO_RETURN_IF_ERROR(co_await create_table(connection, load.table, *schema, 1, properties));
  client::AppenderOptions options;
  options.idempotence = false;
  options.in_flight_max = 1;  // keeps the order
  CO_ASSIGN_OR_RETURN(auto appender,
                      co_await client::Appender::open(connection, load.table, options));
  BatchOptions batch_options = client::batch_options_of(appender->table());
  for (size_t i = 0; i < load.batches; ++i) {
    auto batch = sorted_batch(*schema, batch_options, load, i);
    if (!batch) co_return fail(std::move(batch).error());
    auto delivery = co_await appender->append_encoded(BucketId(0), *std::move(batch));
    if (!delivery) co_return fail(std::move(delivery).error());
  }
  co_return co_await appender->close();
}

struct Read {
  double seconds = 0;
  double wire_bytes = 0;
  double read_bytes = 0;
  double cpu = 0;
  double batches = 0;
};

Task<Result<Read>> read_log(std::shared_ptr<client::Connection> connection,
                            TablePath table,
                            client::ScannerOptions options) {
  CO_ASSIGN_OR_RETURN(RawRead raw, co_await read_raw(connection, table, options));
  Read read;
  read.seconds = raw.seconds;
  read.wire_bytes = static_cast<double>(raw.counters.bytes);
  read.batches = static_cast<double>(raw.counters.batches);
  co_return read;
}

// The middle run by time; bytes and processor time are the mean.
Result<Read> measure(const Running& running,
                     const Load& load,
                     const client::ScannerOptions& options) {
  std::vector<double> seconds;
  Read last;
  double cpu = running.server->cpu_seconds();
  double bytes = running.server->bytes_read();
  for (int run = 0; run < kRuns; ++run) {
    ASSIGN_OR_RETURN(
        last, running.session->run(read_log(running.session->connection(), load.table, options)));
    seconds.push_back(last.seconds);
  }
  last.seconds = spread_of(seconds).median;
  last.cpu = (running.server->cpu_seconds() - cpu) / kRuns;
  last.read_bytes = (running.server->bytes_read() - bytes) / kRuns;
  return last;
}

void print_read(const char* name, const Read& read) {
  std::printf("  %-34s %9.1f %9.1f %9.3f %9.3f %9.0f\n",
              name,
              read.wire_bytes / 1e6,
              read.read_bytes / 1e6,
              read.seconds,
              read.cpu,
              read.batches);
  std::fflush(stdout);
}

void print_shares(const Read& part, const Read& whole, double target) {
  double wire = 100 * part.wire_bytes / whole.wire_bytes;
  double read = 100 * part.read_bytes / whole.read_bytes;
  std::printf("    of the whole: %.2f %% on the wire%s, %.2f %% read%s, %.1f %% of the CPU time\n",
              wire,
              at_most(wire, target, " %").c_str(),
              read,
              at_most(read, target, " %").c_str(),
              whole.cpu > 0 ? 100 * part.cpu / whole.cpu : 0);
}

// Those in the middle: the newest ones would come from memory.
Predicate condition_on(const Schema& schema, size_t rows) {
  auto begin = static_cast<int64_t>(rows / 2);
  auto end = begin + static_cast<int64_t>(static_cast<double>(rows) * kMatchingShare);
  auto is = [&](LeafFunction function, int64_t value) {
    return Predicate::leaf(function, schema.column(0), {Value::integer(value)});
  };
  return Predicate::all_of(
      {is(LeafFunction::kGreaterOrEqual, begin), is(LeafFunction::kLess, end)});
}

Status compare(const Running& running, size_t batch_bytes) {
  Load load;
  load.table = TablePath{"fluss", fmt::format("sorted_{}", batch_bytes)};
  load.batch_rows = batch_bytes / kRowBytes;
  load.batches = kLogBytes / batch_bytes;
  RETURN_IF_ERROR(running.session->run(fill(running.session->connection(), load)));
  std::printf("%zu batches of %zu KiB\n", load.batches, batch_bytes >> 10);
  std::printf(
      "  %-34s %9s %9s %9s %9s %9s\n", "", "wire MB", "read MB", "seconds", "CPU s", "batches");

  ASSIGN_OR_RETURN(Schema schema, wide_schema());
  client::ScannerOptions options;
  ASSIGN_OR_RETURN(Read whole, measure(running, load, options));
  print_read("everything", whole);
  options.columns = {"c3", "c10"};
  ASSIGN_OR_RETURN(Read columns, measure(running, load, options));
  print_read("2 of 20 columns", columns);
  print_shares(columns, whole, kColumnsShareTarget);
  options.columns = {};
  options.condition = condition_on(schema, load.rows());
  ASSIGN_OR_RETURN(Read condition, measure(running, load, options));
  print_read("1 % of the batches", condition);
  print_shares(condition, whole, kShareTarget);
  options.columns = {"c0", "c3"};
  ASSIGN_OR_RETURN(Read both, measure(running, load, options));
  print_read("1 % of the batches, 2 columns", both);
  print_shares(both, whole, kShareTarget);
  return ok();
}

Status run() {
  ASSIGN_OR_RETURN(auto running, Running::start({"lakestream.durability=os"}));
  std::printf("pushdown: %zu columns of 8 bytes, sorted by the first\n", kColumns);
  for (size_t batch_bytes : kBatchBytes) RETURN_IF_ERROR(compare(*running, batch_bytes));
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("pushdown", lakestream::bench::run()); }
