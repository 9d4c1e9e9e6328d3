#include "coordinator/assignment.h"

#include "catalog/entries.h"

namespace lakestream::coordinator {

Result<AssignmentRecord> make_assignment(const AssignmentRequest& request,
                                         const std::vector<ServerId>& servers,
                                         Random& random) {
  auto replicas = static_cast<size_t>(request.replication_factor);
  if (request.replication_factor <= 0 || replicas > servers.size()) {
    return make_error(
        ErrorCode::kInvalidReplicationFactor,
        "replication factor {}: must be from 1 to the number of live tablet servers that are not "
        "tagged as offline for good, {}",
        request.replication_factor,
        servers.size());
  }
  AssignmentRecord record;
  size_t count = servers.size();
  size_t start = random.below(count);
  size_t shift = random.below(count);
  for (int32_t bucket = 0; bucket < request.bucket_count; ++bucket) {
    auto index = static_cast<size_t>(bucket);
    // A new distance after each round over the servers.
    if (index > 0 && index % count == 0) ++shift;
    size_t first = (start + index) % count;
    std::vector<ServerId>& ids = record.buckets[BucketId(bucket)];
    ids.push_back(servers[first]);
    for (size_t i = 1; i < replicas; ++i) {
      size_t distance = 1 + (shift + i - 1) % (count - 1);
      ids.push_back(servers[(first + distance) % count]);
    }
  }
  return record;
}

std::vector<BucketEntry> first_leaders(const AssignmentRecord& assignment) {
  std::vector<BucketEntry> buckets;
  for (const auto& [bucket, replicas] : assignment.buckets) {
    buckets.push_back(BucketEntry{.bucket = bucket,
                                  .replicas = replicas,
                                  .leader = replicas.front(),
                                  .leader_epoch = LeaderEpoch(0),
                                  .bucket_epoch = 0,
                                  .isr = replicas});
  }
  return buckets;
}

AssignmentRecord assignment_of(const std::vector<BucketEntry>& buckets) {
  AssignmentRecord record;
  for (const BucketEntry& bucket : buckets) record.buckets[bucket.bucket] = bucket.replicas;
  return record;
}

std::vector<MetaOp> placement_of(const PhysicalTableId& id,
                                 AssignmentRecord assignment,
                                 const std::vector<BucketEntry>& buckets,
                                 int32_t coordinator_epoch) {
  std::vector<MetaOp> ops;
  if (buckets.empty()) return ops;
  if (id.partition) assignment.table = id.table;
  ops.push_back(MetaOp::create(paths::assignment(id), encode(assignment)));
  ops.push_back(MetaOp::create(paths::buckets(id), {}));
  for (const BucketEntry& entry : buckets) {
    TableBucket bucket = bucket_of(id, entry.bucket);
    ops.push_back(MetaOp::create(paths::bucket(bucket), {}));
    ops.push_back(
        MetaOp::create(paths::leader_isr(bucket), encode(record_of(entry, coordinator_epoch))));
  }
  return ops;
}

}  // namespace lakestream::coordinator
