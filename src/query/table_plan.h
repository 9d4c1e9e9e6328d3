#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "client/scanner.h"
#include "client/types.h"
#include "format/predicate.h"
#include "lake/lake.h"
#include "query/key_condition.h"
#include "table/partition.h"
#include "table/remote_documents.h"
#include "table/schema.h"

// What one reference of a statement to a table reads: which view of the table, which columns it
// offers, and, once the engine has planned, which rows are asked for.
//
// Thread rule: a TablePlan is written while the engine plans, on the thread that runs the
// statement; then it is read by any. A LogEnds belongs to the client's shard.
//
//   ASSIGN_OR_RETURN(TableReference reference, table_reference_of("t$changelog"));
//   ASSIGN_OR_RETURN(auto plan, run_blocking(shard, plan_table(connection, path, view)));
namespace lakestream::query {

enum class TableView : uint8_t {
  kRows,       // t: the present rows
  kChangelog,  // "t$changelog"
  kBinlog,     // "t$binlog"
  kLake,       // "t$lake": those of a snapshot of the lake
  kSnapshots,  // "t$lake$snapshots"
};

// A name of a statement: "t", "t$changelog".
struct TableReference {
  std::string table;
  TableView view = TableView::kRows;
};

// Nothing when what follows the '$' is no view; `name` is "t$what".
std::optional<TableReference> table_reference_of(std::string_view name);
std::string_view suffix_of(TableView view);

// A snapshot of the lake that a statement reads, and where the log goes on behind it.
struct LakePart {
  std::shared_ptr<LakeTable> table;
  LakeScan scan;
  LakeOffsets offsets = {};
  // Of a table with a primary key: where the log goes on with changes, and how many there are.
  std::set<LakeBucket> changed = {};
  uint64_t changes = 0;
};

struct ScanCounters {
  std::atomic<bool> was_read = false;
  std::atomic<uint64_t> rows = 0;
  std::atomic<uint64_t> bytes = 0;  // as they came from the server; 0 when that is not known
  std::atomic<uint64_t> pruned_partitions = 0;  // of the log, that can have no wanted rows
};

struct TablePlan {
  TablePlan() = default;
  // What was named, without what was pushed down since.
  TablePlan(const TablePlan& named)
      : table(named.table),
        view(named.view),
        schema(named.schema),
        changes(named.changes),
        row_count(named.row_count),
        lake(named.lake),
        splits(named.splits),
        is_after_lake(named.is_after_lake),
        asked(named.asked) {}
  TablePlan& operator=(const TablePlan&) = delete;

  client::TableInfo table;
  TableView view = TableView::kRows;
  Schema schema;                      // what the statement sees
  Schema changes;                     // of the changelog of a primary-key table
  std::optional<uint64_t> row_count;  // about, when it is known

  // Of a table with a readable snapshot.
  std::shared_ptr<const LakePart> lake;
  std::vector<LakeSplit> splits;  // of kLake: those that are read
  bool is_after_lake = false;     // of the log only what is not in the snapshot

  // Of wanted rows all of it is true: what is known when the table is named, and what the engine
  // tells later.
  Predicate asked;
  // What the engine has handed over of its conditions.
  Predicate condition;
  PartitionSpec partitions;       // values that rows have to have
  std::vector<std::string> told;  // the conditions as text
  ScanCounters counters;

  // Whether its rows are read from the log, and not from the state of a primary-key table.
  bool reads_log() const {
    return !reads_lake() && (view != TableView::kRows || !table.descriptor.has_primary_key());
  }
  bool reads_lake() const { return view == TableView::kLake; }
  // How its rows are looked up by keys; nothing when they are scanned.
  std::optional<KeyAccess> key_access() const;
  // The column of the table that stands there; nullptr when it is none.
  const Column* table_column(size_t index) const;
  // Takes a condition that all wanted rows fulfil; `text` says it as SQL. Whether rows that do not
  // fulfil it are left out.
  bool add_condition(const Predicate& predicate, std::string text);
  // "fluss.t$changelog"
  std::string name() const;

 private:
  void add_partition(const Predicate& predicate);
};

// A part of a log, and the name of the partition that it is of.
struct PlacedRange {
  client::LogRange range;
  std::optional<std::string> partition;
};
using PlacedRanges = std::vector<PlacedRange>;

// The ends of logs as one statement sees them, so that a table that it names twice is the same
// twice.
class LogEnds {
 public:
  explicit LogEnds(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}

  // Of all buckets, or of those of the partitions that have the values.
  static Task<Result<PlacedRanges>> of_table(std::shared_ptr<LogEnds> self,
                                             client::TableInfo table,
                                             PartitionSpec partitions);
  // Those that the plan's conditions leave, which it counts.
  static Task<Result<PlacedRanges>> of_plan(std::shared_ptr<LogEnds> self,
                                            std::shared_ptr<TablePlan> plan);

 private:
  static Task<Result<PlacedRanges>> of_place(std::shared_ptr<LogEnds> self,
                                             client::TableInfo table,
                                             std::optional<client::PartitionInfo> partition);
  static Task<Result<PlacedRanges>> of_partitions(std::shared_ptr<LogEnds> self,
                                                  client::TableInfo table,
                                                  std::vector<client::PartitionInfo> partitions);

  std::shared_ptr<client::Connection> connection_;
  std::map<PhysicalTablePath, PlacedRanges> known_;
};

// Of a partitioned table: those that can have rows which the plan asks for.
Task<Result<std::vector<client::PartitionInfo>>> wanted_partitions(
    std::shared_ptr<client::Connection> connection, std::shared_ptr<TablePlan> plan);

// The parts of the log that the plan reads.
Task<Result<PlacedRanges>> ranges_of(std::shared_ptr<LogEnds> ends,
                                     std::shared_ptr<TablePlan> plan);

// Errors: kTableNotExist; kNonPrimaryKeyTableException for the binlog of a log table.
Task<Result<std::shared_ptr<TablePlan>>> plan_table(std::shared_ptr<LogEnds> ends,
                                                    std::shared_ptr<client::Connection> connection,
                                                    TablePath path,
                                                    TableView view);

// Rows between the ends.
uint64_t row_count_of(const PlacedRanges& ranges);

}  // namespace lakestream::query
