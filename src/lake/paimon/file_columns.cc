#include "lake/paimon/file_columns.h"

#include <algorithm>
#include <cstring>

#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "base/check.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "lake/parquet/cast.h"

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

// An array over memory of one value a row.
template <typename Array, typename Fill>
Result<std::shared_ptr<arrow::Array>> filled(const std::shared_ptr<arrow::DataType>& type,
                                             int64_t rows,
                                             const Fill& fill) {
  using Value = typename Array::value_type;
  ASSIGN_OR_RETURN(std::unique_ptr<arrow::Buffer> buffer,
                   from_arrow(arrow::AllocateBuffer(rows * int64_t{sizeof(Value)})));
  fill(reinterpret_cast<Value*>(buffer->mutable_data()));
  std::shared_ptr<arrow::Array> array =
      std::make_shared<Array>(type, rows, std::shared_ptr<arrow::Buffer>(std::move(buffer)));
  return array;
}

template <typename Array, typename Value>
Result<std::shared_ptr<arrow::Array>> copied(std::span<const Value> values) {
  static_assert(sizeof(Value) == sizeof(typename Array::value_type));
  auto count = static_cast<int64_t>(values.size());
  return filled<Array>(arrow::TypeTraits<typename Array::TypeClass>::type_singleton(),
                       count,
                       [&](auto* out) { std::memcpy(out, values.data(), values.size_bytes()); });
}

Result<std::shared_ptr<arrow::Array>> offsets_of(const LakeRows& rows) {
  int64_t count = rows.rows->num_rows();
  return filled<arrow::Int64Array>(arrow::int64(), count, [&](int64_t* out) {
    if (rows.offsets.empty()) {
      for (int64_t i = 0; i < count; ++i) out[i] = rows.base_offset.value() + i;
    } else {
      for (size_t i = 0; i < rows.offsets.size(); ++i) out[i] = rows.offsets[i].value();
    }
  });
}

Result<std::shared_ptr<arrow::Array>> timestamps_of(const std::shared_ptr<arrow::DataType>& type,
                                                    const LakeRows& rows) {
  int64_t value = rows.timestamp.value();
  auto unit = static_cast<const arrow::TimestampType&>(*type).unit();
  if (unit == arrow::TimeUnit::MICRO) value *= 1000;
  if (unit == arrow::TimeUnit::NANO) value *= 1'000'000;
  int64_t count = rows.rows->num_rows();
  return filled<arrow::TimestampArray>(
      type, count, [&](int64_t* out) { std::fill(out, out + count, value); });
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

Result<RowColumns> RowColumns::make(const Schema& ours, const PaimonSchema& lake, BucketId bucket) {
  RowColumns made;
  made.columns_ = table_columns_of(lake);
  made.our_columns_ = ours.size();
  made.bucket_ = bucket;
  made.sources_.resize(lake.fields.size());
  if (lake.has_system_columns()) {
    for (const auto& [name, source] : {std::pair(kLakeBucketColumn, Source::kBucket),
                                       std::pair(kLakeOffsetColumn, Source::kOffset),
                                       std::pair(kLakeTimestampColumn, Source::kTimestamp)}) {
      if (std::optional<size_t> index = lake.index_of(name)) made.sources_[*index].source = source;
    }
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    const lakestream::Column& column = ours.column(i);
    std::optional<size_t> index = lake.index_of(column.name);
    if (!index && is_dropped(column)) continue;
    if (!index) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} is not in schema {} of the Paimon table",
                        column.name,
                        lake.id);
    }
    made.sources_[*index] = {Source::kRow, static_cast<int>(i)};
  }
  return made;
}

Result<std::shared_ptr<arrow::Array>> RowColumns::make_column(
    const Column& column,
    const std::shared_ptr<arrow::DataType>& type,
    const LakeRows& rows) const {
  int64_t count = rows.rows->num_rows();
  switch (column.source) {
    case Source::kRow:
      return cast_array(rows.rows->column(column.index), type);
    case Source::kNull:
      break;
    case Source::kBucket:
      return filled<arrow::Int32Array>(
          type, count, [&](int32_t* out) { std::fill(out, out + count, bucket_.value()); });
    case Source::kOffset:
      return offsets_of(rows);
    case Source::kTimestamp:
      return timestamps_of(type, rows);
  }
  return from_arrow(arrow::MakeArrayOfNull(type, count));
}

Result<std::shared_ptr<arrow::RecordBatch>> RowColumns::apply(const LakeRows& rows) const {
  auto count = static_cast<size_t>(rows.rows->num_rows());
  if (static_cast<size_t>(rows.rows->num_columns()) != our_columns_ ||
      (!rows.changes.empty() && rows.changes.size() != count) ||
      (!rows.offsets.empty() && rows.offsets.size() != count)) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} rows of {} columns with {} changes and {} offsets; the table has {} "
                      "columns, and each row one of both or none",
                      count,
                      rows.rows->num_columns(),
                      rows.changes.size(),
                      rows.offsets.size(),
                      our_columns_);
  }
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const std::shared_ptr<arrow::Field>& field = columns_->field(static_cast<int>(i));
    Result<std::shared_ptr<arrow::Array>> array = make_column(sources_[i], field->type(), rows);
    if (!array) return fail(std::move(array).error().with_context("column " + field->name()));
    arrays.push_back(*std::move(array));
  }
  return arrow::RecordBatch::Make(columns_, rows.rows->num_rows(), std::move(arrays));
}

}  // namespace lakestream::paimon
