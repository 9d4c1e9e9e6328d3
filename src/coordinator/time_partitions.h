#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "coordinator/time_zone.h"
#include "io/clock.h"
#include "table/descriptor.h"
#include "table/options.h"
#include "table/partition.h"

// What the time says about the partitions of a table: which ones it should have, which ones are too
// old, and what the value of a new one may be. Partitions whose value is no time of the table's
// format are nobody's business here; they stay.
//
// Thread rule: values and pure functions, any thread.
//
//   ASSIGN_OR_RETURN(auto partitions, TimePartitions::of(descriptor, options, zone));
//   if (partitions && partitions->is_expired(name, now)) drop(name);
namespace lakestream::coordinator {

class TimePartitions {
 public:
  // Nothing for a table whose partitions need not be times. kInvalidTableException.
  static Result<std::optional<TimePartitions>> of(const TableDescriptor& table,
                                                  const AutoPartitionOptions& options,
                                                  TimeZone zone);

  // Whether a user may create the partition. kPartitionSpecInvalidException.
  Status check_new(const ResolvedPartitionSpec& partition, TimestampMs now) const;
  // Whether nothing is kept of so old a partition.
  bool is_expired(std::string_view name, TimestampMs now) const;
  // The partitions that there should be, the current one first. Those of later times are due
  // `spread` later, so that not all tables create theirs in one moment.
  std::vector<std::string> wanted(TimestampMs now, Duration spread) const;

 private:
  TimePartitions(const TableDescriptor& table,
                 const AutoPartitionOptions& options,
                 TimeZone zone,
                 PartitionTimeFormat format,
                 size_t key)
      : keys_(table.partition_keys),
        options_(options),
        zone_(std::move(zone)),
        format_(std::move(format)),
        key_(key) {}

  std::string value_at(TimestampMs now, int64_t offset) const;
  std::optional<std::string> oldest_kept(TimestampMs now) const;

  std::vector<std::string> keys_;
  AutoPartitionOptions options_;
  TimeZone zone_;
  PartitionTimeFormat format_;
  size_t key_;  // the position of the one that holds the time
};

}  // namespace lakestream::coordinator
