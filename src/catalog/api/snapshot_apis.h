#pragma once

#include "base/result.h"
#include "catalog/api/api.h"
#include "wire/messages.h"

// The read APIs of snapshots, which every role answers from the metadata store and remote storage.
//
// Thread rule: called on the shard of the connection; they wait for the pool.
//
//   auto answer = co_await get_latest_kv_snapshots(std::move(request), call, &context);
namespace lakestream {

// kTableNotExist, kNonPrimaryKeyTableException, kTableNotPartitionedException, kPartitionNotExists.
Task<Result<wire::GetLatestKvSnapshotsResponse>> get_latest_kv_snapshots(
    wire::GetLatestKvSnapshotsRequest request,
    rpc::RequestContext call,
    const CatalogContext* context);
// kKvSnapshotNotExist.
Task<Result<wire::GetKvSnapshotMetadataResponse>> get_kv_snapshot_metadata(
    wire::GetKvSnapshotMetadataRequest request,
    rpc::RequestContext call,
    const CatalogContext* context);

}  // namespace lakestream
