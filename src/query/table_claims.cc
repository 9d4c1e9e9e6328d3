#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/admin.h"
#include "client/lake_admin.h"
#include "io/real_env.h"
#include "query/partition_filter.h"
#include "query/scan_function.h"

namespace lakestream::query {
namespace {

using client::LakeAdmin;
using client::LakeTableSnapshot;

// Nothing when there is none.
Task<Result<std::optional<LakeTableSnapshot>>> readable_snapshot(
    std::shared_ptr<client::Connection> connection, TablePath path) {
  LakeAdmin admin(connection);
  auto snapshot = co_await admin.readable_snapshot(path);
  if (snapshot) co_return *std::move(snapshot);
  if (snapshot.error().code() == ErrorCode::kLakeSnapshotNotExist) co_return std::nullopt;
  co_return fail(std::move(snapshot).error());
}

Task<Result<std::optional<LakeTableSnapshot>>> known_snapshot(
    std::shared_ptr<client::Connection> connection, TablePath path, LakeSnapshotId id) {
  LakeAdmin admin(connection);
  auto snapshot = co_await admin.snapshot(path, id);
  if (snapshot) co_return *std::move(snapshot);
  if (snapshot.error().code() == ErrorCode::kLakeSnapshotNotExist) co_return std::nullopt;
  co_return fail(std::move(snapshot).error());
}

Status check_lake(const client::TableInfo& table) {
  if (has_lake(table)) return ok();
  return make_error(ErrorCode::kInvalidTableException,
                    "table {} has no lake; give it one with ALTER TABLE {} SET "
                    "('table.datalake.enabled' = 'true')",
                    table.path,
                    table.path.table);
}

// Without the files that can have no wanted rows.
Result<std::shared_ptr<LakePart>> wanted_part(const TablePlan& plan, const LakePart& all) {
  ASSIGN_OR_RETURN(PartitionFilter filter,
                   PartitionFilter::make(plan.table.descriptor, plan.asked));
  auto part = std::make_shared<LakePart>(all);
  part->scan.splits.clear();
  for (const LakeSplit& split : all.scan.splits) {
    ASSIGN_OR_RETURN(bool is_wanted, filter.may_match(split.partition));
    if (is_wanted) {
      part->scan.splits.push_back(split);
    } else {
      part->scan.pruned_files += split.files.size();
    }
  }
  return part;
}

uint64_t file_count_of(const LakeScan& scan) {
  uint64_t files = 0;
  for (const LakeSplit& split : scan.splits) files += split.files.size();
  return files;
}

// "0", or "2026-01-01/0" of a partition.
std::vector<std::pair<std::string, Offset>> named_offsets(
    const LakeOffsets& offsets, const std::vector<client::PartitionInfo>& partitions) {
  std::vector<std::pair<std::string, Offset>> named;
  for (const auto& [bucket, offset] : offsets) {
    std::string name = fmt::format("{}", bucket.bucket);
    if (bucket.partition) {
      std::string partition = fmt::format("{}", *bucket.partition);
      for (const client::PartitionInfo& known : partitions) {
        if (known.id == *bucket.partition) partition = known.name;
      }
      name = fmt::format("{}/{}", partition, name);
    }
    named.emplace_back(std::move(name), offset);
  }
  return named;
}

Task<Result<std::vector<client::PartitionInfo>>> partitions_of(
    std::shared_ptr<client::Connection> connection, client::TableInfo table) {
  if (!table.descriptor.is_partitioned()) co_return std::vector<client::PartitionInfo>();
  client::Admin admin(connection);
  PartitionSpec all;
  co_return co_await admin.list_partitions(table.path, all);
}

// A partition that is younger than the snapshot is in the log alone: from its first change on, or
// not all of its rows are found.
Status check_all_there(const TablePlan& plan, const PlacedRange& placed) {
  const client::LogRange& range = placed.range;
  bool is_in_lake = plan.lake->offsets.contains(range.bucket);
  if (is_in_lake || range.begin == Offset(0)) return ok();
  return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                    "bucket {} of partition {} of {}: no snapshot of the lake has it yet, and its "
                    "log begins at {}; ask again after the next round (lakestream tiering status)",
                    range.bucket.bucket,
                    placed.partition.value_or(""),
                    plan.table.path,
                    range.begin);
}

}  // namespace

