#include "format/arrow_schema.h"

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"

namespace lakestream {
namespace {

arrow::TimeUnit::type unit_of(int32_t precision) {
  if (precision == 0) return arrow::TimeUnit::SECOND;
  if (precision <= 3) return arrow::TimeUnit::MILLI;
  return precision <= 6 ? arrow::TimeUnit::MICRO : arrow::TimeUnit::NANO;
}

std::shared_ptr<arrow::DataType> arrow_row_type(const DataType& type) {
  arrow::FieldVector fields;
  for (const Field& field : type.fields()) {
    fields.push_back(arrow::field(field.name, arrow_type_of(field.type), field.type.nullable()));
  }
  return arrow::struct_(fields);
}

}  // namespace

std::shared_ptr<arrow::DataType> arrow_type_of(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return arrow::boolean();
    case TypeRoot::kTinyint:
      return arrow::int8();
    case TypeRoot::kSmallint:
      return arrow::int16();
    case TypeRoot::kInteger:
      return arrow::int32();
    case TypeRoot::kBigint:
      return arrow::int64();
    case TypeRoot::kFloat:
      return arrow::float32();
    case TypeRoot::kDouble:
      return arrow::float64();
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return arrow::utf8();
    case TypeRoot::kBinary:
      return arrow::fixed_size_binary(type.length());
    case TypeRoot::kBytes:
      return arrow::binary();
    case TypeRoot::kDecimal:
      return arrow::decimal128(type.precision(), type.scale());
    case TypeRoot::kDate:
      return arrow::date32();
    case TypeRoot::kTime:
      if (type.precision() <= 3) return arrow::time32(unit_of(type.precision()));
      return arrow::time64(unit_of(type.precision()));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return arrow::timestamp(unit_of(type.precision()));
    case TypeRoot::kArray: {
      const DataType& element = type.element_type();
      return arrow::list(arrow::field("element", arrow_type_of(element), element.nullable()));
    }
    case TypeRoot::kMap: {
      const DataType& value = type.value_type();
      return std::make_shared<arrow::MapType>(
          arrow::field("key", arrow_type_of(type.key_type()), false),
          arrow::field("value", arrow_type_of(value), value.nullable()));
    }
    case TypeRoot::kRow:
      return arrow_row_type(type);
  }
  return arrow::null();
}

std::shared_ptr<arrow::Schema> arrow_schema_of(const Schema& schema) {
  arrow::FieldVector fields;
  for (const Column& column : schema.columns()) {
    fields.push_back(arrow::field(column.name, arrow_type_of(column.type), column.type.nullable()));
  }
  return arrow::schema(std::move(fields));
}

Result<SchemaAlignment> SchemaAlignment::make(const Schema& source, const Schema& target) {
  SchemaAlignment alignment;
  alignment.schema_ = arrow_schema_of(target);
  alignment.identity_ = source.size() == target.size();
  for (size_t i = 0; i < target.size(); ++i) {
    const Column& column = target.column(i);
    std::optional<size_t> index = source.index_of_id(column.id);
    alignment.source_of_.push_back(index ? static_cast<int>(*index) : -1);
    if (!index) {
      alignment.identity_ = false;
      continue;
    }
    const Column& from = source.column(*index);
    if (!arrow_type_of(from.type)->Equals(*arrow_type_of(column.type))) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} with id {}: it is {} in one schema and {} in the other",
                        column.name,
                        column.id,
                        from.type,
                        column.type);
    }
    if (*index != i || from.name != column.name) alignment.identity_ = false;
  }
  return alignment;
}

Result<std::shared_ptr<arrow::RecordBatch>> SchemaAlignment::apply(
    std::shared_ptr<arrow::RecordBatch> batch) const {
  if (identity_) return batch;
  arrow::ArrayVector columns;
  for (size_t i = 0; i < source_of_.size(); ++i) {
    if (source_of_[i] >= 0) {
      columns.push_back(batch->column(source_of_[i]));
      continue;
    }
    const std::shared_ptr<arrow::DataType>& type = schema_->field(static_cast<int>(i))->type();
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> nulls,
                     from_arrow(arrow::MakeArrayOfNull(type, batch->num_rows())));
    columns.push_back(std::move(nulls));
  }
  return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
}

}  // namespace lakestream
