#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::ListRemoteLogManifestsResponse>> list_remote_log_manifests_api(
    wire::ListRemoteLogManifestsRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  PhysicalTableId id{TableId(request.table_id), std::nullopt};
  if (request.partition_id) id.partition = PartitionId(*request.partition_id);
  auto list = [coordinator, id] { return coordinator->list_remote_logs(id); };
  CO_ASSIGN_OR_RETURN(std::vector<RemoteLogManifestPlace> places,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(list)));
  wire::ListRemoteLogManifestsResponse response;
  for (RemoteLogManifestPlace& place : places) {
    wire::PbRemoteLogManifestEntry& entry = response.manifests.emplace_back();
    entry.table_bucket.table_id = place.bucket.table.value();
    entry.table_bucket.partition_id = request.partition_id;
    entry.table_bucket.bucket_id = place.bucket.bucket.value();
    entry.remote_log_manifest_path = std::move(place.manifest_path);
    entry.remote_log_end_offset = place.end_offset.value();
  }
  co_return response;
}

}  // namespace lakestream::coordinator
