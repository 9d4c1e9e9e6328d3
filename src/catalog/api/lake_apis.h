#pragma once

#include "base/result.h"
#include "catalog/api/api.h"
#include "wire/messages.h"

// The read API of the lake, which every role answers from the metadata store and remote storage.
//
// Thread rule: called on the shard of the connection; it waits for the pool.
//
//   auto answer = co_await get_lake_snapshot(std::move(request), call, &context);
namespace lakestream {

// kTableNotExist, kLakeSnapshotNotExist.
Task<Result<wire::GetLakeSnapshotResponse>> get_lake_snapshot(wire::GetLakeSnapshotRequest request,
                                                              rpc::RequestContext call,
                                                              const CatalogContext* context);

}  // namespace lakestream
