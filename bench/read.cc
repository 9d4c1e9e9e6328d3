// How fast a log of 1 GiB in the page cache is read without decoding, and what a projection saves:
// 2 of 20 columns of 8 bytes, uncompressed.
//
//   build/release/bench/read
//
// Peer: a child that sends a file of the same size over loopback TCP by sendfile.

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client/scanner.h"
#include "format/batch_builder.h"
#include "support/peer.h"
#include "support/raw_read.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr int kRuns = 3;
constexpr size_t kLogBytes = size_t{1} << 30;
constexpr size_t kBatchBytes = 1'000'000;
constexpr size_t kRowBytes = 1024;
constexpr double kReadTarget = 0.60;

constexpr size_t kColumns = 20;
constexpr size_t kColumnBytes = 8;
constexpr size_t kWideBytes = 512'000'000;
constexpr double kWireTarget = 1.15;
constexpr double kSpeedTarget = 6;

struct Read {
  double seconds = 0;
  double bytes = 0;
  double fetches = 0;
};

Task<Result<Read>> read_log(std::shared_ptr<client::Connection> connection,
                            TablePath table,
                            client::ScannerOptions options) {
  CO_ASSIGN_OR_RETURN(RawRead raw, co_await read_raw(connection, table, options));
  Read read;
  read.seconds = raw.seconds;
  read.bytes = static_cast<double>(raw.counters.bytes);
  read.fetches = static_cast<double>(raw.counters.fetches);
  co_return read;
}

// Several runs of the same read.
struct Measured {
  std::vector<double> seconds;
  double cpu = 0;  // of one run, the mean
  Read last;
};

Result<Measured> measure(cli::ClientSession& session,
                         const ServerProcess& server,
                         const TablePath& table,
                         const client::ScannerOptions& options) {
  Measured measured;
  double cpu = server.cpu_seconds();
  for (int run = 0; run < kRuns; ++run) {
    ASSIGN_OR_RETURN(measured.last, session.run(read_log(session.connection(), table, options)));
    measured.seconds.push_back(measured.last.seconds);
  }
  measured.cpu = (server.cpu_seconds() - cpu) / kRuns;
  return measured;
}

// The columns of the table of results up to the peer's.
std::string columns_of(const std::string& name, const Measured& measured, double rows) {
  Spread seconds = spread_of(measured.seconds);
  double megabytes = measured.last.bytes / 1e6;
  return fmt::format("{:<46} {:>6.0f} {:>6.0f} {:>6.0f} {:>11.0f} {:>8.3f}",
                     name,
                     megabytes / seconds.max,
                     megabytes / seconds.median,
                     megabytes / seconds.min,
                     rows / seconds.median,
                     measured.cpu / rows * 1e6);
}

Status fill(cli::ClientSession& session, const TablePath& table, Schema schema, EncodedLoad load) {
  RETURN_IF_ERROR(session.run(create_table(session.connection(), table, std::move(schema), 1)));
  load.table = table;
  auto seconds = session.run(append_encoded(session.connection(), std::move(load)));
  return seconds ? ok() : fail(std::move(seconds).error());
}

Status read_whole(cli::ClientSession& session,
                  const ServerProcess& server,
                  const std::string& scratch) {
  TablePath table{"fluss", "whole"};
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  EncodedLoad load;
  constexpr size_t kBatchRows = kBatchBytes / kRowBytes;
  ASSIGN_OR_RETURN(load.batch, text_batch(kRowBytes, kBatchRows));
  load.batches = kLogBytes / load.batch.size();
  double rows = static_cast<double>(load.batches * kBatchRows);
  RETURN_IF_ERROR(fill(session, table, std::move(schema), load));

  std::vector<double> peers;
  std::string file = scratch + "/peer";
  if (!make_file(file, kLogBytes)) {
    return make_error(ErrorCode::kUnknownServerError, "{} cannot be written", file);
  }
  for (int run = 0; run < kRuns; ++run) {
    double seconds = peer_read_seconds(file, kLogBytes);
    if (seconds <= 0) return make_error(ErrorCode::kUnknownServerError, "the peer failed");
    peers.push_back(static_cast<double>(kLogBytes) / seconds / 1e6);
  }
  double peer = spread_of(peers).median;

  for (int32_t bucket_bytes : {1 << 20, 16 << 20}) {
    client::ScannerOptions options;
    options.bucket_bytes_max = bucket_bytes;
    ASSIGN_OR_RETURN(Measured measured, measure(session, server, table, options));
    double ratio = measured.last.bytes / 1e6 / spread_of(measured.seconds).median / peer;
    std::printf(
        "%s %6.0f %6.2f%s\n",
        columns_of(
            fmt::format("1 GiB, 1 KiB rows, fetches of {} MiB", bucket_bytes >> 20), measured, rows)
            .c_str(),
        peer,
        ratio,
        at_least(ratio, kReadTarget).c_str());
    std::fflush(stdout);
  }
  return ok();
}

