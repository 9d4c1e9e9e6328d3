// Made by tools/gen_messages.py from src/wire/messages.tsv. Edit the table, not this file.

#include <cstddef>

#include "wire/message_tables.h"
#include "wire/messages.h"

namespace lakestream::wire {
namespace {

using enum FieldKind;
using enum FieldLabel;

#define AT(message, field) offsetof(message, field), #field

// clang-format off
constexpr FieldInfo kErrorResponseFields[] = {
  {1, kInt32, kRequired, AT(ErrorResponse, error_code)},
  {2, kString, kOptional, AT(ErrorResponse, error_message)},
};
constexpr FieldInfo kApiVersionsRequestFields[] = {
  {1, kString, kRequired, AT(ApiVersionsRequest, client_software_name)},
  {2, kString, kRequired, AT(ApiVersionsRequest, client_software_version)},
};
constexpr FieldInfo kApiVersionsResponseFields[] = {
  {1, kMessage, kRepeated, AT(ApiVersionsResponse, api_versions),
    &kPbApiVersionInfo,
    &kVectorOps<PbApiVersion>},
  {2, kInt32, kOptional, AT(ApiVersionsResponse, server_type)},
};
constexpr FieldInfo kCreateDatabaseRequestFields[] = {
  {1, kString, kRequired, AT(CreateDatabaseRequest, database_name)},
  {2, kBool, kRequired, AT(CreateDatabaseRequest, ignore_if_exists)},
  {3, kBytes, kOptional, AT(CreateDatabaseRequest, database_json)},
};
constexpr FieldInfo kDropDatabaseRequestFields[] = {
  {1, kString, kRequired, AT(DropDatabaseRequest, database_name)},
  {2, kBool, kRequired, AT(DropDatabaseRequest, ignore_if_not_exists)},
  {3, kBool, kRequired, AT(DropDatabaseRequest, cascade)},
};
constexpr FieldInfo kListDatabasesRequestFields[] = {
  {1, kBool, kOptional, AT(ListDatabasesRequest, include_summary)},
};
constexpr FieldInfo kListDatabasesResponseFields[] = {
  {1, kString, kRepeated, AT(ListDatabasesResponse, database_name)},
  {2, kMessage, kRepeated, AT(ListDatabasesResponse, database_summary),
    &kPbDatabaseSummaryInfo,
    &kVectorOps<PbDatabaseSummary>},
};
constexpr FieldInfo kDatabaseExistsRequestFields[] = {
  {1, kString, kRequired, AT(DatabaseExistsRequest, database_name)},
};
constexpr FieldInfo kDatabaseExistsResponseFields[] = {
  {1, kBool, kRequired, AT(DatabaseExistsResponse, exists)},
};
constexpr FieldInfo kCreateTableRequestFields[] = {
  {1, kMessage, kRequired, AT(CreateTableRequest, table_path),
    &kPbTablePathInfo},
  {2, kBytes, kRequired, AT(CreateTableRequest, table_json)},
  {3, kBool, kRequired, AT(CreateTableRequest, ignore_if_exists)},
};
constexpr FieldInfo kDropTableRequestFields[] = {
  {1, kMessage, kRequired, AT(DropTableRequest, table_path),
    &kPbTablePathInfo},
  {2, kBool, kRequired, AT(DropTableRequest, ignore_if_not_exists)},
};
constexpr FieldInfo kGetTableInfoRequestFields[] = {
  {1, kMessage, kRequired, AT(GetTableInfoRequest, table_path),
    &kPbTablePathInfo},
};
constexpr FieldInfo kGetTableInfoResponseFields[] = {
  {1, kInt64, kRequired, AT(GetTableInfoResponse, table_id)},
  {2, kInt32, kRequired, AT(GetTableInfoResponse, schema_id)},
  {3, kBytes, kRequired, AT(GetTableInfoResponse, table_json)},
  {4, kInt64, kRequired, AT(GetTableInfoResponse, created_time)},
  {5, kInt64, kRequired, AT(GetTableInfoResponse, modified_time)},
  {6, kString, kOptional, AT(GetTableInfoResponse, remote_data_dir)},
  {7, kInt64, kOptional, AT(GetTableInfoResponse, bucket_count_epoch)},
};
constexpr FieldInfo kListTablesRequestFields[] = {
  {1, kString, kRequired, AT(ListTablesRequest, database_name)},
};
constexpr FieldInfo kListTablesResponseFields[] = {
  {1, kString, kRepeated, AT(ListTablesResponse, table_name)},
};
constexpr FieldInfo kListPartitionInfosRequestFields[] = {
  {1, kMessage, kRequired, AT(ListPartitionInfosRequest, table_path),
    &kPbTablePathInfo},
  {2, kMessage, kOptional, AT(ListPartitionInfosRequest, partial_partition_spec),
    &kPbPartitionSpecInfo,
    &kOptionalOps<PbPartitionSpec>},
  {3, kBool, kOptional, AT(ListPartitionInfosRequest, include_system_partitions)},
};
constexpr FieldInfo kListPartitionInfosResponseFields[] = {
  {1, kMessage, kRepeated, AT(ListPartitionInfosResponse, partitions_info),
    &kPbPartitionInfoInfo,
    &kVectorOps<PbPartitionInfo>},
  {2, kBool, kOptional, AT(ListPartitionInfosResponse, system_partitions_included)},
};
constexpr FieldInfo kTableExistsRequestFields[] = {
  {1, kMessage, kRequired, AT(TableExistsRequest, table_path),
    &kPbTablePathInfo},
};
constexpr FieldInfo kTableExistsResponseFields[] = {
  {1, kBool, kRequired, AT(TableExistsResponse, exists)},
};
constexpr FieldInfo kGetTableSchemaRequestFields[] = {
  {1, kMessage, kRequired, AT(GetTableSchemaRequest, table_path),
    &kPbTablePathInfo},
  {2, kInt32, kOptional, AT(GetTableSchemaRequest, schema_id)},
};
constexpr FieldInfo kGetTableSchemaResponseFields[] = {
  {1, kInt32, kRequired, AT(GetTableSchemaResponse, schema_id)},
  {2, kBytes, kRequired, AT(GetTableSchemaResponse, schema_json)},
};
constexpr FieldInfo kMetadataRequestFields[] = {
  {1, kMessage, kRepeated, AT(MetadataRequest, table_path),
    &kPbTablePathInfo,
    &kVectorOps<PbTablePath>},
  {2, kMessage, kRepeated, AT(MetadataRequest, partitions_path),
    &kPbPhysicalTablePathInfo,
    &kVectorOps<PbPhysicalTablePath>},
  {3, kInt64, kPacked, AT(MetadataRequest, partitions_id)},
};
constexpr FieldInfo kMetadataResponseFields[] = {
  {1, kMessage, kOptional, AT(MetadataResponse, coordinator_server),
    &kPbServerNodeInfo,
    &kOptionalOps<PbServerNode>},
  {2, kMessage, kRepeated, AT(MetadataResponse, tablet_servers),
    &kPbServerNodeInfo,
    &kVectorOps<PbServerNode>},
  {3, kMessage, kRepeated, AT(MetadataResponse, table_metadata),
    &kPbTableMetadataInfo,
    &kVectorOps<PbTableMetadata>},
  {4, kMessage, kRepeated, AT(MetadataResponse, partition_metadata),
    &kPbPartitionMetadataInfo,
    &kVectorOps<PbPartitionMetadata>},
};
constexpr FieldInfo kUpdateMetadataRequestFields[] = {
  {1, kMessage, kOptional, AT(UpdateMetadataRequest, coordinator_server),
    &kPbServerNodeInfo,
    &kOptionalOps<PbServerNode>},
  {2, kMessage, kRepeated, AT(UpdateMetadataRequest, tablet_servers),
    &kPbServerNodeInfo,
    &kVectorOps<PbServerNode>},
  {3, kMessage, kRepeated, AT(UpdateMetadataRequest, table_metadata),
    &kPbTableMetadataInfo,
    &kVectorOps<PbTableMetadata>},
  {4, kMessage, kRepeated, AT(UpdateMetadataRequest, partition_metadata),
    &kPbPartitionMetadataInfo,
    &kVectorOps<PbPartitionMetadata>},
  {5, kInt32, kOptional, AT(UpdateMetadataRequest, coordinator_epoch)},
};
constexpr FieldInfo kProduceLogRequestFields[] = {
  {1, kInt32, kRequired, AT(ProduceLogRequest, acks)},
  {2, kInt64, kRequired, AT(ProduceLogRequest, table_id)},
  {3, kInt32, kRequired, AT(ProduceLogRequest, timeout_ms)},
  {4, kMessage, kRepeated, AT(ProduceLogRequest, buckets_req),
    &kPbProduceLogReqForBucketInfo,
    &kVectorOps<PbProduceLogReqForBucket>},
};
constexpr FieldInfo kProduceLogResponseFields[] = {
  {1, kMessage, kRepeated, AT(ProduceLogResponse, buckets_resp),
    &kPbProduceLogRespForBucketInfo,
    &kVectorOps<PbProduceLogRespForBucket>},
};
constexpr FieldInfo kFetchLogRequestFields[] = {
  {1, kInt32, kRequired, AT(FetchLogRequest, follower_server_id)},
  {2, kInt32, kRequired, AT(FetchLogRequest, max_bytes)},
  {3, kMessage, kRepeated, AT(FetchLogRequest, tables_req),
    &kPbFetchLogReqForTableInfo,
    &kVectorOps<PbFetchLogReqForTable>},
  {4, kInt32, kOptional, AT(FetchLogRequest, max_wait_ms)},
  {5, kInt32, kOptional, AT(FetchLogRequest, min_bytes)},
  {6, kInt32, kOptional, AT(FetchLogRequest, read_preference)},
};
constexpr FieldInfo kFetchLogResponseFields[] = {
  {1, kMessage, kRepeated, AT(FetchLogResponse, tables_resp),
    &kPbFetchLogRespForTableInfo,
    &kVectorOps<PbFetchLogRespForTable>},
};
constexpr FieldInfo kPutKvRequestFields[] = {
  {1, kInt32, kRequired, AT(PutKvRequest, acks)},
  {2, kInt64, kRequired, AT(PutKvRequest, table_id)},
  {3, kInt32, kRequired, AT(PutKvRequest, timeout_ms)},
  {4, kInt32, kPacked, AT(PutKvRequest, target_columns)},
  {5, kMessage, kRepeated, AT(PutKvRequest, buckets_req),
    &kPbPutKvReqForBucketInfo,
    &kVectorOps<PbPutKvReqForBucket>},
  {6, kInt32, kOptional, AT(PutKvRequest, agg_mode)},
};
constexpr FieldInfo kPutKvResponseFields[] = {
  {1, kMessage, kRepeated, AT(PutKvResponse, buckets_resp),
    &kPbPutKvRespForBucketInfo,
    &kVectorOps<PbPutKvRespForBucket>},
};
constexpr FieldInfo kLookupRequestFields[] = {
  {1, kInt64, kRequired, AT(LookupRequest, table_id)},
  {2, kMessage, kRepeated, AT(LookupRequest, buckets_req),
    &kPbLookupReqForBucketInfo,
    &kVectorOps<PbLookupReqForBucket>},
  {3, kBool, kOptional, AT(LookupRequest, insert_if_not_exists)},
  {4, kInt32, kOptional, AT(LookupRequest, acks)},
  {5, kInt32, kOptional, AT(LookupRequest, timeout_ms)},
};
constexpr FieldInfo kLookupResponseFields[] = {
  {1, kMessage, kRepeated, AT(LookupResponse, buckets_resp),
    &kPbLookupRespForBucketInfo,
    &kVectorOps<PbLookupRespForBucket>},
};
constexpr FieldInfo kNotifyLeaderAndIsrRequestFields[] = {
  {1, kInt32, kRequired, AT(NotifyLeaderAndIsrRequest, coordinator_epoch)},
  {2, kMessage, kRepeated, AT(NotifyLeaderAndIsrRequest, notify_buckets_leader_req),
    &kPbNotifyLeaderAndIsrReqForBucketInfo,
    &kVectorOps<PbNotifyLeaderAndIsrReqForBucket>},
};
constexpr FieldInfo kNotifyLeaderAndIsrResponseFields[] = {
  {1, kMessage, kRepeated, AT(NotifyLeaderAndIsrResponse, notify_buckets_leader_resp),
    &kPbNotifyLeaderAndIsrRespForBucketInfo,
    &kVectorOps<PbNotifyLeaderAndIsrRespForBucket>},
};
constexpr FieldInfo kStopReplicaRequestFields[] = {
  {1, kInt32, kRequired, AT(StopReplicaRequest, coordinator_epoch)},
  {2, kMessage, kRepeated, AT(StopReplicaRequest, stop_replicas_req),
    &kPbStopReplicaReqForBucketInfo,
    &kVectorOps<PbStopReplicaReqForBucket>},
};
constexpr FieldInfo kStopReplicaResponseFields[] = {
  {1, kMessage, kRepeated, AT(StopReplicaResponse, stop_replicas_resp),
    &kPbStopReplicaRespForBucketInfo,
    &kVectorOps<PbStopReplicaRespForBucket>},
};
constexpr FieldInfo kAdjustIsrRequestFields[] = {
  {1, kInt32, kRequired, AT(AdjustIsrRequest, server_id)},
  {2, kMessage, kRepeated, AT(AdjustIsrRequest, tables_req),
    &kPbAdjustIsrReqForTableInfo,
    &kVectorOps<PbAdjustIsrReqForTable>},
};
constexpr FieldInfo kAdjustIsrResponseFields[] = {
  {1, kMessage, kRepeated, AT(AdjustIsrResponse, tables_resp),
    &kPbAdjustIsrRespForTableInfo,
    &kVectorOps<PbAdjustIsrRespForTable>},
};
constexpr FieldInfo kListOffsetsRequestFields[] = {
  {1, kInt32, kRequired, AT(ListOffsetsRequest, follower_server_id)},
  {2, kInt32, kRequired, AT(ListOffsetsRequest, offset_type)},
  {3, kInt64, kRequired, AT(ListOffsetsRequest, table_id)},
  {4, kInt64, kOptional, AT(ListOffsetsRequest, partition_id)},
  {5, kInt32, kPacked, AT(ListOffsetsRequest, bucket_id)},
  {6, kInt64, kOptional, AT(ListOffsetsRequest, start_timestamp)},
  {7, kInt32, kOptional, AT(ListOffsetsRequest, routing_bucket_count)},
};
constexpr FieldInfo kListOffsetsResponseFields[] = {
  {1, kMessage, kRepeated, AT(ListOffsetsResponse, buckets_resp),
    &kPbListOffsetsRespForBucketInfo,
    &kVectorOps<PbListOffsetsRespForBucket>},
};
constexpr FieldInfo kCommitKvSnapshotRequestFields[] = {
  {1, kBytes, kRequired, AT(CommitKvSnapshotRequest, completed_snapshot)},
  {2, kInt32, kRequired, AT(CommitKvSnapshotRequest, coordinator_epoch)},
  {3, kInt32, kRequired, AT(CommitKvSnapshotRequest, bucket_leader_epoch)},
};
constexpr FieldInfo kGetLatestKvSnapshotsRequestFields[] = {
  {1, kMessage, kRequired, AT(GetLatestKvSnapshotsRequest, table_path),
    &kPbTablePathInfo},
  {2, kString, kOptional, AT(GetLatestKvSnapshotsRequest, partition_name)},
};
constexpr FieldInfo kGetLatestKvSnapshotsResponseFields[] = {
  {1, kInt64, kRequired, AT(GetLatestKvSnapshotsResponse, table_id)},
  {2, kInt64, kOptional, AT(GetLatestKvSnapshotsResponse, partition_id)},
  {3, kMessage, kRepeated, AT(GetLatestKvSnapshotsResponse, latest_snapshots),
    &kPbKvSnapshotInfo,
    &kVectorOps<PbKvSnapshot>},
};
constexpr FieldInfo kGetKvSnapshotMetadataRequestFields[] = {
  {1, kInt64, kRequired, AT(GetKvSnapshotMetadataRequest, table_id)},
  {2, kInt64, kOptional, AT(GetKvSnapshotMetadataRequest, partition_id)},
  {3, kInt32, kRequired, AT(GetKvSnapshotMetadataRequest, bucket_id)},
  {4, kInt64, kRequired, AT(GetKvSnapshotMetadataRequest, snapshot_id)},
};
constexpr FieldInfo kGetKvSnapshotMetadataResponseFields[] = {
  {1, kInt64, kRequired, AT(GetKvSnapshotMetadataResponse, log_offset)},
  {2, kMessage, kRepeated, AT(GetKvSnapshotMetadataResponse, snapshot_files),
    &kPbRemotePathAndLocalFileInfo,
    &kVectorOps<PbRemotePathAndLocalFile>},
};
constexpr FieldInfo kGetFileSystemSecurityTokenResponseFields[] = {
  {1, kString, kRequired, AT(GetFileSystemSecurityTokenResponse, schema)},
  {2, kBytes, kRequired, AT(GetFileSystemSecurityTokenResponse, token)},
  {3, kInt64, kOptional, AT(GetFileSystemSecurityTokenResponse, expiration_time)},
  {4, kMessage, kRepeated, AT(GetFileSystemSecurityTokenResponse, addition_info),
    &kPbKeyValueInfo,
    &kVectorOps<PbKeyValue>},
};
constexpr FieldInfo kInitWriterRequestFields[] = {
  {1, kMessage, kRepeated, AT(InitWriterRequest, table_path),
    &kPbTablePathInfo,
    &kVectorOps<PbTablePath>},
};
constexpr FieldInfo kInitWriterResponseFields[] = {
  {1, kInt64, kRequired, AT(InitWriterResponse, writer_id)},
};
constexpr FieldInfo kCommitRemoteLogManifestRequestFields[] = {
  {1, kInt64, kRequired, AT(CommitRemoteLogManifestRequest, table_id)},
  {2, kInt64, kOptional, AT(CommitRemoteLogManifestRequest, partition_id)},
  {3, kInt32, kRequired, AT(CommitRemoteLogManifestRequest, bucket_id)},
  {4, kString, kRequired, AT(CommitRemoteLogManifestRequest, remote_log_manifest_path)},
  {5, kInt64, kRequired, AT(CommitRemoteLogManifestRequest, remote_log_start_offset)},
  {6, kInt64, kRequired, AT(CommitRemoteLogManifestRequest, remote_log_end_offset)},
  {7, kInt32, kRequired, AT(CommitRemoteLogManifestRequest, coordinator_epoch)},
  {8, kInt32, kRequired, AT(CommitRemoteLogManifestRequest, bucket_leader_epoch)},
  {9, kInt64, kOptional, AT(CommitRemoteLogManifestRequest, highest_copied_end_offset)},
};
constexpr FieldInfo kCommitRemoteLogManifestResponseFields[] = {
  {1, kBool, kRequired, AT(CommitRemoteLogManifestResponse, commit_success)},
};
constexpr FieldInfo kNotifyRemoteLogOffsetsRequestFields[] = {
  {1, kInt64, kRequired, AT(NotifyRemoteLogOffsetsRequest, table_id)},
  {2, kInt64, kOptional, AT(NotifyRemoteLogOffsetsRequest, partition_id)},
  {3, kInt32, kRequired, AT(NotifyRemoteLogOffsetsRequest, bucket_id)},
  {4, kInt32, kRequired, AT(NotifyRemoteLogOffsetsRequest, coordinator_epoch)},
  {5, kInt64, kRequired, AT(NotifyRemoteLogOffsetsRequest, remote_start_offset)},
  {6, kInt64, kRequired, AT(NotifyRemoteLogOffsetsRequest, remote_end_offset)},
  {7, kInt64, kOptional, AT(NotifyRemoteLogOffsetsRequest, highest_copied_end_offset)},
};
constexpr FieldInfo kNotifyKvSnapshotOffsetRequestFields[] = {
  {1, kInt64, kRequired, AT(NotifyKvSnapshotOffsetRequest, table_id)},
  {2, kInt64, kOptional, AT(NotifyKvSnapshotOffsetRequest, partition_id)},
  {3, kInt32, kRequired, AT(NotifyKvSnapshotOffsetRequest, bucket_id)},
  {4, kInt32, kRequired, AT(NotifyKvSnapshotOffsetRequest, coordinator_epoch)},
  {5, kInt64, kRequired, AT(NotifyKvSnapshotOffsetRequest, min_retain_offset)},
};
constexpr FieldInfo kCommitLakeTableSnapshotRequestFields[] = {
  {1, kMessage, kRepeated, AT(CommitLakeTableSnapshotRequest, tables_req),
    &kPbLakeTableSnapshotInfoInfo,
    &kVectorOps<PbLakeTableSnapshotInfo>},
  {2, kMessage, kRepeated, AT(CommitLakeTableSnapshotRequest, lake_table_snapshot_metadata),
    &kPbLakeTableSnapshotMetadataInfo,
    &kVectorOps<PbLakeTableSnapshotMetadata>},
};
constexpr FieldInfo kCommitLakeTableSnapshotResponseFields[] = {
  {1, kMessage, kRepeated, AT(CommitLakeTableSnapshotResponse, table_resp),
    &kPbCommitLakeTableSnapshotRespForTableInfo,
    &kVectorOps<PbCommitLakeTableSnapshotRespForTable>},
};
constexpr FieldInfo kNotifyLakeTableOffsetRequestFields[] = {
  {1, kInt32, kRequired, AT(NotifyLakeTableOffsetRequest, coordinator_epoch)},
  {2, kMessage, kRepeated, AT(NotifyLakeTableOffsetRequest, notify_buckets_req),
    &kPbNotifyLakeTableOffsetReqForBucketInfo,
    &kVectorOps<PbNotifyLakeTableOffsetReqForBucket>},
};
constexpr FieldInfo kGetLakeSnapshotRequestFields[] = {
  {1, kMessage, kRequired, AT(GetLakeSnapshotRequest, table_path),
    &kPbTablePathInfo},
  {2, kInt64, kOptional, AT(GetLakeSnapshotRequest, snapshot_id)},
  {3, kBool, kOptional, AT(GetLakeSnapshotRequest, readable)},
};
constexpr FieldInfo kGetLakeSnapshotResponseFields[] = {
  {1, kInt64, kRequired, AT(GetLakeSnapshotResponse, table_id)},
  {2, kInt64, kRequired, AT(GetLakeSnapshotResponse, snapshot_id)},
  {3, kMessage, kRepeated, AT(GetLakeSnapshotResponse, bucket_snapshots),
    &kPbLakeSnapshotForBucketInfo,
    &kVectorOps<PbLakeSnapshotForBucket>},
};
constexpr FieldInfo kLimitScanRequestFields[] = {
  {2, kInt64, kRequired, AT(LimitScanRequest, table_id)},
  {3, kInt64, kOptional, AT(LimitScanRequest, partition_id)},
  {4, kInt32, kRequired, AT(LimitScanRequest, bucket_id)},
  {5, kInt32, kRequired, AT(LimitScanRequest, limit)},
  {6, kInt32, kOptional, AT(LimitScanRequest, routing_bucket_count)},
};
constexpr FieldInfo kLimitScanResponseFields[] = {
  {1, kInt32, kOptional, AT(LimitScanResponse, error_code)},
  {2, kString, kOptional, AT(LimitScanResponse, error_message)},
  {3, kBool, kOptional, AT(LimitScanResponse, is_log_table)},
  {4, kChain, kOptional, AT(LimitScanResponse, records)},
};
constexpr FieldInfo kPrefixLookupRequestFields[] = {
  {1, kInt64, kRequired, AT(PrefixLookupRequest, table_id)},
  {2, kMessage, kRepeated, AT(PrefixLookupRequest, buckets_req),
    &kPbPrefixLookupReqForBucketInfo,
    &kVectorOps<PbPrefixLookupReqForBucket>},
};
constexpr FieldInfo kPrefixLookupResponseFields[] = {
  {1, kMessage, kRepeated, AT(PrefixLookupResponse, buckets_resp),
    &kPbPrefixLookupRespForBucketInfo,
    &kVectorOps<PbPrefixLookupRespForBucket>},
};
constexpr FieldInfo kGetDatabaseInfoRequestFields[] = {
  {1, kString, kRequired, AT(GetDatabaseInfoRequest, database_name)},
};
constexpr FieldInfo kGetDatabaseInfoResponseFields[] = {
  {3, kBytes, kRequired, AT(GetDatabaseInfoResponse, database_json)},
  {4, kInt64, kRequired, AT(GetDatabaseInfoResponse, created_time)},
  {5, kInt64, kRequired, AT(GetDatabaseInfoResponse, modified_time)},
};
constexpr FieldInfo kCreatePartitionRequestFields[] = {
  {1, kMessage, kRequired, AT(CreatePartitionRequest, table_path),
    &kPbTablePathInfo},
  {2, kMessage, kRequired, AT(CreatePartitionRequest, partition_spec),
    &kPbPartitionSpecInfo},
  {3, kBool, kRequired, AT(CreatePartitionRequest, ignore_if_not_exists)},
};
constexpr FieldInfo kDropPartitionRequestFields[] = {
  {1, kMessage, kRequired, AT(DropPartitionRequest, table_path),
    &kPbTablePathInfo},
  {2, kMessage, kRequired, AT(DropPartitionRequest, partition_spec),
    &kPbPartitionSpecInfo},
  {3, kBool, kRequired, AT(DropPartitionRequest, ignore_if_not_exists)},
};
constexpr FieldInfo kAuthenticateRequestFields[] = {
  {1, kString, kRequired, AT(AuthenticateRequest, protocol)},
  {2, kBytes, kRequired, AT(AuthenticateRequest, token)},
};
constexpr FieldInfo kAuthenticateResponseFields[] = {
  {1, kBytes, kOptional, AT(AuthenticateResponse, challenge)},
};
constexpr FieldInfo kCreateAclsRequestFields[] = {
  {1, kMessage, kRepeated, AT(CreateAclsRequest, acl),
    &kPbAclInfoInfo,
    &kVectorOps<PbAclInfo>},
};
constexpr FieldInfo kCreateAclsResponseFields[] = {
  {1, kMessage, kRepeated, AT(CreateAclsResponse, acl_res),
    &kPbCreateAclRespInfoInfo,
    &kVectorOps<PbCreateAclRespInfo>},
};
constexpr FieldInfo kListAclsRequestFields[] = {
  {1, kMessage, kRequired, AT(ListAclsRequest, acl_filter),
    &kPbAclFilterInfo},
};
constexpr FieldInfo kListAclsResponseFields[] = {
  {1, kMessage, kRepeated, AT(ListAclsResponse, acl),
    &kPbAclInfoInfo,
    &kVectorOps<PbAclInfo>},
};
constexpr FieldInfo kDropAclsRequestFields[] = {
  {1, kMessage, kRepeated, AT(DropAclsRequest, acl_filter),
    &kPbAclFilterInfo,
    &kVectorOps<PbAclFilter>},
};
constexpr FieldInfo kDropAclsResponseFields[] = {
  {1, kMessage, kRepeated, AT(DropAclsResponse, filter_results),
    &kPbDropAclsFilterResultInfo,
    &kVectorOps<PbDropAclsFilterResult>},
};
constexpr FieldInfo kLakeTieringHeartbeatRequestFields[] = {
  {1, kMessage, kRepeated, AT(LakeTieringHeartbeatRequest, tiering_tables),
    &kPbHeartbeatReqForTableInfo,
    &kVectorOps<PbHeartbeatReqForTable>},
  {2, kMessage, kRepeated, AT(LakeTieringHeartbeatRequest, finished_tables),
    &kPbHeartbeatReqForTableInfo,
    &kVectorOps<PbHeartbeatReqForTable>},
  {3, kMessage, kRepeated, AT(LakeTieringHeartbeatRequest, failed_tables),
    &kPbHeartbeatReqForTableInfo,
    &kVectorOps<PbHeartbeatReqForTable>},
  {4, kBool, kOptional, AT(LakeTieringHeartbeatRequest, request_table)},
  {5, kInt64, kRepeated, AT(LakeTieringHeartbeatRequest, force_finished_tables)},
  {201, kBool, kOptional, AT(LakeTieringHeartbeatRequest, describe_tables)},
};
constexpr FieldInfo kLakeTieringHeartbeatResponseFields[] = {
  {1, kInt32, kRequired, AT(LakeTieringHeartbeatResponse, coordinator_epoch)},
  {2, kMessage, kOptional, AT(LakeTieringHeartbeatResponse, tiering_table),
    &kPbLakeTieringTableInfoInfo,
    &kOptionalOps<PbLakeTieringTableInfo>},
  {3, kMessage, kRepeated, AT(LakeTieringHeartbeatResponse, tiering_table_resp),
    &kPbHeartbeatRespForTableInfo,
    &kVectorOps<PbHeartbeatRespForTable>},
  {4, kMessage, kRepeated, AT(LakeTieringHeartbeatResponse, finished_table_resp),
    &kPbHeartbeatRespForTableInfo,
    &kVectorOps<PbHeartbeatRespForTable>},
  {5, kMessage, kRepeated, AT(LakeTieringHeartbeatResponse, failed_table_resp),
    &kPbHeartbeatRespForTableInfo,
    &kVectorOps<PbHeartbeatRespForTable>},
  {201, kMessage, kRepeated, AT(LakeTieringHeartbeatResponse, tiering_statuses),
    &kPbTieringStatusInfo,
    &kVectorOps<PbTieringStatus>},
};
constexpr FieldInfo kControlledShutdownRequestFields[] = {
  {1, kInt32, kRequired, AT(ControlledShutdownRequest, tablet_server_id)},
  {2, kInt32, kRequired, AT(ControlledShutdownRequest, tablet_server_epoch)},
};
constexpr FieldInfo kControlledShutdownResponseFields[] = {
  {1, kMessage, kRepeated, AT(ControlledShutdownResponse, remaining_leader_buckets),
    &kPbTableBucketInfo,
    &kVectorOps<PbTableBucket>},
};
constexpr FieldInfo kAlterTableRequestFields[] = {
  {1, kMessage, kRequired, AT(AlterTableRequest, table_path),
    &kPbTablePathInfo},
  {2, kBool, kRequired, AT(AlterTableRequest, ignore_if_not_exists)},
  {3, kMessage, kRepeated, AT(AlterTableRequest, config_changes),
    &kPbAlterConfigInfo,
    &kVectorOps<PbAlterConfig>},
  {4, kMessage, kRepeated, AT(AlterTableRequest, add_columns),
    &kPbAddColumnInfo,
    &kVectorOps<PbAddColumn>},
  {5, kMessage, kRepeated, AT(AlterTableRequest, drop_columns),
    &kPbDropColumnInfo,
    &kVectorOps<PbDropColumn>},
  {6, kMessage, kRepeated, AT(AlterTableRequest, rename_columns),
    &kPbRenameColumnInfo,
    &kVectorOps<PbRenameColumn>},
  {7, kMessage, kRepeated, AT(AlterTableRequest, modify_columns),
    &kPbModifyColumnInfo,
    &kVectorOps<PbModifyColumn>},
  {8, kMessage, kOptional, AT(AlterTableRequest, modify_bucket_count),
    &kPbModifyBucketCountInfo,
    &kOptionalOps<PbModifyBucketCount>},
};
constexpr FieldInfo kDescribeClusterConfigsResponseFields[] = {
  {1, kMessage, kRepeated, AT(DescribeClusterConfigsResponse, configs),
    &kPbDescribeConfigInfo,
    &kVectorOps<PbDescribeConfig>},
};
constexpr FieldInfo kAlterClusterConfigsRequestFields[] = {
  {1, kMessage, kRepeated, AT(AlterClusterConfigsRequest, alter_configs),
    &kPbAlterConfigInfo,
    &kVectorOps<PbAlterConfig>},
};
constexpr FieldInfo kAddServerTagRequestFields[] = {
  {1, kInt32, kPacked, AT(AddServerTagRequest, server_ids)},
  {2, kInt32, kRequired, AT(AddServerTagRequest, server_tag)},
};
constexpr FieldInfo kRemoveServerTagRequestFields[] = {
  {1, kInt32, kPacked, AT(RemoveServerTagRequest, server_ids)},
  {2, kInt32, kRequired, AT(RemoveServerTagRequest, server_tag)},
};
constexpr FieldInfo kRebalanceRequestFields[] = {
  {1, kInt32, kPacked, AT(RebalanceRequest, goals)},
};
constexpr FieldInfo kRebalanceResponseFields[] = {
  {1, kString, kRequired, AT(RebalanceResponse, rebalance_id)},
};
constexpr FieldInfo kListRebalanceProgressRequestFields[] = {
  {1, kString, kOptional, AT(ListRebalanceProgressRequest, rebalance_id)},
};
constexpr FieldInfo kListRebalanceProgressResponseFields[] = {
  {1, kString, kOptional, AT(ListRebalanceProgressResponse, rebalance_id)},
  {2, kInt32, kOptional, AT(ListRebalanceProgressResponse, rebalance_status)},
  {3, kMessage, kRepeated, AT(ListRebalanceProgressResponse, table_progress),
    &kPbRebalanceProgressForTableInfo,
    &kVectorOps<PbRebalanceProgressForTable>},
};
constexpr FieldInfo kCancelRebalanceRequestFields[] = {
  {1, kString, kOptional, AT(CancelRebalanceRequest, rebalance_id)},
};
constexpr FieldInfo kPrepareLakeTableSnapshotRequestFields[] = {
  {1, kMessage, kRepeated, AT(PrepareLakeTableSnapshotRequest, bucket_offsets),
    &kPbTableOffsetsInfo,
    &kVectorOps<PbTableOffsets>},
  {2, kBool, kOptional, AT(PrepareLakeTableSnapshotRequest, ignore_previous_table_offsets)},
};
constexpr FieldInfo kPrepareLakeTableSnapshotResponseFields[] = {
  {1, kMessage, kRepeated, AT(PrepareLakeTableSnapshotResponse, prepare_lake_table_resp),
    &kPbPrepareLakeTableRespForTableInfo,
    &kVectorOps<PbPrepareLakeTableRespForTable>},
};
constexpr FieldInfo kRegisterProducerOffsetsRequestFields[] = {
  {1, kString, kRequired, AT(RegisterProducerOffsetsRequest, producer_id)},
  {2, kMessage, kRepeated, AT(RegisterProducerOffsetsRequest, table_offsets),
    &kPbProducerTableOffsetsInfo,
    &kVectorOps<PbProducerTableOffsets>},
  {3, kInt64, kOptional, AT(RegisterProducerOffsetsRequest, ttl_ms)},
};
constexpr FieldInfo kRegisterProducerOffsetsResponseFields[] = {
  {1, kInt32, kOptional, AT(RegisterProducerOffsetsResponse, result)},
};
constexpr FieldInfo kGetProducerOffsetsRequestFields[] = {
  {1, kString, kRequired, AT(GetProducerOffsetsRequest, producer_id)},
};
constexpr FieldInfo kGetProducerOffsetsResponseFields[] = {
  {1, kString, kOptional, AT(GetProducerOffsetsResponse, producer_id)},
  {2, kInt64, kOptional, AT(GetProducerOffsetsResponse, expiration_time)},
  {3, kMessage, kRepeated, AT(GetProducerOffsetsResponse, table_offsets),
    &kPbProducerTableOffsetsInfo,
    &kVectorOps<PbProducerTableOffsets>},
};
constexpr FieldInfo kDeleteProducerOffsetsRequestFields[] = {
  {1, kString, kRequired, AT(DeleteProducerOffsetsRequest, producer_id)},
};
constexpr FieldInfo kAcquireKvSnapshotLeaseRequestFields[] = {
  {1, kString, kRequired, AT(AcquireKvSnapshotLeaseRequest, lease_id)},
  {2, kInt64, kRequired, AT(AcquireKvSnapshotLeaseRequest, lease_duration_ms)},
  {3, kMessage, kRepeated, AT(AcquireKvSnapshotLeaseRequest, snapshots_to_lease),
    &kPbKvSnapshotLeaseForTableInfo,
    &kVectorOps<PbKvSnapshotLeaseForTable>},
};
constexpr FieldInfo kAcquireKvSnapshotLeaseResponseFields[] = {
  {1, kMessage, kRepeated, AT(AcquireKvSnapshotLeaseResponse, unavailable_snapshots),
    &kPbKvSnapshotLeaseForTableInfo,
    &kVectorOps<PbKvSnapshotLeaseForTable>},
};
constexpr FieldInfo kReleaseKvSnapshotLeaseRequestFields[] = {
  {1, kString, kRequired, AT(ReleaseKvSnapshotLeaseRequest, lease_id)},
  {2, kMessage, kRepeated, AT(ReleaseKvSnapshotLeaseRequest, buckets_to_release),
    &kPbTableBucketInfo,
    &kVectorOps<PbTableBucket>},
};
constexpr FieldInfo kDropKvSnapshotLeaseRequestFields[] = {
  {1, kString, kRequired, AT(DropKvSnapshotLeaseRequest, lease_id)},
};
constexpr FieldInfo kGetTableStatsRequestFields[] = {
  {1, kInt64, kRequired, AT(GetTableStatsRequest, table_id)},
  {2, kMessage, kRepeated, AT(GetTableStatsRequest, buckets_req),
    &kPbTableStatsReqForBucketInfo,
    &kVectorOps<PbTableStatsReqForBucket>},
  {3, kInt32, kPacked, AT(GetTableStatsRequest, target_columns)},
};
constexpr FieldInfo kGetTableStatsResponseFields[] = {
  {1, kMessage, kRepeated, AT(GetTableStatsResponse, buckets_resp),
    &kPbTableStatsRespForBucketInfo,
    &kVectorOps<PbTableStatsRespForBucket>},
};
constexpr FieldInfo kAlterDatabaseRequestFields[] = {
  {1, kString, kRequired, AT(AlterDatabaseRequest, database_name)},
  {2, kBool, kRequired, AT(AlterDatabaseRequest, ignore_if_not_exists)},
  {3, kMessage, kRepeated, AT(AlterDatabaseRequest, config_changes),
    &kPbAlterConfigInfo,
    &kVectorOps<PbAlterConfig>},
  {4, kString, kOptional, AT(AlterDatabaseRequest, comment)},
};
constexpr FieldInfo kScanKvRequestFields[] = {
  {1, kBytes, kOptional, AT(ScanKvRequest, scanner_id)},
  {2, kMessage, kOptional, AT(ScanKvRequest, bucket_scan_req),
    &kPbScanReqForBucketInfo,
    &kOptionalOps<PbScanReqForBucket>},
  {3, kInt32, kOptional, AT(ScanKvRequest, call_seq_id)},
  {4, kInt32, kOptional, AT(ScanKvRequest, batch_size_bytes)},
  {5, kBool, kOptional, AT(ScanKvRequest, close_scanner)},
};
constexpr FieldInfo kScanKvResponseFields[] = {
  {1, kInt32, kOptional, AT(ScanKvResponse, error_code)},
  {2, kString, kOptional, AT(ScanKvResponse, error_message)},
  {3, kBytes, kOptional, AT(ScanKvResponse, scanner_id)},
  {4, kBool, kOptional, AT(ScanKvResponse, has_more_results)},
  {5, kChain, kOptional, AT(ScanKvResponse, records)},
  {6, kInt64, kOptional, AT(ScanKvResponse, log_offset)},
};
constexpr FieldInfo kGetClusterHealthResponseFields[] = {
  {1, kInt32, kRequired, AT(GetClusterHealthResponse, num_replicas)},
  {2, kInt32, kRequired, AT(GetClusterHealthResponse, in_sync_replicas)},
  {3, kInt32, kRequired, AT(GetClusterHealthResponse, num_leader_replicas)},
  {4, kInt32, kRequired, AT(GetClusterHealthResponse, active_leader_replicas)},
  {5, kInt32, kRequired, AT(GetClusterHealthResponse, status)},
};
constexpr FieldInfo kListRemoteLogManifestsRequestFields[] = {
  {1, kInt64, kRequired, AT(ListRemoteLogManifestsRequest, table_id)},
  {2, kInt64, kOptional, AT(ListRemoteLogManifestsRequest, partition_id)},
};
constexpr FieldInfo kListRemoteLogManifestsResponseFields[] = {
  {1, kMessage, kRepeated, AT(ListRemoteLogManifestsResponse, manifests),
    &kPbRemoteLogManifestEntryInfo,
    &kVectorOps<PbRemoteLogManifestEntry>},
};
constexpr FieldInfo kListKvSnapshotsRequestFields[] = {
  {1, kInt64, kRequired, AT(ListKvSnapshotsRequest, table_id)},
  {2, kInt64, kOptional, AT(ListKvSnapshotsRequest, partition_id)},
};
constexpr FieldInfo kListKvSnapshotsResponseFields[] = {
  {1, kInt64, kRequired, AT(ListKvSnapshotsResponse, table_id)},
  {2, kInt64, kOptional, AT(ListKvSnapshotsResponse, partition_id)},
  {3, kMessage, kRepeated, AT(ListKvSnapshotsResponse, active_snapshots),
    &kPbKvSnapshotInfo,
    &kVectorOps<PbKvSnapshot>},
};
constexpr FieldInfo kAddServerTagByRackRequestFields[] = {
  {1, kString, kRepeated, AT(AddServerTagByRackRequest, racks)},
  {2, kInt32, kRequired, AT(AddServerTagByRackRequest, server_tag)},
};
constexpr FieldInfo kRemoveServerTagByRackRequestFields[] = {
  {1, kString, kRepeated, AT(RemoveServerTagByRackRequest, racks)},
  {2, kInt32, kRequired, AT(RemoveServerTagByRackRequest, server_tag)},
};

#undef AT

}  // namespace

const MessageInfo kErrorResponseInfo = {
  "ErrorResponse", kErrorResponseFields, 0x1};
const MessageInfo kApiVersionsRequestInfo = {
  "ApiVersionsRequest", kApiVersionsRequestFields, 0x3};
const MessageInfo kApiVersionsResponseInfo = {
  "ApiVersionsResponse", kApiVersionsResponseFields, 0x0};
const MessageInfo kCreateDatabaseRequestInfo = {
  "CreateDatabaseRequest", kCreateDatabaseRequestFields, 0x3};
const MessageInfo kCreateDatabaseResponseInfo = {
  "CreateDatabaseResponse", {}, 0x0};
const MessageInfo kDropDatabaseRequestInfo = {
  "DropDatabaseRequest", kDropDatabaseRequestFields, 0x7};
const MessageInfo kDropDatabaseResponseInfo = {
  "DropDatabaseResponse", {}, 0x0};
const MessageInfo kListDatabasesRequestInfo = {
  "ListDatabasesRequest", kListDatabasesRequestFields, 0x0};
const MessageInfo kListDatabasesResponseInfo = {
  "ListDatabasesResponse", kListDatabasesResponseFields, 0x0};
const MessageInfo kDatabaseExistsRequestInfo = {
  "DatabaseExistsRequest", kDatabaseExistsRequestFields, 0x1};
const MessageInfo kDatabaseExistsResponseInfo = {
  "DatabaseExistsResponse", kDatabaseExistsResponseFields, 0x1};
const MessageInfo kCreateTableRequestInfo = {
  "CreateTableRequest", kCreateTableRequestFields, 0x7};
const MessageInfo kCreateTableResponseInfo = {
  "CreateTableResponse", {}, 0x0};
const MessageInfo kDropTableRequestInfo = {
  "DropTableRequest", kDropTableRequestFields, 0x3};
const MessageInfo kDropTableResponseInfo = {
  "DropTableResponse", {}, 0x0};
const MessageInfo kGetTableInfoRequestInfo = {
  "GetTableInfoRequest", kGetTableInfoRequestFields, 0x1};
const MessageInfo kGetTableInfoResponseInfo = {
  "GetTableInfoResponse", kGetTableInfoResponseFields, 0x1f};
const MessageInfo kListTablesRequestInfo = {
  "ListTablesRequest", kListTablesRequestFields, 0x1};
const MessageInfo kListTablesResponseInfo = {
  "ListTablesResponse", kListTablesResponseFields, 0x0};
const MessageInfo kListPartitionInfosRequestInfo = {
  "ListPartitionInfosRequest", kListPartitionInfosRequestFields, 0x1};
const MessageInfo kListPartitionInfosResponseInfo = {
  "ListPartitionInfosResponse", kListPartitionInfosResponseFields, 0x0};
const MessageInfo kTableExistsRequestInfo = {
  "TableExistsRequest", kTableExistsRequestFields, 0x1};
const MessageInfo kTableExistsResponseInfo = {
  "TableExistsResponse", kTableExistsResponseFields, 0x1};
const MessageInfo kGetTableSchemaRequestInfo = {
  "GetTableSchemaRequest", kGetTableSchemaRequestFields, 0x1};
const MessageInfo kGetTableSchemaResponseInfo = {
  "GetTableSchemaResponse", kGetTableSchemaResponseFields, 0x3};
const MessageInfo kMetadataRequestInfo = {
  "MetadataRequest", kMetadataRequestFields, 0x0};
const MessageInfo kMetadataResponseInfo = {
  "MetadataResponse", kMetadataResponseFields, 0x0};
const MessageInfo kUpdateMetadataRequestInfo = {
  "UpdateMetadataRequest", kUpdateMetadataRequestFields, 0x0};
const MessageInfo kUpdateMetadataResponseInfo = {
  "UpdateMetadataResponse", {}, 0x0};
const MessageInfo kProduceLogRequestInfo = {
  "ProduceLogRequest", kProduceLogRequestFields, 0x7};
const MessageInfo kProduceLogResponseInfo = {
  "ProduceLogResponse", kProduceLogResponseFields, 0x0};
const MessageInfo kFetchLogRequestInfo = {
  "FetchLogRequest", kFetchLogRequestFields, 0x3};
const MessageInfo kFetchLogResponseInfo = {
  "FetchLogResponse", kFetchLogResponseFields, 0x0};
const MessageInfo kPutKvRequestInfo = {
  "PutKvRequest", kPutKvRequestFields, 0x7};
const MessageInfo kPutKvResponseInfo = {
  "PutKvResponse", kPutKvResponseFields, 0x0};
const MessageInfo kLookupRequestInfo = {
  "LookupRequest", kLookupRequestFields, 0x1};
const MessageInfo kLookupResponseInfo = {
  "LookupResponse", kLookupResponseFields, 0x0};
const MessageInfo kNotifyLeaderAndIsrRequestInfo = {
  "NotifyLeaderAndIsrRequest", kNotifyLeaderAndIsrRequestFields, 0x1};
const MessageInfo kNotifyLeaderAndIsrResponseInfo = {
  "NotifyLeaderAndIsrResponse", kNotifyLeaderAndIsrResponseFields, 0x0};
const MessageInfo kStopReplicaRequestInfo = {
  "StopReplicaRequest", kStopReplicaRequestFields, 0x1};
const MessageInfo kStopReplicaResponseInfo = {
  "StopReplicaResponse", kStopReplicaResponseFields, 0x0};
const MessageInfo kAdjustIsrRequestInfo = {
  "AdjustIsrRequest", kAdjustIsrRequestFields, 0x1};
const MessageInfo kAdjustIsrResponseInfo = {
  "AdjustIsrResponse", kAdjustIsrResponseFields, 0x0};
const MessageInfo kListOffsetsRequestInfo = {
  "ListOffsetsRequest", kListOffsetsRequestFields, 0x7};
const MessageInfo kListOffsetsResponseInfo = {
  "ListOffsetsResponse", kListOffsetsResponseFields, 0x0};
const MessageInfo kCommitKvSnapshotRequestInfo = {
  "CommitKvSnapshotRequest", kCommitKvSnapshotRequestFields, 0x7};
const MessageInfo kCommitKvSnapshotResponseInfo = {
  "CommitKvSnapshotResponse", {}, 0x0};
const MessageInfo kGetLatestKvSnapshotsRequestInfo = {
  "GetLatestKvSnapshotsRequest", kGetLatestKvSnapshotsRequestFields, 0x1};
const MessageInfo kGetLatestKvSnapshotsResponseInfo = {
  "GetLatestKvSnapshotsResponse", kGetLatestKvSnapshotsResponseFields, 0x1};
const MessageInfo kGetKvSnapshotMetadataRequestInfo = {
  "GetKvSnapshotMetadataRequest", kGetKvSnapshotMetadataRequestFields, 0xd};
const MessageInfo kGetKvSnapshotMetadataResponseInfo = {
  "GetKvSnapshotMetadataResponse", kGetKvSnapshotMetadataResponseFields, 0x1};
const MessageInfo kGetFileSystemSecurityTokenRequestInfo = {
  "GetFileSystemSecurityTokenRequest", {}, 0x0};
const MessageInfo kGetFileSystemSecurityTokenResponseInfo = {
  "GetFileSystemSecurityTokenResponse", kGetFileSystemSecurityTokenResponseFields, 0x3};
const MessageInfo kInitWriterRequestInfo = {
  "InitWriterRequest", kInitWriterRequestFields, 0x0};
const MessageInfo kInitWriterResponseInfo = {
  "InitWriterResponse", kInitWriterResponseFields, 0x1};
const MessageInfo kCommitRemoteLogManifestRequestInfo = {
  "CommitRemoteLogManifestRequest", kCommitRemoteLogManifestRequestFields, 0xfd};
const MessageInfo kCommitRemoteLogManifestResponseInfo = {
  "CommitRemoteLogManifestResponse", kCommitRemoteLogManifestResponseFields, 0x1};
const MessageInfo kNotifyRemoteLogOffsetsRequestInfo = {
  "NotifyRemoteLogOffsetsRequest", kNotifyRemoteLogOffsetsRequestFields, 0x3d};
const MessageInfo kNotifyRemoteLogOffsetsResponseInfo = {
  "NotifyRemoteLogOffsetsResponse", {}, 0x0};
const MessageInfo kNotifyKvSnapshotOffsetRequestInfo = {
  "NotifyKvSnapshotOffsetRequest", kNotifyKvSnapshotOffsetRequestFields, 0x1d};
const MessageInfo kNotifyKvSnapshotOffsetResponseInfo = {
  "NotifyKvSnapshotOffsetResponse", {}, 0x0};
const MessageInfo kCommitLakeTableSnapshotRequestInfo = {
  "CommitLakeTableSnapshotRequest", kCommitLakeTableSnapshotRequestFields, 0x0};
const MessageInfo kCommitLakeTableSnapshotResponseInfo = {
  "CommitLakeTableSnapshotResponse", kCommitLakeTableSnapshotResponseFields, 0x0};
const MessageInfo kNotifyLakeTableOffsetRequestInfo = {
  "NotifyLakeTableOffsetRequest", kNotifyLakeTableOffsetRequestFields, 0x1};
const MessageInfo kNotifyLakeTableOffsetResponseInfo = {
  "NotifyLakeTableOffsetResponse", {}, 0x0};
const MessageInfo kGetLakeSnapshotRequestInfo = {
  "GetLakeSnapshotRequest", kGetLakeSnapshotRequestFields, 0x1};
const MessageInfo kGetLakeSnapshotResponseInfo = {
  "GetLakeSnapshotResponse", kGetLakeSnapshotResponseFields, 0x3};
const MessageInfo kLimitScanRequestInfo = {
  "LimitScanRequest", kLimitScanRequestFields, 0xd};
const MessageInfo kLimitScanResponseInfo = {
  "LimitScanResponse", kLimitScanResponseFields, 0x0};
const MessageInfo kPrefixLookupRequestInfo = {
  "PrefixLookupRequest", kPrefixLookupRequestFields, 0x1};
const MessageInfo kPrefixLookupResponseInfo = {
  "PrefixLookupResponse", kPrefixLookupResponseFields, 0x0};
const MessageInfo kGetDatabaseInfoRequestInfo = {
  "GetDatabaseInfoRequest", kGetDatabaseInfoRequestFields, 0x1};
const MessageInfo kGetDatabaseInfoResponseInfo = {
  "GetDatabaseInfoResponse", kGetDatabaseInfoResponseFields, 0x7};
const MessageInfo kCreatePartitionRequestInfo = {
  "CreatePartitionRequest", kCreatePartitionRequestFields, 0x7};
const MessageInfo kCreatePartitionResponseInfo = {
  "CreatePartitionResponse", {}, 0x0};
const MessageInfo kDropPartitionRequestInfo = {
  "DropPartitionRequest", kDropPartitionRequestFields, 0x7};
const MessageInfo kDropPartitionResponseInfo = {
  "DropPartitionResponse", {}, 0x0};
const MessageInfo kAuthenticateRequestInfo = {
  "AuthenticateRequest", kAuthenticateRequestFields, 0x3};
const MessageInfo kAuthenticateResponseInfo = {
  "AuthenticateResponse", kAuthenticateResponseFields, 0x0};
const MessageInfo kCreateAclsRequestInfo = {
  "CreateAclsRequest", kCreateAclsRequestFields, 0x0};
const MessageInfo kCreateAclsResponseInfo = {
  "CreateAclsResponse", kCreateAclsResponseFields, 0x0};
const MessageInfo kListAclsRequestInfo = {
  "ListAclsRequest", kListAclsRequestFields, 0x1};
const MessageInfo kListAclsResponseInfo = {
  "ListAclsResponse", kListAclsResponseFields, 0x0};
const MessageInfo kDropAclsRequestInfo = {
  "DropAclsRequest", kDropAclsRequestFields, 0x0};
const MessageInfo kDropAclsResponseInfo = {
  "DropAclsResponse", kDropAclsResponseFields, 0x0};
const MessageInfo kLakeTieringHeartbeatRequestInfo = {
  "LakeTieringHeartbeatRequest", kLakeTieringHeartbeatRequestFields, 0x0};
const MessageInfo kLakeTieringHeartbeatResponseInfo = {
  "LakeTieringHeartbeatResponse", kLakeTieringHeartbeatResponseFields, 0x1};
const MessageInfo kControlledShutdownRequestInfo = {
  "ControlledShutdownRequest", kControlledShutdownRequestFields, 0x3};
const MessageInfo kControlledShutdownResponseInfo = {
  "ControlledShutdownResponse", kControlledShutdownResponseFields, 0x0};
const MessageInfo kAlterTableRequestInfo = {
  "AlterTableRequest", kAlterTableRequestFields, 0x3};
const MessageInfo kAlterTableResponseInfo = {
  "AlterTableResponse", {}, 0x0};
const MessageInfo kDescribeClusterConfigsRequestInfo = {
  "DescribeClusterConfigsRequest", {}, 0x0};
const MessageInfo kDescribeClusterConfigsResponseInfo = {
  "DescribeClusterConfigsResponse", kDescribeClusterConfigsResponseFields, 0x0};
const MessageInfo kAlterClusterConfigsRequestInfo = {
  "AlterClusterConfigsRequest", kAlterClusterConfigsRequestFields, 0x0};
const MessageInfo kAlterClusterConfigsResponseInfo = {
  "AlterClusterConfigsResponse", {}, 0x0};
const MessageInfo kAddServerTagRequestInfo = {
  "AddServerTagRequest", kAddServerTagRequestFields, 0x2};
const MessageInfo kAddServerTagResponseInfo = {
  "AddServerTagResponse", {}, 0x0};
const MessageInfo kRemoveServerTagRequestInfo = {
  "RemoveServerTagRequest", kRemoveServerTagRequestFields, 0x2};
const MessageInfo kRemoveServerTagResponseInfo = {
  "RemoveServerTagResponse", {}, 0x0};
const MessageInfo kRebalanceRequestInfo = {
  "RebalanceRequest", kRebalanceRequestFields, 0x0};
const MessageInfo kRebalanceResponseInfo = {
  "RebalanceResponse", kRebalanceResponseFields, 0x1};
const MessageInfo kListRebalanceProgressRequestInfo = {
  "ListRebalanceProgressRequest", kListRebalanceProgressRequestFields, 0x0};
const MessageInfo kListRebalanceProgressResponseInfo = {
  "ListRebalanceProgressResponse", kListRebalanceProgressResponseFields, 0x0};
const MessageInfo kCancelRebalanceRequestInfo = {
  "CancelRebalanceRequest", kCancelRebalanceRequestFields, 0x0};
const MessageInfo kCancelRebalanceResponseInfo = {
  "CancelRebalanceResponse", {}, 0x0};
const MessageInfo kPrepareLakeTableSnapshotRequestInfo = {
  "PrepareLakeTableSnapshotRequest", kPrepareLakeTableSnapshotRequestFields, 0x0};
const MessageInfo kPrepareLakeTableSnapshotResponseInfo = {
  "PrepareLakeTableSnapshotResponse", kPrepareLakeTableSnapshotResponseFields, 0x0};
const MessageInfo kRegisterProducerOffsetsRequestInfo = {
  "RegisterProducerOffsetsRequest", kRegisterProducerOffsetsRequestFields, 0x1};
const MessageInfo kRegisterProducerOffsetsResponseInfo = {
  "RegisterProducerOffsetsResponse", kRegisterProducerOffsetsResponseFields, 0x0};
const MessageInfo kGetProducerOffsetsRequestInfo = {
  "GetProducerOffsetsRequest", kGetProducerOffsetsRequestFields, 0x1};
const MessageInfo kGetProducerOffsetsResponseInfo = {
  "GetProducerOffsetsResponse", kGetProducerOffsetsResponseFields, 0x0};
const MessageInfo kDeleteProducerOffsetsRequestInfo = {
  "DeleteProducerOffsetsRequest", kDeleteProducerOffsetsRequestFields, 0x1};
const MessageInfo kDeleteProducerOffsetsResponseInfo = {
  "DeleteProducerOffsetsResponse", {}, 0x0};
const MessageInfo kAcquireKvSnapshotLeaseRequestInfo = {
  "AcquireKvSnapshotLeaseRequest", kAcquireKvSnapshotLeaseRequestFields, 0x3};
const MessageInfo kAcquireKvSnapshotLeaseResponseInfo = {
  "AcquireKvSnapshotLeaseResponse", kAcquireKvSnapshotLeaseResponseFields, 0x0};
const MessageInfo kReleaseKvSnapshotLeaseRequestInfo = {
  "ReleaseKvSnapshotLeaseRequest", kReleaseKvSnapshotLeaseRequestFields, 0x1};
const MessageInfo kReleaseKvSnapshotLeaseResponseInfo = {
  "ReleaseKvSnapshotLeaseResponse", {}, 0x0};
const MessageInfo kDropKvSnapshotLeaseRequestInfo = {
  "DropKvSnapshotLeaseRequest", kDropKvSnapshotLeaseRequestFields, 0x1};
const MessageInfo kDropKvSnapshotLeaseResponseInfo = {
  "DropKvSnapshotLeaseResponse", {}, 0x0};
const MessageInfo kGetTableStatsRequestInfo = {
  "GetTableStatsRequest", kGetTableStatsRequestFields, 0x1};
const MessageInfo kGetTableStatsResponseInfo = {
  "GetTableStatsResponse", kGetTableStatsResponseFields, 0x0};
const MessageInfo kAlterDatabaseRequestInfo = {
  "AlterDatabaseRequest", kAlterDatabaseRequestFields, 0x3};
const MessageInfo kAlterDatabaseResponseInfo = {
  "AlterDatabaseResponse", {}, 0x0};
const MessageInfo kScanKvRequestInfo = {
  "ScanKvRequest", kScanKvRequestFields, 0x0};
const MessageInfo kScanKvResponseInfo = {
  "ScanKvResponse", kScanKvResponseFields, 0x0};
const MessageInfo kGetClusterHealthRequestInfo = {
  "GetClusterHealthRequest", {}, 0x0};
const MessageInfo kGetClusterHealthResponseInfo = {
  "GetClusterHealthResponse", kGetClusterHealthResponseFields, 0x1f};
const MessageInfo kListRemoteLogManifestsRequestInfo = {
  "ListRemoteLogManifestsRequest", kListRemoteLogManifestsRequestFields, 0x1};
const MessageInfo kListRemoteLogManifestsResponseInfo = {
  "ListRemoteLogManifestsResponse", kListRemoteLogManifestsResponseFields, 0x0};
const MessageInfo kListKvSnapshotsRequestInfo = {
  "ListKvSnapshotsRequest", kListKvSnapshotsRequestFields, 0x1};
const MessageInfo kListKvSnapshotsResponseInfo = {
  "ListKvSnapshotsResponse", kListKvSnapshotsResponseFields, 0x1};
const MessageInfo kAddServerTagByRackRequestInfo = {
  "AddServerTagByRackRequest", kAddServerTagByRackRequestFields, 0x2};
const MessageInfo kAddServerTagByRackResponseInfo = {
  "AddServerTagByRackResponse", {}, 0x0};
const MessageInfo kRemoveServerTagByRackRequestInfo = {
  "RemoveServerTagByRackRequest", kRemoveServerTagByRackRequestFields, 0x2};
const MessageInfo kRemoveServerTagByRackResponseInfo = {
  "RemoveServerTagByRackResponse", {}, 0x0};
// clang-format on

}  // namespace lakestream::wire
