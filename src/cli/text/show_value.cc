#include "cli/text/show_value.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <arrow/util/base64.h>
#include <fmt/format.h>

#include "cli/text/iso_time.h"

namespace lakestream::cli {
namespace {

constexpr size_t kShortTextMax = 40;
constexpr size_t kDecimalDigitsMax = 40;

template <typename T>
void append_floating(T value, std::string* out) {
  if (std::isnan(value)) {
    *out += "NaN";
  } else if (std::isinf(value)) {
    *out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    fmt::format_to(std::back_inserter(*out), "{}", value);
  }
}

void append_decimal(Int128 unscaled, int32_t scale, std::string* out) {
  bool is_negative = unscaled < 0;
  auto rest = is_negative ? -static_cast<unsigned __int128>(unscaled)
                          : static_cast<unsigned __int128>(unscaled);
  char digits[kDecimalDigitsMax + 1];
  char* begin = digits + sizeof(digits);
  int32_t count = 0;
  while (rest != 0 || count <= scale) {
    if (count == scale && scale > 0) *--begin = '.';
    *--begin = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
    ++count;
  }
  if (is_negative) *out += '-';
  out->append(begin, digits + sizeof(digits));
}

bool is_quoted_in_json(const DataType& type, const Value& value) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kDecimal:
      return false;
    case TypeRoot::kFloat:
      return !std::isfinite(value.as_float());
    case TypeRoot::kDouble:
      return !std::isfinite(value.as_double());
    default:
      return true;
  }
}

void append_map(const DataType& type, const Value& value, std::string* out) {
  std::span<const Value> entries = value.items();
  *out += '{';
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (i > 0) *out += ',';
    std::string key;
    append_text(type.key_type(), entries[i], &key);
    append_json_text(key, out);
    *out += ':';
    append_json(type.value_type(), entries[i + 1], out);
  }
  *out += '}';
}

void append_nested(const DataType& type, const Value& value, std::string* out) {
  if (type.is(TypeRoot::kMap)) return append_map(type, value, out);
  bool is_row = type.is(TypeRoot::kRow);
  std::span<const Value> items = value.items();
  *out += is_row ? '{' : '[';
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) *out += ',';
    if (is_row) {
      append_json_text(type.fields()[i].name, out);
      *out += ':';
    }
    append_json(is_row ? type.fields()[i].type : type.element_type(), items[i], out);
  }
  *out += is_row ? '}' : ']';
}

}  // namespace

void append_text(const DataType& type, const Value& value, std::string* out) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      *out += value.as_boolean() ? "true" : "false";
      return;
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint: {
      fmt::format_int digits(value.as_integer());
      out->append(digits.data(), digits.size());
      return;
    }
    case TypeRoot::kFloat:
      return append_floating(value.as_float(), out);
    case TypeRoot::kDouble:
      return append_floating(value.as_double(), out);
    case TypeRoot::kChar:
    case TypeRoot::kString:
      *out += value.as_bytes();
      return;
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      *out += arrow::util::base64_encode(value.as_bytes());
      return;
    case TypeRoot::kDecimal:
      return append_decimal(value.as_decimal(), type.scale(), out);
    case TypeRoot::kDate:
      *out += format_date(value.as_integer());
      return;
    case TypeRoot::kTime:
      *out += format_time_of_day(value.as_integer(), std::min(type.precision(), 3));
      return;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      *out += format_timestamp(value.timestamp_ms(), value.timestamp_ns(), type.precision());
      if (type.is(TypeRoot::kTimestampLtz)) *out += 'Z';
      return;
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return append_nested(type, value, out);
  }
}

void append_json(const DataType& type, const Value& value, std::string* out) {
  if (value.is_null()) {
    *out += "null";
  } else if (type.is(TypeRoot::kString) || type.is(TypeRoot::kChar)) {
    append_json_text(value.as_bytes(), out);
  } else if (type.is_nested() || !is_quoted_in_json(type, value)) {
    append_text(type, value, out);
  } else {
    // Dates, times, base64 and names of numbers have nothing to escape.
    *out += '"';
    append_text(type, value, out);
    *out += '"';
  }
}

void append_json_text(std::string_view text, std::string* out) {
  *out += '"';
  for (char c : text) {
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<int>(c));
        } else {
          *out += c;
        }
    }
  }
  *out += '"';
}

std::string shortened(std::string_view text) {
  if (text.size() <= kShortTextMax) return std::string(text);
  size_t end = kShortTextMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace lakestream::cli
