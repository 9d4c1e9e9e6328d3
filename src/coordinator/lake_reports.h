#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/clock.h"
#include "table/path.h"
#include "table/remote_documents.h"

// What tiering workers tell the coordinator, and what it answers.
//
// Thread rule: values.
//
//   TieringReport report;
//   report.wants_table = true;
//   TieringAnswer answer = coordinator.tiering_heartbeat(report);
namespace lakestream::coordinator {

// The right to tier a table, as a worker got it.
struct TieringClaim {
  TableId table;
  int32_t coordinator_epoch = 0;
  int64_t tiering_epoch = 0;
};

// Of the whole lake table, as far as the worker knows.
struct TieringStats {
  std::optional<int64_t> bytes;
  std::optional<int64_t> rows;
};

struct FinishedTiering {
  TieringClaim claim;
  TieringStats stats = {};
  bool is_forced = false;  // the time was up before all was tiered
};

struct TieringReport {
  std::vector<TieringClaim> failed = {};
  std::vector<TieringClaim> running = {};
  std::vector<FinishedTiering> finished = {};
  bool wants_table = false;
  // Why, of those that failed and of those that run again after a failure; for those who watch.
  std::map<TableId, std::string> failures = {};
};

// How the tiering of a table stands, for those who watch.
struct TieringView {
  TableId table;
  TablePath path;
  std::string_view state = {};
  Duration in_state{0};
  uint64_t failures = 0;  // since a round of it ended well
  std::string last_failure = {};
};

struct TieringOutcome {
  TableId table;
  Status status;
};

struct TieringTask {
  TableId table;
  TablePath path;
  int64_t tiering_epoch = 0;
};

// One outcome a table of the report, in its order.
struct TieringAnswer {
  int32_t coordinator_epoch = 0;
  std::optional<TieringTask> task = std::nullopt;
  std::vector<TieringOutcome> failed = {};
  std::vector<TieringOutcome> running = {};
  std::vector<TieringOutcome> finished = {};
};

// Where the rows of a round end, before they are committed to the lake.
struct LakeRound {
  TableId table;
  TablePath path;
  LakeOffsets offsets;
};
enum class LakeOffsetsBase : uint8_t {
  kLatest,  // they are laid over those of the latest snapshot
  kNone,    // they are all
};

// A snapshot that the lake has.
struct LakeSnapshotCommit {
  TableId table;
  LakeSnapshotId id;
  std::string tiered_path;
  std::optional<std::string> readable_path;
  // Of those that are known: absent, none stays; else this one and those behind it, or all when it
  // is not among them.
  std::optional<LakeSnapshotId> keep_from;
  std::map<TableBucket, TimestampMs> max_timestamps;  // of the last rows, where known
};

// The same of a client that has no documents.
struct LakeOffsetsCommit {
  TableId table;
  LakeSnapshotId id;
  LakeOffsets offsets;
};

}  // namespace lakestream::coordinator
