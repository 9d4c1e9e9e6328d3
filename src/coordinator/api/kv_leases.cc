#include <map>
#include <utility>

#include "coordinator/api/table_rights.h"
#include "coordinator/api/write_apis.h"
#include "coordinator/lifetimes.h"

namespace lakestream::coordinator {
namespace {

std::vector<BucketSnapshot> to_snapshots(
    const std::vector<wire::PbKvSnapshotLeaseForTable>& tables) {
  std::vector<BucketSnapshot> snapshots;
  for (const wire::PbKvSnapshotLeaseForTable& table : tables) {
    for (const wire::PbKvSnapshotLeaseForBucket& bucket : table.bucket_snapshots) {
      BucketSnapshot snapshot;
      snapshot.bucket.table = TableId(table.table_id);
      if (bucket.partition_id) snapshot.bucket.partition = PartitionId(*bucket.partition_id);
      snapshot.bucket.bucket = BucketId(bucket.bucket_id);
      snapshot.id = KvSnapshotId(bucket.snapshot_id);
      snapshots.push_back(snapshot);
    }
  }
  return snapshots;
}

std::vector<wire::PbKvSnapshotLeaseForTable> by_table(
    const std::vector<BucketSnapshot>& snapshots) {
  std::map<TableId, wire::PbKvSnapshotLeaseForTable> tables;
  for (const BucketSnapshot& snapshot : snapshots) {
    wire::PbKvSnapshotLeaseForTable& table = tables[snapshot.bucket.table];
    table.table_id = snapshot.bucket.table.value();
    wire::PbKvSnapshotLeaseForBucket bucket;
    if (snapshot.bucket.partition) bucket.partition_id = snapshot.bucket.partition->value();
    bucket.bucket_id = snapshot.bucket.bucket.value();
    bucket.snapshot_id = snapshot.id.value();
    table.bucket_snapshots.push_back(std::move(bucket));
  }
  std::vector<wire::PbKvSnapshotLeaseForTable> result;
  for (auto& [id, table] : tables) result.push_back(std::move(table));
  return result;
}

// Who changes a lease may read each table that it has snapshots of.
Task<Status> check_readable(std::string lease, rpc::RequestContext call, Coordinator* coordinator) {
  if (!checks_rights(*coordinator)) co_return ok();
  auto get = [coordinator, lease = std::move(lease)]() mutable {
    return coordinator->kv_lease_tables(std::move(lease));
  };
  CO_ASSIGN_OR_RETURN(std::vector<TableId> tables,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(get)));
  co_return check_tables(*coordinator, call, security::Operation::kRead, tables);
}

}  // namespace

Task<Result<wire::AcquireKvSnapshotLeaseResponse>> acquire_kv_snapshot_lease_api(
    wire::AcquireKvSnapshotLeaseRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  CO_RETURN_IF_ERROR(co_await check_readable(request.lease_id, call, coordinator));
  auto acquire = [coordinator,
                  id = std::move(request.lease_id),
                  duration = lifetime_of(request.lease_duration_ms),
                  wanted = to_snapshots(request.snapshots_to_lease)]() mutable {
    return coordinator->acquire_kv_lease(std::move(id), duration, std::move(wanted));
  };
  CO_ASSIGN_OR_RETURN(std::vector<BucketSnapshot> unavailable,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(acquire)));
  wire::AcquireKvSnapshotLeaseResponse response;
  response.unavailable_snapshots = by_table(unavailable);
  co_return response;
}

Task<Result<wire::ReleaseKvSnapshotLeaseResponse>> release_kv_snapshot_lease_api(
    wire::ReleaseKvSnapshotLeaseRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  std::vector<TableBucket> buckets;
  for (const wire::PbTableBucket& bucket : request.buckets_to_release) {
    TableBucket named{TableId(bucket.table_id), std::nullopt, BucketId(bucket.bucket_id)};
    if (bucket.partition_id) named.partition = PartitionId(*bucket.partition_id);
    buckets.push_back(named);
  }
  auto release =
      [coordinator, id = std::move(request.lease_id), buckets = std::move(buckets)]() mutable {
        return coordinator->release_kv_lease(std::move(id), std::move(buckets));
      };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(release)));
  co_return wire::ReleaseKvSnapshotLeaseResponse{};
}

Task<Result<wire::DropKvSnapshotLeaseResponse>> drop_kv_snapshot_lease_api(
    wire::DropKvSnapshotLeaseRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  CO_RETURN_IF_ERROR(co_await check_readable(request.lease_id, call, coordinator));
  auto drop = [coordinator, id = std::move(request.lease_id)]() mutable {
    return coordinator->drop_kv_lease(std::move(id));
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(drop)));
  co_return wire::DropKvSnapshotLeaseResponse{};
}

}  // namespace lakestream::coordinator
