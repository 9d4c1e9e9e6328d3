#include "format/key_text.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "format/keys.h"
#include "table/partition.h"

namespace lakestream {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

// Java's text of a float: that of a partition value with the point back in its place.
std::string java_float(std::string partition_text) {
  std::ranges::replace(partition_text, '_', '.');
  if (partition_text.ends_with("Inf")) partition_text += "inity";
  return partition_text;
}

std::string plain_decimal(Int128 unscaled, int32_t scale) {
  bool negative = unscaled < 0;
  std::string digits;
  for (Int128 left = negative ? -unscaled : unscaled; left != 0; left /= 10) {
    digits.push_back(static_cast<char>('0' + static_cast<int>(left % 10)));
  }
  while (digits.size() <= static_cast<size_t>(scale)) digits.push_back('0');
  std::ranges::reverse(digits);
  if (scale > 0) digits.insert(digits.size() - static_cast<size_t>(scale), 1, '.');
  return negative ? "-" + digits : digits;
}

// ISO 8601: four digits of year at least, a sign before longer ones.
std::string iso_date(std::chrono::year_month_day date) {
  int year = static_cast<int>(date.year());
  std::string text = year < 0      ? fmt::format("-{:04}", -year)
                     : year > 9999 ? fmt::format("+{}", year)
                                   : fmt::format("{:04}", year);
  return fmt::format("{}-{:02}-{:02}",
                     text,
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

// Groups of three digits, as few as hold the value.
std::string fraction(int64_t nanos) {
  if (nanos == 0) return "";
  if (nanos % 1'000'000 == 0) return fmt::format(".{:03}", nanos / 1'000'000);
  if (nanos % 1000 == 0) return fmt::format(".{:06}", nanos / 1000);
  return fmt::format(".{:09}", nanos);
}

std::string timestamp_text(const Value& value, bool with_zone) {
  using std::chrono::days;
  using std::chrono::floor;
  std::chrono::sys_time<std::chrono::milliseconds> time(
      std::chrono::milliseconds(value.timestamp_ms()));
  auto day = floor<days>(time);
  int64_t nanos = (time - day).count() * 1'000'000 + value.timestamp_ns();
  int64_t seconds = nanos / kNanosPerSecond;
  std::string text =
      fmt::format("{}T{:02}:{:02}", iso_date(day), seconds / 3600, seconds / 60 % 60);
  if (with_zone || nanos % (60 * kNanosPerSecond) != 0) {
    text += fmt::format(":{:02}{}", seconds % 60, fraction(nanos % kNanosPerSecond));
  }
  return with_zone ? text + "Z" : text;
}

// The code point at the start of the text, which is shortened; U+FFFD for what is no UTF-8.
uint32_t next_code_point(std::string_view& text) {
  constexpr uint32_t kReplacement = 0xfffd;
  auto first = static_cast<uint8_t>(text.front());
  text.remove_prefix(1);
  if (first < 0x80) return first;
  size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc2 || first > 0xf4 || text.size() < more) return kReplacement;
  uint32_t code = first & (0x3fU >> more);
  for (size_t i = 0; i < more; ++i) {
    auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return kReplacement;
    code = code << 6 | (next & 0x3fU);
  }
  text.remove_prefix(more);
  return code;
}

}  // namespace

std::string key_text(const DataType& type, const Value& value) {
  switch (value_kind_of(type)) {
    case Value::Kind::kBoolean:
      return value.as_boolean() ? "true" : "false";
    case Value::Kind::kInteger:
      return fmt::format("{}", value.as_integer());
    case Value::Kind::kFloat:
      return java_float(partition_text_of_float(value.as_float()));
    case Value::Kind::kDouble:
      return java_float(partition_text_of_double(value.as_double()));
    case Value::Kind::kBytes:
      return std::string(value.as_bytes());
    case Value::Kind::kDecimal:
      return plain_decimal(value.as_decimal(), type.scale());
    case Value::Kind::kTimestamp:
      return timestamp_text(value, type.is(TypeRoot::kTimestampLtz));
    default:
      CHECK(false, "type of a key text");
      return "";
  }
}

Result<std::string> partition_text(const DataType& type, const Value& value) {
  if (!can_be_partition_key(type) || value.kind() != value_kind_of(type)) {
    return make_error(ErrorCode::kPartitionSpecInvalidException,
                      "partition value of type {}: {}",
                      type,
                      value.is_null() ? "it is null" : "the type can be no partition key");
  }
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return partition_text_of_boolean(value.as_boolean());
    case TypeRoot::kBinary:
    case TypeRoot::kBytes: {
      std::string_view bytes = value.as_bytes();
      return partition_text_of_bytes(
          {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    }
    case TypeRoot::kFloat:
      return partition_text_of_float(value.as_float());
    case TypeRoot::kDouble:
      return partition_text_of_double(value.as_double());
    case TypeRoot::kDate:
      return partition_text_of_date(static_cast<int32_t>(value.as_integer()));
    case TypeRoot::kTime:
      return partition_text_of_time(static_cast<int32_t>(value.as_integer()));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return partition_text_of_timestamp(value.timestamp_ms(), value.timestamp_ns());
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return std::string(value.as_bytes());
    default:
      return partition_text_of_integer(value.as_integer());
  }
}

uint32_t java_hash(std::string_view text) {
  uint32_t hash = 0;
  while (!text.empty()) {
    uint32_t code = next_code_point(text);
    if (code >= 0x10000) {
      hash = 31 * hash + (0xd7c0 + (code >> 10));
      code = 0xdc00 | (code & 0x3ff);
    }
    hash = 31 * hash + code;
  }
  return hash;
}

}  // namespace lakestream
