#include "cli/text/parse_value.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <arrow/util/base64.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include "cli/text/iso_time.h"
#include "cli/text/width.h"

namespace lakestream::cli {
namespace {

constexpr int kMillisDigits = 3;

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c != lower[i]) return false;
  }
  return true;
}

std::optional<Value> parse_boolean(std::string_view text) {
  if (equals_ignoring_case(text, "true") || text == "1") return Value::boolean(true);
  if (equals_ignoring_case(text, "false") || text == "0") return Value::boolean(false);
  return std::nullopt;
}

// "517" and "517.0", as tools write whole numbers of columns that have nulls.
std::optional<Value> parse_integer_value(std::string_view text, int64_t min, int64_t max) {
  if (text.starts_with('+')) text.remove_prefix(1);
  size_t point = text.find('.');
  if (point != std::string_view::npos && point > 0 && point + 1 < text.size() &&
      text.find_first_not_of('0', point + 1) == std::string_view::npos) {
    text = text.substr(0, point);
  }
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < min || value > max) return std::nullopt;
  return Value::integer(value);
}

template <typename T>
std::optional<Value> parse_integer_as(std::string_view text) {
  return parse_integer_value(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

template <typename T>
std::optional<T> parse_floating(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value = 0;
  // Reads "inf", "infinity" and "nan" in any case.
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Value> parse_decimal(const DataType& type, std::string_view text) {
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  if (!arrow::Decimal128::FromString(text, &value, &precision, &scale).ok()) return std::nullopt;
  if (scale != type.scale()) {
    arrow::Result<arrow::Decimal128> scaled = value.Rescale(scale, type.scale());
    if (!scaled.ok()) return std::nullopt;
    value = *scaled;
  }
  if (!value.FitsInPrecision(type.precision())) return std::nullopt;
  auto high = static_cast<Int128>(value.high_bits());
  return Value::decimal(high * (Int128{1} << 64) + static_cast<Int128>(value.low_bits()));
}

bool is_utf8(std::string_view text) {
  return arrow::util::ValidateUTF8(reinterpret_cast<const uint8_t*>(text.data()),
                                   static_cast<int64_t>(text.size()));
}

std::optional<Value> parse_text(const DataType& type, std::string_view text) {
  if (!is_utf8(text)) return std::nullopt;
  if (type.is(TypeRoot::kChar) && width_of(text) > static_cast<size_t>(type.length())) {
    return std::nullopt;
  }
  return Value::bytes(text);
}

std::optional<Value> parse_base64(const DataType& type, std::string_view text, Arena* arena) {
  arrow::Result<std::string> bytes = arrow::util::base64_decode(text);
  if (!bytes.ok()) return std::nullopt;
  if (type.is(TypeRoot::kBinary) && bytes->size() != static_cast<size_t>(type.length())) {
    return std::nullopt;
  }
  return Value::bytes(arena->copy(*bytes));
}

std::optional<Value> parse_date_value(std::string_view text) {
  std::optional<int64_t> days = parse_date(text);
  if (!days) return std::nullopt;
  return Value::integer(*days);
}

std::optional<Value> parse_time_value(const DataType& type, std::string_view text) {
  std::optional<IsoTime> time = parse_time_of_day(text);
  // Values of TIME count milliseconds.
  if (!time || time->fraction_digits > std::min(type.precision(), kMillisDigits)) {
    return std::nullopt;
  }
  return Value::integer(time->ms);
}

// Whether the unit that the precision is stored in can count it.
bool fits_unit(int32_t precision, int64_t ms) {
  int64_t unit = precision <= 3 ? 1 : precision <= 6 ? 1000 : 1'000'000;
  int64_t scaled = 0;
  return !__builtin_mul_overflow(ms, unit, &scaled) &&
         !__builtin_add_overflow(scaled, unit, &scaled);
}

std::optional<Value> parse_timestamp_value(const DataType& type, std::string_view text) {
  std::optional<IsoTime> time = parse_timestamp(text);
  if (!time || time->fraction_digits > type.precision()) return std::nullopt;
  if (time->has_zone && type.is(TypeRoot::kTimestamp)) return std::nullopt;
  if (!fits_unit(type.precision(), time->ms)) return std::nullopt;
  return Value::timestamp(time->ms, time->ns);
}

template <typename T>
std::string whole_number_rule() {
  return fmt::format(
      "a whole number from {} to {}", std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

std::string digits_rule(int32_t precision) {
  if (precision == 0) return "without a fraction of the second";
  return fmt::format("with at most {} digits behind the second", precision);
}

std::string nested_rule(const DataType& type) {
  if (type.is(TypeRoot::kArray)) return "a JSON array";
  if (type.is(TypeRoot::kMap)) return "a JSON object of keys and values";
  std::string names;
  for (const Field& field : type.fields()) {
    if (!names.empty()) names += ", ";
    names += field.name;
  }
  return fmt::format("a JSON object with the fields {}", names);
}

}  // namespace

std::optional<Value> timestamp_of_ms(const DataType& type, int64_t ms) {
  if (!fits_unit(type.precision(), ms)) return std::nullopt;
  if (type.precision() < kMillisDigits && ms % 1000 != 0) return std::nullopt;
  return Value::timestamp(ms, 0);
}

std::optional<Value> parse_value(const DataType& type, std::string_view text, Arena* arena) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return parse_text(type, text);
    case TypeRoot::kBoolean:
      return parse_boolean(trimmed(text));
    case TypeRoot::kTinyint:
      return parse_integer_as<int8_t>(trimmed(text));
    case TypeRoot::kSmallint:
      return parse_integer_as<int16_t>(trimmed(text));
    case TypeRoot::kInteger:
      return parse_integer_as<int32_t>(trimmed(text));
    case TypeRoot::kBigint:
      return parse_integer_as<int64_t>(trimmed(text));
    case TypeRoot::kFloat:
      if (std::optional<float> value = parse_floating<float>(trimmed(text))) {
        return Value::float_(*value);
      }
      return std::nullopt;
    case TypeRoot::kDouble:
      if (std::optional<double> value = parse_floating<double>(trimmed(text))) {
        return Value::double_(*value);
      }
      return std::nullopt;
    case TypeRoot::kDecimal:
      return parse_decimal(type, trimmed(text));
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      return parse_base64(type, trimmed(text), arena);
    case TypeRoot::kDate:
      return parse_date_value(trimmed(text));
    case TypeRoot::kTime:
      return parse_time_value(type, trimmed(text));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return parse_timestamp_value(type, trimmed(text));
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      break;
  }
  return std::nullopt;
}

std::string rule_of(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return "true or false";
    case TypeRoot::kTinyint:
      return whole_number_rule<int8_t>();
    case TypeRoot::kSmallint:
      return whole_number_rule<int16_t>();
    case TypeRoot::kInteger:
      return whole_number_rule<int32_t>();
    case TypeRoot::kBigint:
      return whole_number_rule<int64_t>();
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return "a number, NaN, Infinity or -Infinity";
    case TypeRoot::kChar:
      return fmt::format("UTF-8 text of at most {} characters", type.length());
    case TypeRoot::kString:
      return "UTF-8 text";
    case TypeRoot::kBinary:
      return fmt::format("base64 text of exactly {} bytes", type.length());
    case TypeRoot::kBytes:
      return "base64 text";
    case TypeRoot::kDecimal:
      return fmt::format("a number of at most {} digits before the point and {} behind it",
                         type.precision() - type.scale(),
                         type.scale());
    case TypeRoot::kDate:
      return "a date as 2024-05-31";
    case TypeRoot::kTime:
      return fmt::format("a time as 13:45:30 {}",
                         digits_rule(std::min(type.precision(), kMillisDigits)));
    case TypeRoot::kTimestamp:
      return fmt::format("a time as 2024-05-31T13:45:30 without a zone, {}",
                         digits_rule(type.precision()));
    case TypeRoot::kTimestampLtz:
      return fmt::format("a time as 2024-05-31T13:45:30Z, with Z or +02:00 or in UTC, {}",
                         digits_rule(type.precision()));
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return nested_rule(type);
  }
  return "";
}

}  // namespace lakestream::cli
