#include "lake/paimon/partition_expiry.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/config.h"

namespace lakestream::paimon {
namespace {

constexpr std::string_view kTimeOption = "partition.expiration-time";
constexpr std::string_view kStrategyOption = "partition.expiration-strategy";
constexpr std::string_view kPatternOption = "partition.timestamp-pattern";
constexpr std::string_view kFormatterOption = "partition.timestamp-formatter";
constexpr std::string_view kMaxOption = "partition.expiration-max-num";

enum class Strategy : uint8_t { kValuesTime, kUpdateTime };

struct Rules {
  std::chrono::milliseconds age{0};
  Strategy strategy = Strategy::kValuesTime;
  std::string pattern = {};  // empty: the first value
  std::string formatter = {};
  size_t max = 100;
};

tl::unexpected<Error> wrong(std::string_view key, std::string_view value, std::string_view rule) {
  return make_error(ErrorCode::kInvalidTableException,
                    "option {} of the Paimon table is '{}'; {}",
                    key,
                    value,
                    rule);
}

// A moment of UTC in its parts.
struct Moment {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;

  std::optional<TimestampMs> time() const {
    std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)));
    if (year > 9999 || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return TimestampMs((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000);
  }
};

// Takes so many digits off the front.
bool take_number(std::string_view* text, size_t digits, int64_t* value) {
  if (text->size() < digits) return false;
  auto [end, error] = std::from_chars(text->data(), text->data() + digits, *value);
  if (error != std::errc() || end != text->data() + digits || *value < 0) return false;
  text->remove_prefix(digits);
  return true;
}

bool take(std::string_view* text, std::string_view literal) {
  if (!text->starts_with(literal)) return false;
  text->remove_prefix(literal.size());
  return true;
}

int64_t* part_of(Moment* moment, std::string_view letters) {
  if (letters == "yyyy" || letters == "uuuu") return &moment->year;
  if (letters == "MM") return &moment->month;
  if (letters == "dd") return &moment->day;
  if (letters == "HH") return &moment->hour;
  if (letters == "mm") return &moment->minute;
  if (letters == "ss") return &moment->second;
  return nullptr;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// One part of a formatter, which it is cut off from: letters of a kind, or a text.
struct FormatPart {
  std::string_view letters = {};
  std::string_view literal = {};
};

FormatPart take_part(std::string_view* formatter) {
  char first = formatter->front();
  size_t end = 1;
  if (first == '\'') {
    end = std::min(formatter->find('\'', 1), formatter->size() - 1) + 1;
    FormatPart part{.literal = formatter->substr(1, end > 1 ? end - 2 : 0)};
    formatter->remove_prefix(end);
    return part;
  }
  if (is_letter(first)) {
    while (end < formatter->size() && (*formatter)[end] == first) ++end;
  }
  std::string_view text = formatter->substr(0, end);
  formatter->remove_prefix(end);
  return is_letter(first) ? FormatPart{.letters = text} : FormatPart{.literal = text};
}

bool is_supported(std::string_view formatter) {
  Moment moment;
  while (!formatter.empty()) {
    FormatPart part = take_part(&formatter);
    if (!part.letters.empty() && part_of(&moment, part.letters) == nullptr) return false;
  }
  return true;
}

std::optional<TimestampMs> parse_time(std::string_view formatter, std::string_view text) {
  Moment moment;
  while (!formatter.empty()) {
    FormatPart part = take_part(&formatter);
    bool taken = part.letters.empty()
                     ? take(&text, part.literal)
                     : take_number(&text, part.letters.size(), part_of(&moment, part.letters));
    if (!taken) return std::nullopt;
  }
  return text.empty() ? moment.time() : std::nullopt;
}

std::optional<TimestampMs> time_of(const Rules& rules, std::string_view text) {
  if (!rules.formatter.empty()) return parse_time(rules.formatter, text);
  for (std::string_view formatter :
       {"yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss"}) {
    if (auto time = parse_time(formatter, text)) return time;
  }
  return std::nullopt;
}

// Nothing when partitions stay for ever.
Result<std::optional<Rules>> rules_of(const PaimonSchema& schema) {
  auto option = [&](std::string_view key) -> std::optional<std::string> {
    auto found = schema.options.find(key);
    return found == schema.options.end() ? std::nullopt : std::optional(found->second);
  };
  std::optional<std::string> age = option(kTimeOption);
  if (!age) return std::optional<Rules>();
  Rules rules;
  Result<std::chrono::milliseconds> parsed = parse_duration(*age);
  if (!parsed) return wrong(kTimeOption, *age, "give a time, such as 7 d");
  rules.age = *parsed;
  if (schema.partition_keys.empty()) {
    return wrong(kTimeOption, *age, "a table without partitions can not have it");
  }
  std::string strategy = option(kStrategyOption).value_or("values-time");
  if (strategy != "values-time" && strategy != "update-time") {
    return wrong(kStrategyOption, strategy, "take values-time or update-time");
  }
  rules.strategy = strategy == "update-time" ? Strategy::kUpdateTime : Strategy::kValuesTime;
  rules.pattern = option(kPatternOption).value_or("");
  rules.formatter = option(kFormatterOption).value_or("");
  if (!is_supported(rules.formatter)) {
    return wrong(
        kFormatterOption, rules.formatter, "only yyyy, MM, dd, HH, mm and ss are supported");
  }
  if (std::optional<std::string> max = option(kMaxOption)) {
    Result<int64_t> count = parse_integer(*max);
    if (!count || *count < 1) return wrong(kMaxOption, *max, "give a number from 1 on");
    rules.max = static_cast<size_t>(*count);
  }
  return std::optional(std::move(rules));
}

void replace_all(std::string* text, const std::string& from, const std::string& to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at)) {
    text->replace(at, from.size(), to);
    at += to.size();
  }
}

