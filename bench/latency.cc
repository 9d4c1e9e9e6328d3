// How long a row needs from its append to a reader that waits for it: 1,000 appends of one row of
// 100 bytes a second for 5 s, each sent at once; the writer and the reader have a connection each.
// With sync durability 100 a second, as each of them waits for the disk.
//
//   build/release/bench/latency
//
// Peer: a child that writes as many messages of 100 bytes to a file and sends them back. The target
// is 2 ms for 99 of 100 rows, with os durability.

#include "cli/latency.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "cli/session.h"
#include "client/scanner.h"
#include "support/peer.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr double kSeconds = 5;
constexpr size_t kPayload = 92;
constexpr double kTargetMs = 2;

// The times of each row. The writer's and the reader's part are different memory, joined at the
// end.
struct Times {
  explicit Times(size_t rows_per_second)
      : period(1 / static_cast<double>(rows_per_second)),
        appended(static_cast<size_t>(kSeconds) * rows_per_second),
        seen(appended.size()) {}
  double period;
  std::vector<double> appended;
  std::vector<double> seen;
};

Task<Status> write_rows(cli::ClientSession* session, TablePath table, Times* times) {
  client::AppenderOptions options;
  options.batch_timeout = Duration(0);
  CO_ASSIGN_OR_RETURN(auto appender,
                      co_await client::Appender::open(session->connection(), table, options));
  std::string payload(kPayload, 'x');
  double begin = seconds_now();
  for (size_t i = 0; i < times->appended.size(); ++i) {
    double left = begin + static_cast<double>(i) * times->period - seconds_now();
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
  scanner->stop_at(BucketId(0), Offset(static_cast<int64_t>(times->seen.size())));
  while (!scanner->is_finished()) {
    CO_ASSIGN_OR_RETURN(auto batches, co_await scanner->poll(std::chrono::seconds(1)));
    double now = seconds_now();
    for (const client::ScanBatch& batch : batches) {
      auto first = static_cast<size_t>(batch.base_offset.value());
      auto count = static_cast<size_t>(batch.rows->num_rows());
      for (size_t i = first; i < first + count && i < times->seen.size(); ++i) {
        times->seen[i] = now;
      }
    }
  }
  co_return ok();
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void print(const std::string& name, const std::vector<double>& seconds, const std::string& rest) {
  cli::Latency latency;
  for (double value : seconds) {
    latency.add(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value)));
  }
  std::printf("%-36s %8.2f %8.2f %8.2f %8.2f%s\n",
              name.c_str(),
              milliseconds(latency.percentile(0.5)),
              milliseconds(latency.percentile(0.9)),
              milliseconds(latency.percentile(0.99)),
              milliseconds(latency.max()),
              rest.c_str());
  std::fflush(stdout);
}

Status measure(const std::string& durability, size_t rows_per_second) {
  ScratchDirectory scratch;
  ASSIGN_OR_RETURN(auto server,
                   ServerProcess::start(scratch.path() + "/data",
                                        {fmt::format("lakestream.durability={}", durability)}));
  ASSIGN_OR_RETURN(auto writer, cli::ClientSession::open({server->address()}));
  ASSIGN_OR_RETURN(auto reader, cli::ClientSession::open({server->address()}));
  TablePath table{"fluss", "latency"};
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  RETURN_IF_ERROR(writer->run(create_table(writer->connection(), table, std::move(schema), 1)));

  Times times(rows_per_second);
  double cpu = server->cpu_seconds();
  Status read = ok();
  std::thread reading([&] { read = reader->run(read_rows(reader.get(), table, &times)); });
  Status written = writer->run(write_rows(writer.get(), table, &times));
  // A writer that failed leaves the reader waiting for rows that never come.
  if (!written) std::_Exit(finish("latency", written));
  reading.join();
  RETURN_IF_ERROR(std::move(read));
  cpu = server->cpu_seconds() - cpu;

  std::vector<double> seconds;
  for (size_t i = 0; i < times.seen.size(); ++i) {
    seconds.push_back(times.seen[i] - times.appended[i]);
  }
  std::string rest = fmt::format(" {:>8.1f}", cpu / static_cast<double>(seconds.size()) * 1e6);
  if (durability == "os") {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    rest += at_most(sorted[sorted.size() * 99 / 100] * 1e3, kTargetMs, " ms for p99");
  }
  print(fmt::format("append to seen, {} rows/s, {}", rows_per_second, durability), seconds, rest);
  return ok();
}

Status run() {
  std::printf("%-36s %8s %8s %8s %8s %8s\n", "latency (ms)", "p50", "p90", "p99", "max", "cpu s/M");
  RETURN_IF_ERROR(measure("os", 1000));
  ScratchDirectory scratch;
  std::vector<double> echo = peer_echo_seconds(scratch.path() + "/peer", 100, 5000, 0.001);
  if (echo.empty()) return make_error(ErrorCode::kUnknownServerError, "the peer failed");
  print("peer: write and echo, 1000/s", echo, "");
  return measure("sync", 100);
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("latency", lakestream::bench::run()); }
