#include "query/conform.h"

#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "query/names.h"
#include "query/query.h"

namespace lakestream::query {
namespace {

constexpr int32_t kMillisDigits = 3;
constexpr int32_t kMicrosDigits = 6;
constexpr int32_t kNanosDigits = 9;
constexpr const char* kZone = "UTC";

using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

TypePtr engine_timestamp(const DataType& type) {
  auto unit = type.precision() <= kMicrosDigits ? arrow::TimeUnit::MICRO : arrow::TimeUnit::NANO;
  if (type.is(TypeRoot::kTimestampLtz)) return arrow::timestamp(unit, kZone);
  return arrow::timestamp(unit);
}

std::string engine_struct_name(const DataType& type) {
  std::string text = "STRUCT(";
  for (const Field& field : type.fields()) {
    if (text.back() != '(') text += ", ";
    text += quoted_name(field.name) + ' ' + engine_type_name(field.type);
  }
  return text + ')';
}

// ---- leaves

// The same bytes under another type.
ArrayPtr retyped(const ArrayPtr& array, TypePtr type) {
  std::shared_ptr<arrow::ArrayData> data = array->data()->Copy();
  data->type = std::move(type);
  return arrow::MakeArray(std::move(data));
}

TypePtr without_zone(const TypePtr& type) {
  return arrow::timestamp(static_cast<const arrow::TimestampType&>(*type).unit());
}

Result<ArrayPtr> cast(const ArrayPtr& array, const TypePtr& type) {
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_time_truncate = true;
  return from_arrow(arrow::compute::Cast(*array, type, options));
}

void append_time(int64_t value, arrow::TimeUnit::type unit, std::string* out) {
  constexpr int64_t kUnits[] = {1, 1'000, 1'000'000, 1'000'000'000};
  constexpr int kDigits[] = {0, kMillisDigits, kMicrosDigits, kNanosDigits};
  int64_t per_second = kUnits[static_cast<size_t>(unit)];
  int64_t seconds = value / per_second;
  fmt::format_to(std::back_inserter(*out),
                 "{:02}:{:02}:{:02}",
                 seconds / 3600,
                 seconds / 60 % 60,
                 seconds % 60);
  int64_t fraction = value % per_second;
  if (fraction == 0) return;
  std::string digits = fmt::format(".{:0{}}", fraction, kDigits[static_cast<size_t>(unit)]);
  digits.erase(digits.find_last_not_of('0') + 1);
  *out += digits;
}

void append_interval(const arrow::MonthDayNanoIntervalType::MonthDayNanos& value,
                     std::string* out) {
  auto add = [out](int64_t count, std::string_view unit) {
    if (count == 0) return;
    if (!out->empty()) *out += ' ';
    bool is_one = count == 1 || count == -1;
    fmt::format_to(std::back_inserter(*out), "{} {}{}", count, unit, is_one ? "" : "s");
  };
  add(value.months / 12, "year");
  add(value.months % 12, "month");
  add(value.days, "day");
  if (value.nanoseconds == 0 && !out->empty()) return;
  if (!out->empty()) *out += ' ';
  if (value.nanoseconds < 0) *out += '-';
  int64_t magnitude = value.nanoseconds < 0 ? -value.nanoseconds : value.nanoseconds;
  append_time(magnitude, arrow::TimeUnit::NANO, out);
}

Result<std::string> text_of(const arrow::Array& array, int64_t row) {
  std::string text;
  switch (array.type_id()) {
    case arrow::Type::TIME32:
      append_time(static_cast<const arrow::Time32Array&>(array).Value(row),
                  static_cast<const arrow::TimeType&>(*array.type()).unit(),
                  &text);
      return text;
    case arrow::Type::TIME64:
      append_time(static_cast<const arrow::Time64Array&>(array).Value(row),
                  static_cast<const arrow::TimeType&>(*array.type()).unit(),
                  &text);
      return text;
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      append_interval(static_cast<const arrow::MonthDayNanoIntervalArray&>(array).GetValue(row),
                      &text);
      return text;
    default: {
      ASSIGN_OR_RETURN(std::shared_ptr<arrow::Scalar> scalar, from_arrow(array.GetScalar(row)));
      return scalar->ToString();
    }
  }
}

Result<ArrayPtr> texts_of(const arrow::Array& array) {
  arrow::StringBuilder builder;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      RETURN_IF_ERROR(from_arrow(builder.AppendNull()));
      continue;
    }
    ASSIGN_OR_RETURN(std::string text, text_of(array, i));
    RETURN_IF_ERROR(from_arrow(builder.Append(text)));
  }
  return from_arrow(builder.Finish());
}

