#include "tiering/round_plan.h"

#include <optional>
#include <utility>

#include "base/logging.h"

namespace lakestream::tiering {
namespace {

using client::Admin;
using client::BucketOffset;
using client::LogRange;
using client::OffsetSpec;
using client::TableInfo;

// A table, or one partition of it.
struct Place {
  PhysicalTablePath path;
  std::optional<PartitionId> partition;
};

// Where the log of a bucket that is not in the lake begins for a round.
Status add_bucket(const TableInfo& info,
                  const Place& place,
                  const LogRange& present,
                  const LakeOffsets& offsets,
                  RoundPlan* plan) {
  auto tiered = offsets.find(present.bucket);
  LogRange range = present;
  if (tiered == offsets.end()) {
    if (info.descriptor.has_primary_key() && present.begin.value() > 0) {
      plan->states[place.path.partition.value_or("")].push_back(present.bucket);
      return ok();
    }
  } else if (tiered->second < present.begin) {
    if (info.descriptor.has_primary_key()) {
      return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                        "bucket {} of {}: the lake has its changes below {}, the log begins at {}; "
                        "drop the lake table and switch the lake off and on again to copy anew",
                        present.bucket.bucket,
                        place.path,
                        tiered->second,
                        present.begin);
    }
    LOG_WARN("tiering",
             "rows expired before they were in the lake",
             KV("table", fmt::to_string(place.path)),
             KV("bucket", present.bucket.bucket.value()),
             KV("begin", tiered->second.value()),
             KV("end", present.begin.value()));
  } else {
    range.begin = tiered->second;
  }
  if (!range.is_empty()) plan->ranges.push_back(range);
  return ok();
}

Task<Status> add_place(
    Admin admin, const TableInfo* info, Place place, const LakeOffsets* offsets, RoundPlan* plan) {
  std::vector<BucketId> all;
  // The ends first: what expires in between is no error.
  CO_ASSIGN_OR_RETURN(auto ends,
                      co_await admin.list_offsets(place.path, OffsetSpec::latest(), all));
  CO_ASSIGN_OR_RETURN(auto begins,
                      co_await admin.list_offsets(place.path, OffsetSpec::earliest(), all));
  std::map<BucketId, Offset> begin_of;
  for (const BucketOffset& begin : begins) begin_of[begin.bucket] = begin.offset;
  for (const BucketOffset& end : ends) {
    TableBucket bucket{info->id, place.partition, end.bucket};
    LogRange present{bucket, begin_of[end.bucket], end.offset};
    if (end.offset.value() <= 0) {
      bool is_known = info->descriptor.has_primary_key() || offsets->contains(bucket);
      if (!is_known) plan->unused.push_back(bucket);
      continue;
    }
    CO_RETURN_IF_ERROR(add_bucket(*info, place, present, *offsets, plan));
  }
  co_return ok();
}

}  // namespace

Task<Result<RoundPlan>> plan_round(std::shared_ptr<client::Connection> connection,
                                   TableInfo info,
                                   LakeOffsets offsets) {
  Admin admin(connection);
  RoundPlan plan;
  if (!info.descriptor.is_partitioned()) {
    PhysicalTablePath path{info.path, std::nullopt};
    Place place{std::move(path), std::nullopt};
    CO_RETURN_IF_ERROR(co_await add_place(admin, &info, std::move(place), &offsets, &plan));
    co_return plan;
  }
  PartitionSpec all;
  CO_ASSIGN_OR_RETURN(auto partitions, co_await admin.list_partitions(info.path, std::move(all)));
  for (client::PartitionInfo& partition : partitions) {
    PhysicalTablePath path{info.path, partition.name};
    Place place{std::move(path), partition.id};
    std::vector<std::string>& values = plan.partitions[partition.id];
    for (auto& [key, value] : partition.spec) values.push_back(std::move(value));
    Status added = co_await add_place(admin, &info, std::move(place), &offsets, &plan);
    // It was dropped meanwhile.
    if (!added && added.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!added) co_return fail(std::move(added).error());
  }
  co_return plan;
}

}  // namespace lakestream::tiering
