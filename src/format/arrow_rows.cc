#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>

#include "format/arrow_error.h"
#include "format/arrow_schema.h"

namespace lakestream {
namespace {

constexpr int64_t kMillisPerSecond = 1000;
constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kNanosPerMilli = 1'000'000;

tl::unexpected<Error> misfit(const DataType& type, std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "value of type {}: {}", type, rule);
}

template <typename Array>
const Array& as(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}
template <typename Builder>
Builder& as(arrow::ArrayBuilder& builder) {
  return static_cast<Builder&>(builder);
}

// ---- columns to values

Result<Value> timestamp_cell(const DataType& type, int64_t value) {
  int32_t precision = type.precision();
  if (precision == 0) {
    int64_t ms = 0;
    if (__builtin_mul_overflow(value, kMillisPerSecond, &ms)) {
      return misfit(type, "milliseconds can not hold it");
    }
    return Value::timestamp(ms, 0);
  }
  if (precision <= 3) return Value::timestamp(value, 0);
  int64_t unit = precision <= 6 ? kMicrosPerMilli : kNanosPerMilli;
  int64_t part = value % unit;
  if (part < 0) part += unit;
  int64_t ms = (value - part) / unit;
  return Value::timestamp(ms, static_cast<int32_t>(part * (kNanosPerMilli / unit)));
}

Value time_cell(const DataType& type, const arrow::Array& array, int64_t index) {
  if (type.precision() <= 3) {
    int64_t value = as<arrow::Time32Array>(array).Value(index);
    return Value::integer(type.precision() == 0 ? value * kMillisPerSecond : value);
  }
  int64_t value = as<arrow::Time64Array>(array).Value(index);
  return Value::integer(value / (type.precision() <= 6 ? kMicrosPerMilli : kNanosPerMilli));
}

Value decimal_cell(const arrow::Array& array, int64_t index) {
  arrow::Decimal128 value(as<arrow::Decimal128Array>(array).GetValue(index));
  auto high = static_cast<Int128>(value.high_bits());
  return Value::decimal(high * (Int128{1} << 64) + static_cast<Int128>(value.low_bits()));
}

Result<Value> cell_of(const DataType& type, const arrow::Array& array, int64_t index, Arena* arena);

Result<Value> list_cell(const DataType& type,
                        const arrow::ListArray& array,
                        int64_t index,
                        Arena* arena) {
  std::span<Value> items = arena->values(static_cast<size_t>(array.value_length(index)));
  for (size_t i = 0; i < items.size(); ++i) {
    int64_t at = array.value_offset(index) + static_cast<int64_t>(i);
    ASSIGN_OR_RETURN(items[i], cell_of(type.element_type(), *array.values(), at, arena));
  }
  return Value::array(items);
}

Result<Value> map_cell(const DataType& type,
                       const arrow::MapArray& array,
                       int64_t index,
                       Arena* arena) {
  std::span<Value> items = arena->values(2 * static_cast<size_t>(array.value_length(index)));
  for (size_t i = 0; i < items.size(); i += 2) {
    int64_t at = array.value_offset(index) + static_cast<int64_t>(i / 2);
    ASSIGN_OR_RETURN(items[i], cell_of(type.key_type(), *array.keys(), at, arena));
    ASSIGN_OR_RETURN(items[i + 1], cell_of(type.value_type(), *array.items(), at, arena));
  }
  return Value::map(items);
}

Result<Value> struct_cell(const DataType& type,
                          const arrow::StructArray& array,
                          int64_t index,
                          Arena* arena) {
  std::span<Value> items = arena->values(type.fields().size());
  for (size_t i = 0; i < items.size(); ++i) {
    std::shared_ptr<arrow::Array> field = array.field(static_cast<int>(i));
    ASSIGN_OR_RETURN(items[i], cell_of(type.fields()[i].type, *field, index, arena));
  }
  return Value::row(items);
}

Result<Value> cell_of(const DataType& type,
                      const arrow::Array& array,
                      int64_t index,
                      Arena* arena) {
  if (array.IsNull(index)) return Value::null();
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Value::boolean(as<arrow::BooleanArray>(array).Value(index));
    case TypeRoot::kTinyint:
      return Value::integer(as<arrow::Int8Array>(array).Value(index));
    case TypeRoot::kSmallint:
      return Value::integer(as<arrow::Int16Array>(array).Value(index));
    case TypeRoot::kInteger:
      return Value::integer(as<arrow::Int32Array>(array).Value(index));
    case TypeRoot::kBigint:
      return Value::integer(as<arrow::Int64Array>(array).Value(index));
    case TypeRoot::kFloat:
      return Value::float_(as<arrow::FloatArray>(array).Value(index));
    case TypeRoot::kDouble:
      return Value::double_(as<arrow::DoubleArray>(array).Value(index));
    case TypeRoot::kChar:
    case TypeRoot::kString:
    case TypeRoot::kBytes:
      return Value::bytes(as<arrow::BinaryArray>(array).GetView(index));
    case TypeRoot::kBinary:
      return Value::bytes(as<arrow::FixedSizeBinaryArray>(array).GetView(index));
    case TypeRoot::kDecimal:
      return decimal_cell(array, index);
    case TypeRoot::kDate:
      return Value::integer(as<arrow::Date32Array>(array).Value(index));
    case TypeRoot::kTime:
      return time_cell(type, array, index);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return timestamp_cell(type, as<arrow::TimestampArray>(array).Value(index));
    case TypeRoot::kArray:
      return list_cell(type, as<arrow::ListArray>(array), index, arena);
    case TypeRoot::kMap:
      return map_cell(type, as<arrow::MapArray>(array), index, arena);
    case TypeRoot::kRow:
      return struct_cell(type, as<arrow::StructArray>(array), index, arena);
  }
  return Value::null();
}

