#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cctz {
class time_zone;
}

// How far local time is from UTC, at any time. A zone is a fixed distance ("UTC", "Z", "+02:00",
// "GMT-5"), or a region ("Europe/Berlin") of the system's time zone database.
//
// Thread rule: values, any thread.
//
//   std::optional<TimeZone> zone = TimeZone::fixed(name);
//   if (!zone) ASSIGN_OR_RETURN(zone, TimeZone::region(name));
//   int64_t local = zone->local_seconds(utc_seconds);
namespace lakestream::coordinator {

class TimeZone {
 public:
  // UTC.
  TimeZone() = default;
  // Empty for a name that is none of a fixed distance.
  static std::optional<TimeZone> fixed(std::string_view name);
  // Reads the description of the region, so not for a shard. kInvalidConfigException.
  static Result<TimeZone> region(const std::string& name);

  // Both since 1970-01-01 00:00.
  int64_t local_seconds(int64_t utc_seconds) const;

 private:
  int64_t offset_ = 0;
  std::shared_ptr<const cctz::time_zone> region_;
};

}  // namespace lakestream::coordinator
