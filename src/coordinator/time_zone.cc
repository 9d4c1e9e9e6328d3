#include "coordinator/time_zone.h"

#include <algorithm>
#include <chrono>

#include <cctz/time_zone.h>

namespace lakestream::coordinator {
namespace {

constexpr int64_t kOffsetMax = 18 * 3600;
constexpr size_t kNameMax = 64;

std::optional<int64_t> one_or_two_digits(std::string_view text) {
  if (text.empty() || text.size() > 2) return std::nullopt;
  int64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

// "2", "02", "02:00" and "0200" in seconds.
std::optional<int64_t> offset_of(std::string_view text) {
  size_t colon = text.find(':');
  std::string_view hours = text.substr(0, colon);
  std::string_view minutes = "00";
  if (colon != std::string_view::npos) {
    minutes = text.substr(colon + 1);
  } else if (text.size() == 4) {
    hours = text.substr(0, 2);
    minutes = text.substr(2);
  }
  std::optional<int64_t> hour = one_or_two_digits(hours);
  std::optional<int64_t> minute = one_or_two_digits(minutes);
  if (minutes.size() != 2 || !hour || !minute || *minute > 59) return std::nullopt;
  int64_t seconds = *hour * 3600 + *minute * 60;
  return seconds <= kOffsetMax ? std::optional(seconds) : std::nullopt;
}

// The library reads any file that a name leads to.
bool may_be_region(std::string_view name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  };
  return !name.empty() && name.size() <= kNameMax && name.front() != '/' && name.back() != '/' &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

std::optional<TimeZone> TimeZone::fixed(std::string_view name) {
  for (std::string_view utc : {"Etc/UTC", "UTC", "GMT", "UT", "Z"}) {
    if (!name.starts_with(utc)) continue;
    name.remove_prefix(utc.size());
    if (name.empty()) return TimeZone();
    break;
  }
  if (name.empty() || (name[0] != '+' && name[0] != '-')) return std::nullopt;
  std::optional<int64_t> offset = offset_of(name.substr(1));
  if (!offset) return std::nullopt;
  TimeZone zone;
  zone.offset_ = name[0] == '-' ? -*offset : *offset;
  return zone;
}

Result<TimeZone> TimeZone::region(const std::string& name) {
  cctz::time_zone found;
  if (!may_be_region(name) || !cctz::load_time_zone(name, &found)) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "time zone '{}' is not known to this system; use a region such as "
                      "Europe/Berlin, for which the system needs its time zone database "
                      "(tzdata), or a distance such as +02:00",
                      name);
  }
  TimeZone zone;
  zone.region_ = std::make_shared<const cctz::time_zone>(found);
  return zone;
}

int64_t TimeZone::local_seconds(int64_t utc_seconds) const {
  if (region_ == nullptr) return utc_seconds + offset_;
  cctz::time_point<cctz::seconds> at{cctz::seconds(utc_seconds)};
  return utc_seconds + region_->lookup(at).offset;
}

}  // namespace lakestream::coordinator
