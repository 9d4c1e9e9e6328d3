#include "lake/iceberg/data/key_bounds.h"

#include <algorithm>
#include <string_view>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_schema.h"
#include "lake/iceberg/schema.h"
#include "lake/parquet/column_bounds.h"

namespace lakestream::iceberg {
namespace {

// Rows that are looked at together before they are looked at one by one.
constexpr size_t kBlockRows = 1024;

// The type of which a single value has the bytes that Parquet has for it; nothing: it has others.
std::optional<DataType> plain_type_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT32:
      return DataType::integer();
    case arrow::Type::INT64:
      return DataType::bigint();
    case arrow::Type::DATE32:
      return DataType::date();
    case arrow::Type::STRING:
      return DataType::string();
    default:
      return std::nullopt;
  }
}

Result<std::optional<SortKeys>> key_of_bound(const std::string& column,
                                             const arrow::DataType& type,
                                             std::string_view single_value) {
  std::optional<SortKeys> none;
  std::optional<DataType> plain = plain_type_of(type);
  if (!plain) return none;
  std::optional<Value> value = bound_value(*plain, single_value);
  if (!value) return none;
  ASSIGN_OR_RETURN(Schema schema, SchemaBuilder().column(column, *plain).build());
  ArrowAppender appender(schema);
  RETURN_IF_ERROR(appender.append({&*value, 1}));
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> row, appender.finish());
  ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*row, {&column, 1}));
  return std::optional(std::move(keys));
}

}  // namespace

Result<KeyBounds> KeyBounds::of(const DataFile& file, const NestedField& first_column) {
  KeyBounds bounds;
  for (const FieldMetrics& metrics : file.metrics) {
    if (metrics.id != first_column.id) continue;
    std::shared_ptr<arrow::DataType> type = arrow_field_of(first_column)->type();
    if (metrics.lower) {
      ASSIGN_OR_RETURN(bounds.lower_, key_of_bound(first_column.name, *type, *metrics.lower));
    }
    if (metrics.upper) {
      ASSIGN_OR_RETURN(bounds.upper_, key_of_bound(first_column.name, *type, *metrics.upper));
    }
  }
  return bounds;
}

std::vector<uint32_t> rows_within(std::span<const KeyBounds> files, const SortKeys& first_columns) {
  std::vector<uint32_t> rows;
  auto any_has = [&](size_t first, size_t last) {
    return std::any_of(files.begin(), files.end(), [&](const KeyBounds& file) {
      return file.may_have(first_columns, first, last);
    });
  };
  for (size_t first = 0; first < first_columns.size(); first += kBlockRows) {
    size_t end = std::min(first_columns.size(), first + kBlockRows);
    if (!any_has(first, end - 1)) continue;
    for (size_t row = first; row < end; ++row) {
      if (any_has(row, row)) rows.push_back(static_cast<uint32_t>(row));
    }
  }
  return rows;
}

}  // namespace lakestream::iceberg
