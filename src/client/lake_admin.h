#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "table/path.h"
#include "table/remote_documents.h"

// What the coordinator knows of the lake behind a table, and how a tiering worker reports to it.
//
// A round of tiering: heartbeat hands out a table; its rows from the offsets of latest_snapshot on
// are written to the lake; prepare_snapshot writes down how far each bucket goes; the lake's commit
// carries the path that it gave; commit_snapshot makes the lake's snapshot known; heartbeat says
// that the table is finished, or has failed. A table whose worker is not heard of for two minutes
// is handed to another one, under a higher epoch.
//
// Errors are those of the server; a call that fails with a retriable one is sent again
// (ConnectionOptions::attempts_max). When the answer of a heartbeat that asks for a table was lost,
// the table that it gave comes again after the two minutes.
//
// Thread rule: shard-local.
//
//   LakeAdmin lake(connection);
//   CO_ASSIGN_OR_RETURN(LakeTableSnapshot snapshot, co_await lake.readable_snapshot(path));
//   auto end = snapshot.offsets.find(bucket);  // the log goes on there; none: from its start
namespace lakestream::client {

// A snapshot of the lake, and the first offset of each bucket that is not in it. A bucket that it
// has nothing of is missing.
struct LakeTableSnapshot {
  TableId table;
  LakeSnapshotId id;
  LakeOffsets offsets;
};

// The right to tier a table, as it was handed out.
struct TieringTicket {
  TableId table;
  int32_t coordinator_epoch = 0;
  int64_t tiering_epoch = 0;

  friend bool operator==(const TieringTicket&, const TieringTicket&) = default;
};

struct TieringStats {
  int64_t bytes = 0;
  int64_t rows = 0;
};

struct FinishedTiering {
  TieringTicket ticket;
  std::optional<TieringStats> stats = std::nullopt;
  bool is_forced = false;  // the time was up before all was tiered: it is due again at once
};

struct TieringReport {
  std::vector<TieringTicket> running = {};
  std::vector<FinishedTiering> finished = {};
  std::vector<TieringTicket> failed = {};
  bool wants_table = false;
  // Why, of those that failed and of those that run again after a failure; for those who watch.
  std::map<TableId, std::string> failures = {};
};

// How the tiering of a table stands.
struct TieringStatus {
  TableId table;
  TablePath path;
  std::string state;  // "scheduled", "pending", "tiering"
  Duration in_state{0};
  int64_t failures = 0;      // since a round of it ended well
  std::string failure = {};  // the last one, until a round ends well
};

struct TieringTask {
  TieringTicket ticket;
  TablePath path;
};

// What was reported of a table does not count. kInvalidCoordinatorException,
// kFencedTieringEpochException: another one has it; kTableNotExist: it is gone or has no lake.
struct TieringRefusal {
  TableId table;
  Error error;
};

struct TieringAnswer {
  int32_t coordinator_epoch = 0;
  std::optional<TieringTask> task = std::nullopt;  // nothing when none is due
  std::vector<TieringRefusal> refused = {};
};

// What a commit does with the snapshots that were made known before.
struct LakeRetention {
  enum class Kind : uint8_t { kOnlyThis, kFrom, kAll };
  Kind kind = Kind::kOnlyThis;
  LakeSnapshotId first = {};  // of kFrom: this one and those behind it stay
};

struct LakeSnapshotCommit {
  TablePath path;
  TableId table;
  LakeSnapshotId snapshot;
  std::string tiered_path;  // of prepare_snapshot
  // Offsets of what a reader finds in the snapshot; without it readers do not use the snapshot.
  std::optional<std::string> readable_path = std::nullopt;
  LakeRetention retention = {};
  // Where the buckets of this round have got to: their servers hear of it.
  LakeOffsets progress = {};
  std::map<TableBucket, TimestampMs> max_timestamps = {};  // of the last rows, where known
};

class LakeAdmin {
 public:
  explicit LakeAdmin(std::shared_ptr<Connection> connection);

  // The one that was made known last, with the offsets up to which rows were tiered.
  // kLakeSnapshotNotExist when there is none, kTableNotExist.
  Task<Result<LakeTableSnapshot>> latest_snapshot(TablePath path);
  // The last one that readers may use, with the offsets of what they find in it.
  Task<Result<LakeTableSnapshot>> readable_snapshot(TablePath path);
  // With the offsets up to which rows were tiered.
  Task<Result<LakeTableSnapshot>> snapshot(TablePath path, LakeSnapshotId id);

  // An empty report tells the epoch of the coordinator.
  Task<Result<TieringAnswer>> heartbeat(TieringReport report);

  // Of all tables that are copied to the lake; none from a server of Fluss.
  Task<Result<std::vector<TieringStatus>>> tiering_statuses();

  // The path of a new document with the offsets, laid over those of the latest snapshot.
  // kTableNotExist when the table has another id by now.
  Task<Result<std::string>> prepare_snapshot(TablePath path, TableId table, LakeOffsets offsets);
  // Done for one that is known already. kTableNotExist.
  Task<Status> commit_snapshot(LakeSnapshotCommit commit);

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace lakestream::client