Result<ArrayPtr> conform_timestamp(const ArrayPtr& array, const TypePtr& type) {
  TypePtr from = without_zone(array->type());
  TypePtr to = without_zone(type);
  ArrayPtr plain = retyped(array, from);
  if (!from->Equals(*to)) {
    ASSIGN_OR_RETURN(plain, cast(plain, to));
  }
  return retyped(plain, type);
}

Result<ArrayPtr> conform_leaf(const ArrayPtr& array, const TypePtr& type) {
  arrow::Type::type from = array->type_id();
  arrow::Type::type to = type->id();
  if (from == arrow::Type::TIMESTAMP && to == arrow::Type::TIMESTAMP) {
    return conform_timestamp(array, type);
  }
  bool is_text = arrow::is_base_binary_like(from) || arrow::is_binary_view_like(from);
  if (to == arrow::Type::STRING && !is_text && from != arrow::Type::DICTIONARY) {
    return texts_of(*array);
  }
  return cast(array, type);
}

// ---- nested

Result<ArrayPtr> conform_fields(const ArrayPtr& array, const TypePtr& type) {
  std::shared_ptr<arrow::ArrayData> data = array->data()->Copy();
  data->type = type;
  for (size_t i = 0; i < data->child_data.size(); ++i) {
    const TypePtr& wanted = type->field(static_cast<int>(i))->type();
    ASSIGN_OR_RETURN(ArrayPtr child, conform(arrow::MakeArray(data->child_data[i]), wanted));
    data->child_data[i] = child->data();
  }
  return arrow::MakeArray(std::move(data));
}

}  // namespace

std::shared_ptr<arrow::DataType> engine_type_of(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return engine_timestamp(type);
    case TypeRoot::kBinary:
      return arrow::binary();
    case TypeRoot::kArray:
      return arrow::list(arrow::field("element", engine_type_of(type.element_type())));
    case TypeRoot::kMap:
      return arrow::map(engine_type_of(type.key_type()), engine_type_of(type.value_type()));
    case TypeRoot::kRow: {
      arrow::FieldVector fields;
      for (const Field& field : type.fields()) {
        fields.push_back(arrow::field(field.name, engine_type_of(field.type)));
      }
      return arrow::struct_(fields);
    }
    default:
      return arrow_type_of(type);
  }
}

std::shared_ptr<arrow::Schema> engine_schema_of(const Schema& schema) {
  arrow::FieldVector fields;
  for (const Column& column : schema.columns()) {
    fields.push_back(arrow::field(column.name, engine_type_of(column.type)));
  }
  return arrow::schema(std::move(fields));
}

std::string engine_type_name(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return "VARCHAR";
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      return "BLOB";
    case TypeRoot::kTime:
      return "TIME";
    case TypeRoot::kTimestamp:
      return type.precision() <= kMicrosDigits ? "TIMESTAMP" : "TIMESTAMP_NS";
    case TypeRoot::kTimestampLtz:
      return type.precision() <= kMicrosDigits ? "TIMESTAMPTZ" : "TIMESTAMPTZ_NS";
    case TypeRoot::kArray:
      return engine_type_name(type.element_type()) + "[]";
    case TypeRoot::kMap:
      return fmt::format(
          "MAP({}, {})", engine_type_name(type.key_type()), engine_type_name(type.value_type()));
    case TypeRoot::kRow:
      return engine_struct_name(type);
    default:
      // The names are the same.
      return type.with_nullable(true).to_string();
  }
}

