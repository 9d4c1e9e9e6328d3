#pragma once

#include <compare>
#include <optional>

#include <fmt/format.h>

#include "table/path.h"

// What buckets belong to, by ids: a table, or one partition of a partitioned table. By names it is
// a PhysicalTablePath (path.h).
//
// Thread rule: values, any thread.
//
//   PhysicalTableId id = owner_of(bucket);
//   TableBucket next = bucket_of(id, BucketId(bucket.bucket.value() + 1));
//   LOG("{} is gone", id);  // "table 7 partition 3 is gone"
namespace lakestream {

struct PhysicalTableId {
  TableId table;
  std::optional<PartitionId> partition;

  friend auto operator<=>(const PhysicalTableId&, const PhysicalTableId&) = default;
};

inline PhysicalTableId owner_of(const TableBucket& bucket) {
  return {bucket.table, bucket.partition};
}

inline TableBucket bucket_of(const PhysicalTableId& id, BucketId bucket) {
  return {id.table, id.partition, bucket};
}

}  // namespace lakestream

// "table 7" or "table 7 partition 3"
template <>
struct fmt::formatter<lakestream::PhysicalTableId> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const lakestream::PhysicalTableId& id, Context& context) const {
    if (!id.partition) return fmt::format_to(context.out(), "table {}", id.table);
    return fmt::format_to(context.out(), "table {} partition {}", id.table, *id.partition);
  }
};