std::string time_text(const Rules& rules,
                      const std::vector<std::string>& keys,
                      const std::vector<std::string>& values) {
  if (rules.pattern.empty()) return values.front();
  // Longer names first: "$day" is no "$da" with a y behind it.
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < keys.size(); ++i) pairs.emplace_back("$" + keys[i], values[i]);
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return a.first.size() > b.first.size();
  });
  std::string text = rules.pattern;
  for (const auto& [name, value] : pairs) replace_all(&text, name, value);
  return text;
}

using Buckets = std::vector<LiveFiles::const_iterator>;

// The time by which a partition is as old as it is; nothing when it names none.
Result<std::optional<TimestampMs>> age_mark(const Rules& rules,
                                            const Partitioning& partitioning,
                                            const std::string& row,
                                            const Buckets& buckets) {
  if (rules.strategy == Strategy::kUpdateTime) {
    int64_t newest = 0;
    for (const auto& bucket : buckets) {
      for (const ManifestEntry& entry : *bucket->second) {
        newest = std::max(newest, entry.file.created_ms);
      }
    }
    return std::optional(TimestampMs(newest));
  }
  ASSIGN_OR_RETURN(std::vector<std::string> values, partitioning.values_of(row));
  return time_of(rules, time_text(rules, partitioning.keys(), values));
}

}  // namespace

Status check_partition_expiry(const PaimonSchema& schema) {
  ASSIGN_OR_RETURN([[maybe_unused]] std::optional<Rules> rules, rules_of(schema));
  return ok();
}

Result<std::vector<WrittenFiles>> expired_partitions(const PaimonSchema& schema,
                                                     const Partitioning& partitioning,
                                                     const LiveFiles& live,
                                                     TimestampMs now) {
  std::vector<WrittenFiles> gone;
  ASSIGN_OR_RETURN(std::optional<Rules> rules, rules_of(schema));
  if (!rules) return gone;
  TimestampMs oldest(now.value() - rules->age.count());
  std::map<std::string, Buckets> partitions;
  for (auto bucket = live.begin(); bucket != live.end(); ++bucket) {
    partitions[bucket->first.first].push_back(bucket);
  }
  std::vector<std::pair<TimestampMs, const Buckets*>> expired;
  for (const auto& [row, buckets] : partitions) {
    ASSIGN_OR_RETURN(std::optional<TimestampMs> mark, age_mark(*rules, partitioning, row, buckets));
    if (mark && *mark < oldest) expired.emplace_back(*mark, &buckets);
  }
  std::sort(expired.begin(), expired.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  if (expired.size() > rules->max) expired.resize(rules->max);
  for (const auto& [mark, buckets] : expired) {
    for (const auto& bucket : *buckets) {
      const auto& [place, entries] = *bucket;
      WrittenFiles removed;
      ASSIGN_OR_RETURN(
          removed.place,
          partitioning.place_of(place.first, place.second, entries->front().total_buckets));
      for (const ManifestEntry& entry : *entries) removed.removed.push_back(entry.file);
      gone.push_back(std::move(removed));
    }
  }
  return gone;
}

}  // namespace lakestream::paimon
