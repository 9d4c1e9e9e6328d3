#include "catalog/kv_snapshots.h"

#include <utility>

#include "catalog/api/lookup.h"
#include "catalog/api/snapshot_apis.h"
#include "io/object_store.h"
#include "io/pool.h"
#include "meta/meta.h"

namespace lakestream {
namespace {

using Latest = std::vector<std::optional<KvSnapshotRecord>>;  // by bucket

Result<Latest> load_latest(MetaStore& store, const PhysicalTableId& id, int32_t bucket_count) {
  Latest latest;
  for (int32_t number = 0; number < bucket_count; ++number) {
    TableBucket bucket = bucket_of(id, BucketId(number));
    ASSIGN_OR_RETURN(std::vector<KvSnapshotRecord> records, load_kv_snapshots(store, bucket));
    latest.emplace_back();
    if (!records.empty()) latest.back() = std::move(records.back());
  }
  return latest;
}

// What is wrong with the snapshot is that it can not be read: the client's code for that.
Result<KvSnapshot> load_snapshot(MetaStore& store,
                                 ObjectStore& objects,
                                 const TableBucket& bucket,
                                 KvSnapshotId id) {
  ASSIGN_OR_RETURN(std::optional<KvSnapshotRecord> record, find_kv_snapshot(store, bucket, id));
  if (record) return read_kv_snapshot(objects, bucket, *record);
  return make_error(ErrorCode::kKvSnapshotNotExist,
                    "snapshot {} of {} does not exist; ask for the latest ones",
                    id,
                    bucket);
}

// The table, or the partition of it, whose snapshots are asked for.
Result<PhysicalTableId> place_of(const CatalogSnapshot& catalog,
                                 const TableEntry& table,
                                 const std::optional<std::string>& partition) {
  bool is_partitioned = table.descriptor.is_partitioned();
  if (!table.descriptor.schema.has_primary_key()) {
    return make_error(ErrorCode::kNonPrimaryKeyTableException,
                      "table {} has no primary key; only tables with one have snapshots",
                      table.path);
  }
  if (partition && !is_partitioned) {
    return make_error(ErrorCode::kTableNotPartitionedException,
                      "table {} is not partitioned; ask without partition '{}'",
                      table.path,
                      *partition);
  }
  if (!is_partitioned) return PhysicalTableId{table.id, std::nullopt};
  std::shared_ptr<const PartitionEntry> found =
      catalog.partitions(table.id).find(partition.value_or(""));
  if (found != nullptr) return PhysicalTableId{table.id, found->id};
  return make_error(ErrorCode::kPartitionNotExists,
                    "table {} is partitioned and has no partition '{}'",
                    table.path,
                    partition.value_or(""));
}

}  // namespace

Task<Result<wire::GetLatestKvSnapshotsResponse>> get_latest_kv_snapshots(
    wire::GetLatestKvSnapshotsRequest request,
    rpc::RequestContext call,
    const CatalogContext* context) {
  const CatalogSnapshot& catalog = context->catalog.on(*call.shard);
  CO_ASSIGN_OR_RETURN(auto table, require_table(catalog, request.table_path));
  CO_ASSIGN_OR_RETURN(PhysicalTableId id, place_of(catalog, *table, request.partition_name));
  MetaStore* store = context->store;
  auto count = static_cast<int32_t>(catalog.find_buckets(id)->size());
  auto load = [store, id, count] { return load_latest(*store, id, count); };
  Result<Latest> latest = co_await run_on_pool(*context->pool, *call.shard, std::move(load));
  if (!latest) co_return fail(std::move(latest).error());
  wire::GetLatestKvSnapshotsResponse response;
  response.table_id = id.table.value();
  if (id.partition) response.partition_id = id.partition->value();
  for (int32_t number = 0; number < count; ++number) {
    const std::optional<KvSnapshotRecord>& record = (*latest)[static_cast<size_t>(number)];
    wire::PbKvSnapshot snapshot;
    snapshot.bucket_id = number;
    if (record) {
      snapshot.snapshot_id = record->id.value();
      snapshot.log_offset = record->log_offset.value();
    }
    response.latest_snapshots.push_back(std::move(snapshot));
  }
  co_return response;
}

Task<Result<wire::GetKvSnapshotMetadataResponse>> get_kv_snapshot_metadata(
    wire::GetKvSnapshotMetadataRequest request,
    rpc::RequestContext call,
    const CatalogContext* context) {
  TableBucket bucket{TableId(request.table_id), std::nullopt, BucketId(request.bucket_id)};
  if (request.partition_id) bucket.partition = PartitionId(*request.partition_id);
  MetaStore* store = context->store;
  ObjectStore* objects = context->objects;
  KvSnapshotId id(request.snapshot_id);
  auto load = [store, objects, bucket, id] { return load_snapshot(*store, *objects, bucket, id); };
  Result<KvSnapshot> snapshot = co_await run_on_pool(*context->pool, *call.shard, std::move(load));
  if (!snapshot) co_return fail(std::move(snapshot).error());
  wire::GetKvSnapshotMetadataResponse response;
  response.log_offset = snapshot->log_offset.value();
  for (auto* files : {&snapshot->shared_files, &snapshot->private_files}) {
    for (KvSnapshotFile& file : *files) {
      wire::PbRemotePathAndLocalFile pair;
      pair.remote_path = std::move(file.path);
      pair.local_file_name = std::move(file.local_name);
      response.snapshot_files.push_back(std::move(pair));
    }
  }
  co_return response;
}

}  // namespace lakestream