Result<Schema> wide_schema() {
  SchemaBuilder builder;
  for (size_t i = 0; i < kColumns; ++i) {
    builder.column(fmt::format("c{}", i),
                   i % 2 == 0 ? DataType::bigint().not_null() : DataType::double_().not_null());
  }
  return builder.build();
}

Result<Bytes> wide_batch(const Schema& schema, size_t rows) {
  BatchBuilder builder(schema,
                       {.format = LogFormat::kArrow,
                        .schema_id = SchemaId(1),
                        .append_only = true,
                        .compression = ArrowCompression::kNone});
  std::vector<Value> row(kColumns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t column = 0; column < kColumns; ++column) {
      row[column] = column % 2 == 0 ? Value::integer(static_cast<int64_t>(i))
                                    : Value::double_(static_cast<double>(i));
    }
    RETURN_IF_ERROR(builder.append(ChangeType::kAppend, row));
  }
  return builder.finish({});
}

Status compare_columns(cli::ClientSession& session,
                       const ServerProcess& server,
                       const TablePath& table,
                       double rows,
                       int32_t bucket_bytes) {
  client::ScannerOptions options;
  options.bucket_bytes_max = bucket_bytes;
  std::string size = fmt::format("fetches of {} MiB", bucket_bytes >> 20);
  ASSIGN_OR_RETURN(Measured full, measure(session, server, table, options));
  std::printf("%s\n", columns_of("20 of 20 columns, " + size, full, rows).c_str());
  options.columns = {"c3", "c10"};
  ASSIGN_OR_RETURN(Measured part, measure(session, server, table, options));
  std::printf("%s\n", columns_of("2 of 20 columns, " + size, part, rows).c_str());

  double wire = part.last.bytes / (rows * static_cast<double>(2 * kColumnBytes));
  double speed = spread_of(full.seconds).median / spread_of(part.seconds).median;
  std::printf("  bytes on the wire to bytes of the 2 columns: %.3f%s\n",
              wire,
              at_most(wire, kWireTarget, "").c_str());
  std::printf(
      "  faster than all columns: %.2f times%s\n", speed, at_least(speed, kSpeedTarget).c_str());
  std::printf("  fetches: %.0f for 20 columns, %.0f for 2\n", full.last.fetches, part.last.fetches);
  return ok();
}

Status read_projected(cli::ClientSession& session, const ServerProcess& server) {
  TablePath table{"fluss", "wide"};
  ASSIGN_OR_RETURN(Schema schema, wide_schema());
  EncodedLoad load;
  constexpr size_t kBatchRows = kBatchBytes / (kColumns * kColumnBytes);
  ASSIGN_OR_RETURN(load.batch, wide_batch(schema, kBatchRows));
  load.batches = kWideBytes / load.batch.size();
  double rows = static_cast<double>(load.batches * kBatchRows);
  RETURN_IF_ERROR(fill(session, table, schema, load));

  for (int32_t bucket_bytes : {1 << 20, 16 << 20}) {
    RETURN_IF_ERROR(compare_columns(session, server, table, rows, bucket_bytes));
  }
  return ok();
}

Status run() {
  ASSIGN_OR_RETURN(auto running, Running::start({"lakestream.durability=os"}));
  print_head("read", 11);
  RETURN_IF_ERROR(read_whole(*running->session, *running->server, running->scratch.path()));
  return read_projected(*running->session, *running->server);
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("read", lakestream::bench::run()); }
