// How fast a server with 1,000 logs of 3 segments is ready after an orderly stop, and what memory
// it takes when it has nothing to do.
//
//   build/release/bench/start
//
// Peer: none; the targets are 0.3 s from exec to the line "ready" and 100 MiB resident.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/session.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr int kTables = 10;
constexpr int32_t kBuckets = 100;
constexpr size_t kSegments = 3;
constexpr size_t kRowBytes = 700;  // two batches of a row do not fit one segment
constexpr int kRuns = 3;
constexpr double kTargetSeconds = 0.3;
constexpr double kTargetMib = 100;

std::vector<std::string> settings() {
  return {"lakestream.durability=os", "log.segment.file-size=1kb"};
}

// Gives the seconds that the server then needs to stop.
Result<double> fill(const std::string& data) {
  ASSIGN_OR_RETURN(auto server, ServerProcess::start(data, settings()));
  ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
  ASSIGN_OR_RETURN(Bytes batch, text_batch(kRowBytes, 1));
  for (int i = 0; i < kTables; ++i) {
    TablePath table{"fluss", fmt::format("start_{}", i)};
    ASSIGN_OR_RETURN(Schema schema, text_schema());
    RETURN_IF_ERROR(
        session->run(create_table(session->connection(), table, std::move(schema), kBuckets)));
    EncodedLoad load{.table = table,
                     .batch = batch,
                     .batches = kSegments * static_cast<size_t>(kBuckets),
                     .buckets = kBuckets};
    auto seconds = session->run(append_encoded(session->connection(), load));
    if (!seconds) return fail(std::move(seconds).error());
  }
  session.reset();
  double begin = seconds_now();
  server.reset();
  return seconds_now() - begin;
}

size_t segment_files(const std::string& data) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() == ".log") ++count;
  }
  return count;
}

Status run() {
  ScratchDirectory scratch;
  std::string data = scratch.path() + "/data";
  ASSIGN_OR_RETURN(double stop_seconds, fill(data));
  std::vector<double> seconds;
  std::vector<double> memory;
  std::vector<double> cpu;
  for (int run = 0; run < kRuns; ++run) {
    ASSIGN_OR_RETURN(auto server, ServerProcess::start(data, settings()));
    seconds.push_back(server->seconds_to_ready());
    sleep(1);
    memory.push_back(server->resident_mib());
    cpu.push_back(server->cpu_seconds());
  }
  Spread ready = spread_of(seconds);
  Spread resident = spread_of(memory);
  std::printf("%-40s %8s %8s %8s\n", "start", "min", "median", "max");
  std::printf(
      "%-40s %8.3f %8.3f %8.3f%s\n",
      fmt::format("ready (s), {} logs, {} segments", kTables * kBuckets, segment_files(data))
          .c_str(),
      ready.min,
      ready.median,
      ready.max,
      at_most(ready.median, kTargetSeconds, " s").c_str());
  std::printf("%-40s %8.1f %8.1f %8.1f%s\n",
              "resident after 1 s (MiB)",
              resident.min,
              resident.median,
              resident.max,
              at_most(resident.median, kTargetMib, " MiB").c_str());
  std::printf("%-40s %8s %8.2f\n", "stop after all of it was written (s)", "", stop_seconds);
  Spread used = spread_of(cpu);
  std::printf("%-40s %8.2f %8.2f %8.2f\n", "cpu until then (s)", used.min, used.median, used.max);
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("start", lakestream::bench::run()); }
