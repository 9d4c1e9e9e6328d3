#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "client/connection.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/shard.h"
#include "lake/lake.h"
#include "table/path.h"

// The worker that copies tables to the lake. It asks the coordinator for tables that are due, reads
// what is new of each bucket's log, writes it to the lake table, commits, and reports the offsets.
// Several tables are on their way at once; one that is slow or fails takes no other one's time. Any
// number of workers may run, here or elsewhere: the coordinator gives each table to one of them.
//
// Each row comes into the lake once, whatever ends in the middle: files of a round that did not
// commit are no part of the lake table, and a lake commit that the coordinator did not hear of is
// found and made known by the next round before it reads. When the lake table was set back by
// somebody else, behind what the coordinator knows, rounds fail and say so.
//
// Thread rule: shard-local; a shard that serves requests would be held up by decoding. Call stop()
// and wait for its end before the connection is closed.
//
//   auto worker = std::make_unique<TieringWorker>(env, shard, connection, format, options);
//   worker->start();
//   co_await worker->stop();
namespace lakestream {

namespace tiering {
class WorkerState;
}  // namespace tiering

struct TieringOptions {
  size_t tables_at_once = 4;
  // How often the coordinator is told what runs and asked for a table.
  Duration heartbeat_interval = std::chrono::seconds(1);
  // Rows that a round may hold before it commits what it has: of one table.
  uint64_t held_bytes_max = uint64_t{256} << 20;
  // Before a table that failed is tried again: doubled from the first to the last.
  Duration retry_min = std::chrono::seconds(1);
  Duration retry_max = std::chrono::seconds(60);
  // Old snapshots of all tables go, not only of those that say so themselves.
  bool expire_all = false;
  // Files of a lake table that no snapshot names go when they are so old; zero: never. Looked for
  // after the first commit of a table, and then as often.
  Duration orphan_age{0};
};

// How the last round of a table went, or how far the present one is.
struct TieringProgress {
  enum class State : uint8_t { kRunning, kFinished, kWaitsToRetry };

  TablePath path;
  TableId table;
  State state = State::kRunning;
  TimestampMs since;         // of the state
  uint64_t rows = 0;         // of the round
  uint64_t bytes = 0;        // that it has written
  std::string failure = {};  // why it waits
  int32_t failures = 0;      // in a row
};

class TieringWorker {
 public:
  TieringWorker(Env& env,
                Shard& shard,
                std::shared_ptr<client::Connection> connection,
                LakeFormat& format,
                TieringOptions options);
  // Requires: stop() has ended, or start() was not called.
  ~TieringWorker();
  TieringWorker(const TieringWorker&) = delete;
  TieringWorker& operator=(const TieringWorker&) = delete;

  void start();
  // Rounds that run end without a commit, or with one that has begun. Never fails.
  Task<Status> stop();

  // Of the tables that this worker has had, by name.
  std::vector<TieringProgress> progress() const;

 private:
  std::shared_ptr<tiering::WorkerState> state_;
};

}  // namespace lakestream
