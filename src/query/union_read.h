#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/table_plan.h"

// How a table is read that lies partly in the lake. Up to an offset of each bucket its rows are in
// a snapshot of the lake, what came since is in the log:
//
//   log table            rows of the snapshot, and those of the log from the offsets on
//   primary-key table    the last change of each key since the offsets says whether the key has a
//                        row and which; keys without a change have the row of the snapshot
//
// Either is one query for the engine, out of scans of ours and the engine's own of Parquet files,
// so that conditions and columns reach each part. Versions of keys in the files are further layers
// of the same kind. Where a bucket has neither these nor changes in the log, its files are read as
// if there were no keys; from those of other buckets the keys that have newer versions are left
// out. Files that the engine can not read as they are (layers that are not known or large, storage
// that is not local, times finer than it has) are read by the lake format.
//
// Thread rule: pure functions.
//
//   LakeQuery query = union_read_query(plan, add_scan);
namespace lakestream::query {

// Makes a scan of its own for a plan, and gives the text that calls it.
using AddScan = std::function<std::string(std::shared_ptr<TablePlan>)>;

struct LakeQuery {
  std::string sql;
  std::string files;  // how many are read in which way, for people
};

// The rows of the snapshot alone. Requires: plan.lake.
LakeQuery lake_read_query(const TablePlan& plan, const AddScan& add_scan);
// Requires: plan.lake, of kRows.
LakeQuery union_read_query(const TablePlan& plan, const AddScan& add_scan);

// "t$lake$snapshots" as the sum of what is known of each snapshot.
struct SnapshotRow {
  LakeSnapshot snapshot;
  std::optional<LakeSnapshotId> parent;
  int64_t added_rows = 0;
  std::optional<uint64_t> file_count;  // absent when its files can not be told any more
  bool is_readable = false;
  std::optional<std::vector<std::pair<std::string, Offset>>> offsets;
};
std::string snapshots_sql(const std::vector<SnapshotRow>& rows);

}  // namespace lakestream::query
