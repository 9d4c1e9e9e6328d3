#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::ListKvSnapshotsResponse>> list_kv_snapshots_api(
    wire::ListKvSnapshotsRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  TableId table(request.table_id);
  auto list = [coordinator, table] { return coordinator->list_kv_snapshots(table); };
  CO_ASSIGN_OR_RETURN(std::vector<BucketSnapshot> snapshots,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(list)));
  if (request.partition_id) {
    co_return make_error(ErrorCode::kPartitionNotExists,
                         "table {} has no partition {}",
                         table,
                         *request.partition_id);
  }
  wire::ListKvSnapshotsResponse response;
  response.table_id = table.value();
  for (const BucketSnapshot& snapshot : snapshots) {
    wire::PbKvSnapshot listed;
    listed.bucket_id = snapshot.bucket.bucket.value();
    listed.snapshot_id = snapshot.id.value();
    response.active_snapshots.push_back(std::move(listed));
  }
  co_return response;
}

}  // namespace lakestream::coordinator
