// Made by tools/gen_messages.py from src/wire/messages.tsv. Edit the table, not this file.

#include "wire/messages.h"

#include "wire/codec.h"
#include "wire/message_tables.h"

namespace lakestream::wire {

Result<ErrorResponse> ErrorResponse::decode(Bytes payload) {
  return decode_as<ErrorResponse>(kErrorResponseInfo, payload);
}
BytesChain ErrorResponse::encode() const { return encode_message(kErrorResponseInfo, this); }

Result<ApiVersionsRequest> ApiVersionsRequest::decode(Bytes payload) {
  return decode_as<ApiVersionsRequest>(kApiVersionsRequestInfo, payload);
}
BytesChain ApiVersionsRequest::encode() const {
  return encode_message(kApiVersionsRequestInfo, this);
}

Result<ApiVersionsResponse> ApiVersionsResponse::decode(Bytes payload) {
  return decode_as<ApiVersionsResponse>(kApiVersionsResponseInfo, payload);
}
BytesChain ApiVersionsResponse::encode() const {
  return encode_message(kApiVersionsResponseInfo, this);
}

Result<CreateDatabaseRequest> CreateDatabaseRequest::decode(Bytes payload) {
  return decode_as<CreateDatabaseRequest>(kCreateDatabaseRequestInfo, payload);
}
BytesChain CreateDatabaseRequest::encode() const {
  return encode_message(kCreateDatabaseRequestInfo, this);
}

Result<CreateDatabaseResponse> CreateDatabaseResponse::decode(Bytes payload) {
  return decode_as<CreateDatabaseResponse>(kCreateDatabaseResponseInfo, payload);
}
BytesChain CreateDatabaseResponse::encode() const {
  return encode_message(kCreateDatabaseResponseInfo, this);
}

Result<DropDatabaseRequest> DropDatabaseRequest::decode(Bytes payload) {
  return decode_as<DropDatabaseRequest>(kDropDatabaseRequestInfo, payload);
}
BytesChain DropDatabaseRequest::encode() const {
  return encode_message(kDropDatabaseRequestInfo, this);
}

Result<DropDatabaseResponse> DropDatabaseResponse::decode(Bytes payload) {
  return decode_as<DropDatabaseResponse>(kDropDatabaseResponseInfo, payload);
}
BytesChain DropDatabaseResponse::encode() const {
  return encode_message(kDropDatabaseResponseInfo, this);
}

Result<ListDatabasesRequest> ListDatabasesRequest::decode(Bytes payload) {
  return decode_as<ListDatabasesRequest>(kListDatabasesRequestInfo, payload);
}
BytesChain ListDatabasesRequest::encode() const {
  return encode_message(kListDatabasesRequestInfo, this);
}

Result<ListDatabasesResponse> ListDatabasesResponse::decode(Bytes payload) {
  return decode_as<ListDatabasesResponse>(kListDatabasesResponseInfo, payload);
}
BytesChain ListDatabasesResponse::encode() const {
  return encode_message(kListDatabasesResponseInfo, this);
}

Result<DatabaseExistsRequest> DatabaseExistsRequest::decode(Bytes payload) {
  return decode_as<DatabaseExistsRequest>(kDatabaseExistsRequestInfo, payload);
}
BytesChain DatabaseExistsRequest::encode() const {
  return encode_message(kDatabaseExistsRequestInfo, this);
}

Result<DatabaseExistsResponse> DatabaseExistsResponse::decode(Bytes payload) {
  return decode_as<DatabaseExistsResponse>(kDatabaseExistsResponseInfo, payload);
}
BytesChain DatabaseExistsResponse::encode() const {
  return encode_message(kDatabaseExistsResponseInfo, this);
}

Result<CreateTableRequest> CreateTableRequest::decode(Bytes payload) {
  return decode_as<CreateTableRequest>(kCreateTableRequestInfo, payload);
}
BytesChain CreateTableRequest::encode() const {
  return encode_message(kCreateTableRequestInfo, this);
}

Result<CreateTableResponse> CreateTableResponse::decode(Bytes payload) {
  return decode_as<CreateTableResponse>(kCreateTableResponseInfo, payload);
}
BytesChain CreateTableResponse::encode() const {
  return encode_message(kCreateTableResponseInfo, this);
}

Result<DropTableRequest> DropTableRequest::decode(Bytes payload) {
  return decode_as<DropTableRequest>(kDropTableRequestInfo, payload);
}
BytesChain DropTableRequest::encode() const { return encode_message(kDropTableRequestInfo, this); }

Result<DropTableResponse> DropTableResponse::decode(Bytes payload) {
  return decode_as<DropTableResponse>(kDropTableResponseInfo, payload);
}
BytesChain DropTableResponse::encode() const {
  return encode_message(kDropTableResponseInfo, this);
}

Result<GetTableInfoRequest> GetTableInfoRequest::decode(Bytes payload) {
  return decode_as<GetTableInfoRequest>(kGetTableInfoRequestInfo, payload);
}
BytesChain GetTableInfoRequest::encode() const {
  return encode_message(kGetTableInfoRequestInfo, this);
}

Result<GetTableInfoResponse> GetTableInfoResponse::decode(Bytes payload) {
  return decode_as<GetTableInfoResponse>(kGetTableInfoResponseInfo, payload);
}
BytesChain GetTableInfoResponse::encode() const {
  return encode_message(kGetTableInfoResponseInfo, this);
}

Result<ListTablesRequest> ListTablesRequest::decode(Bytes payload) {
  return decode_as<ListTablesRequest>(kListTablesRequestInfo, payload);
}
BytesChain ListTablesRequest::encode() const {
  return encode_message(kListTablesRequestInfo, this);
}

Result<ListTablesResponse> ListTablesResponse::decode(Bytes payload) {
  return decode_as<ListTablesResponse>(kListTablesResponseInfo, payload);
}
BytesChain ListTablesResponse::encode() const {
  return encode_message(kListTablesResponseInfo, this);
}

Result<ListPartitionInfosRequest> ListPartitionInfosRequest::decode(Bytes payload) {
  return decode_as<ListPartitionInfosRequest>(kListPartitionInfosRequestInfo, payload);
}
BytesChain ListPartitionInfosRequest::encode() const {
  return encode_message(kListPartitionInfosRequestInfo, this);
}

Result<ListPartitionInfosResponse> ListPartitionInfosResponse::decode(Bytes payload) {
  return decode_as<ListPartitionInfosResponse>(kListPartitionInfosResponseInfo, payload);
}
BytesChain ListPartitionInfosResponse::encode() const {
  return encode_message(kListPartitionInfosResponseInfo, this);
}

Result<TableExistsRequest> TableExistsRequest::decode(Bytes payload) {
  return decode_as<TableExistsRequest>(kTableExistsRequestInfo, payload);
}
BytesChain TableExistsRequest::encode() const {
  return encode_message(kTableExistsRequestInfo, this);
}

Result<TableExistsResponse> TableExistsResponse::decode(Bytes payload) {
  return decode_as<TableExistsResponse>(kTableExistsResponseInfo, payload);
}
BytesChain TableExistsResponse::encode() const {
  return encode_message(kTableExistsResponseInfo, this);
}

Result<GetTableSchemaRequest> GetTableSchemaRequest::decode(Bytes payload) {
  return decode_as<GetTableSchemaRequest>(kGetTableSchemaRequestInfo, payload);
}
BytesChain GetTableSchemaRequest::encode() const {
  return encode_message(kGetTableSchemaRequestInfo, this);
}

Result<GetTableSchemaResponse> GetTableSchemaResponse::decode(Bytes payload) {
  return decode_as<GetTableSchemaResponse>(kGetTableSchemaResponseInfo, payload);
}
BytesChain GetTableSchemaResponse::encode() const {
  return encode_message(kGetTableSchemaResponseInfo, this);
}

Result<MetadataRequest> MetadataRequest::decode(Bytes payload) {
  return decode_as<MetadataRequest>(kMetadataRequestInfo, payload);
}
BytesChain MetadataRequest::encode() const { return encode_message(kMetadataRequestInfo, this); }

Result<MetadataResponse> MetadataResponse::decode(Bytes payload) {
  return decode_as<MetadataResponse>(kMetadataResponseInfo, payload);
}
BytesChain MetadataResponse::encode() const { return encode_message(kMetadataResponseInfo, this); }

Result<UpdateMetadataRequest> UpdateMetadataRequest::decode(Bytes payload) {
  return decode_as<UpdateMetadataRequest>(kUpdateMetadataRequestInfo, payload);
}
BytesChain UpdateMetadataRequest::encode() const {
  return encode_message(kUpdateMetadataRequestInfo, this);
}

Result<UpdateMetadataResponse> UpdateMetadataResponse::decode(Bytes payload) {
  return decode_as<UpdateMetadataResponse>(kUpdateMetadataResponseInfo, payload);
}
BytesChain UpdateMetadataResponse::encode() const {
  return encode_message(kUpdateMetadataResponseInfo, this);
}

Result<ProduceLogRequest> ProduceLogRequest::decode(Bytes payload) {
  return decode_as<ProduceLogRequest>(kProduceLogRequestInfo, payload);
}
BytesChain ProduceLogRequest::encode() const {
  return encode_message(kProduceLogRequestInfo, this);
}

Result<ProduceLogResponse> ProduceLogResponse::decode(Bytes payload) {
  return decode_as<ProduceLogResponse>(kProduceLogResponseInfo, payload);
}
BytesChain ProduceLogResponse::encode() const {
  return encode_message(kProduceLogResponseInfo, this);
}

Result<FetchLogRequest> FetchLogRequest::decode(Bytes payload) {
  return decode_as<FetchLogRequest>(kFetchLogRequestInfo, payload);
}
BytesChain FetchLogRequest::encode() const { return encode_message(kFetchLogRequestInfo, this); }

Result<FetchLogResponse> FetchLogResponse::decode(Bytes payload) {
  return decode_as<FetchLogResponse>(kFetchLogResponseInfo, payload);
}
BytesChain FetchLogResponse::encode() const { return encode_message(kFetchLogResponseInfo, this); }

Result<PutKvRequest> PutKvRequest::decode(Bytes payload) {
  return decode_as<PutKvRequest>(kPutKvRequestInfo, payload);
}
BytesChain PutKvRequest::encode() const { return encode_message(kPutKvRequestInfo, this); }

Result<PutKvResponse> PutKvResponse::decode(Bytes payload) {
  return decode_as<PutKvResponse>(kPutKvResponseInfo, payload);
}
BytesChain PutKvResponse::encode() const { return encode_message(kPutKvResponseInfo, this); }

Result<LookupRequest> LookupRequest::decode(Bytes payload) {
  return decode_as<LookupRequest>(kLookupRequestInfo, payload);
}
BytesChain LookupRequest::encode() const { return encode_message(kLookupRequestInfo, this); }

Result<LookupResponse> LookupResponse::decode(Bytes payload) {
  return decode_as<LookupResponse>(kLookupResponseInfo, payload);
}
BytesChain LookupResponse::encode() const { return encode_message(kLookupResponseInfo, this); }

Result<NotifyLeaderAndIsrRequest> NotifyLeaderAndIsrRequest::decode(Bytes payload) {
  return decode_as<NotifyLeaderAndIsrRequest>(kNotifyLeaderAndIsrRequestInfo, payload);
}
BytesChain NotifyLeaderAndIsrRequest::encode() const {
  return encode_message(kNotifyLeaderAndIsrRequestInfo, this);
}

Result<NotifyLeaderAndIsrResponse> NotifyLeaderAndIsrResponse::decode(Bytes payload) {
  return decode_as<NotifyLeaderAndIsrResponse>(kNotifyLeaderAndIsrResponseInfo, payload);
}
BytesChain NotifyLeaderAndIsrResponse::encode() const {
  return encode_message(kNotifyLeaderAndIsrResponseInfo, this);
}

Result<StopReplicaRequest> StopReplicaRequest::decode(Bytes payload) {
  return decode_as<StopReplicaRequest>(kStopReplicaRequestInfo, payload);
}
BytesChain StopReplicaRequest::encode() const {
  return encode_message(kStopReplicaRequestInfo, this);
}

Result<StopReplicaResponse> StopReplicaResponse::decode(Bytes payload) {
  return decode_as<StopReplicaResponse>(kStopReplicaResponseInfo, payload);
}
BytesChain StopReplicaResponse::encode() const {
  return encode_message(kStopReplicaResponseInfo, this);
}

Result<AdjustIsrRequest> AdjustIsrRequest::decode(Bytes payload) {
  return decode_as<AdjustIsrRequest>(kAdjustIsrRequestInfo, payload);
}
BytesChain AdjustIsrRequest::encode() const { return encode_message(kAdjustIsrRequestInfo, this); }

Result<AdjustIsrResponse> AdjustIsrResponse::decode(Bytes payload) {
  return decode_as<AdjustIsrResponse>(kAdjustIsrResponseInfo, payload);
}
BytesChain AdjustIsrResponse::encode() const {
  return encode_message(kAdjustIsrResponseInfo, this);
}

Result<ListOffsetsRequest> ListOffsetsRequest::decode(Bytes payload) {
  return decode_as<ListOffsetsRequest>(kListOffsetsRequestInfo, payload);
}
BytesChain ListOffsetsRequest::encode() const {
  return encode_message(kListOffsetsRequestInfo, this);
}

Result<ListOffsetsResponse> ListOffsetsResponse::decode(Bytes payload) {
  return decode_as<ListOffsetsResponse>(kListOffsetsResponseInfo, payload);
}
BytesChain ListOffsetsResponse::encode() const {
  return encode_message(kListOffsetsResponseInfo, this);
}

Result<CommitKvSnapshotRequest> CommitKvSnapshotRequest::decode(Bytes payload) {
  return decode_as<CommitKvSnapshotRequest>(kCommitKvSnapshotRequestInfo, payload);
}
BytesChain CommitKvSnapshotRequest::encode() const {
  return encode_message(kCommitKvSnapshotRequestInfo, this);
}

Result<CommitKvSnapshotResponse> CommitKvSnapshotResponse::decode(Bytes payload) {
  return decode_as<CommitKvSnapshotResponse>(kCommitKvSnapshotResponseInfo, payload);
}
BytesChain CommitKvSnapshotResponse::encode() const {
  return encode_message(kCommitKvSnapshotResponseInfo, this);
}

Result<GetLatestKvSnapshotsRequest> GetLatestKvSnapshotsRequest::decode(Bytes payload) {
  return decode_as<GetLatestKvSnapshotsRequest>(kGetLatestKvSnapshotsRequestInfo, payload);
}
BytesChain GetLatestKvSnapshotsRequest::encode() const {
  return encode_message(kGetLatestKvSnapshotsRequestInfo, this);
}

Result<GetLatestKvSnapshotsResponse> GetLatestKvSnapshotsResponse::decode(Bytes payload) {
  return decode_as<GetLatestKvSnapshotsResponse>(kGetLatestKvSnapshotsResponseInfo, payload);
}
BytesChain GetLatestKvSnapshotsResponse::encode() const {
  return encode_message(kGetLatestKvSnapshotsResponseInfo, this);
}

Result<GetKvSnapshotMetadataRequest> GetKvSnapshotMetadataRequest::decode(Bytes payload) {
  return decode_as<GetKvSnapshotMetadataRequest>(kGetKvSnapshotMetadataRequestInfo, payload);
}
BytesChain GetKvSnapshotMetadataRequest::encode() const {
  return encode_message(kGetKvSnapshotMetadataRequestInfo, this);
}

Result<GetKvSnapshotMetadataResponse> GetKvSnapshotMetadataResponse::decode(Bytes payload) {
  return decode_as<GetKvSnapshotMetadataResponse>(kGetKvSnapshotMetadataResponseInfo, payload);
}
BytesChain GetKvSnapshotMetadataResponse::encode() const {
  return encode_message(kGetKvSnapshotMetadataResponseInfo, this);
}

Result<GetFileSystemSecurityTokenRequest> GetFileSystemSecurityTokenRequest::decode(Bytes payload) {
  return decode_as<GetFileSystemSecurityTokenRequest>(kGetFileSystemSecurityTokenRequestInfo,
                                                      payload);
}
BytesChain GetFileSystemSecurityTokenRequest::encode() const {
  return encode_message(kGetFileSystemSecurityTokenRequestInfo, this);
}

Result<GetFileSystemSecurityTokenResponse> GetFileSystemSecurityTokenResponse::decode(
    Bytes payload) {
  return decode_as<GetFileSystemSecurityTokenResponse>(kGetFileSystemSecurityTokenResponseInfo,
                                                       payload);
}
BytesChain GetFileSystemSecurityTokenResponse::encode() const {
  return encode_message(kGetFileSystemSecurityTokenResponseInfo, this);
}

Result<InitWriterRequest> InitWriterRequest::decode(Bytes payload) {
  return decode_as<InitWriterRequest>(kInitWriterRequestInfo, payload);
}
BytesChain InitWriterRequest::encode() const {
  return encode_message(kInitWriterRequestInfo, this);
}

Result<InitWriterResponse> InitWriterResponse::decode(Bytes payload) {
  return decode_as<InitWriterResponse>(kInitWriterResponseInfo, payload);
}
BytesChain InitWriterResponse::encode() const {
  return encode_message(kInitWriterResponseInfo, this);
}

Result<CommitRemoteLogManifestRequest> CommitRemoteLogManifestRequest::decode(Bytes payload) {
  return decode_as<CommitRemoteLogManifestRequest>(kCommitRemoteLogManifestRequestInfo, payload);
}
BytesChain CommitRemoteLogManifestRequest::encode() const {
  return encode_message(kCommitRemoteLogManifestRequestInfo, this);
}

Result<CommitRemoteLogManifestResponse> CommitRemoteLogManifestResponse::decode(Bytes payload) {
  return decode_as<CommitRemoteLogManifestResponse>(kCommitRemoteLogManifestResponseInfo, payload);
}
BytesChain CommitRemoteLogManifestResponse::encode() const {
  return encode_message(kCommitRemoteLogManifestResponseInfo, this);
}

Result<NotifyRemoteLogOffsetsRequest> NotifyRemoteLogOffsetsRequest::decode(Bytes payload) {
  return decode_as<NotifyRemoteLogOffsetsRequest>(kNotifyRemoteLogOffsetsRequestInfo, payload);
}
BytesChain NotifyRemoteLogOffsetsRequest::encode() const {
  return encode_message(kNotifyRemoteLogOffsetsRequestInfo, this);
}

Result<NotifyRemoteLogOffsetsResponse> NotifyRemoteLogOffsetsResponse::decode(Bytes payload) {
  return decode_as<NotifyRemoteLogOffsetsResponse>(kNotifyRemoteLogOffsetsResponseInfo, payload);
}
BytesChain NotifyRemoteLogOffsetsResponse::encode() const {
  return encode_message(kNotifyRemoteLogOffsetsResponseInfo, this);
}

Result<NotifyKvSnapshotOffsetRequest> NotifyKvSnapshotOffsetRequest::decode(Bytes payload) {
  return decode_as<NotifyKvSnapshotOffsetRequest>(kNotifyKvSnapshotOffsetRequestInfo, payload);
}
BytesChain NotifyKvSnapshotOffsetRequest::encode() const {
  return encode_message(kNotifyKvSnapshotOffsetRequestInfo, this);
}

Result<NotifyKvSnapshotOffsetResponse> NotifyKvSnapshotOffsetResponse::decode(Bytes payload) {
  return decode_as<NotifyKvSnapshotOffsetResponse>(kNotifyKvSnapshotOffsetResponseInfo, payload);
}
BytesChain NotifyKvSnapshotOffsetResponse::encode() const {
  return encode_message(kNotifyKvSnapshotOffsetResponseInfo, this);
}

Result<CommitLakeTableSnapshotRequest> CommitLakeTableSnapshotRequest::decode(Bytes payload) {
  return decode_as<CommitLakeTableSnapshotRequest>(kCommitLakeTableSnapshotRequestInfo, payload);
}
BytesChain CommitLakeTableSnapshotRequest::encode() const {
  return encode_message(kCommitLakeTableSnapshotRequestInfo, this);
}

Result<CommitLakeTableSnapshotResponse> CommitLakeTableSnapshotResponse::decode(Bytes payload) {
  return decode_as<CommitLakeTableSnapshotResponse>(kCommitLakeTableSnapshotResponseInfo, payload);
}
BytesChain CommitLakeTableSnapshotResponse::encode() const {
  return encode_message(kCommitLakeTableSnapshotResponseInfo, this);
}

Result<NotifyLakeTableOffsetRequest> NotifyLakeTableOffsetRequest::decode(Bytes payload) {
  return decode_as<NotifyLakeTableOffsetRequest>(kNotifyLakeTableOffsetRequestInfo, payload);
}
BytesChain NotifyLakeTableOffsetRequest::encode() const {
  return encode_message(kNotifyLakeTableOffsetRequestInfo, this);
}

Result<NotifyLakeTableOffsetResponse> NotifyLakeTableOffsetResponse::decode(Bytes payload) {
  return decode_as<NotifyLakeTableOffsetResponse>(kNotifyLakeTableOffsetResponseInfo, payload);
}
BytesChain NotifyLakeTableOffsetResponse::encode() const {
  return encode_message(kNotifyLakeTableOffsetResponseInfo, this);
}

Result<GetLakeSnapshotRequest> GetLakeSnapshotRequest::decode(Bytes payload) {
  return decode_as<GetLakeSnapshotRequest>(kGetLakeSnapshotRequestInfo, payload);
}
BytesChain GetLakeSnapshotRequest::encode() const {
  return encode_message(kGetLakeSnapshotRequestInfo, this);
}

Result<GetLakeSnapshotResponse> GetLakeSnapshotResponse::decode(Bytes payload) {
  return decode_as<GetLakeSnapshotResponse>(kGetLakeSnapshotResponseInfo, payload);
}
BytesChain GetLakeSnapshotResponse::encode() const {
  return encode_message(kGetLakeSnapshotResponseInfo, this);
}

Result<LimitScanRequest> LimitScanRequest::decode(Bytes payload) {
  return decode_as<LimitScanRequest>(kLimitScanRequestInfo, payload);
}
BytesChain LimitScanRequest::encode() const { return encode_message(kLimitScanRequestInfo, this); }

Result<LimitScanResponse> LimitScanResponse::decode(Bytes payload) {
  return decode_as<LimitScanResponse>(kLimitScanResponseInfo, payload);
}
BytesChain LimitScanResponse::encode() const {
  return encode_message(kLimitScanResponseInfo, this);
}

Result<PrefixLookupRequest> PrefixLookupRequest::decode(Bytes payload) {
  return decode_as<PrefixLookupRequest>(kPrefixLookupRequestInfo, payload);
}
BytesChain PrefixLookupRequest::encode() const {
  return encode_message(kPrefixLookupRequestInfo, this);
}

Result<PrefixLookupResponse> PrefixLookupResponse::decode(Bytes payload) {
  return decode_as<PrefixLookupResponse>(kPrefixLookupResponseInfo, payload);
}
BytesChain PrefixLookupResponse::encode() const {
  return encode_message(kPrefixLookupResponseInfo, this);
}

Result<GetDatabaseInfoRequest> GetDatabaseInfoRequest::decode(Bytes payload) {
  return decode_as<GetDatabaseInfoRequest>(kGetDatabaseInfoRequestInfo, payload);
}
BytesChain GetDatabaseInfoRequest::encode() const {
  return encode_message(kGetDatabaseInfoRequestInfo, this);
}

Result<GetDatabaseInfoResponse> GetDatabaseInfoResponse::decode(Bytes payload) {
  return decode_as<GetDatabaseInfoResponse>(kGetDatabaseInfoResponseInfo, payload);
}
BytesChain GetDatabaseInfoResponse::encode() const {
  return encode_message(kGetDatabaseInfoResponseInfo, this);
}

Result<CreatePartitionRequest> CreatePartitionRequest::decode(Bytes payload) {
  return decode_as<CreatePartitionRequest>(kCreatePartitionRequestInfo, payload);
}
BytesChain CreatePartitionRequest::encode() const {
  return encode_message(kCreatePartitionRequestInfo, this);
}

Result<CreatePartitionResponse> CreatePartitionResponse::decode(Bytes payload) {
  return decode_as<CreatePartitionResponse>(kCreatePartitionResponseInfo, payload);
}
BytesChain CreatePartitionResponse::encode() const {
  return encode_message(kCreatePartitionResponseInfo, this);
}

Result<DropPartitionRequest> DropPartitionRequest::decode(Bytes payload) {
  return decode_as<DropPartitionRequest>(kDropPartitionRequestInfo, payload);
}
BytesChain DropPartitionRequest::encode() const {
  return encode_message(kDropPartitionRequestInfo, this);
}

Result<DropPartitionResponse> DropPartitionResponse::decode(Bytes payload) {
  return decode_as<DropPartitionResponse>(kDropPartitionResponseInfo, payload);
}
BytesChain DropPartitionResponse::encode() const {
  return encode_message(kDropPartitionResponseInfo, this);
}

Result<AuthenticateRequest> AuthenticateRequest::decode(Bytes payload) {
  return decode_as<AuthenticateRequest>(kAuthenticateRequestInfo, payload);
}
BytesChain AuthenticateRequest::encode() const {
  return encode_message(kAuthenticateRequestInfo, this);
}

Result<AuthenticateResponse> AuthenticateResponse::decode(Bytes payload) {
  return decode_as<AuthenticateResponse>(kAuthenticateResponseInfo, payload);
}
BytesChain AuthenticateResponse::encode() const {
  return encode_message(kAuthenticateResponseInfo, this);
}

Result<CreateAclsRequest> CreateAclsRequest::decode(Bytes payload) {
  return decode_as<CreateAclsRequest>(kCreateAclsRequestInfo, payload);
}
BytesChain CreateAclsRequest::encode() const {
  return encode_message(kCreateAclsRequestInfo, this);
}

Result<CreateAclsResponse> CreateAclsResponse::decode(Bytes payload) {
  return decode_as<CreateAclsResponse>(kCreateAclsResponseInfo, payload);
}
BytesChain CreateAclsResponse::encode() const {
  return encode_message(kCreateAclsResponseInfo, this);
}

Result<ListAclsRequest> ListAclsRequest::decode(Bytes payload) {
  return decode_as<ListAclsRequest>(kListAclsRequestInfo, payload);
}
BytesChain ListAclsRequest::encode() const { return encode_message(kListAclsRequestInfo, this); }

Result<ListAclsResponse> ListAclsResponse::decode(Bytes payload) {
  return decode_as<ListAclsResponse>(kListAclsResponseInfo, payload);
}
BytesChain ListAclsResponse::encode() const { return encode_message(kListAclsResponseInfo, this); }

Result<DropAclsRequest> DropAclsRequest::decode(Bytes payload) {
  return decode_as<DropAclsRequest>(kDropAclsRequestInfo, payload);
}
BytesChain DropAclsRequest::encode() const { return encode_message(kDropAclsRequestInfo, this); }

Result<DropAclsResponse> DropAclsResponse::decode(Bytes payload) {
  return decode_as<DropAclsResponse>(kDropAclsResponseInfo, payload);
}
BytesChain DropAclsResponse::encode() const { return encode_message(kDropAclsResponseInfo, this); }

Result<LakeTieringHeartbeatRequest> LakeTieringHeartbeatRequest::decode(Bytes payload) {
  return decode_as<LakeTieringHeartbeatRequest>(kLakeTieringHeartbeatRequestInfo, payload);
}
BytesChain LakeTieringHeartbeatRequest::encode() const {
  return encode_message(kLakeTieringHeartbeatRequestInfo, this);
}

Result<LakeTieringHeartbeatResponse> LakeTieringHeartbeatResponse::decode(Bytes payload) {
  return decode_as<LakeTieringHeartbeatResponse>(kLakeTieringHeartbeatResponseInfo, payload);
}
BytesChain LakeTieringHeartbeatResponse::encode() const {
  return encode_message(kLakeTieringHeartbeatResponseInfo, this);
}

Result<ControlledShutdownRequest> ControlledShutdownRequest::decode(Bytes payload) {
  return decode_as<ControlledShutdownRequest>(kControlledShutdownRequestInfo, payload);
}
BytesChain ControlledShutdownRequest::encode() const {
  return encode_message(kControlledShutdownRequestInfo, this);
}

Result<ControlledShutdownResponse> ControlledShutdownResponse::decode(Bytes payload) {
  return decode_as<ControlledShutdownResponse>(kControlledShutdownResponseInfo, payload);
}
BytesChain ControlledShutdownResponse::encode() const {
  return encode_message(kControlledShutdownResponseInfo, this);
}

Result<AlterTableRequest> AlterTableRequest::decode(Bytes payload) {
  return decode_as<AlterTableRequest>(kAlterTableRequestInfo, payload);
}
BytesChain AlterTableRequest::encode() const {
  return encode_message(kAlterTableRequestInfo, this);
}

Result<AlterTableResponse> AlterTableResponse::decode(Bytes payload) {
  return decode_as<AlterTableResponse>(kAlterTableResponseInfo, payload);
}
BytesChain AlterTableResponse::encode() const {
  return encode_message(kAlterTableResponseInfo, this);
}

Result<DescribeClusterConfigsRequest> DescribeClusterConfigsRequest::decode(Bytes payload) {
  return decode_as<DescribeClusterConfigsRequest>(kDescribeClusterConfigsRequestInfo, payload);
}
BytesChain DescribeClusterConfigsRequest::encode() const {
  return encode_message(kDescribeClusterConfigsRequestInfo, this);
}

Result<DescribeClusterConfigsResponse> DescribeClusterConfigsResponse::decode(Bytes payload) {
  return decode_as<DescribeClusterConfigsResponse>(kDescribeClusterConfigsResponseInfo, payload);
}
BytesChain DescribeClusterConfigsResponse::encode() const {
  return encode_message(kDescribeClusterConfigsResponseInfo, this);
}

Result<AlterClusterConfigsRequest> AlterClusterConfigsRequest::decode(Bytes payload) {
  return decode_as<AlterClusterConfigsRequest>(kAlterClusterConfigsRequestInfo, payload);
}
BytesChain AlterClusterConfigsRequest::encode() const {
  return encode_message(kAlterClusterConfigsRequestInfo, this);
}

Result<AlterClusterConfigsResponse> AlterClusterConfigsResponse::decode(Bytes payload) {
  return decode_as<AlterClusterConfigsResponse>(kAlterClusterConfigsResponseInfo, payload);
}
BytesChain AlterClusterConfigsResponse::encode() const {
  return encode_message(kAlterClusterConfigsResponseInfo, this);
}

Result<AddServerTagRequest> AddServerTagRequest::decode(Bytes payload) {
  return decode_as<AddServerTagRequest>(kAddServerTagRequestInfo, payload);
}
BytesChain AddServerTagRequest::encode() const {
  return encode_message(kAddServerTagRequestInfo, this);
}

Result<AddServerTagResponse> AddServerTagResponse::decode(Bytes payload) {
  return decode_as<AddServerTagResponse>(kAddServerTagResponseInfo, payload);
}
BytesChain AddServerTagResponse::encode() const {
  return encode_message(kAddServerTagResponseInfo, this);
}

Result<RemoveServerTagRequest> RemoveServerTagRequest::decode(Bytes payload) {
  return decode_as<RemoveServerTagRequest>(kRemoveServerTagRequestInfo, payload);
}
BytesChain RemoveServerTagRequest::encode() const {
  return encode_message(kRemoveServerTagRequestInfo, this);
}

Result<RemoveServerTagResponse> RemoveServerTagResponse::decode(Bytes payload) {
  return decode_as<RemoveServerTagResponse>(kRemoveServerTagResponseInfo, payload);
}
BytesChain RemoveServerTagResponse::encode() const {
  return encode_message(kRemoveServerTagResponseInfo, this);
}

Result<RebalanceRequest> RebalanceRequest::decode(Bytes payload) {
  return decode_as<RebalanceRequest>(kRebalanceRequestInfo, payload);
}
BytesChain RebalanceRequest::encode() const { return encode_message(kRebalanceRequestInfo, this); }

Result<RebalanceResponse> RebalanceResponse::decode(Bytes payload) {
  return decode_as<RebalanceResponse>(kRebalanceResponseInfo, payload);
}
BytesChain RebalanceResponse::encode() const {
  return encode_message(kRebalanceResponseInfo, this);
}

Result<ListRebalanceProgressRequest> ListRebalanceProgressRequest::decode(Bytes payload) {
  return decode_as<ListRebalanceProgressRequest>(kListRebalanceProgressRequestInfo, payload);
}
BytesChain ListRebalanceProgressRequest::encode() const {
  return encode_message(kListRebalanceProgressRequestInfo, this);
}

Result<ListRebalanceProgressResponse> ListRebalanceProgressResponse::decode(Bytes payload) {
  return decode_as<ListRebalanceProgressResponse>(kListRebalanceProgressResponseInfo, payload);
}
BytesChain ListRebalanceProgressResponse::encode() const {
  return encode_message(kListRebalanceProgressResponseInfo, this);
}

Result<CancelRebalanceRequest> CancelRebalanceRequest::decode(Bytes payload) {
  return decode_as<CancelRebalanceRequest>(kCancelRebalanceRequestInfo, payload);
}
BytesChain CancelRebalanceRequest::encode() const {
  return encode_message(kCancelRebalanceRequestInfo, this);
}

Result<CancelRebalanceResponse> CancelRebalanceResponse::decode(Bytes payload) {
  return decode_as<CancelRebalanceResponse>(kCancelRebalanceResponseInfo, payload);
}
BytesChain CancelRebalanceResponse::encode() const {
  return encode_message(kCancelRebalanceResponseInfo, this);
}

Result<PrepareLakeTableSnapshotRequest> PrepareLakeTableSnapshotRequest::decode(Bytes payload) {
  return decode_as<PrepareLakeTableSnapshotRequest>(kPrepareLakeTableSnapshotRequestInfo, payload);
}
BytesChain PrepareLakeTableSnapshotRequest::encode() const {
  return encode_message(kPrepareLakeTableSnapshotRequestInfo, this);
}

Result<PrepareLakeTableSnapshotResponse> PrepareLakeTableSnapshotResponse::decode(Bytes payload) {
  return decode_as<PrepareLakeTableSnapshotResponse>(kPrepareLakeTableSnapshotResponseInfo,
                                                     payload);
}
BytesChain PrepareLakeTableSnapshotResponse::encode() const {
  return encode_message(kPrepareLakeTableSnapshotResponseInfo, this);
}

Result<RegisterProducerOffsetsRequest> RegisterProducerOffsetsRequest::decode(Bytes payload) {
  return decode_as<RegisterProducerOffsetsRequest>(kRegisterProducerOffsetsRequestInfo, payload);
}
BytesChain RegisterProducerOffsetsRequest::encode() const {
  return encode_message(kRegisterProducerOffsetsRequestInfo, this);
}

Result<RegisterProducerOffsetsResponse> RegisterProducerOffsetsResponse::decode(Bytes payload) {
  return decode_as<RegisterProducerOffsetsResponse>(kRegisterProducerOffsetsResponseInfo, payload);
}
BytesChain RegisterProducerOffsetsResponse::encode() const {
  return encode_message(kRegisterProducerOffsetsResponseInfo, this);
}

Result<GetProducerOffsetsRequest> GetProducerOffsetsRequest::decode(Bytes payload) {
  return decode_as<GetProducerOffsetsRequest>(kGetProducerOffsetsRequestInfo, payload);
}
BytesChain GetProducerOffsetsRequest::encode() const {
  return encode_message(kGetProducerOffsetsRequestInfo, this);
}

Result<GetProducerOffsetsResponse> GetProducerOffsetsResponse::decode(Bytes payload) {
  return decode_as<GetProducerOffsetsResponse>(kGetProducerOffsetsResponseInfo, payload);
}
BytesChain GetProducerOffsetsResponse::encode() const {
  return encode_message(kGetProducerOffsetsResponseInfo, this);
}

Result<DeleteProducerOffsetsRequest> DeleteProducerOffsetsRequest::decode(Bytes payload) {
  return decode_as<DeleteProducerOffsetsRequest>(kDeleteProducerOffsetsRequestInfo, payload);
}
BytesChain DeleteProducerOffsetsRequest::encode() const {
  return encode_message(kDeleteProducerOffsetsRequestInfo, this);
}

Result<DeleteProducerOffsetsResponse> DeleteProducerOffsetsResponse::decode(Bytes payload) {
  return decode_as<DeleteProducerOffsetsResponse>(kDeleteProducerOffsetsResponseInfo, payload);
}
BytesChain DeleteProducerOffsetsResponse::encode() const {
  return encode_message(kDeleteProducerOffsetsResponseInfo, this);
}

Result<AcquireKvSnapshotLeaseRequest> AcquireKvSnapshotLeaseRequest::decode(Bytes payload) {
  return decode_as<AcquireKvSnapshotLeaseRequest>(kAcquireKvSnapshotLeaseRequestInfo, payload);
}
BytesChain AcquireKvSnapshotLeaseRequest::encode() const {
  return encode_message(kAcquireKvSnapshotLeaseRequestInfo, this);
}

Result<AcquireKvSnapshotLeaseResponse> AcquireKvSnapshotLeaseResponse::decode(Bytes payload) {
  return decode_as<AcquireKvSnapshotLeaseResponse>(kAcquireKvSnapshotLeaseResponseInfo, payload);
}
BytesChain AcquireKvSnapshotLeaseResponse::encode() const {
  return encode_message(kAcquireKvSnapshotLeaseResponseInfo, this);
}

Result<ReleaseKvSnapshotLeaseRequest> ReleaseKvSnapshotLeaseRequest::decode(Bytes payload) {
  return decode_as<ReleaseKvSnapshotLeaseRequest>(kReleaseKvSnapshotLeaseRequestInfo, payload);
}
BytesChain ReleaseKvSnapshotLeaseRequest::encode() const {
  return encode_message(kReleaseKvSnapshotLeaseRequestInfo, this);
}

Result<ReleaseKvSnapshotLeaseResponse> ReleaseKvSnapshotLeaseResponse::decode(Bytes payload) {
  return decode_as<ReleaseKvSnapshotLeaseResponse>(kReleaseKvSnapshotLeaseResponseInfo, payload);
}
BytesChain ReleaseKvSnapshotLeaseResponse::encode() const {
  return encode_message(kReleaseKvSnapshotLeaseResponseInfo, this);
}

Result<DropKvSnapshotLeaseRequest> DropKvSnapshotLeaseRequest::decode(Bytes payload) {
  return decode_as<DropKvSnapshotLeaseRequest>(kDropKvSnapshotLeaseRequestInfo, payload);
}
BytesChain DropKvSnapshotLeaseRequest::encode() const {
  return encode_message(kDropKvSnapshotLeaseRequestInfo, this);
}

Result<DropKvSnapshotLeaseResponse> DropKvSnapshotLeaseResponse::decode(Bytes payload) {
  return decode_as<DropKvSnapshotLeaseResponse>(kDropKvSnapshotLeaseResponseInfo, payload);
}
BytesChain DropKvSnapshotLeaseResponse::encode() const {
  return encode_message(kDropKvSnapshotLeaseResponseInfo, this);
}

Result<GetTableStatsRequest> GetTableStatsRequest::decode(Bytes payload) {
  return decode_as<GetTableStatsRequest>(kGetTableStatsRequestInfo, payload);
}
BytesChain GetTableStatsRequest::encode() const {
  return encode_message(kGetTableStatsRequestInfo, this);
}

Result<GetTableStatsResponse> GetTableStatsResponse::decode(Bytes payload) {
  return decode_as<GetTableStatsResponse>(kGetTableStatsResponseInfo, payload);
}
BytesChain GetTableStatsResponse::encode() const {
  return encode_message(kGetTableStatsResponseInfo, this);
}

Result<AlterDatabaseRequest> AlterDatabaseRequest::decode(Bytes payload) {
  return decode_as<AlterDatabaseRequest>(kAlterDatabaseRequestInfo, payload);
}
BytesChain AlterDatabaseRequest::encode() const {
  return encode_message(kAlterDatabaseRequestInfo, this);
}

Result<AlterDatabaseResponse> AlterDatabaseResponse::decode(Bytes payload) {
  return decode_as<AlterDatabaseResponse>(kAlterDatabaseResponseInfo, payload);
}
BytesChain AlterDatabaseResponse::encode() const {
  return encode_message(kAlterDatabaseResponseInfo, this);
}

Result<ScanKvRequest> ScanKvRequest::decode(Bytes payload) {
  return decode_as<ScanKvRequest>(kScanKvRequestInfo, payload);
}
BytesChain ScanKvRequest::encode() const { return encode_message(kScanKvRequestInfo, this); }

Result<ScanKvResponse> ScanKvResponse::decode(Bytes payload) {
  return decode_as<ScanKvResponse>(kScanKvResponseInfo, payload);
}
BytesChain ScanKvResponse::encode() const { return encode_message(kScanKvResponseInfo, this); }

Result<GetClusterHealthRequest> GetClusterHealthRequest::decode(Bytes payload) {
  return decode_as<GetClusterHealthRequest>(kGetClusterHealthRequestInfo, payload);
}
BytesChain GetClusterHealthRequest::encode() const {
  return encode_message(kGetClusterHealthRequestInfo, this);
}

Result<GetClusterHealthResponse> GetClusterHealthResponse::decode(Bytes payload) {
  return decode_as<GetClusterHealthResponse>(kGetClusterHealthResponseInfo, payload);
}
BytesChain GetClusterHealthResponse::encode() const {
  return encode_message(kGetClusterHealthResponseInfo, this);
}

Result<ListRemoteLogManifestsRequest> ListRemoteLogManifestsRequest::decode(Bytes payload) {
  return decode_as<ListRemoteLogManifestsRequest>(kListRemoteLogManifestsRequestInfo, payload);
}
BytesChain ListRemoteLogManifestsRequest::encode() const {
  return encode_message(kListRemoteLogManifestsRequestInfo, this);
}

Result<ListRemoteLogManifestsResponse> ListRemoteLogManifestsResponse::decode(Bytes payload) {
  return decode_as<ListRemoteLogManifestsResponse>(kListRemoteLogManifestsResponseInfo, payload);
}
BytesChain ListRemoteLogManifestsResponse::encode() const {
  return encode_message(kListRemoteLogManifestsResponseInfo, this);
}

Result<ListKvSnapshotsRequest> ListKvSnapshotsRequest::decode(Bytes payload) {
  return decode_as<ListKvSnapshotsRequest>(kListKvSnapshotsRequestInfo, payload);
}
BytesChain ListKvSnapshotsRequest::encode() const {
  return encode_message(kListKvSnapshotsRequestInfo, this);
}

Result<ListKvSnapshotsResponse> ListKvSnapshotsResponse::decode(Bytes payload) {
  return decode_as<ListKvSnapshotsResponse>(kListKvSnapshotsResponseInfo, payload);
}
BytesChain ListKvSnapshotsResponse::encode() const {
  return encode_message(kListKvSnapshotsResponseInfo, this);
}

Result<AddServerTagByRackRequest> AddServerTagByRackRequest::decode(Bytes payload) {
  return decode_as<AddServerTagByRackRequest>(kAddServerTagByRackRequestInfo, payload);
}
BytesChain AddServerTagByRackRequest::encode() const {
  return encode_message(kAddServerTagByRackRequestInfo, this);
}

Result<AddServerTagByRackResponse> AddServerTagByRackResponse::decode(Bytes payload) {
  return decode_as<AddServerTagByRackResponse>(kAddServerTagByRackResponseInfo, payload);
}
BytesChain AddServerTagByRackResponse::encode() const {
  return encode_message(kAddServerTagByRackResponseInfo, this);
}

Result<RemoveServerTagByRackRequest> RemoveServerTagByRackRequest::decode(Bytes payload) {
  return decode_as<RemoveServerTagByRackRequest>(kRemoveServerTagByRackRequestInfo, payload);
}
BytesChain RemoveServerTagByRackRequest::encode() const {
  return encode_message(kRemoveServerTagByRackRequestInfo, this);
}

Result<RemoveServerTagByRackResponse> RemoveServerTagByRackResponse::decode(Bytes payload) {
  return decode_as<RemoveServerTagByRackResponse>(kRemoveServerTagByRackResponseInfo, payload);
}
BytesChain RemoveServerTagByRackResponse::encode() const {
  return encode_message(kRemoveServerTagByRackResponseInfo, this);
}

}  // namespace lakestream::wire
