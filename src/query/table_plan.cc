#include "query/table_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/admin.h"
#include "client/change_rows.h"
#include "query/partition_filter.h"

namespace lakestream::query {
namespace {

using client::ChangeKind;
using client::ChangeView;
using client::LogRange;
using client::OffsetSpec;

struct ViewName {
  TableView view;
  std::string_view suffix;
};
constexpr ViewName kViewNames[] = {
    {TableView::kRows, ""},
    {TableView::kChangelog, "$changelog"},
    {TableView::kBinlog, "$binlog"},
    {TableView::kLake, "$lake"},
    {TableView::kSnapshots, "$lake$snapshots"},
};

// The value of a partition as its name has it; nothing for types that are not told apart by it.
std::optional<std::string> partition_text(const DataType& type, const Value& value) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return std::string(value.as_bytes());
    case TypeRoot::kBoolean:
      return partition_text_of_boolean(value.as_boolean());
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
      return partition_text_of_integer(value.as_integer());
    case TypeRoot::kDate:
      return partition_text_of_date(static_cast<int32_t>(value.as_integer()));
    default:
      return std::nullopt;
  }
}

Result<Schema> schema_of_changes(const client::TableInfo& table, ChangeView view) {
  ChangeKind kind{view, table.descriptor.has_primary_key(), false};
  ASSIGN_OR_RETURN(auto rows, client::make_change_rows(kind, table.descriptor.schema.visible()));
  return rows->schema();
}

Result<Schema> schema_of_view(const client::TableInfo& table, TableView view) {
  if (view == TableView::kChangelog) return schema_of_changes(table, ChangeView::kChangelog);
  if (view != TableView::kBinlog) return table.descriptor.schema.visible();
  if (!table.descriptor.has_primary_key()) {
    return make_error(ErrorCode::kNonPrimaryKeyTableException,
                      "table {} has no primary key, so its rows are never changed; read \"{}{}\"",
                      table.path,
                      table.path.table,
                      suffix_of(TableView::kChangelog));
  }
  return schema_of_changes(table, ChangeView::kBinlog);
}

Predicate both(const Predicate& one, const Predicate& other) {
  if (one.kind() == Predicate::Kind::kAnything) return other;
  if (other.kind() == Predicate::Kind::kAnything) return one;
  return Predicate::all_of({one, other});
}

}  // namespace

std::optional<TableReference> table_reference_of(std::string_view name) {
  size_t dollar = name.find('$');
  std::string_view suffix = dollar == std::string_view::npos ? "" : name.substr(dollar);
  for (const ViewName& known : kViewNames) {
    if (known.suffix == suffix)
      return TableReference{std::string(name.substr(0, dollar)), known.view};
  }
  return std::nullopt;
}

std::string_view suffix_of(TableView view) {
  for (const ViewName& known : kViewNames) {
    if (known.view == view) return known.suffix;
  }
  return "";
}

const Column* TablePlan::table_column(size_t index) const {
  if (view == TableView::kBinlog || index >= schema.size()) return nullptr;
  // Columns in front are no columns of the table.
  size_t leading = schema.size() - table.descriptor.schema.visible().size();
  if (index < leading) return nullptr;
  return table.descriptor.schema.find(schema.column(index).name);
}

std::optional<KeyAccess> TablePlan::key_access() const {
  bool reads_state = view == TableView::kRows && !reads_log();
  return reads_state ? key_access_of(table.descriptor, asked) : std::nullopt;
}

bool TablePlan::add_condition(const Predicate& predicate, std::string text) {
  add_partition(predicate);
  asked = both(asked, predicate);
  // The state of a primary-key table is read as a whole.
  if (!reads_log()) return false;
  // The engine may tell what it has told before.
  if (std::ranges::find(told, text) != told.end()) return true;
  told.push_back(std::move(text));
  condition = both(condition, predicate);
  return true;
}

// "key = value" of a partition key names the partitions.
void TablePlan::add_partition(const Predicate& predicate) {
  if (predicate.kind() != Predicate::Kind::kLeaf) return;
  Predicate::Leaf leaf = predicate.leaf();
  if (leaf.function != LeafFunction::kEqual || leaf.literals.size() != 1) return;
  const Schema& columns = table.descriptor.schema;
  std::optional<size_t> index = columns.index_of_id(leaf.column_id);
  if (!index) return;
  const std::string& key = columns.column(*index).name;
  const std::vector<std::string>& keys = table.descriptor.partition_keys;
  bool is_named = std::ranges::any_of(partitions, [&](const auto& p) { return p.first == key; });
  if (is_named || std::ranges::find(keys, key) == keys.end()) return;
  std::optional<std::string> value = partition_text(leaf.type, leaf.literals[0]);
  if (value && check_partition_values({*value})) partitions.emplace_back(key, *std::move(value));
}

std::string TablePlan::name() const { return fmt::format("{}{}", table.path, suffix_of(view)); }