// ---- values to columns

Status append_value(const DataType& type, const Value& value, arrow::ArrayBuilder& builder);

Status append_timestamp(const DataType& type,
                        const Value& value,
                        arrow::TimestampBuilder& builder) {
  int64_t ms = value.timestamp_ms();
  int32_t precision = type.precision();
  // Seconds are truncated toward zero, as the official writer does.
  if (precision == 0) return from_arrow(builder.Append(ms / kMillisPerSecond));
  if (precision <= 3) return from_arrow(builder.Append(ms));
  int64_t unit = precision <= 6 ? kMicrosPerMilli : kNanosPerMilli;
  int64_t scaled = 0;
  if (__builtin_mul_overflow(ms, unit, &scaled) ||
      __builtin_add_overflow(scaled, value.timestamp_ns() / (kNanosPerMilli / unit), &scaled)) {
    return misfit(type, "outside the years that its precision can hold");
  }
  return from_arrow(builder.Append(scaled));
}

Status append_time(const DataType& type, int64_t ms, arrow::ArrayBuilder& builder) {
  if (type.precision() <= 3) {
    int64_t value = type.precision() == 0 ? ms / kMillisPerSecond : ms;
    return from_arrow(as<arrow::Time32Builder>(builder).Append(static_cast<int32_t>(value)));
  }
  int64_t unit = type.precision() <= 6 ? kMicrosPerMilli : kNanosPerMilli;
  return from_arrow(as<arrow::Time64Builder>(builder).Append(ms * unit));
}

Status append_text(const DataType& type, std::string_view text, arrow::ArrayBuilder& builder) {
  const auto* data = reinterpret_cast<const uint8_t*>(text.data());
  if (!arrow::util::ValidateUTF8(data, static_cast<int64_t>(text.size()))) {
    return misfit(type, "the bytes are no UTF-8");
  }
  return from_arrow(as<arrow::StringBuilder>(builder).Append(text));
}

