#include "query/explain.h"

#include <set>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/real_env.h"
#include "table/insert.h"

namespace lakestream::query {
namespace {

using Lines = std::vector<std::string>;

// More ranges than this are told in sum.
constexpr size_t kRangesShown = 32;

void add_lines(std::string_view text, Lines* lines) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines->emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
}

Status add_engine_plan(EngineAnswer& answer, Lines* lines) {
  for (;;) {
    ASSIGN_OR_RETURN(auto rows, answer.next());
    if (rows == nullptr) return ok();
    // The last column has the text.
    std::shared_ptr<arrow::Array> column = rows->column(rows->num_columns() - 1);
    if (column->type_id() != arrow::Type::STRING) continue;
    const auto& texts = static_cast<const arrow::StringArray&>(*column);
    for (int64_t i = 0; i < texts.length(); ++i) add_lines(texts.GetView(i), lines);
  }
}

Status add_ranges(EngineTables& tables, const std::shared_ptr<TablePlan>& plan, Lines* lines) {
  const FeedSource& source = tables.source();
  ASSIGN_OR_RETURN(PlacedRanges ranges, run_blocking(*source.shard, ranges_of(source.ends, plan)));
  lines->push_back(
      fmt::format("  log: {} rows of {} buckets", row_count_of(ranges), ranges.size()));
  if (uint64_t pruned = plan->counters.pruned_partitions) {
    lines->push_back(fmt::format("  log: {} partitions have no wanted rows", pruned));
  }
  size_t shown = 0;
  for (const PlacedRange& placed : ranges) {
    const client::LogRange& range = placed.range;
    if (range.is_empty()) continue;
    if (++shown > kRangesShown) {
      lines->push_back("  …");
      break;
    }
    std::string partition = placed.partition ? fmt::format("partition {} ", *placed.partition) : "";
    lines->push_back(fmt::format(
        "  {}bucket {}: offsets {} to {}", partition, range.bucket.bucket, range.begin, range.end));
  }
  return ok();
}

Status add_table(EngineTables& tables,
                 const std::shared_ptr<TablePlan>& shared,
                 bool was_run,
                 Lines* lines) {
  const TablePlan& plan = *shared;
  lines->push_back("");
  lines->push_back(fmt::format("{}", plan.name()));
  if (plan.reads_log()) {
    RETURN_IF_ERROR(add_ranges(tables, shared, lines));
  } else if (plan.reads_lake()) {
    lines->push_back(
        fmt::format("  {} parts of the lake that are read by its format", plan.splits.size()));
  } else if (std::optional<KeyAccess> access = plan.key_access()) {
    lines->push_back(fmt::format("  looked up by {} {}{}",
                                 access->keys,
                                 access->is_prefix ? "prefix" : "key",
                                 access->keys == 1   ? ""
                                 : access->is_prefix ? "es"
                                                     : "s"));
  } else {
    lines->push_back("  rows by key from the servers' state");
  }
  for (const auto& [key, value] : plan.partitions) {
    lines->push_back(fmt::format("  only partitions with {} = {}", key, value));
  }
  if (!plan.told.empty()) {
    lines->push_back(fmt::format("  left to the servers: {}", fmt::join(plan.told, " AND ")));
  }
  if (was_run) {
    lines->push_back(fmt::format(
        "  read: {} rows, {} bytes", plan.counters.rows.load(), plan.counters.bytes.load()));
  }
  return ok();
}

}  // namespace

Result<std::vector<std::string>> explain(EngineTables& tables, const std::string& sql) {
  ASSIGN_OR_RETURN(auto answer, tables.run(sql));
  Lines lines;
  RETURN_IF_ERROR(add_engine_plan(*answer, &lines));
  answer.reset();
  bool was_run = begins_with(SqlText{sql}, {"EXPLAIN", "ANALYZE"});
  for (const std::string& note : tables.lake_notes()) {
    lines.emplace_back("");
    lines.push_back(note);
  }
  std::set<std::string> shown;
  for (const auto& plan : tables.plans()) {
    if (was_run && !plan->counters.was_read) continue;
    Lines about;
    RETURN_IF_ERROR(add_table(tables, plan, was_run, &about));
    // The engine may have made the same twice.
    if (!shown.insert(fmt::format("{}", fmt::join(about, "\n"))).second) continue;
    lines.insert(lines.end(), about.begin(), about.end());
  }
  return lines;
}

}  // namespace lakestream::query