Task<Result<std::vector<client::PartitionInfo>>> wanted_partitions(
    std::shared_ptr<client::Connection> connection, std::shared_ptr<TablePlan> plan) {
  const TableDescriptor& table = plan->table.descriptor;
  CO_ASSIGN_OR_RETURN(PartitionFilter filter, PartitionFilter::make(table, plan->asked));
  client::Admin admin(connection);
  CO_ASSIGN_OR_RETURN(auto found,
                      co_await admin.list_partitions(plan->table.path, plan->partitions));
  std::vector<client::PartitionInfo> wanted;
  for (client::PartitionInfo& partition : found) {
    std::vector<std::string> values;
    for (const auto& [key, value] : partition.spec) values.push_back(value);
    CO_ASSIGN_OR_RETURN(bool may_match, filter.may_match(values));
    if (may_match) wanted.push_back(std::move(partition));
  }
  plan->counters.pruned_partitions = found.size() - wanted.size();
  co_return wanted;
}

Task<Result<PlacedRanges>> LogEnds::of_table(std::shared_ptr<LogEnds> self,
                                             client::TableInfo table,
                                             PartitionSpec partitions) {
  if (!table.descriptor.is_partitioned()) co_return co_await of_place(self, table, std::nullopt);
  client::Admin admin(self->connection_);
  CO_ASSIGN_OR_RETURN(auto found,
                      co_await admin.list_partitions(table.path, std::move(partitions)));
  co_return co_await of_partitions(self, std::move(table), std::move(found));
}

Task<Result<PlacedRanges>> LogEnds::of_plan(std::shared_ptr<LogEnds> self,
                                            std::shared_ptr<TablePlan> plan) {
  const client::TableInfo& table = plan->table;
  if (!table.descriptor.is_partitioned()) co_return co_await of_place(self, table, std::nullopt);
  CO_ASSIGN_OR_RETURN(auto wanted, co_await wanted_partitions(self->connection_, plan));
  co_return co_await of_partitions(self, table, std::move(wanted));
}

Task<Result<PlacedRanges>> LogEnds::of_partitions(std::shared_ptr<LogEnds> self,
                                                  client::TableInfo table,
                                                  std::vector<client::PartitionInfo> partitions) {
  PlacedRanges ranges;
  for (client::PartitionInfo& partition : partitions) {
    auto part = co_await of_place(self, table, std::move(partition));
    // Dropped meanwhile.
    if (!part && part.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!part) co_return fail(std::move(part).error());
    ranges.insert(ranges.end(), part->begin(), part->end());
  }
  co_return ranges;
}

Task<Result<PlacedRanges>> LogEnds::of_place(std::shared_ptr<LogEnds> self,
                                             client::TableInfo table,
                                             std::optional<client::PartitionInfo> partition) {
  PhysicalTablePath place{table.path, std::nullopt};
  TableBucket bucket{table.id, std::nullopt, BucketId(0)};
  if (partition) {
    place.partition = partition->name;
    bucket.partition = partition->id;
  }
  if (auto known = self->known_.find(place); known != self->known_.end()) co_return known->second;
  client::Admin admin(self->connection_);
  std::vector<BucketId> all;
  CO_ASSIGN_OR_RETURN(auto begins, co_await admin.list_offsets(place, OffsetSpec::earliest(), all));
  CO_ASSIGN_OR_RETURN(auto ends, co_await admin.list_offsets(place, OffsetSpec::latest(), all));
  std::map<BucketId, Offset> begin_of;
  for (const client::BucketOffset& begin : begins) begin_of[begin.bucket] = begin.offset;
  PlacedRanges ranges;
  for (const client::BucketOffset& end : ends) {
    bucket.bucket = end.bucket;
    LogRange range{bucket, begin_of[end.bucket], end.offset};
    ranges.push_back({range, place.partition});
  }
  self->known_[place] = ranges;
  co_return ranges;
}

Task<Result<std::shared_ptr<TablePlan>>> plan_table(std::shared_ptr<LogEnds> ends,
                                                    std::shared_ptr<client::Connection> connection,
                                                    TablePath path,
                                                    TableView view) {
  client::Admin admin(connection);
  auto plan = std::make_shared<TablePlan>();
  CO_ASSIGN_OR_RETURN(plan->table, co_await admin.table_info(path));
  plan->view = view;
  CO_ASSIGN_OR_RETURN(plan->schema, schema_of_view(plan->table, view));
  if (plan->table.descriptor.has_primary_key()) {
    CO_ASSIGN_OR_RETURN(plan->changes, schema_of_changes(plan->table, ChangeView::kChangelog));
  }
  PartitionSpec none;
  if (plan->reads_log() && !plan->table.descriptor.is_partitioned()) {
    CO_ASSIGN_OR_RETURN(auto ranges, co_await LogEnds::of_table(ends, plan->table, none));
    plan->row_count = row_count_of(ranges);
  }
  co_return plan;
}

Task<Result<PlacedRanges>> ranges_of(std::shared_ptr<LogEnds> ends,
                                     std::shared_ptr<TablePlan> plan) {
  CO_ASSIGN_OR_RETURN(PlacedRanges ranges, co_await LogEnds::of_plan(ends, plan));
  if (!plan->is_after_lake) co_return ranges;
  for (PlacedRange& placed : ranges) {
    auto offset = plan->lake->offsets.find(placed.range.bucket);
    if (offset != plan->lake->offsets.end()) placed.range.begin = offset->second;
  }
  co_return ranges;
}

uint64_t row_count_of(const PlacedRanges& ranges) {
  uint64_t rows = 0;
  for (const PlacedRange& placed : ranges) {
    const LogRange& range = placed.range;
    if (!range.is_empty()) rows += static_cast<uint64_t>(range.end.value() - range.begin.value());
  }
  return rows;
}

}  // namespace lakestream::query
