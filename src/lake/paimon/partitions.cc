#include "lake/paimon/partitions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "format/keys.h"
#include "lake/paimon/binary_row.h"
#include "table/partition.h"

namespace lakestream::paimon {
namespace {

constexpr std::string_view kDefaultPartition = "__DEFAULT_PARTITION__";
constexpr std::string_view kDefaultNameOption = "partition.default-name";
constexpr std::string_view kEscaped = "\"#%'*/:=?\\{}[]^\x7f";
constexpr int64_t kMsPerDay = 86'400'000;

// Numbers between separators, read from left to right.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : rest_(text) {}

  int64_t number() {
    int64_t value = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) failed_ = true;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  void skip(char separator) {
    if (rest_.empty() || rest_.front() != separator) {
      failed_ = true;
    } else {
      rest_.remove_prefix(1);
    }
  }
  // "2026-11-30" as days since 1970.
  int64_t date() {
    int64_t year = number();
    skip('-');
    int64_t month = number();
    skip('-');
    int64_t day = number();
    if (year < -9999 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) {
      failed_ = true;
      return 0;
    }
    std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)));
    return std::chrono::sys_days(date).time_since_epoch().count();
  }
  // "12-34-56_" as milliseconds; what follows is a fraction.
  int64_t time_of_day() {
    int64_t hours = number();
    skip('-');
    int64_t minutes = number();
    skip('-');
    int64_t seconds = number();
    skip('_');
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) {
      failed_ = true;
      return 0;
    }
    return ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }
  // "123" as nanoseconds of a second.
  int64_t fraction() {
    int64_t nanoseconds = 0;
    if (rest_.size() > 9) failed_ = true;
    for (size_t i = 0; i < 9; ++i) {
      bool digit = i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9';
      nanoseconds = nanoseconds * 10 + (digit ? rest_[i] - '0' : 0);
    }
    rest_ = {};
    return nanoseconds;
  }
  bool failed() const { return failed_ || !rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

std::optional<Value> float_value(const DataType& type, std::string_view text) {
  std::string number(text);
  std::replace(number.begin(), number.end(), '_', '.');
  double value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  if (type.is(TypeRoot::kDouble)) return Value::double_(value);
  // From the text, not from the double: rounding twice may give another float.
  float narrow = 0;
  std::from_chars(number.data(), number.data() + number.size(), narrow);
  return Value::float_(narrow);
}

// The value, or nothing when the text is none. What is written in another way than ours is taken.
std::optional<Value> parse_value(const DataType& type, std::string_view text) {
  NumberReader reader(text);
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return Value::bytes(text);
    case TypeRoot::kBoolean:
      return Value::boolean(text == "true");
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return float_value(type, text);
    case TypeRoot::kDate: {
      int64_t days = reader.date();
      return reader.failed() ? std::nullopt : std::optional(Value::integer(days));
    }
    case TypeRoot::kTime: {
      int64_t ms = reader.time_of_day();
      ms += reader.fraction() / 1'000'000;
      return reader.failed() ? std::nullopt : std::optional(Value::integer(ms));
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      int64_t ms = reader.date() * kMsPerDay;
      reader.skip('-');
      ms += reader.time_of_day();
      int64_t nanoseconds = reader.fraction();
      if (reader.failed()) return std::nullopt;
      return Value::timestamp(ms + nanoseconds / 1'000'000,
                              static_cast<int32_t>(nanoseconds % 1'000'000));
    }
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint: {
      int64_t value = reader.number();
      return reader.failed() ? std::nullopt : std::optional(Value::integer(value));
    }
    default:
      return std::nullopt;
  }
}

bool in_range(const DataType& type, const Value& value) {
  auto within = [&](int64_t limit) {
    return value.as_integer() >= -limit - 1 && value.as_integer() <= limit;
  };
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return within(std::numeric_limits<int8_t>::max());
    case TypeRoot::kSmallint:
      return within(std::numeric_limits<int16_t>::max());
    case TypeRoot::kInteger:
    case TypeRoot::kDate:
      return within(std::numeric_limits<int32_t>::max());
    default:
      return true;
  }
}

// "2026-11-30 12:34:56.123": no fewer digits behind the point than the precision has.
std::string timestamp_text(const DataType& type, const Value& value) {
  // "2026-11-30-12-34-56_123"
  std::string text = partition_text_of_timestamp(value.timestamp_ms(), value.timestamp_ns());
  size_t underscore = text.find('_');
  std::string fraction = text.substr(underscore + 1);
  text.resize(underscore);
  auto digits = static_cast<size_t>(type.precision());
  if (fraction.size() < digits) fraction.append(digits - fraction.size(), '0');
  // The year may have a sign, so from the end: two of the time, one before the hour.
  text[text.size() - 3] = ':';
  text[text.size() - 6] = ':';
  text[text.size() - 9] = ' ';
  return fraction.empty() ? text : fmt::format("{}.{}", text, fraction);
}

bool less(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Value::Kind::kBoolean:
      return a.as_boolean() < b.as_boolean();
    case Value::Kind::kFloat:
      return a.as_float() < b.as_float() || (!std::isnan(a.as_float()) && std::isnan(b.as_float()));
    case Value::Kind::kDouble:
      return a.as_double() < b.as_double() ||
             (!std::isnan(a.as_double()) && std::isnan(b.as_double()));
    case Value::Kind::kBytes:
      return a.as_bytes() < b.as_bytes();  // bytes without sign
    case Value::Kind::kDecimal:
      return a.as_decimal() < b.as_decimal();
    case Value::Kind::kTimestamp:
      return std::pair(a.timestamp_ms(), a.timestamp_ns()) <
             std::pair(b.timestamp_ms(), b.timestamp_ns());
    default:
      return a.as_integer() < b.as_integer();
  }
}

}  // namespace

