// How fast the server copies a log table of 20 columns to the lake, from its log to the commit,
// beside the Parquet library alone with the same batches; and what that costs those who append to
// another table meanwhile.
//
//   build/release/bench/tiering
//
// Peer: the writer of the Parquet library in this process, of one core, into memory, with the same
// codec and row groups. Each bucket is written by a thread of its own; reading the log and decoding
// it is done meanwhile, so the processor time of the server, which is told too, is more.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <unistd.h>

#include "client/admin.h"
#include "client/appender.h"
#include "client/lake_admin.h"
#include "support/lake_server.h"
#include "support/support.h"
#include "support/twenty_columns.h"

namespace lakestream::bench {
namespace {

using Connected = std::shared_ptr<client::Connection>;

constexpr int64_t kRows = 4'000'000;
constexpr int64_t kBatchRows = 10'000;
constexpr double kTarget = 0.70;
constexpr int kPeerRuns = 3;
constexpr int32_t kHotBuckets = 2;
constexpr size_t kHotRowBytes = 1024;
constexpr size_t kHotBatchRows = 1000;
constexpr size_t kHotBatches = 1500;

Task<Status> append_all(Connected connection, TablePath table, const RecordBatches* batches) {
  client::AppenderOptions options;
  options.no_key_assigner = client::NoKeyAssigner::kRoundRobin;
  CO_ASSIGN_OR_RETURN(auto appender, co_await client::Appender::open(connection, table, options));
  int64_t per_pass = static_cast<int64_t>(batches->size()) * kBatchRows;
  for (int64_t rows = 0; rows < kRows; rows += per_pass) {
    for (const auto& batch : *batches) {
      CO_RETURN_IF_ERROR(co_await appender->append(batch));
    }
  }
  co_return co_await appender->close();
}

Task<Result<bool>> has_begun(Connected connection) {
  client::LakeAdmin lake(connection);
  CO_ASSIGN_OR_RETURN(auto tables, co_await lake.tiering_statuses());
  co_return !tables.empty() && tables.front().state == "tiering";
}

Status prepare(LakeServer& place,
               const TablePath& table,
               const RecordBatches& batches,
               int32_t buckets) {
  ASSIGN_OR_RETURN(Schema schema, twenty_columns(false));
  // The round has as long as the freshness; it begins when that has passed.
  Properties properties{{"table.datalake.enabled", "false"}, {"table.datalake.freshness", "8 s"}};
  RETURN_IF_ERROR(place.session->run(
      create_table(place.session->connection(), table, schema, buckets, properties)));
  return place.session->run(append_all(place.session->connection(), table, &batches));
}

// Ends when the round has begun.
Status begin(LakeServer& place, const TablePath& table) {
  RETURN_IF_ERROR(place.set_option(table, "table.datalake.enabled", "true"));
  for (;;) {
    ASSIGN_OR_RETURN(bool begun, place.session->run(has_begun(place.session->connection())));
    if (begun) return ok();
    RETURN_IF_ERROR(place.pause());
  }
}

Status measure_tiering(const RecordBatches& batches, const std::string& format, int32_t buckets) {
  ASSIGN_OR_RETURN(auto place, LakeServer::start(format));
  TablePath table{"fluss", "wide"};
  RETURN_IF_ERROR(prepare(*place, table, batches, buckets));
  ASSIGN_OR_RETURN(double cpu, place->server->cpu_seconds_when_idle());
  RETURN_IF_ERROR(begin(*place, table));
  double started = seconds_now();
  RETURN_IF_ERROR(place->wait_for_rows(table, kRows));
  double seconds = seconds_now() - started;
  ASSIGN_OR_RETURN(double cpu_after, place->server->cpu_seconds_when_idle());
  double ours = (cpu_after - cpu) / static_cast<double>(kRows) * 1e6;

  std::vector<double> peers;
  double peer_rows = static_cast<double>(batches.size()) * kBatchRows;
  for (int run = 0; run < kPeerRuns; ++run) {
    double before = cpu_seconds_of(getpid());
    RETURN_IF_ERROR(write_parquet(batches));
    peers.push_back((cpu_seconds_of(getpid()) - before) / peer_rows * 1e6);
  }
  double peer = spread_of(peers).median;
  std::printf("Parquet alone                  %11.0f rows/s of a core %8.3f CPU s per million\n",
              1e6 / peer,
              peer);
  std::printf(
      "%-7s, %d bucket(s)           %11.0f rows/s of a core %8.3f CPU s per million, "
      "%.0f rows/s\n",
      format.c_str(),
      buckets,
      1e6 / ours,
      ours,
      static_cast<double>(kRows) / seconds);
  double ratio = static_cast<double>(kRows) / seconds / (1e6 / peer);
  std::printf("  ratio %.2f%s; of processor time %.2f\n",
              ratio,
              at_least(ratio, kTarget).c_str(),
              peer / ours);
  std::fflush(stdout);
  return ok();
}

Status measure_hot_path(const RecordBatches& batches) {
  ASSIGN_OR_RETURN(auto place, LakeServer::start());
  TablePath table{"fluss", "wide"};
  RETURN_IF_ERROR(prepare(*place, table, batches, kHotBuckets));
  TablePath hot{"fluss", "hot"};
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  RETURN_IF_ERROR(
      place->session->run(create_table(place->session->connection(), hot, schema, kHotBuckets)));
  EncodedLoad load;
  load.table = hot;
  load.batches = kHotBatches;
  load.buckets = kHotBuckets;
  ASSIGN_OR_RETURN(load.batch, text_batch(kHotRowBytes, kHotBatchRows));
  double bytes = static_cast<double>(load.batch.size()) * kHotBatches;
  auto append = [&] { return append_encoded(place->session->connection(), load); };
  ASSIGN_OR_RETURN(double warm, place->session->run(append()));
  (void)warm;
  ASSIGN_OR_RETURN(double alone, place->session->run(append()));
  RETURN_IF_ERROR(begin(*place, table));
  ASSIGN_OR_RETURN(double beside, place->session->run(append()));
  ASSIGN_OR_RETURN(int64_t rows, place->rows_in_lake(table));
  std::printf(
      "append of 1 KiB rows           %11.0f MB/s alone, %.0f MB/s while a table is copied%s\n",
      bytes / alone / 1e6,
      bytes / beside / 1e6,
      rows >= kRows ? " (for a part of the time)" : "");
  return place->wait_for_rows(table, kRows);
}

Status run() {
  ASSIGN_OR_RETURN(Schema schema, twenty_columns(false));
  ASSIGN_OR_RETURN(RecordBatches batches, twenty_column_batches(schema, 1'000'000, kBatchRows));
  std::printf("tiering, %d columns, %ld rows, os\n", static_cast<int>(schema.size()), kRows);
  for (const char* format : {"paimon", "iceberg"}) {
    for (int32_t buckets : {1, 2}) RETURN_IF_ERROR(measure_tiering(batches, format, buckets));
  }
  return measure_hot_path(batches);
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("tiering", lakestream::bench::run()); }
