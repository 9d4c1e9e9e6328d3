#include "query/partition_filter.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <arrow/record_batch.h>

#include "format/arrow_schema.h"

namespace lakestream::query {
namespace {

template <typename T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "2026-11-30"
std::optional<int64_t> days_of(std::string_view text) {
  size_t day_at = text.rfind('-');
  if (day_at == std::string_view::npos || day_at == 0) return std::nullopt;
  size_t month_at = text.rfind('-', day_at - 1);
  if (month_at == std::string_view::npos) return std::nullopt;
  auto year = number_of<int>(text.substr(0, month_at));
  auto month = number_of<unsigned>(text.substr(month_at + 1, day_at - month_at - 1));
  auto day = number_of<unsigned>(text.substr(day_at + 1));
  if (!year || !month || !day) return std::nullopt;
  std::chrono::year_month_day date{
      std::chrono::year(*year), std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

bool is_readable(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kString:
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kDate:
      return true;
    default:
      return false;
  }
}

// Nothing for a text that is no value of the type.
std::optional<Value> value_of(const DataType& type, std::string_view text) {
  if (type.is(TypeRoot::kChar) || type.is(TypeRoot::kString)) return Value::bytes(text);
  if (type.is(TypeRoot::kBoolean)) {
    if (text != "true" && text != "false") return std::nullopt;
    return Value::boolean(text == "true");
  }
  std::optional<int64_t> number =
      type.is(TypeRoot::kDate) ? days_of(text) : number_of<int64_t>(text);
  return number ? std::optional(Value::integer(*number)) : std::nullopt;
}

// What the condition says of these columns alone.
Predicate restricted(const Predicate& condition, const Schema& columns) {
  switch (condition.kind()) {
    case Predicate::Kind::kAnything:
      return condition;
    case Predicate::Kind::kLeaf:
      return columns.index_of_id(condition.leaf().column_id) ? condition : Predicate::anything();
    case Predicate::Kind::kAll:
    case Predicate::Kind::kAny:
      break;
  }
  bool is_all = condition.kind() == Predicate::Kind::kAll;
  std::vector<Predicate> parts;
  for (const Predicate& child : condition.children()) {
    Predicate part = restricted(child, columns);
    if (part.kind() != Predicate::Kind::kAnything) {
      parts.push_back(std::move(part));
    } else if (!is_all) {
      return Predicate::anything();
    }
  }
  if (parts.empty()) return Predicate::anything();
  return is_all ? Predicate::all_of(std::move(parts)) : Predicate::any_of(std::move(parts));
}

}  // namespace

Result<PartitionFilter> PartitionFilter::make(const TableDescriptor& table,
                                              const Predicate& condition) {
  PartitionFilter filter;
  SchemaBuilder builder;
  for (size_t i = 0; i < table.partition_keys.size(); ++i) {
    const Column* column = table.schema.find(table.partition_keys[i]);
    if (column == nullptr || !is_readable(column->type)) continue;
    builder.column_with_ids(*column);
    filter.keys_.push_back({i, column->type});
  }
  if (filter.keys_.empty()) return filter;
  ASSIGN_OR_RETURN(filter.schema_, builder.build());
  Predicate known = restricted(condition, filter.schema_);
  if (known.kind() == Predicate::Kind::kAnything) return filter;
  ASSIGN_OR_RETURN(filter.rows_, RowFilter::make(known, filter.schema_));
  return filter;
}

Result<bool> PartitionFilter::may_match(const std::vector<std::string>& values) const {
  if (!rows_) return true;
  std::vector<Value> row;
  for (const Key& key : keys_) {
    if (key.place >= values.size()) return true;
    std::optional<Value> value = value_of(key.type, values[key.place]);
    if (!value) return true;
    row.push_back(*value);
  }
  ArrowAppender appender(schema_);
  RETURN_IF_ERROR(appender.append(row));
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, appender.finish());
  ASSIGN_OR_RETURN(std::vector<int64_t> matching, rows_->matching(batch));
  return !matching.empty();
}

}  // namespace lakestream::query
