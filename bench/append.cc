// How fast encoded batches are appended, acknowledged by all replicas: rows of 1 KiB and 100 bytes,
// 1 and 8 buckets, both durabilities, 5 batches of a bucket in flight; then what sync costs as
// buckets become more.
//
//   build/release/bench/append
//
// Peer: a child that takes the same messages over loopback TCP and writes them to a file; for sync
// it calls fdatasync once for all that are in flight.

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/peer.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr int kRuns = 5;
constexpr size_t kInFlight = 5;  // of a bucket
constexpr double kTarget = 0.70;

struct Case {
  const char* durability;
  size_t row_bytes;
  int32_t buckets;
  size_t batch_bytes;
  size_t total_bytes;
  int runs;
  bool has_peer;
  bool has_target;
};

struct Measured {
  std::vector<double> rates;  // MB/s
  std::vector<double> peers;
  double rows = 0;
  double seconds = 0;
  double cpu = 0;
};

Status run_once(Running& running, const Case& c, const EncodedLoad& load, Measured* measured) {
  cli::ClientSession& session = *running.session;
  const ServerProcess& server = *running.server;
  auto bytes = static_cast<double>(load.batch.size() * load.batches);
  double cpu = server.cpu_seconds();
  ASSIGN_OR_RETURN(double seconds, session.run(append_encoded(session.connection(), load)));
  measured->cpu += server.cpu_seconds() - cpu;
  measured->seconds += seconds;
  measured->rows += static_cast<double>(c.batch_bytes / c.row_bytes * load.batches);
  measured->rates.push_back(bytes / seconds / 1e6);
  if (!c.has_peer) return ok();
  size_t window = kInFlight * static_cast<size_t>(c.buckets);
  PeerAppend peer{.message_bytes = load.batch.size(),
                  .messages = load.batches,
                  .in_flight = window,
                  .sync_every = c.durability == std::string("sync") ? window : 0};
  // Its files stay as ours do, so that the kernel has as much to write behind both.
  std::string file = fmt::format("{}/peer-{}", running.scratch.path(), measured->peers.size());
  double peer_seconds = peer_append_seconds(file, peer);
  if (peer_seconds <= 0) return make_error(ErrorCode::kUnknownServerError, "the peer failed");
  measured->peers.push_back(bytes / peer_seconds / 1e6);
  return ok();
}

void print(const Case& c, const Measured& measured) {
  Spread rate = spread_of(measured.rates);
  std::string name = fmt::format("{} {} B rows, {} kB batches, {} bucket(s)",
                                 c.durability,
                                 c.row_bytes,
                                 c.batch_bytes / 1000,
                                 c.buckets);
  std::string line = fmt::format("{:<46} {:>6.0f} {:>6.0f} {:>6.0f} {:>10.0f} {:>8.2f}",
                                 name,
                                 rate.min,
                                 rate.median,
                                 rate.max,
                                 measured.rows / measured.seconds,
                                 measured.cpu / measured.rows * 1e6);
  if (!measured.peers.empty()) {
    Spread peer = spread_of(measured.peers);
    double ratio = rate.median / peer.median;
    line += fmt::format(" {:>6.0f} {:>6.2f}", peer.median, ratio);
    if (c.has_target) line += at_least(ratio, kTarget);
  }
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

Status run_case(const Case& c) {
  ASSIGN_OR_RETURN(auto running,
                   Running::start({fmt::format("lakestream.durability={}", c.durability)}));
  cli::ClientSession& session = *running->session;
  EncodedLoad load{.table = {"fluss", "appends"},
                   .batch = {},
                   .batches = c.total_bytes / c.batch_bytes,
                   .buckets = c.buckets,
                   .in_flight = kInFlight};
  ASSIGN_OR_RETURN(load.batch, text_batch(c.row_bytes, c.batch_bytes / c.row_bytes));
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  RETURN_IF_ERROR(
      session.run(create_table(session.connection(), load.table, std::move(schema), c.buckets)));
  Measured measured;
  for (int run = 0; run < c.runs; ++run) {
    RETURN_IF_ERROR(run_once(*running, c, load, &measured));
  }
  print(c, measured);
  return ok();
}

Status run() {
  print_head("append", 10);
  for (const char* durability : {"os", "sync"}) {
    bool os = durability == std::string("os");
    for (size_t row_bytes : {size_t{1024}, size_t{100}}) {
      for (int32_t buckets : {1, 8}) {
        size_t total = os ? 384'000'000 : 128'000'000;
        bool target = os && row_bytes == 1024;
        RETURN_IF_ERROR(
            run_case({durability, row_bytes, buckets, 1'000'000, total, kRuns, true, target}));
      }
    }
  }
  for (int32_t buckets : {1, 16, 256}) {
    for (const char* durability : {"os", "sync"}) {
      size_t total = buckets == 1 ? 16'000'000 : 64'000'000;
      RETURN_IF_ERROR(run_case({durability, 1024, buckets, 64'000, total, 1, false, false}));
    }
  }
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("append", lakestream::bench::run()); }