Result<Partitioning> Partitioning::of(const PaimonSchema& schema) {
  Partitioning partitioning;
  for (const std::string& key : schema.partition_keys) {
    std::optional<size_t> index = schema.index_of(key);
    if (!index || !can_be_partition_key(schema.fields[*index].type)) {
      return make_error(
          ErrorCode::kUnknownServerError, "partition key {}: its type can be none", key);
    }
    partitioning.keys_.push_back(key);
    partitioning.types_.push_back(schema.fields[*index].type);
  }
  auto name = schema.options.find(kDefaultNameOption);
  partitioning.default_name_ =
      name == schema.options.end() ? std::string(kDefaultPartition) : name->second;
  return partitioning;
}

Result<std::string> Partitioning::row_of(const std::vector<std::string>& values) const {
  if (values.size() != keys_.size()) {
    return make_error(ErrorCode::kPartitionSpecInvalidException,
                      "partition of {} values, the table has {} partition keys",
                      values.size(),
                      keys_.size());
  }
  std::vector<Value> row;
  for (size_t i = 0; i < values.size(); ++i) {
    Result<Value> value = partition_value(types_[i], values[i]);
    if (!value) {
      return fail(std::move(value).error().with_context(fmt::format("partition key {}", keys_[i])));
    }
    row.push_back(*value);
  }
  return binary_row(types_, row);
}

Result<std::vector<std::string>> Partitioning::values_of(std::string_view row) const {
  Arena arena;
  ASSIGN_OR_RETURN(std::span<const Value> values, read_binary_row(types_, row, &arena));
  std::vector<std::string> texts;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null()) {
      texts.push_back(default_name_);
      continue;
    }
    ASSIGN_OR_RETURN(std::string text, partition_text(types_[i], values[i]));
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::string> Partitioning::folder_of(std::string_view row) const {
  Arena arena;
  ASSIGN_OR_RETURN(std::span<const Value> values, read_binary_row(types_, row, &arena));
  std::string folder;
  for (size_t i = 0; i < values.size(); ++i) {
    std::string text = values[i].is_null() ? "" : folder_text(types_[i], values[i]);
    if (text.find_first_not_of(" \t\n\v\f\r") == std::string::npos) text = default_name_;
    folder += fmt::format("{}={}/", escape_folder(keys_[i]), escape_folder(text));
  }
  return folder;
}

Result<FilePlace> Partitioning::place_of(std::string_view row,
                                         int32_t bucket,
                                         int32_t total_buckets) const {
  ASSIGN_OR_RETURN(std::string folder, folder_of(row));
  return FilePlace{.partition = std::string(row),
                   .folder = fmt::format("{}bucket-{}", folder, bucket),
                   .bucket = bucket,
                   .total_buckets = total_buckets};
}

Result<Value> partition_value(const DataType& type, std::string_view text) {
  std::optional<Value> value = parse_value(type, text);
  if (value && in_range(type, *value)) {
    Result<std::string> own = partition_text(type, *value);
    if (own && *own == text) return *value;
  }
  return make_error(ErrorCode::kPartitionSpecInvalidException,
                    "'{}' is not how a value of type {} is written in the name of a partition",
                    text,
                    type);
}

std::string folder_text(const DataType& type, const Value& value) {
  switch (type.root()) {
    case TypeRoot::kTime: {
      std::string text = partition_text_of_time(static_cast<int32_t>(value.as_integer()));
      text.resize(text.find('_'));  // in Paimon it has no precision
      std::replace(text.begin(), text.end(), '-', ':');
      return text;
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return timestamp_text(type, value);
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      return std::string(value.as_bytes());
    case TypeRoot::kFloat:
    case TypeRoot::kDouble: {
      std::string text = *partition_text(type, value);
      if (text.ends_with("Inf")) return text + "inity";
      std::replace(text.begin(), text.end(), '_', '.');
      return text;
    }
    default:
      return *partition_text(type, value);
  }
}

std::string escape_folder(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || kEscaped.find(c) != std::string_view::npos) {
      escaped += fmt::format("%{:02X}", byte);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

SimpleStats partition_stats(std::span<const DataType> types,
                            std::span<const std::string_view> rows) {
  Arena arena;
  std::vector<Value> min(types.size());
  std::vector<Value> max(types.size());
  std::vector<std::optional<int64_t>> nulls(types.size(), 0);
  for (std::string_view row : rows) {
    Result<std::span<const Value>> values = read_binary_row(types, row, &arena);
    if (!values) return SimpleStats{};
    for (size_t i = 0; i < types.size(); ++i) {
      const Value& value = (*values)[i];
      if (value.is_null()) {
        nulls[i] = *nulls[i] + 1;
        continue;
      }
      if (min[i].is_null() || less(value, min[i])) min[i] = value;
      if (max[i].is_null() || less(max[i], value)) max[i] = value;
    }
  }
  if (types.empty()) return SimpleStats{};
  return SimpleStats{.min_values = binary_row(types, min),
                     .max_values = binary_row(types, max),
                     .null_counts = std::move(nulls)};
}

}  // namespace lakestream::paimon
