#include "lake/parquet/cast.h"

#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "format/arrow_error.h"

namespace lakestream {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;
using TypePtr = std::shared_ptr<arrow::DataType>;

Result<DataPtr> cast_data(const DataPtr& data, const TypePtr& type);

DataPtr retyped(const DataPtr& data, const TypePtr& type) {
  DataPtr copy = data->Copy();
  copy->type = type;
  return copy;
}

tl::unexpected<Error> does_not_fit(const DataPtr& data, const TypePtr& type) {
  return make_error(ErrorCode::kUnknownServerError,
                    "{} can not be read as {}",
                    data->type->ToString(),
                    type->ToString());
}

Result<DataPtr> nulls_of(const TypePtr& type, int64_t length) {
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> nulls,
                   from_arrow(arrow::MakeArrayOfNull(type, length)));
  return nulls->data();
}

// The bytes stay where they are; only their ends are written down.
Result<DataPtr> fixed_to_binary(const DataPtr& data, const TypePtr& type) {
  int64_t width = static_cast<const arrow::FixedSizeBinaryType&>(*data->type).byte_width();
  int64_t count = data->offset + data->length;
  if (count * width > std::numeric_limits<int32_t>::max()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} values of {} bytes are more than a column of binaries takes",
                      count,
                      width);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<arrow::Buffer> ends,
                   from_arrow(arrow::AllocateBuffer((count + 1) * int64_t{sizeof(int32_t)})));
  auto* end = reinterpret_cast<int32_t*>(ends->mutable_data());
  for (int64_t i = 0; i <= count; ++i) end[i] = static_cast<int32_t>(i * width);
  return arrow::ArrayData::Make(type,
                                data->length,
                                {data->buffers[0], std::move(ends), data->buffers[1]},
                                data->null_count,
                                data->offset);
}

Result<DataPtr> binary_to_fixed(const DataPtr& data, const TypePtr& type) {
  auto width =
      static_cast<size_t>(static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width());
  arrow::BinaryArray source(data);
  auto size = static_cast<int64_t>(width) * (data->offset + data->length);
  ASSIGN_OR_RETURN(std::unique_ptr<arrow::Buffer> values, from_arrow(arrow::AllocateBuffer(size)));
  uint8_t* out = values->mutable_data();
  std::memset(out, 0, static_cast<size_t>(size));
  out += width * static_cast<size_t>(data->offset);
  for (int64_t i = 0; i < data->length; ++i, out += width) {
    if (source.IsNull(i)) continue;
    std::string_view value = source.GetView(i);
    if (value.size() != width) {
      return make_error(ErrorCode::kUnknownServerError,
                        "a value of {} bytes in a column of values of {} bytes",
                        value.size(),
                        width);
    }
    std::memcpy(out, value.data(), width);
  }
  return arrow::ArrayData::Make(
      type, data->length, {data->buffers[0], std::move(values)}, data->null_count, data->offset);
}

// `by_name` is off for the entries of a map, whose two fields go by their place.
Result<DataPtr> cast_struct(const DataPtr& data, const TypePtr& type, bool by_name) {
  const auto& from = static_cast<const arrow::StructType&>(*data->type);
  DataPtr copy = retyped(data, type);
  copy->child_data.clear();
  for (int i = 0; i < type->num_fields(); ++i) {
    int source = by_name ? from.GetFieldIndex(type->field(i)->name()) : i;
    if (source < 0 || source >= from.num_fields()) {
      ASSIGN_OR_RETURN(DataPtr nulls,
                       nulls_of(type->field(i)->type(), data->offset + data->length));
      copy->child_data.push_back(std::move(nulls));
      continue;
    }
    ASSIGN_OR_RETURN(
        DataPtr child,
        cast_data(data->child_data[static_cast<size_t>(source)], type->field(i)->type()));
    copy->child_data.push_back(std::move(child));
  }
  return copy;
}

Result<DataPtr> cast_list(const DataPtr& data, const TypePtr& type) {
  DataPtr copy = retyped(data, type);
  const TypePtr& element = type->field(0)->type();
  if (type->id() == arrow::Type::MAP) {
    ASSIGN_OR_RETURN(copy->child_data[0], cast_struct(data->child_data[0], element, false));
  } else {
    ASSIGN_OR_RETURN(copy->child_data[0], cast_data(data->child_data[0], element));
  }
  return copy;
}

Result<DataPtr> convert(const DataPtr& data, const TypePtr& type) {
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_time_truncate = true;
  auto converted = arrow::compute::Cast(arrow::Datum(data), options);
  if (!converted.ok()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} as {}: {}",
                      data->type->ToString(),
                      type->ToString(),
                      converted.status().message());
  }
  return converted->array();
}

// With ends of 32 bits.
Result<DataPtr> short_list(const DataPtr& data) {
  return convert(data, arrow::list(data->type->field(0)));
}

bool same_time_unit(const arrow::DataType& a, const arrow::DataType& b) {
  return static_cast<const arrow::TimestampType&>(a).unit() ==
         static_cast<const arrow::TimestampType&>(b).unit();
}

Result<DataPtr> cast_data(const DataPtr& data, const TypePtr& type) {
  arrow::Type::type from = data->type->id();
  arrow::Type::type to = type->id();
  if (from == to) {
    switch (to) {
      case arrow::Type::STRUCT:
        return cast_struct(data, type, true);
      case arrow::Type::LIST:
      case arrow::Type::MAP:
        return cast_list(data, type);
      case arrow::Type::TIMESTAMP:
        if (same_time_unit(*data->type, *type)) return retyped(data, type);
        break;
      default:
        if (data->type->Equals(*type)) return data;
    }
  }
  if (from == arrow::Type::LARGE_LIST && to == arrow::Type::LIST) {
    ASSIGN_OR_RETURN(DataPtr list, short_list(data));
    return cast_list(list, type);
  }
  if (type->num_fields() > 0 || data->type->num_fields() > 0) return does_not_fit(data, type);
  if (from == arrow::Type::FIXED_SIZE_BINARY && to == arrow::Type::BINARY) {
    return fixed_to_binary(data, type);
  }
  if (from == arrow::Type::BINARY && to == arrow::Type::FIXED_SIZE_BINARY) {
    return binary_to_fixed(data, type);
  }
  return convert(data, type);
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> cast_array(std::shared_ptr<arrow::Array> array,
                                                 const std::shared_ptr<arrow::DataType>& type) {
  if (array->type()->Equals(*type, /*check_metadata=*/true)) return array;
  ASSIGN_OR_RETURN(DataPtr data, cast_data(array->data(), type));
  return arrow::MakeArray(std::move(data));
}

Result<std::shared_ptr<arrow::RecordBatch>> cast_columns(
    const std::shared_ptr<arrow::RecordBatch>& batch,
    const std::shared_ptr<arrow::Schema>& schema) {
  arrow::ArrayVector columns;
  for (const std::shared_ptr<arrow::Field>& field : schema->fields()) {
    std::shared_ptr<arrow::Array> column = batch->GetColumnByName(field->name());
    Result<std::shared_ptr<arrow::Array>> made = column;
    if (column != nullptr) {
      made = cast_array(std::move(column), field->type());
    } else if (field->nullable()) {
      made = from_arrow(arrow::MakeArrayOfNull(field->type(), batch->num_rows()));
    } else {
      made = make_error(ErrorCode::kUnknownServerError, "it is missing and can not be null");
    }
    if (!made) return fail(std::move(made).error().with_context("column " + field->name()));
    columns.push_back(*std::move(made));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

}  // namespace lakestream