Result<TableClaim> EngineTables::claim(std::shared_ptr<TablePlan> plan) {
  switch (plan->view) {
    case TableView::kRows:
      return claim_rows(std::move(plan));
    case TableView::kLake:
      return claim_lake(std::move(plan));
    case TableView::kSnapshots:
      return claim_snapshots(std::move(plan));
    case TableView::kChangelog:
    case TableView::kBinlog:
      break;
  }
  return TableClaim{add_scan(std::move(plan)), ""};
}

Result<TableClaim> EngineTables::claim_rows(std::shared_ptr<TablePlan> plan) {
  if (has_lake(plan->table)) {
    ASSIGN_OR_RETURN(bool is_rehearsal, rehearse(*plan));
    // Keys of partitions that are gone are in the lake alone.
    bool is_looked_up = plan->key_access() && !plan->table.descriptor.is_partitioned();
    if (is_rehearsal) {
      rehearsed_.push_back({plan->name(), add_scan(plan)});
      return TableClaim{rehearsed_.back().scan, ""};
    }
    if (!is_looked_up) {
      ASSIGN_OR_RETURN(plan->lake, readable_part(*plan));
    }
  }
  if (plan->lake != nullptr) {
    ASSIGN_OR_RETURN(bool has_tail, has_changes_since(*plan));
    if (!has_tail) plan->lake = nullptr;
  }
  if (plan->lake == nullptr) return TableClaim{add_scan(std::move(plan)), ""};
  ASSIGN_OR_RETURN(std::shared_ptr<LakePart> part, wanted_part(*plan, *plan->lake));
  if (plan->table.descriptor.has_primary_key()) RETURN_IF_ERROR(add_changes(*plan, part.get()));
  plan->lake = std::move(part);
  AddScan add = [this](std::shared_ptr<TablePlan> scan) { return scan_text(std::move(scan)); };
  return claim_query(*plan, union_read_query(*plan, add));
}

// The servers' state has all rows of a table with keys, also when changes since the snapshot are
// too old to be in the log still. Partitions that are gone are in the lake alone, so of those
// tables the log is needed.
Result<bool> EngineTables::has_changes_since(const TablePlan& plan) {
  const TableDescriptor& table = plan.table.descriptor;
  if (!table.has_primary_key() || table.is_partitioned()) return true;
  PartitionSpec all;
  ASSIGN_OR_RETURN(PlacedRanges ranges,
                   run_blocking(*source_.shard, LogEnds::of_table(source_.ends, plan.table, all)));
  return std::ranges::all_of(ranges, [&](const PlacedRange& placed) {
    auto offset = plan.lake->offsets.find(placed.range.bucket);
    Offset first = offset == plan.lake->offsets.end() ? Offset(0) : offset->second;
    return placed.range.begin <= first;
  });
}

// Where the log goes on behind the snapshot.
Status EngineTables::add_changes(const TablePlan& plan, LakePart* part) {
  auto log = std::make_shared<TablePlan>(plan);
  log->is_after_lake = true;
  ASSIGN_OR_RETURN(PlacedRanges ranges,
                   run_blocking(*source_.shard, ranges_of(source_.ends, std::move(log))));
  for (const PlacedRange& placed : ranges) {
    RETURN_IF_ERROR(check_all_there(plan, placed));
    if (placed.range.is_empty()) continue;
    LakeBucket place{.bucket = placed.range.bucket.bucket};
    if (placed.partition) {
      ASSIGN_OR_RETURN(ResolvedPartitionSpec partition,
                       partition_of_name(plan.table.descriptor.partition_keys, *placed.partition));
      place.partition = std::move(partition.values);
    }
    part->changed.insert(std::move(place));
  }
  part->changes = row_count_of(ranges);
  return ok();
}

Result<TableClaim> EngineTables::claim_lake(std::shared_ptr<TablePlan> plan) {
  RETURN_IF_ERROR(check_lake(plan->table));
  ASSIGN_OR_RETURN(bool is_rehearsal, rehearse(*plan));
  if (is_rehearsal) {
    rehearsed_.push_back({plan->name(), add_scan(plan)});
    return TableClaim{rehearsed_.back().scan, ""};
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const LakePart> part, newest_part(*plan));
  ASSIGN_OR_RETURN(plan->lake, wanted_part(*plan, *part));
  AddScan add = [this](std::shared_ptr<TablePlan> split) { return scan_text(std::move(split)); };
  return claim_query(*plan, lake_read_query(*plan, add));
}

