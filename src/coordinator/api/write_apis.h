#pragma once

#include "coordinator/coordinator.h"
#include "rpc/api_table.h"
#include "wire/messages.h"

// One function an API, in the file of the same name; those of leases are together, and so are those
// of server tags and of rebalances.
//
// Thread rule: called on the shard of the connection.
//
//   auto answer = co_await create_table_api(std::move(request), call, &coordinator);
namespace lakestream::coordinator {

// The operations of a configuration change that databases and tables know.
enum class AlterOp : int32_t { kSet = 0, kDelete = 1 };

Task<Result<wire::CreateAclsResponse>> create_acls_api(wire::CreateAclsRequest request,
                                                       rpc::RequestContext call,
                                                       Coordinator* coordinator);
Task<Result<wire::DropAclsResponse>> drop_acls_api(wire::DropAclsRequest request,
                                                   rpc::RequestContext call,
                                                   Coordinator* coordinator);
Task<Result<wire::CreateDatabaseResponse>> create_database_api(wire::CreateDatabaseRequest request,
                                                               rpc::RequestContext call,
                                                               Coordinator* coordinator);
Task<Result<wire::AlterDatabaseResponse>> alter_database_api(wire::AlterDatabaseRequest request,
                                                             rpc::RequestContext call,
                                                             Coordinator* coordinator);
Task<Result<wire::DropDatabaseResponse>> drop_database_api(wire::DropDatabaseRequest request,
                                                           rpc::RequestContext call,
                                                           Coordinator* coordinator);
Task<Result<wire::CreateTableResponse>> create_table_api(wire::CreateTableRequest request,
                                                         rpc::RequestContext call,
                                                         Coordinator* coordinator);
Task<Result<wire::AlterTableResponse>> alter_table_api(wire::AlterTableRequest request,
                                                       rpc::RequestContext call,
                                                       Coordinator* coordinator);
Task<Result<wire::DropTableResponse>> drop_table_api(wire::DropTableRequest request,
                                                     rpc::RequestContext call,
                                                     Coordinator* coordinator);
Task<Result<wire::CreatePartitionResponse>> create_partition_api(
    wire::CreatePartitionRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::DropPartitionResponse>> drop_partition_api(wire::DropPartitionRequest request,
                                                             rpc::RequestContext call,
                                                             Coordinator* coordinator);
Task<Result<wire::AcquireKvSnapshotLeaseResponse>> acquire_kv_snapshot_lease_api(
    wire::AcquireKvSnapshotLeaseRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator);
Task<Result<wire::ReleaseKvSnapshotLeaseResponse>> release_kv_snapshot_lease_api(
    wire::ReleaseKvSnapshotLeaseRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator);
Task<Result<wire::DropKvSnapshotLeaseResponse>> drop_kv_snapshot_lease_api(
    wire::DropKvSnapshotLeaseRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::ListKvSnapshotsResponse>> list_kv_snapshots_api(
    wire::ListKvSnapshotsRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::ListRemoteLogManifestsResponse>> list_remote_log_manifests_api(
    wire::ListRemoteLogManifestsRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator);
Task<Result<wire::LakeTieringHeartbeatResponse>> lake_tiering_heartbeat_api(
    wire::LakeTieringHeartbeatRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::PrepareLakeTableSnapshotResponse>> prepare_lake_table_snapshot_api(
    wire::PrepareLakeTableSnapshotRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator);
Task<Result<wire::RegisterProducerOffsetsResponse>> register_producer_offsets_api(
    wire::RegisterProducerOffsetsRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator);
Task<Result<wire::GetProducerOffsetsResponse>> get_producer_offsets_api(
    wire::GetProducerOffsetsRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::DeleteProducerOffsetsResponse>> delete_producer_offsets_api(
    wire::DeleteProducerOffsetsRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::CommitLakeTableSnapshotResponse>> commit_lake_table_snapshot_api(
    wire::CommitLakeTableSnapshotRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator);

Task<Result<wire::AlterClusterConfigsResponse>> alter_cluster_configs_api(
    wire::AlterClusterConfigsRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::AddServerTagResponse>> add_server_tag_api(wire::AddServerTagRequest request,
                                                            rpc::RequestContext call,
                                                            Coordinator* coordinator);
Task<Result<wire::RemoveServerTagResponse>> remove_server_tag_api(
    wire::RemoveServerTagRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::AddServerTagByRackResponse>> add_server_tag_by_rack_api(
    wire::AddServerTagByRackRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::RemoveServerTagByRackResponse>> remove_server_tag_by_rack_api(
    wire::RemoveServerTagByRackRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::RebalanceResponse>> rebalance_api(wire::RebalanceRequest request,
                                                    rpc::RequestContext call,
                                                    Coordinator* coordinator);
Task<Result<wire::ListRebalanceProgressResponse>> list_rebalance_progress_api(
    wire::ListRebalanceProgressRequest request, rpc::RequestContext call, Coordinator* coordinator);
Task<Result<wire::CancelRebalanceResponse>> cancel_rebalance_api(
    wire::CancelRebalanceRequest request, rpc::RequestContext call, Coordinator* coordinator);

}  // namespace lakestream::coordinator
