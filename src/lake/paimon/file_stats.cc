#include "lake/paimon/file_stats.h"

#include <algorithm>
#include <cstring>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/check.h"
#include "lake/paimon/binary_row.h"
#include "lake/text_bounds.h"

namespace lakestream::paimon {
namespace {

const ParquetColumn* find(const std::vector<ParquetColumn>& columns, std::string_view name) {
  auto found = std::find_if(columns.begin(), columns.end(), [&](const ParquetColumn& column) {
    return column.name == name;
  });
  return found == columns.end() ? nullptr : &*found;
}

// Gathers what is known of each column to the two rows.
class StatsBuilder {
 public:
  // `chars`: texts are cut off there; 0: they are not.
  void add(const DataType& type, const ParquetColumn* column, int32_t chars) {
    types_.push_back(type.with_nullable(true));
    null_counts_.push_back(column == nullptr ? std::nullopt : column->null_count);
    Value min;
    Value max;
    if (column != nullptr && column->bounds) set_bounds(type, *column->bounds, chars, &min, &max);
    min_.push_back(min);
    max_.push_back(max);
  }
  void add_count(const DataType& type, const ParquetColumn* column) {
    types_.push_back(type.with_nullable(true));
    null_counts_.push_back(column == nullptr ? std::nullopt : column->null_count);
    min_.emplace_back();
    max_.emplace_back();
  }
  SimpleStats build() {
    return {.min_values = binary_row(types_, min_),
            .max_values = binary_row(types_, max_),
            .null_counts = std::move(null_counts_)};
  }

 private:
  // Both, or neither.
  void set_bounds(
      const DataType& type, const ColumnBounds& bounds, int32_t chars, Value* min, Value* max) {
    std::optional<Value> lower = bound_value(type, bounds.min);
    std::optional<Value> upper = bound_value(type, bounds.max);
    if (!lower || !upper) return;
    if (chars > 0 && lower->kind() == Value::Kind::kBytes) {
      std::optional<std::string> cut = truncated_max(upper->as_bytes(), chars);
      if (!cut) return;
      lower = Value::bytes(truncated_min(lower->as_bytes(), chars));
      upper = Value::bytes(arena_.copy(*cut));
    }
    *min = *lower;
    *max = *upper;
  }

  std::vector<DataType> types_;
  std::vector<Value> min_;
  std::vector<Value> max_;
  std::vector<std::optional<int64_t>> null_counts_;
  Arena arena_;
};

Value timestamp_value(int64_t value, arrow::TimeUnit::type unit) {
  int64_t per_ms = unit == arrow::TimeUnit::MICRO ? 1000 : 1'000'000;
  if (unit == arrow::TimeUnit::SECOND) return Value::timestamp(value * 1000, 0);
  if (unit == arrow::TimeUnit::MILLI) return Value::timestamp(value, 0);
  int64_t ms = value / per_ms;
  int64_t rest = value % per_ms;
  if (rest < 0) {
    rest += per_ms;
    ms -= 1;
  }
  return Value::timestamp(ms, static_cast<int32_t>(rest * (1'000'000 / per_ms)));
}

Value decimal_value(const arrow::Decimal128Array& array, int64_t row) {
  Int128 unscaled = 0;
  std::memcpy(&unscaled, array.GetValue(row), sizeof(unscaled));
  return Value::decimal(unscaled);
}

template <typename Array>
const Array& as(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

// A cell of a column that may be part of a key, in the type that it has in files.
Value cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return Value::null();
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return Value::boolean(as<arrow::BooleanArray>(array).Value(row));
    case arrow::Type::INT8:
      return Value::integer(as<arrow::Int8Array>(array).Value(row));
    case arrow::Type::INT16:
      return Value::integer(as<arrow::Int16Array>(array).Value(row));
    case arrow::Type::INT32:
      return Value::integer(as<arrow::Int32Array>(array).Value(row));
    case arrow::Type::INT64:
      return Value::integer(as<arrow::Int64Array>(array).Value(row));
    case arrow::Type::FLOAT:
      return Value::float_(as<arrow::FloatArray>(array).Value(row));
    case arrow::Type::DOUBLE:
      return Value::double_(as<arrow::DoubleArray>(array).Value(row));
    case arrow::Type::DATE32:
      return Value::integer(as<arrow::Date32Array>(array).Value(row));
    case arrow::Type::TIME32:
      return Value::integer(as<arrow::Time32Array>(array).Value(row));
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Value::bytes(as<arrow::BinaryArray>(array).GetView(row));
    case arrow::Type::DECIMAL128:
      return decimal_value(as<arrow::Decimal128Array>(array), row);
    case arrow::Type::TIMESTAMP:
      return timestamp_value(as<arrow::TimestampArray>(array).Value(row),
                             static_cast<const arrow::TimestampType&>(*array.type()).unit());
    default:
      return Value::null();
  }
}

}  // namespace

void set_value_stats(const PaimonSchema& schema,
                     const TableSettings& settings,
                     const std::vector<ParquetColumn>& columns,
                     DataFile* file) {
  file->value_stats = {};
  file->value_stats_columns.emplace();
  if (settings.stats_mode == StatsMode::kNone) return;
  int32_t chars = settings.stats_mode == StatsMode::kTruncated ? settings.stats_chars : 0;
  StatsBuilder stats;
  for (const PaimonField& field : schema.fields) {
    if (field.type.is_nested()) continue;
    const ParquetColumn* column = find(columns, field.name);
    if (settings.stats_mode == StatsMode::kCounts) {
      stats.add_count(field.type, column);
    } else {
      stats.add(field.type, column, chars);
    }
    file->value_stats_columns->push_back(field.name);
  }
  if (file->value_stats_columns->empty()) return;
  file->value_stats = stats.build();
  bool is_all = file->value_stats_columns->size() == schema.fields.size();
  if (is_all) file->value_stats_columns.reset();
}

void set_key_stats(const PaimonSchema& schema,
                   const std::vector<ParquetColumn>& columns,
                   DataFile* file) {
  StatsBuilder stats;
  for (const std::string& name : schema.trimmed_primary_key()) {
    std::optional<size_t> index = schema.index_of(name);
    CHECK(index.has_value(), "a key column is in the schema");
    stats.add(schema.fields[*index].type, find(columns, name), 0);
  }
  file->key_stats = stats.build();
}

std::string key_row_of(const PaimonSchema& schema, const arrow::RecordBatch& rows, int64_t row) {
  std::vector<DataType> types;
  std::vector<Value> values;
  for (const std::string& name : schema.trimmed_primary_key()) {
    std::optional<size_t> index = schema.index_of(name);
    std::shared_ptr<arrow::Array> column = rows.GetColumnByName(name);
    CHECK(index.has_value() && column != nullptr, "a key column is in the schema and in the rows");
    types.push_back(schema.fields[*index].type);
    values.push_back(cell(*column, row));
  }
  return binary_row(types, values);
}

}  // namespace lakestream::paimon
