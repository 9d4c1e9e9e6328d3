#include "lake/paimon/file_columns.h"

#include <algorithm>
#include <cstring>

#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "base/check.h"
#include "format/arrow_schema.h"
#include "lake/arrays.h"

namespace lakestream::paimon {
namespace {

std::shared_ptr<arrow::DataType> timestamp_type(int32_t precision, const std::string& zone) {
  if (precision <= 3) return arrow::timestamp(arrow::TimeUnit::MILLI, zone);
  if (precision <= 6) return arrow::timestamp(arrow::TimeUnit::MICRO, zone);
  return arrow::timestamp(arrow::TimeUnit::NANO, zone);
}

std::shared_ptr<arrow::Field> field_of(std::string name, const DataType& type) {
  return arrow::field(std::move(name), file_type_of(type), type.nullable());
}

template <typename Array, typename Value>
Result<std::shared_ptr<arrow::Array>> copied(std::span<const Value> values) {
  static_assert(sizeof(Value) == sizeof(typename Array::value_type));
  auto count = static_cast<int64_t>(values.size());
  return filled_array<Array>(
      arrow::TypeTraits<typename Array::TypeClass>::type_singleton(), count, [&](auto* out) {
        std::memcpy(out, values.data(), values.size_bytes());
      });
}

}  // namespace

std::shared_ptr<arrow::DataType> file_type_of(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBinary:
      return arrow::binary();
    case TypeRoot::kTime:
      return arrow::time32(arrow::TimeUnit::MILLI);
    case TypeRoot::kTimestamp:
      return timestamp_type(type.precision(), "");
    case TypeRoot::kTimestampLtz:
      return timestamp_type(type.precision(), "UTC");
    case TypeRoot::kArray:
      return arrow::list(field_of("element", type.element_type()));
    case TypeRoot::kMap:
      return std::make_shared<arrow::MapType>(field_of("key", type.key_type().not_null()),
                                              field_of("value", type.value_type()));
    case TypeRoot::kRow: {
      arrow::FieldVector fields;
      for (const Field& field : type.fields()) fields.push_back(field_of(field.name, field.type));
      return arrow::struct_(fields);
    }
    default:
      return arrow_type_of(type);
  }
}

std::shared_ptr<arrow::Schema> table_columns_of(const PaimonSchema& schema) {
  arrow::FieldVector fields;
  for (const PaimonField& field : schema.fields) {
    fields.push_back(field_of(field.name, field.type));
  }
  return arrow::schema(std::move(fields));
}

std::shared_ptr<arrow::Schema> file_columns_of(const PaimonSchema& schema, bool with_keys) {
  std::shared_ptr<arrow::Schema> columns = table_columns_of(schema);
  if (!schema.has_primary_key()) return columns;
  arrow::FieldVector fields;
  if (with_keys) {
    for (const std::string& name : schema.trimmed_primary_key()) {
      std::shared_ptr<arrow::Field> field = columns->GetFieldByName(name);
      fields.push_back(arrow::field(std::string(kKeyPrefix) + name, field->type(), false));
    }
  }
  fields.push_back(arrow::field(std::string(kSequenceColumn), arrow::int64(), false));
  fields.push_back(arrow::field(std::string(kKindColumn), arrow::int8(), false));
  fields.insert(fields.end(), columns->fields().begin(), columns->fields().end());
  return arrow::schema(std::move(fields));
}

Result<std::shared_ptr<arrow::RecordBatch>> with_sequences(
    const std::shared_ptr<arrow::RecordBatch>& rows,
    std::span<const int64_t> sequences,
    std::span<const RowKind> kinds) {
  ASSIGN_OR_RETURN(auto sequence_column, copied<arrow::Int64Array>(sequences));
  ASSIGN_OR_RETURN(auto kind_column, copied<arrow::Int8Array>(kinds));
  arrow::ArrayVector arrays = rows->columns();
  arrow::FieldVector fields = rows->schema()->fields();
  fields.push_back(arrow::field(std::string(kSequenceColumn), arrow::int64(), false));
  arrays.push_back(std::move(sequence_column));
  fields.push_back(arrow::field(std::string(kKindColumn), arrow::int8(), false));
  arrays.push_back(std::move(kind_column));
  return arrow::RecordBatch::Make(
      arrow::schema(std::move(fields)), rows->num_rows(), std::move(arrays));
}

std::shared_ptr<arrow::RecordBatch> arranged(const std::shared_ptr<arrow::Schema>& columns,
                                             const arrow::RecordBatch& rows) {
  arrow::ArrayVector arrays;
  for (const std::shared_ptr<arrow::Field>& field : columns->fields()) {
    std::string_view name = field->name();
    if (name.starts_with(kKeyPrefix)) name.remove_prefix(kKeyPrefix.size());
    std::shared_ptr<arrow::Array> array = rows.GetColumnByName(std::string(name));
    CHECK(array != nullptr, "a column of a data file");
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(columns, rows.num_rows(), std::move(arrays));
}

Result<RowColumns> row_columns_of(const Schema& ours, const PaimonSchema& lake, BucketId bucket) {
  return RowColumns::make(ours, table_columns_of(lake), lake.has_system_columns(), bucket);
}

}  // namespace lakestream::paimon