// Row formats drop trailing zeros, Arrow wants every byte.
Status append_fixed(const DataType& type, std::string_view bytes, arrow::ArrayBuilder& builder) {
  auto& binary = as<arrow::FixedSizeBinaryBuilder>(builder);
  auto width = static_cast<size_t>(type.length());
  if (bytes.size() > width) return misfit(type, "longer than the type");
  if (bytes.size() == width) return from_arrow(binary.Append(bytes));
  std::string padded(bytes);
  padded.resize(width, '\0');
  return from_arrow(binary.Append(padded));
}

Status append_nested(const DataType& type, const Value& value, arrow::ArrayBuilder& builder) {
  std::span<const Value> items = value.items();
  if (type.is(TypeRoot::kArray)) {
    auto& list = as<arrow::ListBuilder>(builder);
    RETURN_IF_ERROR(from_arrow(list.Append()));
    for (const Value& item : items) {
      RETURN_IF_ERROR(append_value(type.element_type(), item, *list.value_builder()));
    }
    return ok();
  }
  if (type.is(TypeRoot::kMap)) {
    auto& map = as<arrow::MapBuilder>(builder);
    RETURN_IF_ERROR(from_arrow(map.Append()));
    if (items.size() % 2 != 0) return misfit(type, "a key without a value");
    for (size_t i = 0; i < items.size(); i += 2) {
      if (items[i].is_null()) return misfit(type, "a key is null");
      RETURN_IF_ERROR(append_value(type.key_type(), items[i], *map.key_builder()));
      RETURN_IF_ERROR(append_value(type.value_type(), items[i + 1], *map.item_builder()));
    }
    return ok();
  }
  auto& fields = as<arrow::StructBuilder>(builder);
  if (items.size() != type.fields().size()) return misfit(type, "another number of fields");
  RETURN_IF_ERROR(from_arrow(fields.Append()));
  for (size_t i = 0; i < items.size(); ++i) {
    RETURN_IF_ERROR(
        append_value(type.fields()[i].type, items[i], *fields.field_builder(static_cast<int>(i))));
  }
  return ok();
}

template <typename Builder, typename Native>
Status append_integer(const DataType& type, int64_t value, arrow::ArrayBuilder& builder) {
  auto native = static_cast<Native>(value);
  if (native != value) return misfit(type, "out of range");
  return from_arrow(as<Builder>(builder).Append(native));
}

Status append_value(const DataType& type, const Value& value, arrow::ArrayBuilder& builder) {
  if (value.is_null()) return from_arrow(builder.AppendNull());
  if (value.kind() != value_kind_of(type)) return misfit(type, "the value is of another kind");
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return from_arrow(as<arrow::BooleanBuilder>(builder).Append(value.as_boolean()));
    case TypeRoot::kTinyint:
      return append_integer<arrow::Int8Builder, int8_t>(type, value.as_integer(), builder);
    case TypeRoot::kSmallint:
      return append_integer<arrow::Int16Builder, int16_t>(type, value.as_integer(), builder);
    case TypeRoot::kInteger:
      return append_integer<arrow::Int32Builder, int32_t>(type, value.as_integer(), builder);
    case TypeRoot::kBigint:
      return from_arrow(as<arrow::Int64Builder>(builder).Append(value.as_integer()));
    case TypeRoot::kFloat:
      return from_arrow(as<arrow::FloatBuilder>(builder).Append(value.as_float()));
    case TypeRoot::kDouble:
      return from_arrow(as<arrow::DoubleBuilder>(builder).Append(value.as_double()));
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return append_text(type, value.as_bytes(), builder);
    case TypeRoot::kBytes:
      return from_arrow(as<arrow::BinaryBuilder>(builder).Append(value.as_bytes()));
    case TypeRoot::kBinary:
      return append_fixed(type, value.as_bytes(), builder);
    case TypeRoot::kDecimal: {
      Int128 unscaled = value.as_decimal();
      if (!fits_precision(unscaled, type.precision())) {
        return misfit(type, "more digits than the precision");
      }
      arrow::Decimal128 decimal(static_cast<int64_t>(unscaled >> 64),
                                static_cast<uint64_t>(unscaled));
      return from_arrow(as<arrow::Decimal128Builder>(builder).Append(decimal));
    }
    case TypeRoot::kDate:
      return append_integer<arrow::Date32Builder, int32_t>(type, value.as_integer(), builder);
    case TypeRoot::kTime:
      return append_time(type, value.as_integer(), builder);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return append_timestamp(type, value, as<arrow::TimestampBuilder>(builder));
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return append_nested(type, value, builder);
  }
  return ok();
}

