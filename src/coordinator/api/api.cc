#include "coordinator/api/api.h"

#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {
namespace {

using wire::ApiKey;

template <ApiKey key, auto handler>
void add(rpc::ApiTable& apis, Coordinator& coordinator) {
  apis.add<key>([to = &coordinator](typename wire::ApiTraits<key>::Request request,
                                    rpc::RequestContext call) {
    return handler(std::move(request), std::move(call), to);
  });
}

}  // namespace

void register_coordinator_apis(rpc::ApiTable& apis, Coordinator& coordinator) {
  add<ApiKey::kCreateAcls, create_acls_api>(apis, coordinator);
  add<ApiKey::kDropAcls, drop_acls_api>(apis, coordinator);
  add<ApiKey::kCreateDatabase, create_database_api>(apis, coordinator);
  add<ApiKey::kAlterDatabase, alter_database_api>(apis, coordinator);
  add<ApiKey::kDropDatabase, drop_database_api>(apis, coordinator);
  add<ApiKey::kCreateTable, create_table_api>(apis, coordinator);
  add<ApiKey::kAlterTable, alter_table_api>(apis, coordinator);
  add<ApiKey::kDropTable, drop_table_api>(apis, coordinator);
  add<ApiKey::kCreatePartition, create_partition_api>(apis, coordinator);
  add<ApiKey::kDropPartition, drop_partition_api>(apis, coordinator);
  add<ApiKey::kAcquireKvSnapshotLease, acquire_kv_snapshot_lease_api>(apis, coordinator);
  add<ApiKey::kReleaseKvSnapshotLease, release_kv_snapshot_lease_api>(apis, coordinator);
  add<ApiKey::kDropKvSnapshotLease, drop_kv_snapshot_lease_api>(apis, coordinator);
  add<ApiKey::kListKvSnapshots, list_kv_snapshots_api>(apis, coordinator);
  add<ApiKey::kListRemoteLogManifests, list_remote_log_manifests_api>(apis, coordinator);
  add<ApiKey::kRegisterProducerOffsets, register_producer_offsets_api>(apis, coordinator);
  add<ApiKey::kGetProducerOffsets, get_producer_offsets_api>(apis, coordinator);
  add<ApiKey::kDeleteProducerOffsets, delete_producer_offsets_api>(apis, coordinator);
  add<ApiKey::kLakeTieringHeartbeat, lake_tiering_heartbeat_api>(apis, coordinator);
  add<ApiKey::kPrepareLakeTableSnapshot, prepare_lake_table_snapshot_api>(apis, coordinator);
  add<ApiKey::kCommitLakeTableSnapshot, commit_lake_table_snapshot_api>(apis, coordinator);
  add<ApiKey::kAlterClusterConfigs, alter_cluster_configs_api>(apis, coordinator);
  add<ApiKey::kAddServerTag, add_server_tag_api>(apis, coordinator);
  add<ApiKey::kRemoveServerTag, remove_server_tag_api>(apis, coordinator);
  add<ApiKey::kAddServerTagByRack, add_server_tag_by_rack_api>(apis, coordinator);
  add<ApiKey::kRemoveServerTagByRack, remove_server_tag_by_rack_api>(apis, coordinator);
  add<ApiKey::kRebalance, rebalance_api>(apis, coordinator);
  add<ApiKey::kListRebalanceProgress, list_rebalance_progress_api>(apis, coordinator);
  add<ApiKey::kCancelRebalance, cancel_rebalance_api>(apis, coordinator);
}

}  // namespace lakestream::coordinator
