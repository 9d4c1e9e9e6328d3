#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::ListKvSnapshotsResponse>> list_kv_snapshots_api(
    wire::ListKvSnapshotsRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  PhysicalTableId id{TableId(request.table_id), std::nullopt};
  if (request.partition_id) id.partition = PartitionId(*request.partition_id);
  auto list = [coordinator, id] { return coordinator->list_kv_snapshots(id); };
  CO_ASSIGN_OR_RETURN(std::vector<BucketSnapshot> snapshots,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(list)));
  wire::ListKvSnapshotsResponse response;
  response.table_id = request.table_id;
  response.partition_id = request.partition_id;
  for (const BucketSnapshot& snapshot : snapshots) {
    wire::PbKvSnapshot listed;
    listed.bucket_id = snapshot.bucket.bucket.value();
    listed.snapshot_id = snapshot.id.value();
    response.active_snapshots.push_back(std::move(listed));
  }
  co_return response;
}

}  // namespace lakestream::coordinator