std::vector<DataType> types_of(const Schema& schema) {
  std::vector<DataType> types;
  for (const Column& column : schema.columns()) types.push_back(column.type);
  return types;
}

}  // namespace

ArrowRows::ArrowRows(std::shared_ptr<arrow::RecordBatch> batch, std::vector<DataType> types)
    : batch_(std::move(batch)), columns_(batch_->columns()), types_(std::move(types)) {}

Result<ArrowRows> ArrowRows::make(std::shared_ptr<arrow::RecordBatch> batch, const Schema& schema) {
  std::vector<DataType> types = types_of(schema);
  bool fits = static_cast<size_t>(batch->num_columns()) == types.size();
  for (size_t i = 0; fits && i < types.size(); ++i) {
    fits = batch->column(static_cast<int>(i))->type()->Equals(*arrow_type_of(types[i]));
  }
  if (!fits) {
    return make_error(ErrorCode::kUnknownServerError,
                      "arrow rows: the columns {} are not those of the schema",
                      batch->schema()->ToString());
  }
  return ArrowRows(std::move(batch), std::move(types));
}

int64_t ArrowRows::size() const { return batch_->num_rows(); }

Result<Value> ArrowRows::cell(size_t column, int64_t index, Arena* arena) const {
  return cell_of(types_[column], *columns_[column], index, arena);
}

Result<std::span<const Value>> ArrowRows::row(int64_t index, Arena* arena) const {
  std::span<Value> values = arena->values(types_.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSIGN_OR_RETURN(values[i], cell_of(types_[i], *columns_[i], index, arena));
  }
  return std::span<const Value>(values);
}

struct ArrowAppender::State {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<DataType> types;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders;
  int64_t rows = 0;
};

ArrowAppender::ArrowAppender(const Schema& schema) : state_(std::make_unique<State>()) {
  state_->schema = arrow_schema_of(schema);
  state_->types = types_of(schema);
  for (const auto& field : state_->schema->fields()) {
    auto builder = arrow::MakeBuilder(field->type());
    CHECK(builder.ok(), "every type of ours has a builder");
    state_->builders.push_back(*std::move(builder));
  }
}

ArrowAppender::~ArrowAppender() = default;
ArrowAppender::ArrowAppender(ArrowAppender&&) noexcept = default;
ArrowAppender& ArrowAppender::operator=(ArrowAppender&&) noexcept = default;

Status ArrowAppender::append(std::span<const Value> row) {
  CHECK(row.size() == state_->types.size(), "values of a row");
  for (size_t i = 0; i < row.size(); ++i) {
    RETURN_IF_ERROR(append_value(state_->types[i], row[i], *state_->builders[i]));
  }
  ++state_->rows;
  return ok();
}

int64_t ArrowAppender::size() const { return state_->rows; }

Result<std::shared_ptr<arrow::RecordBatch>> ArrowAppender::finish() {
  arrow::ArrayVector columns;
  for (auto& builder : state_->builders) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> column, from_arrow(builder->Finish()));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(
      state_->schema, std::exchange(state_->rows, 0), std::move(columns));
}

}  // namespace lakestream
