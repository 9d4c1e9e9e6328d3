#include "query/union_read.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "query/conform.h"
#include "query/names.h"

namespace lakestream::query {
namespace {

constexpr int32_t kMicrosDigits = 6;
constexpr std::string_view kLocalScheme = "file://";

// The path of a file that the engine can open; nothing for other storage.
std::optional<std::string> local_path(const std::string& path) {
  // Not where characters of the name may be written as their numbers.
  bool is_uri = path.starts_with(kLocalScheme);
  if (is_uri && path.find('%') == std::string::npos) return path.substr(kLocalScheme.size());
  if (path.starts_with("/")) return path;
  return std::nullopt;
}

// Whether the engine reads the type from Parquet files as the lake format does.
bool engine_reads(const DataType& type) {
  if (type.is(TypeRoot::kTime)) return false;
  if (type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz)) {
    return type.precision() <= kMicrosDigits;
  }
  return std::ranges::all_of(type.fields(),
                             [](const Field& field) { return engine_reads(field.type); });
}

// More rows above others than this are merged by the format, in the order of keys: the engine would
// hold all of them at once.
constexpr uint64_t kLayeredRowsMax = 8'000'000;

using Files = std::vector<LakeDataFile>;

// Rows with each key once.
struct LowestFiles {
  Files whole;         // rows that are all of the table
  Files with_deletes;  // of LakeLayers; some rows take their key away
  std::vector<LakeSplit> others;
};

// How the parts of a snapshot are read: by the engine, as files, or by the format.
struct LakeParts {
  LowestFiles alone;                   // no key has a newer version
  LowestFiles below;                   // some keys may have one
  Files newer;                         // of LakeLayers: newer versions
  Files deletes;                       // and keys without a row
  std::optional<LakeLayers> layering;  // the columns of those
};

bool are_local(const Files& files) {
  return std::ranges::all_of(
      files, [](const LakeDataFile& file) { return local_path(file.path).has_value(); });
}

uint64_t layered_rows(const std::vector<LakeSplit>& splits) {
  uint64_t rows = 0;
  for (const LakeSplit& split : splits) {
    if (!split.layers) continue;
    for (const LakeDataFile& file : split.layers->newer) rows += file.rows;
    for (const LakeDataFile& file : split.layers->deletes) rows += file.rows;
  }
  return rows;
}

void add_files(const Files& files, Files* to) { to->insert(to->end(), files.begin(), files.end()); }

// Whether the log goes on with changes of keys that the split may hold.
bool is_changed(const LakePart& lake, const LakeSplit& split) {
  return split.bucket ? lake.changed.contains({split.partition, *split.bucket})
                      : !lake.changed.empty();
}

LakeParts parts_of(const TablePlan& plan, bool with_log) {
  LakeParts parts;
  const std::vector<LakeSplit>& splits = plan.lake->scan.splits;
  bool is_readable = std::ranges::all_of(
      plan.schema.columns(), [](const Column& column) { return engine_reads(column.type); });
  bool merges = layered_rows(splits) <= kLayeredRowsMax;
  for (const LakeSplit& split : splits) {
    bool is_open = is_readable && are_local(split.files) &&
                   (!split.layers || are_local(split.layers->deletes));
    bool is_layered = is_open && merges && split.needs_merge && split.layers;
    bool has_newer = is_layered && !(split.layers->newer.empty() && split.layers->deletes.empty());
    bool is_below = has_newer || (with_log && is_changed(*plan.lake, split));
    LowestFiles& lowest = is_below ? parts.below : parts.alone;
    if (is_layered) {
      for (const LakeDataFile& file : split.layers->old) {
        (file.has_deletes ? lowest.with_deletes : lowest.whole).push_back(file);
      }
      add_files(split.layers->newer, &parts.newer);
      add_files(split.layers->deletes, &parts.deletes);
      if (!parts.layering) parts.layering = split.layers;
    } else if (is_open && !split.needs_merge) {
      add_files(split.files, &lowest.whole);
    } else {
      lowest.others.push_back(split);
    }
  }
  return parts;
}

size_t file_count(const std::vector<LakeSplit>& splits) {
  size_t files = 0;
  for (const LakeSplit& split : splits) files += split.files.size();
  return files;
}

// "3 as they are, 2 without changed keys"
std::string ways_of(const LakeParts& parts) {
  std::vector<std::string> ways;
  auto add = [&](size_t files, std::string_view way) {
    if (files > 0) ways.push_back(fmt::format("{} {}", files, way));
  };
  add(parts.alone.whole.size() + parts.alone.with_deletes.size(), "as they are");
  add(parts.below.whole.size() + parts.below.with_deletes.size(), "without changed keys");
  add(parts.newer.size() + parts.deletes.size(), "merged by key");
  add(file_count(parts.alone.others) + file_count(parts.below.others), "by the format");
  return fmt::format("{}", fmt::join(ways, ", "));
}

std::string columns_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns()) names.push_back(quoted_name(column.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// No row of these columns.
std::string nothing_of(const Schema& schema) {
  std::vector<std::string> values;
  for (const Column& column : schema.columns()) {
    values.push_back(fmt::format(
        "CAST(NULL AS {}) AS {}", engine_type_name(column.type), quoted_name(column.name)));
  }
  return fmt::format("SELECT {} WHERE false", fmt::join(values, ", "));
}

// The columns and, behind them, `more`. Columns that no file has are NULL. `options`: more of them
// for the read.
std::string files_sql(const Schema& schema,
                      const Files& files,
                      const std::string& more = "",
                      const std::string& options = "") {
  std::vector<std::string> paths;
  for (const LakeDataFile& file : files) paths.push_back(quoted_literal(*local_path(file.path)));
  std::vector<std::string> values;
  for (const Column& column : schema.columns()) {
    std::string name = quoted_name(column.name);
    values.push_back(
        fmt::format("CAST({} AS {}) AS {}", name, engine_type_name(column.type), name));
  }
  return fmt::format(
      "SELECT {}{} FROM ({} UNION ALL BY NAME SELECT * FROM read_parquet([{}], union_by_name = "
      "true, hive_partitioning = false{}))",
      fmt::join(values, ", "),
      more,
      nothing_of(schema),
      fmt::join(paths, ", "),
      options);
}

// Whether a row of LakeLayers is kept.
std::string is_kept(const LakeLayers& layering) {
  if (layering.kind_column.empty()) return "true";
  return fmt::format(
      "{} IN ({})", quoted_name(layering.kind_column), fmt::join(layering.kept_kinds, ", "));
}

// The order of a row of LakeLayers in one of these files, when their paths stand in "$path".
std::string order_of(const LakeLayers& layering, const Files& files) {
  if (!layering.order_column.empty()) return quoted_name(layering.order_column);
  std::vector<std::string> paths;
  std::vector<int64_t> orders;
  for (const LakeDataFile& file : files) {
    paths.push_back(quoted_literal(*local_path(file.path)));
    orders.push_back(file.order);
  }
  return fmt::format(
      "[{}][list_position([{}], \"$path\")]", fmt::join(orders, ", "), fmt::join(paths, ", "));
}

std::shared_ptr<TablePlan> with_view(const TablePlan& plan, TableView view, Schema schema) {
  auto part = std::make_shared<TablePlan>(plan);
  part->view = view;
  part->schema = std::move(schema);
  part->row_count.reset();
  part->is_after_lake = true;
  return part;
}

LakeQuery log_union(const TablePlan& plan, const AddScan& add_scan) {
  std::string columns = columns_of(plan.schema);
  LakeQuery lake = lake_read_query(plan, add_scan);
  lake.sql = fmt::format("SELECT {0} FROM ({1}) UNION ALL SELECT {0} FROM {2}",
                         columns,
                         lake.sql,
                         add_scan(with_view(plan, TableView::kRows, plan.schema)));
  return lake;
}

// The reads whose rows are those of the files.
std::vector<std::string> lowest_reads(const TablePlan& plan,
                                      LowestFiles files,
                                      const std::optional<LakeLayers>& layering,
                                      const AddScan& add_scan) {
  std::vector<std::string> reads;
  if (!files.whole.empty()) reads.push_back(files_sql(plan.schema, files.whole));
  if (!files.with_deletes.empty()) {
    reads.push_back(files_sql(plan.schema, files.with_deletes) + " WHERE " + is_kept(*layering));
  }
  if (!files.others.empty()) {
    auto part = std::make_shared<TablePlan>(plan);
    part->view = TableView::kLake;
    part->row_count.reset();
    part->splits = std::move(files.others);
    reads.push_back(
        fmt::format("SELECT {} FROM {}", columns_of(plan.schema), add_scan(std::move(part))));
  }
  return reads;
}

// What is above that: versions of keys, those of the log above those of the lake. Of a change of a
// row the log has the row before it, too, which says nothing that the row after it does not.
std::vector<std::string> upper_layers(const TablePlan& plan,
                                      const LakeParts& parts,
                                      bool with_log,
                                      const AddScan& add_scan) {
  std::vector<std::string> layers;
  if (with_log) {
    std::shared_ptr<TablePlan> log = with_view(plan, TableView::kChangelog, plan.changes);
    log->row_count = plan.lake->changes;
    layers.push_back(fmt::format(
        "SELECT {}, 1 AS \"$layer\", _log_offset AS \"$order\", _change_type <> 'delete' AS "
        "\"$kept\" FROM {} WHERE _change_type <> 'update_before'",
        columns_of(plan.schema),
        add_scan(std::move(log))));
  }
  auto add = [&](const Files& files, const std::string& kept) {
    if (files.empty()) return;
    layers.push_back(files_sql(plan.schema,
                               files,
                               fmt::format(", 0 AS \"$layer\", {} AS \"$order\", {} AS \"$kept\"",
                                           order_of(*parts.layering, files),
                                           kept),
                               parts.layering->order_column.empty() ? ", filename = '$path'" : ""));
  };
  if (!parts.newer.empty()) add(parts.newer, is_kept(*parts.layering));
  add(parts.deletes, "false");
  return layers;
}

// Of each key the highest version decides.
LakeQuery key_union(const TablePlan& plan, bool with_log, const AddScan& add_scan) {
  LakeParts parts = parts_of(plan, with_log);
  LakeQuery made{.sql = "", .files = ways_of(parts)};
  std::vector<std::string> upper =
      upper_layers(plan, parts, with_log && plan.lake->changes > 0, add_scan);
  std::vector<std::string> reads =
      lowest_reads(plan, std::move(parts.alone), parts.layering, add_scan);
  std::vector<std::string> below =
      lowest_reads(plan, std::move(parts.below), parts.layering, add_scan);
  std::vector<std::string> keys;
  for (const std::string& key : plan.table.descriptor.schema.primary_key()) {
    keys.push_back(quoted_name(key));
  }
  std::string columns = columns_of(plan.schema);
  // A join, as the engine makes one of all keys of the table for NOT EXISTS.
  if (!below.empty()) {
    reads.push_back(fmt::format("SELECT {} FROM ({}) AS below ANTI JOIN above USING ({})",
                                columns,
                                fmt::join(below, " UNION ALL "),
                                fmt::join(keys, ", ")));
  }
  if (!upper.empty()) reads.push_back(fmt::format("SELECT {} FROM above WHERE \"$kept\"", columns));
  if (reads.empty()) reads.push_back(nothing_of(plan.schema));
  if (!upper.empty()) {
    made.sql = fmt::format(
        "WITH above AS MATERIALIZED (SELECT * FROM ({}) QUALIFY row_number() OVER (PARTITION BY {} "
        "ORDER BY \"$layer\" DESC, \"$order\" DESC) = 1) ",
        fmt::join(upper, " UNION ALL "),
        fmt::join(keys, ", "));
  }
  made.sql += fmt::format("{}", fmt::join(reads, " UNION ALL "));
  return made;
}

std::string offsets_text(const SnapshotRow& row) {
  if (!row.offsets) return "NULL";
  std::vector<std::string> entries;
  for (const auto& [bucket, offset] : *row.offsets) {
    entries.push_back(fmt::format("{}: {}", quoted_literal(bucket), offset));
  }
  return fmt::format("MAP {{{}}}", fmt::join(entries, ", "));
}

}  // namespace

LakeQuery lake_read_query(const TablePlan& plan, const AddScan& add_scan) {
  return key_union(plan, /*with_log=*/false, add_scan);
}

LakeQuery union_read_query(const TablePlan& plan, const AddScan& add_scan) {
  return plan.table.descriptor.has_primary_key() ? key_union(plan, /*with_log=*/true, add_scan)
                                                 : log_union(plan, add_scan);
}

std::string snapshots_sql(const std::vector<SnapshotRow>& rows) {
  std::vector<std::string> reads;
  reads.push_back(
      "SELECT NULL::BIGINT AS snapshot_id, NULL::BIGINT AS parent_id, NULL::TIMESTAMPTZ AS "
      "committed_at, NULL::VARCHAR AS operation, NULL::BIGINT AS total_rows, NULL::BIGINT AS "
      "added_rows, NULL::BIGINT AS file_count, NULL::BOOLEAN AS readable, NULL::MAP(VARCHAR, "
      "BIGINT) AS offsets WHERE false");
  for (const SnapshotRow& row : rows) {
    reads.push_back(fmt::format("SELECT {}, {}, to_timestamp({} / 1000.0), {}, {}, {}, {}, {}, {}",
                                row.snapshot.id,
                                row.parent ? fmt::format("{}", *row.parent) : "NULL",
                                row.snapshot.time,
                                quoted_literal(row.snapshot.operation),
                                row.snapshot.total_rows,
                                row.added_rows,
                                row.file_count ? fmt::format("{}", *row.file_count) : "NULL",
                                row.is_readable,
                                offsets_text(row)));
  }
  return fmt::format("{}", fmt::join(reads, " UNION ALL "));
}

}  // namespace lakestream::query
