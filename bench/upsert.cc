// How fast rows of a primary-key table are written, acknowledged by all replicas, and what they
// cost the server: new keys first, then the same ones again in another order.
//
//   build/release/bench/upsert

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "client/upserter.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr int kRuns = 3;
constexpr size_t kNumberBytes = 8;
constexpr size_t kBatchBytes = 1'000'000;

struct Case {
  const char* durability;
  size_t row_bytes;
  int32_t buckets;
  size_t rows;
};

// Keys `first`, `first + step`, … below `count`, in a ring.
Result<std::shared_ptr<arrow::RecordBatch>> rows_of(
    const Schema& schema, size_t row_bytes, size_t rows, size_t first, size_t step, size_t count) {
  arrow::Int64Builder ids;
  arrow::StringBuilder texts;
  std::string text(row_bytes - kNumberBytes, 'x');
  for (size_t i = 0; i < rows; ++i) {
    RETURN_IF_ERROR(from_arrow(ids.Append(static_cast<int64_t>((first + i) * step % count))));
    RETURN_IF_ERROR(from_arrow(texts.Append(text)));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> id, from_arrow(ids.Finish()));
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> payload, from_arrow(texts.Finish()));
  std::vector<std::shared_ptr<arrow::Array>> columns{id, payload};
  return arrow::RecordBatch::Make(
      arrow_schema_of(schema), static_cast<int64_t>(rows), std::move(columns));
}

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// Seconds from the first row to the last acknowledgement.
Task<Result<double>> upsert_all(std::shared_ptr<client::Connection> connection,
                                TablePath table,
                                Batches batches) {
  client::UpserterOptions options;
  options.batch_bytes = kBatchBytes;
  CO_ASSIGN_OR_RETURN(auto upserter, co_await client::Upserter::open(connection, table, options));
  double begin = seconds_now();
  for (auto& batch : batches) {
    auto delivery = co_await upserter->upsert(std::move(batch));
    if (!delivery) co_return fail(std::move(delivery).error());
  }
  CO_RETURN_IF_ERROR(co_await upserter->flush());
  double seconds = seconds_now() - begin;
  CO_RETURN_IF_ERROR(co_await upserter->close());
  co_return seconds;
}

Result<Schema> keyed_schema() {
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  return SchemaBuilder(std::move(schema)).primary_key({"id"}).build();
}

// One pass over all keys in steps, which has to share no factor with their number.
Status run_pass(Running& running,
                const Case& c,
                const TablePath& table,
                const Schema& schema,
                size_t step,
                const char* name) {
  Batches batches;
  size_t batch_rows = kBatchBytes / c.row_bytes;
  for (size_t first = 0; first < c.rows; first += batch_rows) {
    size_t count = std::min(batch_rows, c.rows - first);
    ASSIGN_OR_RETURN(auto batch, rows_of(schema, c.row_bytes, count, first, step, c.rows));
    batches.push_back(std::move(batch));
  }
  double cpu = running.server->cpu_seconds();
  cli::ClientSession& session = *running.session;
  ASSIGN_OR_RETURN(double seconds,
                   session.run(upsert_all(session.connection(), table, std::move(batches))));
  cpu = running.server->cpu_seconds() - cpu;
  auto rows = static_cast<double>(c.rows);
  std::string title =
      fmt::format("{} {} {} B rows, {} bucket(s)", c.durability, name, c.row_bytes, c.buckets);
  std::printf("%-46s %6.0f %10.0f %8.2f %8.0f\n",
              title.c_str(),
              rows * static_cast<double>(c.row_bytes) / seconds / 1e6,
              rows / seconds,
              cpu / rows * 1e6,
              running.server->resident_mib());
  std::fflush(stdout);
  return ok();
}

Status run_case(const Case& c) {
  constexpr size_t kFarStep = 7919;
  ASSIGN_OR_RETURN(auto running,
                   Running::start({fmt::format("lakestream.durability={}", c.durability)}));
  TablePath table{"fluss", "upserts"};
  ASSIGN_OR_RETURN(Schema schema, keyed_schema());
  cli::ClientSession& session = *running->session;
  RETURN_IF_ERROR(session.run(create_table(session.connection(), table, schema, c.buckets)));
  RETURN_IF_ERROR(run_pass(*running, c, table, schema, 1, "new"));
  for (int run = 1; run < kRuns; ++run) {
    RETURN_IF_ERROR(run_pass(*running, c, table, schema, kFarStep, "again"));
  }
  return ok();
}

Status run() {
  std::printf("%-46s %6s %10s %8s %8s\n", "upsert", "MB/s", "rows/s", "cpu s/M", "MiB");
  for (const char* durability : {"os", "sync"}) {
    for (size_t row_bytes : {size_t{100}, size_t{1024}}) {
      for (int32_t buckets : {1, 8}) {
        size_t rows = row_bytes == 100 ? 1'000'000 : 200'000;
        RETURN_IF_ERROR(run_case({durability, row_bytes, buckets, rows}));
      }
    }
  }
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("upsert", lakestream::bench::run()); }
