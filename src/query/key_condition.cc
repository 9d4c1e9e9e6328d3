#include "query/key_condition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "base/check.h"
#include "format/arrow_schema.h"

namespace lakestream::query {
namespace {

// More are scanned for.
constexpr size_t kKeysMax = 10'000;

// Equal values of other types have more than one form in keys, such as 0.0.
bool has_one_form(const DataType& type) {
  return !type.is(TypeRoot::kFloat) && !type.is(TypeRoot::kDouble);
}

using Values = std::vector<Value>;

// The values that the column has to have one of, as far as one part of the condition says.
std::optional<Values> values_of(const Predicate& condition, int32_t column_id) {
  if (condition.kind() == Predicate::Kind::kAll) {
    for (const Predicate& child : condition.children()) {
      std::optional<Values> values = values_of(child, column_id);
      if (values) return values;
    }
    return std::nullopt;
  }
  if (condition.kind() != Predicate::Kind::kLeaf) return std::nullopt;
  Predicate::Leaf leaf = condition.leaf();
  bool names = leaf.function == LeafFunction::kEqual || leaf.function == LeafFunction::kIn;
  if (!names || leaf.column_id != column_id) return std::nullopt;
  Values values;
  for (const Value& value : leaf.literals) {
    bool is_new = std::find(values.begin(), values.end(), value) == values.end();
    if (is_new && !value.is_null()) values.push_back(value);
  }
  return values;
}

// How many keys of these columns are named; nothing when one is left open.
std::optional<size_t> count_keys(const TableDescriptor& table,
                                 const std::vector<std::string>& columns,
                                 const Predicate& condition) {
  size_t count = 1;
  for (const std::string& name : columns) {
    const Column* column = table.schema.find(name);
    if (column == nullptr || !has_one_form(column->type)) return std::nullopt;
    std::optional<Values> values = values_of(condition, column->id);
    if (!values) return std::nullopt;
    count *= values->size();
    if (count > kKeysMax) return std::nullopt;
  }
  return count;
}

// The columns of prefix lookups; none where the table has no such lookups.
std::vector<std::string> prefix_columns(const TableDescriptor& table) {
  std::vector<std::string> key = default_bucket_keys(table.schema, table.partition_keys);
  std::vector<std::string> prefix = table.bucket_keys();
  bool is_prefix = prefix.size() < key.size() && !prefix.empty() &&
                   std::equal(prefix.begin(), prefix.end(), key.begin());
  if (!is_prefix) return {};
  std::vector<std::string> columns = table.partition_keys;
  columns.insert(columns.end(), prefix.begin(), prefix.end());
  return columns;
}

}  // namespace

std::optional<KeyAccess> key_access_of(const TableDescriptor& table, const Predicate& condition) {
  if (!table.has_primary_key()) return std::nullopt;
  std::optional<size_t> count = count_keys(table, table.schema.primary_key(), condition);
  if (count) return KeyAccess{false, *count};
  std::vector<std::string> prefix = prefix_columns(table);
  if (prefix.empty()) return std::nullopt;
  count = count_keys(table, prefix, condition);
  return count ? std::optional(KeyAccess{true, *count}) : std::nullopt;
}

Result<std::shared_ptr<arrow::RecordBatch>> named_keys(const Predicate& condition,
                                                       const Schema& columns) {
  std::vector<std::vector<Value>> keys(1);
  for (const Column& column : columns.columns()) {
    std::optional<Values> values = values_of(condition, column.id);
    CHECK(values.has_value(), "a column of the key that the condition names");
    std::vector<std::vector<Value>> longer;
    for (const std::vector<Value>& key : keys) {
      for (const Value& value : *values) {
        longer.push_back(key);
        longer.back().push_back(value);
      }
    }
    keys = std::move(longer);
  }
  ArrowAppender appender(columns);
  for (const std::vector<Value>& key : keys) RETURN_IF_ERROR(appender.append(key));
  return appender.finish();
}

}  // namespace lakestream::query
