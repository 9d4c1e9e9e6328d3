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

// How the parts of a snapshot are read: by the engine, as files, or by the format.
struct LakeParts {
  Files plain;                         // rows that are all of the table
  Files old;                           // of LakeLayers; some rows take their key away
  Files newer;                         // of LakeLayers
  std::optional<LakeLayers> layering;  // the columns of those
  std::vector<LakeSplit> others;
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
  }
  return rows;
}

void add_files(const Files& files, Files* to) { to->insert(to->end(), files.begin(), files.end()); }

LakeParts parts_of(const TablePlan& plan) {
  LakeParts parts;
  const std::vector<LakeSplit>& splits = plan.lake->scan.splits;
  bool is_readable = std::ranges::all_of(
      plan.schema.columns(), [](const Column& column) { return engine_reads(column.type); });
  bool merges = layered_rows(splits) <= kLayeredRowsMax;
  for (const LakeSplit& split : splits) {
    bool is_open = is_readable && are_local(split.files);
    if (is_open && !split.needs_merge) {
      add_files(split.files, &parts.plain);
    } else if (is_open && merges && split.layers) {
      add_files(split.layers->old, &parts.old);
      add_files(split.layers->newer, &parts.newer);
      if (!parts.layering) parts.layering = split.layers;
    } else {
      parts.others.push_back(split);
    }
  }
  return parts;
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

// The columns and, behind them, `more`. Columns that no file has are NULL.
std::string files_sql(const Schema& schema, const Files& files, const std::string& more = "") {
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
      "true, hive_partitioning = false))",
      fmt::join(values, ", "),
      more,
      nothing_of(schema),
      fmt::join(paths, ", "));
}

// Whether a row of LakeLayers is kept.
std::string is_kept(const LakeLayers& layering) {
  return fmt::format(
      "{} IN ({})", quoted_name(layering.kind_column), fmt::join(layering.kept_kinds, ", "));
}

std::shared_ptr<TablePlan> with_view(const TablePlan& plan, TableView view, Schema schema) {
  auto part = std::make_shared<TablePlan>(plan);
  part->view = view;
  part->schema = std::move(schema);
  part->row_count.reset();
  part->is_after_lake = true;
  return part;
}

std::string log_union(const TablePlan& plan, const AddScan& add_scan) {
  std::string columns = columns_of(plan.schema);
  return fmt::format("SELECT {0} FROM ({1}) UNION ALL SELECT {0} FROM {2}",
                     columns,
                     lake_read_sql(plan, add_scan),
                     add_scan(with_view(plan, TableView::kRows, plan.schema)));
}

// Of the parts of the lake that have each key once.
std::string lowest_sql(const TablePlan& plan, LakeParts parts, const AddScan& add_scan) {
  std::vector<std::string> reads;
  if (!parts.plain.empty()) reads.push_back(files_sql(plan.schema, parts.plain));
  if (!parts.old.empty()) {
    reads.push_back(files_sql(plan.schema, parts.old) + " WHERE " + is_kept(*parts.layering));
  }
  if (!parts.others.empty()) {
    auto part = std::make_shared<TablePlan>(plan);
    part->view = TableView::kLake;
    part->row_count.reset();
    part->splits = std::move(parts.others);
    reads.push_back(
        fmt::format("SELECT {} FROM {}", columns_of(plan.schema), add_scan(std::move(part))));
  }
  if (reads.empty()) return nothing_of(plan.schema);
  return fmt::format("{}", fmt::join(reads, " UNION ALL "));
}

// What is above that: versions of keys, those of the log above those of the lake.
std::vector<std::string> upper_layers(const TablePlan& plan,
                                      const LakeParts& parts,
                                      bool with_log,
                                      const AddScan& add_scan) {
  std::vector<std::string> layers;
  if (with_log) {
    layers.push_back(fmt::format(
        "SELECT {}, 1 AS \"$layer\", _log_offset AS \"$order\", _change_type IN ('insert', "
        "'update_after') AS \"$kept\" FROM {}",
        columns_of(plan.schema),
        add_scan(with_view(plan, TableView::kChangelog, plan.changes))));
  }
  if (!parts.newer.empty()) {
    layers.push_back(files_sql(plan.schema,
                               parts.newer,
                               fmt::format(", 0 AS \"$layer\", {} AS \"$order\", {} AS \"$kept\"",
                                           quoted_name(parts.layering->order_column),
                                           is_kept(*parts.layering))));
  }
  return layers;
}

// Of each key the highest version decides.
std::string key_union(const TablePlan& plan, bool with_log, const AddScan& add_scan) {
  LakeParts parts = parts_of(plan);
  std::vector<std::string> upper = upper_layers(plan, parts, with_log, add_scan);
  std::string lowest = lowest_sql(plan, std::move(parts), add_scan);
  if (upper.empty()) return lowest;
  std::vector<std::string> keys;
  std::vector<std::string> same;
  for (const std::string& key : plan.table.descriptor.schema.primary_key()) {
    std::string name = quoted_name(key);
    keys.push_back(name);
    same.push_back(fmt::format("above.{0} = below.{0}", name));
  }
  return fmt::format(
      "WITH above AS MATERIALIZED (SELECT * FROM ({0}) QUALIFY row_number() OVER (PARTITION BY {1} "
      "ORDER BY \"$layer\" DESC, \"$order\" DESC) = 1) "
      "SELECT {2} FROM ({3}) AS below WHERE NOT EXISTS (SELECT 1 FROM above WHERE {4}) "
      "UNION ALL SELECT {2} FROM above WHERE \"$kept\"",
      fmt::join(upper, " UNION ALL "),
      fmt::join(keys, ", "),
      columns_of(plan.schema),
      lowest,
      fmt::join(same, " AND "));
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

std::string lake_read_sql(const TablePlan& plan, const AddScan& add_scan) {
  return key_union(plan, /*with_log=*/false, add_scan);
}

std::string union_read_sql(const TablePlan& plan, const AddScan& add_scan) {
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
