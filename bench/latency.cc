// How long a row needs from its append to a reader that waits for it: 1,000 appends of one row of 100
// bytes a second for 5 s, each sent at once; the writer and the reader have a connection each.
//
//   build/release/bench/latency
//
// Peer: none; the target is 2 ms for 99 of 100 rows, with os durability.

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "cli/latency.h"
#include "cli/session.h"
#include "client/scanner.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr size_t kRows = 5000;
constexpr double kPeriod = 0.001;
constexpr size_t kPayload = 92;
constexpr double kTargetMs = 2;

// The times of each row. The writer's and the reader's part are different memory, joined at the end.
struct Times {
  std::vector<double> appended = std::vector<double>(kRows);
  std::vector<double> seen = std::vector<double>(kRows);
};

Task<Status> write_rows(cli::ClientSession* session, TablePath table, Times* times) {
  client::AppenderOptions options;
  options.batch_timeout = Duration(0);
  CO_ASSIGN_OR_RETURN(auto appender,
                      co_await client::Appender::open(session->connection(), table, options));
  std::string payload(kPayload, 'x');
  double begin = seconds_now();
  for (size_t i = 0; i < kRows; ++i) {
    double left = begin + static_cast<double>(i) * kPeriod - seconds_now();
    if (left > 0) {
      co_await sleep_for(session->env().clock,
                         session->shard(),
                         std::chrono::duration_cast<Duration>(std::chrono::duration<double>(left)));
    }
    Value row[] = {Value::integer(static_cast<int64_t>(i)), Value::bytes(payload)};
    times->appended[i] = seconds_now();
    auto delivery = appender->append_row(row);
    if (!delivery) co_return fail(std::move(delivery).error());
  }
  co_return co_await appender->close();
}

Task<Status> read_rows(cli::ClientSession* session, TablePath table, Times* times) {
  client::ScannerOptions options;
  CO_ASSIGN_OR_RETURN(auto scanner,
                      co_await client::LogScanner::open(session->connection(), table, options));
  CO_RETURN_IF_ERROR(co_await scanner->subscribe_all(client::OffsetSpec::exact(Offset(0))));
  scanner->stop_at(BucketId(0), Offset(kRows));
  while (!scanner->is_finished()) {
    CO_ASSIGN_OR_RETURN(auto batches, co_await scanner->poll(std::chrono::seconds(1)));
    double now = seconds_now();
    for (const client::ScanBatch& batch : batches) {
      auto first = static_cast<size_t>(batch.base_offset.value());
      auto count = static_cast<size_t>(batch.rows->num_rows());
      for (size_t i = first; i < first + count && i < kRows; ++i) times->seen[i] = now;
    }
  }
  co_return ok();
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Status measure(const char* durability) {
  ScratchDirectory scratch;
  ASSIGN_OR_RETURN(auto server,
                   ServerProcess::start(scratch.path() + "/data",
                                        {fmt::format("lakestream.durability={}", durability)}));
  ASSIGN_OR_RETURN(auto writer, cli::ClientSession::open(server->address()));
  ASSIGN_OR_RETURN(auto reader, cli::ClientSession::open(server->address()));
  TablePath table{"fluss", "latency"};
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  RETURN_IF_ERROR(writer->run(create_table(writer->connection(), table, std::move(schema), 1)));

  Times times;
  double cpu = server->cpu_seconds();
  Status read = ok();
  std::thread reading([&] { read = reader->run(read_rows(reader.get(), table, &times)); });
  Status written = writer->run(write_rows(writer.get(), table, &times));
  // A writer that failed leaves the reader waiting for rows that never come.
  if (!written) {
    std::fprintf(stderr, "latency: %s\n", written.error().message().c_str());
    std::_Exit(EXIT_FAILURE);
  }
  reading.join();
  RETURN_IF_ERROR(std::move(read));
  cpu = server->cpu_seconds() - cpu;

  cli::Latency latency;
  for (size_t i = 0; i < kRows; ++i) {
    latency.add(std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(times.seen[i] - times.appended[i])));
  }
  double p99 = milliseconds(latency.percentile(0.99));
  std::printf("%-34s %8.2f %8.2f %8.2f %8.1f%s\n",
              fmt::format("append to seen, 1000 rows/s, {}", durability).c_str(),
              milliseconds(latency.percentile(0.5)),
              p99,
              milliseconds(latency.max()),
              cpu / static_cast<double>(kRows) * 1e6,
              durability == std::string("os") ? at_most(p99, kTargetMs, " ms").c_str() : "");
  return ok();
}

Status run() {
  std::printf("%-34s %8s %8s %8s %8s\n", "latency (ms)", "p50", "p99", "max", "cpu s/M");
  RETURN_IF_ERROR(measure("os"));
  return measure("sync");
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("latency", lakestream::bench::run()); }
