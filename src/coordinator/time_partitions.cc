#include "coordinator/time_partitions.h"

#include <algorithm>

namespace lakestream::coordinator {
namespace {

constexpr int64_t kMillisecondsPerSecond = 1000;
constexpr int64_t kSecondsPerHour = 3600;

int64_t seconds_of(TimestampMs time) {
  int64_t seconds = time.value() / kMillisecondsPerSecond;
  return time.value() % kMillisecondsPerSecond < 0 ? seconds - 1 : seconds;
}

}  // namespace

Result<std::optional<TimePartitions>> TimePartitions::of(const TableDescriptor& table,
                                                         const AutoPartitionOptions& options,
                                                         TimeZone zone) {
  std::optional<TimePartitions> none;
  const std::vector<std::string>& keys = table.partition_keys;
  if (!options.enabled && !options.time_format) return none;
  size_t key = 0;
  if (keys.size() > 1) {
    auto place = std::find(keys.begin(), keys.end(), options.key.value_or(""));
    if (place == keys.end()) return none;
    key = static_cast<size_t>(place - keys.begin());
  }
  PartitionTimeFormat format = PartitionTimeFormat::of_unit(options.unit);
  if (options.time_format) {
    ASSIGN_OR_RETURN(format, PartitionTimeFormat::parse(*options.time_format, options.unit));
  }
  return std::optional(TimePartitions(table, options, std::move(zone), std::move(format), key));
}

// Days and longer units follow the calendar of the zone. An hour is an hour, also on the night in
// which summer time begins.
std::string TimePartitions::value_at(TimestampMs now, int64_t offset) const {
  int64_t seconds = seconds_of(now);
  if (options_.unit == AutoPartitionUnit::kHour) {
    return format_.value(zone_.local_seconds(seconds + offset * kSecondsPerHour), 0);
  }
  return format_.value(zone_.local_seconds(seconds), offset);
}

std::optional<std::string> TimePartitions::oldest_kept(TimestampMs now) const {
  if (!options_.enabled || options_.retention_count < 0) return std::nullopt;
  return value_at(now, -int64_t{options_.retention_count});
}

Status TimePartitions::check_new(const ResolvedPartitionSpec& partition, TimestampMs now) const {
  const std::string& value = partition.values[key_];
  if (!format_.matches(value)) {
    return make_error(ErrorCode::kPartitionSpecInvalidException,
                      "partition value '{}' of '{}' is no time of this table, whose partitions "
                      "have values such as '{}'",
                      value,
                      keys_[key_],
                      value_at(now, 0));
  }
  std::optional<std::string> oldest = oldest_kept(now);
  // Values are of one width, so their order is that of time.
  if (!oldest || value >= *oldest) return ok();
  return make_error(ErrorCode::kPartitionSpecInvalidException,
                    "partition value '{}' of '{}' is too old: with "
                    "'table.auto-partition.num-retention' = {} the oldest that is kept is '{}'",
                    value,
                    keys_[key_],
                    options_.retention_count,
                    *oldest);
}

bool TimePartitions::is_expired(std::string_view name, TimestampMs now) const {
  std::optional<std::string> oldest = oldest_kept(now);
  if (!oldest) return false;
  Result<ResolvedPartitionSpec> partition = partition_of_name(keys_, name);
  if (!partition) return false;
  const std::string& value = partition->values[key_];
  return format_.matches(value) && value < *oldest;
}

std::vector<std::string> TimePartitions::wanted(TimestampMs now, Duration spread) const {
  std::vector<std::string> names;
  if (!options_.enabled || keys_.size() > 1 || options_.precreate_count <= 0) return names;
  names.push_back(value_at(now, 0));
  auto later = std::chrono::duration_cast<std::chrono::milliseconds>(spread).count();
  TimestampMs from(now.value() - later);
  for (int32_t i = 0; i < options_.precreate_count; ++i) {
    std::string name = value_at(from, i);
    if (name > names.back()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace lakestream::coordinator