Result<std::shared_ptr<arrow::Array>> conform(const std::shared_ptr<arrow::Array>& array,
                                              const std::shared_ptr<arrow::DataType>& type) {
  if (array->type()->Equals(*type)) return array;
  arrow::Type::type from = array->type_id();
  bool is_same_nesting =
      from == type->id() && arrow::is_nested(from) &&
      array->data()->child_data.size() == static_cast<size_t>(type->num_fields());
  if (is_same_nesting && !arrow::is_union(from)) return conform_fields(array, type);
  return conform_leaf(array, type);
}

Result<std::shared_ptr<arrow::RecordBatch>> conform(const std::shared_ptr<arrow::RecordBatch>& rows,
                                                    const std::shared_ptr<arrow::Schema>& schema) {
  arrow::ArrayVector columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    ASSIGN_OR_RETURN(ArrayPtr column, conform(rows->column(i), schema->field(i)->type()));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema, rows->num_rows(), std::move(columns));
}

// ---- what is shown

namespace {

DataType shown_timestamp(const arrow::TimestampType& type) {
  constexpr int32_t kDigits[] = {0, kMillisDigits, kMicrosDigits, kNanosDigits};
  int32_t digits = kDigits[static_cast<size_t>(type.unit())];
  return type.timezone().empty() ? DataType::timestamp(digits) : DataType::timestamp_ltz(digits);
}

// `name`, or with a number behind it when that is taken.
std::string free_name(std::string_view name, std::set<std::string>* taken) {
  std::string candidate(name.empty() ? "column" : name);
  for (int i = 1; !taken->insert(candidate).second; ++i) {
    candidate = fmt::format("{}_{}", name.empty() ? "column" : name, i);
  }
  return candidate;
}

DataType shown_row(const arrow::DataType& type) {
  std::vector<Field> fields;
  std::set<std::string> taken;
  for (const auto& field : type.fields()) {
    Field shown;
    shown.name = free_name(field->name(), &taken);
    shown.type = shown_type_of(*field->type());
    fields.push_back(std::move(shown));
  }
  return DataType::row(std::move(fields));
}

DataType shown_decimal(const arrow::DataType& type) {
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  if (decimal.precision() > kMaxDecimalPrecision) return DataType::string();
  return DataType::decimal(decimal.precision(), decimal.scale());
}

}  // namespace

DataType shown_type_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return DataType::boolean();
    case arrow::Type::INT8:
      return DataType::tinyint();
    case arrow::Type::INT16:
    case arrow::Type::UINT8:
      return DataType::smallint();
    case arrow::Type::INT32:
    case arrow::Type::UINT16:
      return DataType::integer();
    case arrow::Type::INT64:
    case arrow::Type::UINT32:
      return DataType::bigint();
    case arrow::Type::UINT64:
      return DataType::decimal(20, 0);
    case arrow::Type::FLOAT:
      return DataType::float_();
    case arrow::Type::DOUBLE:
      return DataType::double_();
    case arrow::Type::DECIMAL128:
      return shown_decimal(type);
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
      return DataType::bytes();
    case arrow::Type::DATE32:
      return DataType::date();
    case arrow::Type::TIMESTAMP:
      return shown_timestamp(static_cast<const arrow::TimestampType&>(type));
    case arrow::Type::LIST:
      return DataType::array(shown_type_of(*type.field(0)->type()));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return DataType::map(shown_type_of(*map.key_type()).not_null(),
                           shown_type_of(*map.item_type()));
    }
    case arrow::Type::STRUCT:
      return type.num_fields() == 0 ? DataType::string() : shown_row(type);
    case arrow::Type::DICTIONARY:
      return shown_type_of(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return DataType::string();
  }
}

Result<Schema> shown_schema_of(const arrow::Schema& schema) {
  SchemaBuilder builder;
  std::set<std::string> taken;
  for (const auto& field : schema.fields()) {
    builder.column(free_name(field->name(), &taken), shown_type_of(*field->type()));
  }
  return builder.build();
}

Result<std::shared_ptr<arrow::RecordBatch>> shown_rows_of(
    const std::shared_ptr<arrow::RecordBatch>& rows, const Schema& schema) {
  return conform(rows, arrow_schema_of(schema));
}

}  // namespace lakestream::query
