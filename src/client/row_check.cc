#include "client/row_check.h"

#include <arrow/util/utf8.h>

namespace lakestream::client {
namespace {

constexpr int64_t kMillisPerDay = 86'400'000;
constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr int64_t kMicrosPerMilli = 1000;
constexpr size_t kOffsetBytes = 4;

tl::unexpected<Error> misfit(const DataType& type, std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "value of type {}: {}", type, rule);
}

Result<size_t> check_cell(const DataType& type, const Value& value);

template <typename T>
Result<size_t> check_integer(const DataType& type, int64_t value) {
  if (static_cast<T>(value) != value) return misfit(type, "out of range");
  return sizeof(T);
}

Result<size_t> check_text(const DataType& type, std::string_view text) {
  const auto* data = reinterpret_cast<const uint8_t*>(text.data());
  if (!arrow::util::ValidateUTF8(data, static_cast<int64_t>(text.size()))) {
    return misfit(type, "the bytes are no UTF-8");
  }
  return text.size() + kOffsetBytes;
}

Result<size_t> check_timestamp(const DataType& type, const Value& value) {
  if (value.timestamp_ns() < 0 || value.timestamp_ns() >= kNanosPerMilli) {
    return misfit(type, "nanoseconds of a millisecond are 0 to 999999");
  }
  int64_t scaled = 0;
  int64_t unit = type.precision() <= 3   ? 1
                 : type.precision() <= 6 ? kMicrosPerMilli
                                         : kNanosPerMilli;
  if (__builtin_mul_overflow(value.timestamp_ms(), unit, &scaled) ||
      __builtin_add_overflow(scaled, unit, &scaled)) {
    return misfit(type, "outside the years that its precision can hold");
  }
  return sizeof(int64_t);
}

Result<size_t> check_nested(const DataType& type, const Value& value) {
  std::span<const Value> items = value.items();
  size_t bytes = kOffsetBytes;
  auto add = [&bytes](const DataType& of, const Value& item) -> Status {
    ASSIGN_OR_RETURN(size_t size, check_cell(of, item));
    bytes += size;
    return ok();
  };
  if (type.is(TypeRoot::kArray)) {
    for (const Value& item : items) RETURN_IF_ERROR(add(type.element_type(), item));
    return bytes;
  }
  if (type.is(TypeRoot::kMap)) {
    if (items.size() % 2 != 0) return misfit(type, "a key without a value");
    for (size_t i = 0; i < items.size(); i += 2) {
      if (items[i].is_null()) return misfit(type, "a key is null");
      RETURN_IF_ERROR(add(type.key_type(), items[i]));
      RETURN_IF_ERROR(add(type.value_type(), items[i + 1]));
    }
    return bytes;
  }
  if (items.size() != type.fields().size()) return misfit(type, "another number of fields");
  for (size_t i = 0; i < items.size(); ++i) {
    RETURN_IF_ERROR(add(type.fields()[i].type, items[i]));
  }
  return bytes;
}

Result<size_t> check_cell(const DataType& type, const Value& value) {
  if (value.is_null()) {
    if (!type.nullable()) return misfit(type, "it is null");
    return size_t{1};
  }
  if (value.kind() != value_kind_of(type)) return misfit(type, "the value is of another kind");
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return size_t{1};
    case TypeRoot::kTinyint:
      return check_integer<int8_t>(type, value.as_integer());
    case TypeRoot::kSmallint:
      return check_integer<int16_t>(type, value.as_integer());
    case TypeRoot::kInteger:
    case TypeRoot::kDate:
      return check_integer<int32_t>(type, value.as_integer());
    case TypeRoot::kTime:
      if (value.as_integer() >= 0 && value.as_integer() < kMillisPerDay) return size_t{4};
      return misfit(type, "outside of a day");
    case TypeRoot::kBigint:
    case TypeRoot::kDouble:
      return sizeof(int64_t);
    case TypeRoot::kFloat:
      return sizeof(float);
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return check_text(type, value.as_bytes());
    case TypeRoot::kBytes:
      return value.as_bytes().size() + kOffsetBytes;
    case TypeRoot::kBinary: {
      auto width = static_cast<size_t>(type.length());
      if (value.as_bytes().size() > width) return misfit(type, "longer than the type");
      return width;
    }
    case TypeRoot::kDecimal:
      if (fits_precision(value.as_decimal(), type.precision())) return sizeof(Int128);
      return misfit(type, "more digits than the precision");
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return check_timestamp(type, value);
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return check_nested(type, value);
  }
  return size_t{0};
}

}  // namespace

Result<size_t> check_row(std::span<const DataType> types, std::span<const Value> row) {
  if (row.size() != types.size()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "row of {} values where the table has {} columns",
                      row.size(),
                      types.size());
  }
  size_t bytes = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    ASSIGN_OR_RETURN(size_t size, check_cell(types[i], row[i]));
    bytes += size;
  }
  return bytes;
}

}  // namespace lakestream::client