Result<std::shared_ptr<const LakePart>> EngineTables::newest_part(const TablePlan& plan) {
  std::shared_ptr<const LakePart>& known = parts_[{plan.table.path, TableView::kLake}];
  if (known != nullptr) return known;
  auto part = std::make_shared<LakePart>();
  ASSIGN_OR_RETURN(part->table, lakes_.open(plan.table));
  ASSIGN_OR_RETURN(std::optional<LakeSnapshot> newest, part->table->latest_snapshot());
  if (newest) {
    LakeScanRequest everything;
    ASSIGN_OR_RETURN(part->scan, part->table->plan(newest->id, everything));
  }
  known = part;
  return known;
}

Result<std::shared_ptr<const LakePart>> EngineTables::readable_part(const TablePlan& plan) {
  std::shared_ptr<const LakePart>& known = parts_[{plan.table.path, TableView::kRows}];
  if (known != nullptr) return known;
  ASSIGN_OR_RETURN(
      std::optional<LakeTableSnapshot> snapshot,
      run_blocking(*source_.shard, readable_snapshot(source_.connection, plan.table.path)));
  if (!snapshot) return nullptr;
  auto part = std::make_shared<LakePart>();
  ASSIGN_OR_RETURN(part->table, lakes_.open(plan.table));
  LakeScanRequest everything;
  ASSIGN_OR_RETURN(part->scan, part->table->plan(snapshot->id, everything));
  part->offsets = std::move(snapshot->offsets);
  known = part;
  return known;
}

Result<TableClaim> EngineTables::claim_snapshots(std::shared_ptr<TablePlan> plan) {
  const client::TableInfo& table = plan->table;
  RETURN_IF_ERROR(check_lake(table));
  ASSIGN_OR_RETURN(std::shared_ptr<LakeTable> lake, lakes_.open(table));
  ASSIGN_OR_RETURN(std::vector<LakeSnapshot> snapshots, lake->snapshots());
  ASSIGN_OR_RETURN(std::optional<LakeTableSnapshot> readable,
                   run_blocking(*source_.shard, readable_snapshot(source_.connection, table.path)));
  std::optional<int64_t> readable_order;
  if (readable) {
    ASSIGN_OR_RETURN(readable_order, lake->order_of(readable->id));
  }
  ASSIGN_OR_RETURN(std::vector<client::PartitionInfo> partitions,
                   run_blocking(*source_.shard, partitions_of(source_.connection, table)));
  std::vector<SnapshotRow> rows;
  for (LakeSnapshot& snapshot : snapshots) {
    SnapshotRow row;
    if (!rows.empty()) {
      row.parent = rows.back().snapshot.id;
      row.added_rows = snapshot.total_rows - rows.back().snapshot.total_rows;
    } else {
      row.added_rows = snapshot.total_rows;
    }
    LakeScanRequest everything;
    auto scan = lake->plan(snapshot.id, everything);
    if (scan) row.file_count = file_count_of(*scan);
    row.is_readable = readable_order && snapshot.order <= *readable_order;
    ASSIGN_OR_RETURN(
        std::optional<LakeTableSnapshot> known,
        run_blocking(*source_.shard, known_snapshot(source_.connection, table.path, snapshot.id)));
    if (known) row.offsets = named_offsets(known->offsets, partitions);
    row.snapshot = std::move(snapshot);
    rows.push_back(std::move(row));
  }
  return TableClaim{0, snapshots_sql(rows)};
}

TableClaim EngineTables::claim_query(const TablePlan& plan, LakeQuery query) {
  const LakeScan& scan = plan.lake->scan;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const LakeSplit& split : scan.splits) {
    for (const LakeDataFile& file : split.files) {
      rows += file.rows;
      bytes += file.bytes;
    }
  }
  std::string text = fmt::format("{}: lake snapshot {}, {} files of {} rows and {} bytes",
                                 plan.name(),
                                 scan.snapshot.id,
                                 file_count_of(scan),
                                 rows,
                                 bytes);
  if (!query.files.empty()) text += fmt::format(": {}", query.files);
  if (scan.pruned_files > 0) {
    text += fmt::format("; {} files have no wanted rows", scan.pruned_files);
  }
  lake_notes_.push_back(std::move(text));
  return TableClaim{0, std::move(query.sql)};
}

}  // namespace lakestream::query
