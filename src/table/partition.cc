#include "table/partition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/bytes.h"
#include "base/check.h"
#include "table/path.h"

namespace lakestream {
namespace {

constexpr ErrorCode kSpecInvalid = ErrorCode::kPartitionSpecInvalidException;
constexpr char kNameSeparator = '$';
constexpr int64_t kSecondsPerHour = 3600;
constexpr int64_t kSecondsPerDay = 24 * kSecondsPerHour;

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

struct Civil {
  int64_t year;
  int64_t month;
  int64_t day;
};

// Days and civil dates over all of int64's useful range, after Howard Hinnant, "chrono-compatible
// low-level date algorithms": eras of 400 years that begin in March.
Civil civil_of_days(int64_t days) {
  constexpr int64_t kDaysPerEra = 146'097;
  days += 719'468;  // from 0000-03-01
  int64_t era = floor_div(days, kDaysPerEra);
  int64_t day_of_era = days - era * kDaysPerEra;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * day_of_year + 2) / 153;  // 0 is March
  int64_t day = day_of_year - (153 * month + 2) / 5 + 1;
  int64_t year = year_of_era + era * 400 + (month >= 10 ? 1 : 0);
  return {year, month < 10 ? month + 3 : month - 9, day};
}

int64_t days_of_civil(const Civil& civil) {
  int64_t year = civil.month <= 2 ? civil.year - 1 : civil.year;
  int64_t era = floor_div(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t month = civil.month > 2 ? civil.month - 3 : civil.month + 9;
  int64_t day_of_year = (153 * month + 2) / 5 + civil.day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

int64_t days_in_month(int64_t year, int64_t month) {
  Civil next = month == 12 ? Civil{year + 1, 1, 1} : Civil{year, month + 1, 1};
  return days_of_civil(next) - days_of_civil({year, month, 1});
}

// Keeps the day where the month has it, else takes the last of the month.
int64_t add_months(int64_t days, int64_t months) {
  Civil civil = civil_of_days(days);
  int64_t index = civil.year * 12 + civil.month - 1 + months;
  civil.year = floor_div(index, 12);
  civil.month = floor_mod(index, 12) + 1;
  civil.day = std::min(civil.day, days_in_month(civil.year, civil.month));
  return days_of_civil(civil);
}

int64_t add_units(int64_t seconds, AutoPartitionUnit unit, int64_t count) {
  int64_t days = floor_div(seconds, kSecondsPerDay);
  int64_t of_day = floor_mod(seconds, kSecondsPerDay);
  switch (unit) {
    case AutoPartitionUnit::kYear:
      return add_months(days, 12 * count) * kSecondsPerDay + of_day;
    case AutoPartitionUnit::kQuarter:
      return add_months(days, 3 * count) * kSecondsPerDay + of_day;
    case AutoPartitionUnit::kMonth:
      return add_months(days, count) * kSecondsPerDay + of_day;
    case AutoPartitionUnit::kDay:
      return seconds + count * kSecondsPerDay;
    case AutoPartitionUnit::kHour:
      return seconds + count * kSecondsPerHour;
  }
  return seconds;
}

// The text of Java's Double.toString and Float.toString: shortest digits, plain between 1e-3 and
// 1e7, else with an exponent, always with a digit after the point. Then '_' for the point.
template <typename Float>
std::string text_of_float(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  std::array<char, 64> buffer{};
  Float size = std::abs(value);
  bool plain = size == 0 || (size >= Float(1e-3) && size < Float(1e7));
  auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  CHECK(error == std::errc(), "text of a floating-point number");
  std::string text(buffer.data(), end);

  std::string mantissa = text.substr(0, text.find('e'));
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  std::replace(mantissa.begin(), mantissa.end(), '.', '_');
  if (plain) return mantissa;
  int exponent = std::stoi(text.substr(text.find('e') + 1));
  return fmt::format("{}E{}", mantissa, exponent);
}

Status check_value(const std::string& value) {
  std::optional<std::string> reason = why_no_name(value);
  if (!reason) return ok();
  return make_error(kSpecInvalid, "partition value '{}': {}", value, *reason);
}

}  // namespace

std::string ResolvedPartitionSpec::name() const {
  return fmt::format("{}", fmt::join(values, std::string_view(&kNameSeparator, 1)));
}

std::string ResolvedPartitionSpec::qualified_name() const {
  std::string result;
  for (size_t i = 0; i < keys.size(); ++i) {
    result += fmt::format("{}{}={}", i == 0 ? "" : "/", keys[i], values[i]);
  }
  return result;
}

bool ResolvedPartitionSpec::matches(const PartitionSpec& spec) const {
  return std::all_of(spec.begin(), spec.end(), [this](const auto& entry) {
    auto key = std::find(keys.begin(), keys.end(), entry.first);
    return key != keys.end() && values[static_cast<size_t>(key - keys.begin())] == entry.second;
  });
}

Result<ResolvedPartitionSpec> resolve_partition(std::vector<std::string> keys,
                                                const PartitionSpec& spec) {
  if (spec.size() != keys.size()) {
    return make_error(kSpecInvalid,
                      "partition has {} values, the table has {} partition keys ({})",
                      spec.size(),
                      keys.size(),
                      fmt::join(keys, ", "));
  }
  ResolvedPartitionSpec result;
  for (const std::string& key : keys) {
    auto is_key = [&key](const auto& entry) { return entry.first == key; };
    auto entry = std::find_if(spec.begin(), spec.end(), is_key);
    if (entry == spec.end()) {
      return make_error(kSpecInvalid, "partition has no value for the partition key '{}'", key);
    }
    result.values.push_back(entry->second);
  }
  result.keys = std::move(keys);
  return result;
}

Result<ResolvedPartitionSpec> partition_of_name(std::vector<std::string> keys,
                                                std::string_view name) {
  ResolvedPartitionSpec result;
  std::string_view rest = name;
  while (true) {
    size_t end = std::min(rest.find(kNameSeparator), rest.size());
    result.values.emplace_back(rest.substr(0, end));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (result.values.size() != keys.size()) {
    return make_error(kSpecInvalid,
                      "partition name '{}' has {} values, the table has {} keys ({})",
                      name,
                      result.values.size(),
                      keys.size(),
                      fmt::join(keys, ", "));
  }
  result.keys = std::move(keys);
  return result;
}

Status check_partition_values(const std::vector<std::string>& values) {
  for (const std::string& value : values) RETURN_IF_ERROR(check_value(value));
  return ok();
}

Status check_new_partition_values(const std::vector<std::string>& values) {
  RETURN_IF_ERROR(check_partition_values(values));
  for (const std::string& value : values) {
    if (!value.starts_with(kReservedNamePrefix)) continue;
    return make_error(kSpecInvalid,
                      "partition value '{}': values that start with '{}' are reserved",
                      value,
                      kReservedNamePrefix);
  }
  return ok();
}

Status check_new_partition(const ResolvedPartitionSpec& partition) {
  RETURN_IF_ERROR(check_new_partition_values(partition.values));
  std::string name = partition.name();
  if (name.size() <= kMaxPartitionNameLength) return ok();
  return make_error(kSpecInvalid,
                    "partition name '{}' has {} characters, at most {} are allowed",
                    name,
                    name.size(),
                    kMaxPartitionNameLength);
}

bool can_be_partition_key(const DataType& type) {
  return !type.is_nested() && !type.is(TypeRoot::kDecimal);
}

std::string partition_text_of_boolean(bool value) { return value ? "true" : "false"; }

std::string partition_text_of_integer(int64_t value) { return fmt::format("{}", value); }

std::string partition_text_of_bytes(std::span<const uint8_t> value) { return to_hex(value); }

std::string partition_text_of_float(float value) { return text_of_float(value); }

std::string partition_text_of_double(double value) { return text_of_float(value); }

std::string partition_text_of_date(int32_t days) {
  Civil civil = civil_of_days(days);
  return fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
}

std::string partition_text_of_time(int32_t milliseconds) {
  int32_t seconds = milliseconds / 1000;
  return fmt::format("{:02}-{:02}-{:02}_{:03}",
                     seconds / 3600,
                     seconds / 60 % 60,
                     seconds % 60,
                     milliseconds % 1000);
}

std::string partition_text_of_timestamp(int64_t milliseconds, int32_t nanoseconds) {
  int64_t seconds = floor_div(milliseconds, 1000);
  int64_t of_day = floor_mod(seconds, kSecondsPerDay);
  Civil civil = civil_of_days(floor_div(seconds, kSecondsPerDay));
  std::string fraction =
      fmt::format("{:09}", floor_mod(milliseconds, 1000) * 1'000'000 + nanoseconds);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{:04}-{:02}-{:02}-{:02}-{:02}-{:02}_{}",
                     civil.year,
                     civil.month,
                     civil.day,
                     of_day / kSecondsPerHour,
                     of_day / 60 % 60,
                     of_day % 60,
                     fraction);
}

PartitionTimeFormat PartitionTimeFormat::of_unit(AutoPartitionUnit unit) {
  constexpr std::array<std::string_view, 5> kPatterns = {
      "yyyy", "yyyyQ", "yyyyMM", "yyyyMMdd", "yyyyMMddHH"};
  Result<PartitionTimeFormat> format = parse(kPatterns[static_cast<size_t>(unit)], unit);
  CHECK(format.has_value(), "pattern of a unit");
  return *std::move(format);
}

Result<PartitionTimeFormat> PartitionTimeFormat::parse(std::string_view pattern,
                                                       AutoPartitionUnit unit) {
  constexpr ErrorCode kCode = ErrorCode::kInvalidTableException;
  constexpr int64_t kSomeTime = 1'731'322'800;  // 2024-11-11 11:00
  PartitionTimeFormat format(unit);
  bool in_literal = false;
  for (size_t i = 0; i < pattern.size();) {
    char c = pattern[i];
    if (c == '\'') {
      bool doubled = i + 1 < pattern.size() && pattern[i + 1] == '\'';
      if (doubled) format.add_literal('\'');
      if (!doubled) in_literal = !in_literal;
      i += doubled ? 2 : 1;
    } else if (!in_literal && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
      size_t end = std::min(pattern.find_first_not_of(c, i), pattern.size());
      Status added = format.add_field(c, end - i);
      if (!added) {
        return fail(
            std::move(added).error().with_context(fmt::format("time format '{}'", pattern)));
      }
      i = end;
    } else {
      format.add_literal(c);
      ++i;
    }
  }
  if (in_literal) return make_error(kCode, "time format '{}': a quote is not closed", pattern);
  if (Status fields = format.check_fields(); !fields) {
    return fail(std::move(fields).error().with_context(fmt::format("time format '{}'", pattern)));
  }
  // Brackets, spaces and other characters that are no part of names show in the value.
  std::string value = format.value(kSomeTime, 0);
  if (Status valid = check_new_partition_values({value}); !valid) {
    return make_error(kCode, "time format '{}': {}", pattern, valid.error().message());
  }
  return format;
}

PartitionTimeFormat::FieldKind PartitionTimeFormat::field_of(char letter) {
  switch (letter) {
    case 'y':
    case 'u':
      return FieldKind::kYear;
    case 'Q':
    case 'q':
      return FieldKind::kQuarter;
    case 'M':
    case 'L':
      return FieldKind::kMonth;
    case 'd':
      return FieldKind::kDay;
    case 'H':
      return FieldKind::kHour;
    default:
      return FieldKind::kLiteral;
  }
}

size_t PartitionTimeFormat::width_of(FieldKind kind) {
  if (kind == FieldKind::kYear) return 4;
  return kind == FieldKind::kQuarter ? 1 : 2;
}

Status PartitionTimeFormat::add_field(char letter, size_t width) {
  FieldKind kind = field_of(letter);
  if (kind == FieldKind::kLiteral) {
    return make_error(ErrorCode::kInvalidTableException,
                      "'{}' is no field, use y, Q, M, d, H or put text in quotes",
                      letter);
  }
  if (width != width_of(kind)) {
    return make_error(ErrorCode::kInvalidTableException,
                      "the field '{}' has width {}, it must be {}",
                      letter,
                      width,
                      width_of(kind));
  }
  parts_.push_back({kind, ""});
  return ok();
}

void PartitionTimeFormat::add_literal(char character) {
  if (parts_.empty() || parts_.back().kind != FieldKind::kLiteral) {
    parts_.push_back({FieldKind::kLiteral, ""});
  }
  parts_.back().literal += character;
}

Status PartitionTimeFormat::check_fields() const {
  using Kinds = std::vector<FieldKind>;
  static constexpr std::array<std::string_view, 5> kNames = {
      "year", "year, quarter", "year, month", "year, month, day", "year, month, day, hour"};
  Kinds wanted = {FieldKind::kYear};
  if (unit_ == AutoPartitionUnit::kQuarter) wanted.push_back(FieldKind::kQuarter);
  if (unit_ >= AutoPartitionUnit::kMonth) wanted.push_back(FieldKind::kMonth);
  if (unit_ >= AutoPartitionUnit::kDay) wanted.push_back(FieldKind::kDay);
  if (unit_ >= AutoPartitionUnit::kHour) wanted.push_back(FieldKind::kHour);
  Kinds found;
  for (const Part& part : parts_) {
    if (part.kind != FieldKind::kLiteral) found.push_back(part.kind);
  }
  if (found == wanted) return ok();
  return make_error(ErrorCode::kInvalidTableException,
                    "the unit {} needs exactly the fields {}, in this order",
                    name_of(unit_),
                    kNames[static_cast<size_t>(unit_)]);
}

std::string PartitionTimeFormat::value(int64_t local_seconds, int64_t offset) const {
  int64_t seconds = add_units(local_seconds, unit_, offset);
  Civil civil = civil_of_days(floor_div(seconds, kSecondsPerDay));
  std::string result;
  for (const Part& part : parts_) {
    switch (part.kind) {
      case FieldKind::kLiteral:
        result += part.literal;
        break;
      case FieldKind::kYear:
        result += fmt::format("{:04}", civil.year);
        break;
      case FieldKind::kQuarter:
        result += fmt::format("{}", (civil.month - 1) / 3 + 1);
        break;
      case FieldKind::kMonth:
        result += fmt::format("{:02}", civil.month);
        break;
      case FieldKind::kDay:
        result += fmt::format("{:02}", civil.day);
        break;
      case FieldKind::kHour:
        result += fmt::format("{:02}", floor_mod(seconds, kSecondsPerDay) / kSecondsPerHour);
        break;
    }
  }
  return result;
}

bool PartitionTimeFormat::matches(std::string_view text) const {
  Civil civil{1, 1, 1};
  for (const Part& part : parts_) {
    if (part.kind == FieldKind::kLiteral) {
      if (!text.starts_with(part.literal)) return false;
      text.remove_prefix(part.literal.size());
      continue;
    }
    size_t width = width_of(part.kind);
    if (text.size() < width) return false;
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + width, number);
    if (error != std::errc() || end != text.data() + width || number < 0) return false;
    text.remove_prefix(width);
    switch (part.kind) {
      case FieldKind::kYear:
        civil.year = number;
        break;
      case FieldKind::kQuarter:
        if (number < 1 || number > 4) return false;
        break;
      case FieldKind::kMonth:
        if (number < 1 || number > 12) return false;
        civil.month = number;
        break;
      case FieldKind::kDay:
        civil.day = number;
        break;
      default:
        if (number > 23) return false;
    }
  }
  return text.empty() && civil.day >= 1 && civil.day <= days_in_month(civil.year, civil.month);
}

}  // namespace lakestream
