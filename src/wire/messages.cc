// Made by tools/gen_messages.py from src/wire/messages.tsv. Edit the table, not this file.

#include "wire/messages.h"

#include "wire/codec.h"
#include "wire/message_tables.h"

namespace lakestream::wire {

Result<ErrorResponse> ErrorResponse::decode(Bytes payload) {
  return decode_as<ErrorResponse>(kErrorResponseInfo, payload);
}
BytesChain ErrorResponse::encode() const { return encode_message(kErrorResponseInfo, this); }
const MessageInfo& ErrorResponse::info() { return kErrorResponseInfo; }

Result<ApiVersionsRequest> ApiVersionsRequest::decode(Bytes payload) {
  return decode_as<ApiVersionsRequest>(kApiVersionsRequestInfo, payload);
}
BytesChain ApiVersionsRequest::encode() const {
  return encode_message(kApiVersionsRequestInfo, this);
}
const MessageInfo& ApiVersionsRequest::info() { return kApiVersionsRequestInfo; }

Result<ApiVersionsResponse> ApiVersionsResponse::decode(Bytes payload) {
  return decode_as<ApiVersionsResponse>(kApiVersionsResponseInfo, payload);
}
BytesChain ApiVersionsResponse::encode() const {
  return encode_message(kApiVersionsResponseInfo, this);
}
const MessageInfo& ApiVersionsResponse::info() { return kApiVersionsResponseInfo; }

Result<CreateDatabaseRequest> CreateDatabaseRequest::decode(Bytes payload) {
  return decode_as<CreateDatabaseRequest>(kCreateDatabaseRequestInfo, payload);
}
BytesChain CreateDatabaseRequest::encode() const {
  return encode_message(kCreateDatabaseRequestInfo, this);
}
const MessageInfo& CreateDatabaseRequest::info() { return kCreateDatabaseRequestInfo; }

Result<CreateDatabaseResponse> CreateDatabaseResponse::decode(Bytes payload) {
  return decode_as<CreateDatabaseResponse>(kCreateDatabaseResponseInfo, payload);
}
BytesChain CreateDatabaseResponse::encode() const {
  return encode_message(kCreateDatabaseResponseInfo, this);
}
const MessageInfo& CreateDatabaseResponse::info() { return kCreateDatabaseResponseInfo; }

Result<DropDatabaseRequest> DropDatabaseRequest::decode(Bytes payload) {
  return decode_as<DropDatabaseRequest>(kDropDatabaseRequestInfo, payload);
}
BytesChain DropDatabaseRequest::encode() const {
  return encode_message(kDropDatabaseRequestInfo, this);
}
const MessageInfo& DropDatabaseRequest::info() { return kDropDatabaseRequestInfo; }

Result<DropDatabaseResponse> DropDatabaseResponse::decode(Bytes payload) {
  return decode_as<DropDatabaseResponse>(kDropDatabaseResponseInfo, payload);
}
BytesChain DropDatabaseResponse::encode() const {
  return encode_message(kDropDatabaseResponseInfo, this);
}
const MessageInfo& DropDatabaseResponse::info() { return kDropDatabaseResponseInfo; }

Result<ListDatabasesRequest> ListDatabasesRequest::decode(Bytes payload) {
  return decode_as<ListDatabasesRequest>(kListDatabasesRequestInfo, payload);
}
BytesChain ListDatabasesRequest::encode() const {
  return encode_message(kListDatabasesRequestInfo, this);
}
const MessageInfo& ListDatabasesRequest::info() { return kListDatabasesRequestInfo; }

Result<ListDatabasesResponse> ListDatabasesResponse::decode(Bytes payload) {
  return decode_as<ListDatabasesResponse>(kListDatabasesResponseInfo, payload);
}
BytesChain ListDatabasesResponse::encode() const {
  return encode_message(kListDatabasesResponseInfo, this);
}
const MessageInfo& ListDatabasesResponse::info() { return kListDatabasesResponseInfo; }

Result<DatabaseExistsRequest> DatabaseExistsRequest::decode(Bytes payload) {
  return decode_as<DatabaseExistsRequest>(kDatabaseExistsRequestInfo, payload);
}
BytesChain DatabaseExistsRequest::encode() const {
  return encode_message(kDatabaseExistsRequestInfo, this);
}
const MessageInfo& DatabaseExistsRequest::info() { return kDatabaseExistsRequestInfo; }

Result<DatabaseExistsResponse> DatabaseExistsResponse::decode(Bytes payload) {
  return decode_as<DatabaseExistsResponse>(kDatabaseExistsResponseInfo, payload);
}
BytesChain DatabaseExistsResponse::encode() const {
  return encode_message(kDatabaseExistsResponseInfo, this);
}
const MessageInfo& DatabaseExistsResponse::info() { return kDatabaseExistsResponseInfo; }

Result<CreateTableRequest> CreateTableRequest::decode(Bytes payload) {
  return decode_as<CreateTableRequest>(kCreateTableRequestInfo, payload);
}
BytesChain CreateTableRequest::encode() const {
  return encode_message(kCreateTableRequestInfo, this);
}
const MessageInfo& CreateTableRequest::info() { return kCreateTableRequestInfo; }

Result<CreateTableResponse> CreateTableResponse::decode(Bytes payload) {
  return decode_as<CreateTableResponse>(kCreateTableResponseInfo, payload);
}
BytesChain CreateTableResponse::encode() const {
  return encode_message(kCreateTableResponseInfo, this);
}
const MessageInfo& CreateTableResponse::info() { return kCreateTableResponseInfo; }

Result<DropTableRequest> DropTableRequest::decode(Bytes payload) {
  return decode_as<DropTableRequest>(kDropTableRequestInfo, payload);
}
BytesChain DropTableRequest::encode() const { return encode_message(kDropTableRequestInfo, this); }
const MessageInfo& DropTableRequest::info() { return kDropTableRequestInfo; }

Result<DropTableResponse> DropTableResponse::decode(Bytes payload) {
  return decode_as<DropTableResponse>(kDropTableResponseInfo, payload);
}
BytesChain DropTableResponse::encode() const {
  return encode_message(kDropTableResponseInfo, this);
}
const MessageInfo& DropTableResponse::info() { return kDropTableResponseInfo; }

Result<GetTableInfoRequest> GetTableInfoRequest::decode(Bytes payload) {
  return decode_as<GetTableInfoRequest>(kGetTableInfoRequestInfo, payload);
}
BytesChain GetTableInfoRequest::encode() const {
  return encode_message(kGetTableInfoRequestInfo, this);
}
const MessageInfo& GetTableInfoRequest::info() { return kGetTableInfoRequestInfo; }

Result<GetTableInfoResponse> GetTableInfoResponse::decode(Bytes payload) {
  return decode_as<GetTableInfoResponse>(kGetTableInfoResponseInfo, payload);
}
BytesChain GetTableInfoResponse::encode() const {
  return encode_message(kGetTableInfoResponseInfo, this);
}
const MessageInfo& GetTableInfoResponse::info() { return kGetTableInfoResponseInfo; }

Result<ListTablesRequest> ListTablesRequest::decode(Bytes payload) {
  return decode_as<ListTablesRequest>(kListTablesRequestInfo, payload);
}
BytesChain ListTablesRequest::encode() const {
  return encode_message(kListTablesRequestInfo, this);
}
const MessageInfo& ListTablesRequest::info() { return kListTablesRequestInfo; }

Result<ListTablesResponse> ListTablesResponse::decode(Bytes payload) {
  return decode_as<ListTablesResponse>(kListTablesResponseInfo, payload);
}
BytesChain ListTablesResponse::encode() const {
  return encode_message(kListTablesResponseInfo, this);
}
const MessageInfo& ListTablesResponse::info() { return kListTablesResponseInfo; }

Result<ListPartitionInfosRequest> ListPartitionInfosRequest::decode(Bytes payload) {
  return decode_as<ListPartitionInfosRequest>(kListPartitionInfosRequestInfo, payload);
}
BytesChain ListPartitionInfosRequest::encode() const {
  return encode_message(kListPartitionInfosRequestInfo, this);
}
const MessageInfo& ListPartitionInfosRequest::info() { return kListPartitionInfosRequestInfo; }

Result<ListPartitionInfosResponse> ListPartitionInfosResponse::decode(Bytes payload) {
  return decode_as<ListPartitionInfosResponse>(kListPartitionInfosResponseInfo, payload);
}
BytesChain ListPartitionInfosResponse::encode() const {
  return encode_message(kListPartitionInfosResponseInfo, this);
}
const MessageInfo& ListPartitionInfosResponse::info() { return kListPartitionInfosResponseInfo; }

Result<TableExistsRequest> TableExistsRequest::decode(Bytes payload) {
  return decode_as<TableExistsRequest>(kTableExistsRequestInfo, payload);
}
BytesChain TableExistsRequest::encode() const {
  return encode_message(kTableExistsRequestInfo, this);
}
const MessageInfo& TableExistsRequest::info() { return kTableExistsRequestInfo; }

Result<TableExistsResponse> TableExistsResponse::decode(Bytes payload) {
  return decode_as<TableExistsResponse>(kTableExistsResponseInfo, payload);
}
BytesChain TableExistsResponse::encode() const {
  return encode_message(kTableExistsResponseInfo, this);
}
const MessageInfo& TableExistsResponse::info() { return kTableExistsResponseInfo; }

Result<GetTableSchemaRequest> GetTableSchemaRequest::decode(Bytes payload) {
  return decode_as<GetTableSchemaRequest>(kGetTableSchemaRequestInfo, payload);
}
BytesChain GetTableSchemaRequest::encode() const {
  return encode_message(kGetTableSchemaRequestInfo, this);
}
const MessageInfo& GetTableSchemaRequest::info() { return kGetTableSchemaRequestInfo; }

Result<GetTableSchemaResponse> GetTableSchemaResponse::decode(Bytes payload) {
  return decode_as<GetTableSchemaResponse>(kGetTableSchemaResponseInfo, payload);
}
BytesChain GetTableSchemaResponse::encode() const {
  return encode_message(kGetTableSchemaResponseInfo, this);
}
const MessageInfo& GetTableSchemaResponse::info() { return kGetTableSchemaResponseInfo; }

Result<MetadataRequest> MetadataRequest::decode(Bytes payload) {
  return decode_as<MetadataRequest>(kMetadataRequestInfo, payload);
}
BytesChain MetadataRequest::encode() const { return encode_message(kMetadataRequestInfo, this); }
const MessageInfo& MetadataRequest::info() { return kMetadataRequestInfo; }

Result<MetadataResponse> MetadataResponse::decode(Bytes payload) {
  return decode_as<MetadataResponse>(kMetadataResponseInfo, payload);
}
BytesChain MetadataResponse::encode() const { return encode_message(kMetadataResponseInfo, this); }
const MessageInfo& MetadataResponse::info() { return kMetadataResponseInfo; }

Result<UpdateMetadataRequest> UpdateMetadataRequest::decode(Bytes payload) {
  return decode_as<UpdateMetadataRequest>(kUpdateMetadataRequestInfo, payload);
}
BytesChain UpdateMetadataRequest::encode() const {
  return encode_message(kUpdateMetadataRequestInfo, this);
}
const MessageInfo& UpdateMetadataRequest::info() { return kUpdateMetadataRequestInfo; }

Result<UpdateMetadataResponse> UpdateMetadataResponse::decode(Bytes payload) {
  return decode_as<UpdateMetadataResponse>(kUpdateMetadataResponseInfo, payload);
}
BytesChain UpdateMetadataResponse::encode() const {
  return encode_message(kUpdateMetadataResponseInfo, this);
}
const MessageInfo& UpdateMetadataResponse::info() { return kUpdateMetadataResponseInfo; }

Result<ProduceLogRequest> ProduceLogRequest::decode(Bytes payload) {
  return decode_as<ProduceLogRequest>(kProduceLogRequestInfo, payload);
}
BytesChain ProduceLogRequest::encode() const {
  return encode_message(kProduceLogRequestInfo, this);
}
const MessageInfo& ProduceLogRequest::info() { return kProduceLogRequestInfo; }

Result<ProduceLogResponse> ProduceLogResponse::decode(Bytes payload) {
  return decode_as<ProduceLogResponse>(kProduceLogResponseInfo, payload);
}
BytesChain ProduceLogResponse::encode() const {
  return encode_message(kProduceLogResponseInfo, this);
}
const MessageInfo& ProduceLogResponse::info() { return kProduceLogResponseInfo; }

Result<FetchLogRequest> FetchLogRequest::decode(Bytes payload) {
  return decode_as<FetchLogRequest>(kFetchLogRequestInfo, payload);
}
BytesChain FetchLogRequest::encode() const { return encode_message(kFetchLogRequestInfo, this); }
const MessageInfo& FetchLogRequest::info() { return kFetchLogRequestInfo; }

Result<FetchLogResponse> FetchLogResponse::decode(Bytes payload) {
  return decode_as<FetchLogResponse>(kFetchLogResponseInfo, payload);
}
BytesChain FetchLogResponse::encode() const { return encode_message(kFetchLogResponseInfo, this); }
const MessageInfo& FetchLogResponse::info() { return kFetchLogResponseInfo; }

Result<PutKvRequest> PutKvRequest::decode(Bytes payload) {
  return decode_as<PutKvRequest>(kPutKvRequestInfo, payload);
}
BytesChain PutKvRequest::encode() const { return encode_message(kPutKvRequestInfo, this); }
const MessageInfo& PutKvRequest::info() { return kPutKvRequestInfo; }

Result<PutKvResponse> PutKvResponse::decode(Bytes payload) {
  return decode_as<PutKvResponse>(kPutKvResponseInfo, payload);
}
BytesChain PutKvResponse::encode() const { return encode_message(kPutKvResponseInfo, this); }
const MessageInfo& PutKvResponse::info() { return kPutKvResponseInfo; }

Result<LookupRequest> LookupRequest::decode(Bytes payload) {
  return decode_as<LookupRequest>(kLookupRequestInfo, payload);
}
BytesChain LookupRequest::encode() const { return encode_message(kLookupRequestInfo, this); }
const MessageInfo& LookupRequest::info() { return kLookupRequestInfo; }

Result<LookupResponse> LookupResponse::decode(Bytes payload) {
  return decode_as<LookupResponse>(kLookupResponseInfo, payload);
}
BytesChain LookupResponse::encode() const { return encode_message(kLookupResponseInfo, this); }
const MessageInfo& LookupResponse::info() { return kLookupResponseInfo; }

Result<NotifyLeaderAndIsrRequest> NotifyLeaderAndIsrRequest::decode(Bytes payload) {
  return decode_as<NotifyLeaderAndIsrRequest>(kNotifyLeaderAndIsrRequestInfo, payload);
}
BytesChain NotifyLeaderAndIsrRequest::encode() const {
  return encode_message(kNotifyLeaderAndIsrRequestInfo, this);
}
const MessageInfo& NotifyLeaderAndIsrRequest::info() { return kNotifyLeaderAndIsrRequestInfo; }

Result<NotifyLeaderAndIsrResponse> NotifyLeaderAndIsrResponse::decode(Bytes payload) {
  return decode_as<NotifyLeaderAndIsrResponse>(kNotifyLeaderAndIsrResponseInfo, payload);
}
BytesChain NotifyLeaderAndIsrResponse::encode() const {
  return encode_message(kNotifyLeaderAndIsrResponseInfo, this);
}
const MessageInfo& NotifyLeaderAndIsrResponse::info() { return kNotifyLeaderAndIsrResponseInfo; }

Result<StopReplicaRequest> StopReplicaRequest::decode(Bytes payload) {
  return decode_as<StopReplicaRequest>(kStopReplicaRequestInfo, payload);
}
BytesChain StopReplicaRequest::encode() const {
  return encode_message(kStopReplicaRequestInfo, this);
}
const MessageInfo& StopReplicaRequest::info() { return kStopReplicaRequestInfo; }

Result<StopReplicaResponse> StopReplicaResponse::decode(Bytes payload) {
  return decode_as<StopReplicaResponse>(kStopReplicaResponseInfo, payload);
}
BytesChain StopReplicaResponse::encode() const {
  return encode_message(kStopReplicaResponseInfo, this);
}
const MessageInfo& StopReplicaResponse::info() { return kStopReplicaResponseInfo; }

Result<AdjustIsrRequest> AdjustIsrRequest::decode(Bytes payload) {
  return decode_as<AdjustIsrRequest>(kAdjustIsrRequestInfo, payload);
}
BytesChain AdjustIsrRequest::encode() const { return encode_message(kAdjustIsrRequestInfo, this); }
const MessageInfo& AdjustIsrRequest::info() { return kAdjustIsrRequestInfo; }

Result<AdjustIsrResponse> AdjustIsrResponse::decode(Bytes payload) {
  return decode_as<AdjustIsrResponse>(kAdjustIsrResponseInfo, payload);
}
BytesChain AdjustIsrResponse::encode() const {
  return encode_message(kAdjustIsrResponseInfo, this);
}
const MessageInfo& AdjustIsrResponse::info() { return kAdjustIsrResponseInfo; }

Result<ListOffsetsRequest> ListOffsetsRequest::decode(Bytes payload) {
  return decode_as<ListOffsetsRequest>(kListOffsetsRequestInfo, payload);
}
BytesChain ListOffsetsRequest::encode() const {
  return encode_message(kListOffsetsRequestInfo, this);
}
const MessageInfo& ListOffsetsRequest::info() { return kListOffsetsRequestInfo; }

Result<ListOffsetsResponse> ListOffsetsResponse::decode(Bytes payload) {
  return decode_as<ListOffsetsResponse>(kListOffsetsResponseInfo, payload);
}
BytesChain ListOffsetsResponse::encode() const {
  return encode_message(kListOffsetsResponseInfo, this);
}
const MessageInfo& ListOffsetsResponse::info() { return kListOffsetsResponseInfo; }

Result<CommitKvSnapshotRequest> CommitKvSnapshotRequest::decode(Bytes payload) {
  return decode_as<CommitKvSnapshotRequest>(kCommitKvSnapshotRequestInfo, payload);
}
BytesChain CommitKvSnapshotRequest::encode() const {
  return encode_message(kCommitKvSnapshotRequestInfo, this);
}
const MessageInfo& CommitKvSnapshotRequest::info() { return kCommitKvSnapshotRequestInfo; }

Result<CommitKvSnapshotResponse> CommitKvSnapshotResponse::decode(Bytes payload) {
  return decode_as<CommitKvSnapshotResponse>(kCommitKvSnapshotResponseInfo, payload);
}
BytesChain CommitKvSnapshotResponse::encode() const {
  return encode_message(kCommitKvSnapshotResponseInfo, this);
}
const MessageInfo& CommitKvSnapshotResponse::info() { return kCommitKvSnapshotResponseInfo; }

Result<GetLatestKvSnapshotsRequest> GetLatestKvSnapshotsRequest::decode(Bytes payload) {
  return decode_as<GetLatestKvSnapshotsRequest>(kGetLatestKvSnapshotsRequestInfo, payload);
}
BytesChain GetLatestKvSnapshotsRequest::encode() const {
  return encode_message(kGetLatestKvSnapshotsRequestInfo, this);
}
const MessageInfo& GetLatestKvSnapshotsRequest::info() { return kGetLatestKvSnapshotsRequestInfo; }

Result<GetLatestKvSnapshotsResponse> GetLatestKvSnapshotsResponse::decode(Bytes payload) {
  return decode_as<GetLatestKvSnapshotsResponse>(kGetLatestKvSnapshotsResponseInfo, payload);
}
BytesChain GetLatestKvSnapshotsResponse::encode() const {
  return encode_message(kGetLatestKvSnapshotsResponseInfo, this);
}
const MessageInfo& GetLatestKvSnapshotsResponse::info() {
  return kGetLatestKvSnapshotsResponseInfo;
}

Result<GetKvSnapshotMetadataRequest> GetKvSnapshotMetadataRequest::decode(Bytes payload) {
  return decode_as<GetKvSnapshotMetadataRequest>(kGetKvSnapshotMetadataRequestInfo, payload);
}
BytesChain GetKvSnapshotMetadataRequest::encode() const {
  return encode_message(kGetKvSnapshotMetadataRequestInfo, this);
}
const MessageInfo& GetKvSnapshotMetadataRequest::info() {
  return kGetKvSnapshotMetadataRequestInfo;
}

Result<GetKvSnapshotMetadataResponse> GetKvSnapshotMetadataResponse::decode(Bytes payload) {
  return decode_as<GetKvSnapshotMetadataResponse>(kGetKvSnapshotMetadataResponseInfo, payload);
}
BytesChain GetKvSnapshotMetadataResponse::encode() const {
  return encode_message(kGetKvSnapshotMetadataResponseInfo, this);
}
const MessageInfo& GetKvSnapshotMetadataResponse::info() {
  return kGetKvSnapshotMetadataResponseInfo;
}

Result<GetFileSystemSecurityTokenRequest> GetFileSystemSecurityTokenRequest::decode(Bytes payload) {
  return decode_as<GetFileSystemSecurityTokenRequest>(kGetFileSystemSecurityTokenRequestInfo,
                                                      payload);
}
BytesChain GetFileSystemSecurityTokenRequest::encode() const {
  return encode_message(kGetFileSystemSecurityTokenRequestInfo, this);
}
const MessageInfo& GetFileSystemSecurityTokenRequest::info() {
  return kGetFileSystemSecurityTokenRequestInfo;
}

Result<GetFileSystemSecurityTokenResponse> GetFileSystemSecurityTokenResponse::decode(
    Bytes payload) {
  return decode_as<GetFileSystemSecurityTokenResponse>(kGetFileSystemSecurityTokenResponseInfo,
                                                       payload);
}
BytesChain GetFileSystemSecurityTokenResponse::encode() const {
  return encode_message(kGetFileSystemSecurityTokenResponseInfo, this);
}
const MessageInfo& GetFileSystemSecurityTokenResponse::info() {
  return kGetFileSystemSecurityTokenResponseInfo;
}

Result<InitWriterRequest> InitWriterRequest::decode(Bytes payload) {
  return decode_as<InitWriterRequest>(kInitWriterRequestInfo, payload);
}
BytesChain InitWriterRequest::encode() const {
  return encode_message(kInitWriterRequestInfo, this);
}
const MessageInfo& InitWriterRequest::info() { return kInitWriterRequestInfo; }

Result<InitWriterResponse> InitWriterResponse::decode(Bytes payload) {
  return decode_as<InitWriterResponse>(kInitWriterResponseInfo, payload);
}
BytesChain InitWriterResponse::encode() const {
  return encode_message(kInitWriterResponseInfo, this);
}
const MessageInfo& InitWriterResponse::info() { return kInitWriterResponseInfo; }

Result<CommitRemoteLogManifestRequest> CommitRemoteLogManifestRequest::decode(Bytes payload) {
  return decode_as<CommitRemoteLogManifestRequest>(kCommitRemoteLogManifestRequestInfo, payload);
}
BytesChain CommitRemoteLogManifestRequest::encode() const {
  return encode_message(kCommitRemoteLogManifestRequestInfo, this);
}
const MessageInfo& CommitRemoteLogManifestRequest::info() {
  return kCommitRemoteLogManifestRequestInfo;
}

Result<CommitRemoteLogManifestResponse> CommitRemoteLogManifestResponse::decode(Bytes payload) {
  return decode_as<CommitRemoteLogManifestResponse>(kCommitRemoteLogManifestResponseInfo, payload);
}
BytesChain CommitRemoteLogManifestResponse::encode() const {
  return encode_message(kCommitRemoteLogManifestResponseInfo, this);
}
const MessageInfo& CommitRemoteLogManifestResponse::info() {
  return kCommitRemoteLogManifestResponseInfo;
}

Result<NotifyRemoteLogOffsetsRequest> NotifyRemoteLogOffsetsRequest::decode(Bytes payload) {
  return decode_as<NotifyRemoteLogOffsetsRequest>(kNotifyRemoteLogOffsetsRequestInfo, payload);
}
BytesChain NotifyRemoteLogOffsetsRequest::encode() const {
  return encode_message(kNotifyRemoteLogOffsetsRequestInfo, this);
}
const MessageInfo& NotifyRemoteLogOffsetsRequest::info() {
  return kNotifyRemoteLogOffsetsRequestInfo;
}

Result<NotifyRemoteLogOffsetsResponse> NotifyRemoteLogOffsetsResponse::decode(Bytes payload) {
  return decode_as<NotifyRemoteLogOffsetsResponse>(kNotifyRemoteLogOffsetsResponseInfo, payload);
}
BytesChain NotifyRemoteLogOffsetsResponse::encode() const {
  return encode_message(kNotifyRemoteLogOffsetsResponseInfo, this);
}
const MessageInfo& NotifyRemoteLogOffsetsResponse::info() {
  return kNotifyRemoteLogOffsetsResponseInfo;
}

Result<NotifyKvSnapshotOffsetRequest> NotifyKvSnapshotOffsetRequest::decode(Bytes payload) {
  return decode_as<NotifyKvSnapshotOffsetRequest>(kNotifyKvSnapshotOffsetRequestInfo, payload);
}
BytesChain NotifyKvSnapshotOffsetRequest::encode() const {
  return encode_message(kNotifyKvSnapshotOffsetRequestInfo, this);
}
const MessageInfo& NotifyKvSnapshotOffsetRequest::info() {
  return kNotifyKvSnapshotOffsetRequestInfo;
}

Result<NotifyKvSnapshotOffsetResponse> NotifyKvSnapshotOffsetResponse::decode(Bytes payload) {
  return decode_as<NotifyKvSnapshotOffsetResponse>(kNotifyKvSnapshotOffsetResponseInfo, payload);
}
BytesChain NotifyKvSnapshotOffsetResponse::encode() const {
  return encode_message(kNotifyKvSnapshotOffsetResponseInfo, this);
}
const MessageInfo& NotifyKvSnapshotOffsetResponse::info() {
  return kNotifyKvSnapshotOffsetResponseInfo;
}

Result<CommitLakeTableSnapshotRequest> CommitLakeTableSnapshotRequest::decode(Bytes payload) {
  return decode_as<CommitLakeTableSnapshotRequest>(kCommitLakeTableSnapshotRequestInfo, payload);
}
BytesChain CommitLakeTableSnapshotRequest::encode() const {
  return encode_message(kCommitLakeTableSnapshotRequestInfo, this);
}
const MessageInfo& CommitLakeTableSnapshotRequest::info() {
  return kCommitLakeTableSnapshotRequestInfo;
}

Result<CommitLakeTableSnapshotResponse> CommitLakeTableSnapshotResponse::decode(Bytes payload) {
  return decode_as<CommitLakeTableSnapshotResponse>(kCommitLakeTableSnapshotResponseInfo, payload);
}
BytesChain CommitLakeTableSnapshotResponse::encode() const {
  return encode_message(kCommitLakeTableSnapshotResponseInfo, this);
}
const MessageInfo& CommitLakeTableSnapshotResponse::info() {
  return kCommitLakeTableSnapshotResponseInfo;
}

Result<NotifyLakeTableOffsetRequest> NotifyLakeTableOffsetRequest::decode(Bytes payload) {
  return decode_as<NotifyLakeTableOffsetRequest>(kNotifyLakeTableOffsetRequestInfo, payload);
}
BytesChain NotifyLakeTableOffsetRequest::encode() const {
  return encode_message(kNotifyLakeTableOffsetRequestInfo, this);
}
const MessageInfo& NotifyLakeTableOffsetRequest::info() {
  return kNotifyLakeTableOffsetRequestInfo;
}

Result<NotifyLakeTableOffsetResponse> NotifyLakeTableOffsetResponse::decode(Bytes payload) {
  return decode_as<NotifyLakeTableOffsetResponse>(kNotifyLakeTableOffsetResponseInfo, payload);
}
BytesChain NotifyLakeTableOffsetResponse::encode() const {
  return encode_message(kNotifyLakeTableOffsetResponseInfo, this);
}
const MessageInfo& NotifyLakeTableOffsetResponse::info() {
  return kNotifyLakeTableOffsetResponseInfo;
}

Result<GetLakeSnapshotRequest> GetLakeSnapshotRequest::decode(Bytes payload) {
  return decode_as<GetLakeSnapshotRequest>(kGetLakeSnapshotRequestInfo, payload);
}
BytesChain GetLakeSnapshotRequest::encode() const {
  return encode_message(kGetLakeSnapshotRequestInfo, this);
}
const MessageInfo& GetLakeSnapshotRequest::info() { return kGetLakeSnapshotRequestInfo; }

Result<GetLakeSnapshotResponse> GetLakeSnapshotResponse::decode(Bytes payload) {
  return decode_as<GetLakeSnapshotResponse>(kGetLakeSnapshotResponseInfo, payload);
}
BytesChain GetLakeSnapshotResponse::encode() const {
  return encode_message(kGetLakeSnapshotResponseInfo, this);
}
const MessageInfo& GetLakeSnapshotResponse::info() { return kGetLakeSnapshotResponseInfo; }

Result<LimitScanRequest> LimitScanRequest::decode(Bytes payload) {
  return decode_as<LimitScanRequest>(kLimitScanRequestInfo, payload);
}
BytesChain LimitScanRequest::encode() const { return encode_message(kLimitScanRequestInfo, this); }
const MessageInfo& LimitScanRequest::info() { return kLimitScanRequestInfo; }

Result<LimitScanResponse> LimitScanResponse::decode(Bytes payload) {
  return decode_as<LimitScanResponse>(kLimitScanResponseInfo, payload);
}
BytesChain LimitScanResponse::encode() const {
  return encode_message(kLimitScanResponseInfo, this);
}
const MessageInfo& LimitScanResponse::info() { return kLimitScanResponseInfo; }

Result<PrefixLookupRequest> PrefixLookupRequest::decode(Bytes payload) {
  return decode_as<PrefixLookupRequest>(kPrefixLookupRequestInfo, payload);
}
BytesChain PrefixLookupRequest::encode() const {
  return encode_message(kPrefixLookupRequestInfo, this);
}
const MessageInfo& PrefixLookupRequest::info() { return kPrefixLookupRequestInfo; }

Result<PrefixLookupResponse> PrefixLookupResponse::decode(Bytes payload) {
  return decode_as<PrefixLookupResponse>(kPrefixLookupResponseInfo, payload);
}
BytesChain PrefixLookupResponse::encode() const {
  return encode_message(kPrefixLookupResponseInfo, this);
}
const MessageInfo& PrefixLookupResponse::info() { return kPrefixLookupResponseInfo; }

Result<GetDatabaseInfoRequest> GetDatabaseInfoRequest::decode(Bytes payload) {
  return decode_as<GetDatabaseInfoRequest>(kGetDatabaseInfoRequestInfo, payload);
}
BytesChain GetDatabaseInfoRequest::encode() const {
  return encode_message(kGetDatabaseInfoRequestInfo, this);
}
const MessageInfo& GetDatabaseInfoRequest::info() { return kGetDatabaseInfoRequestInfo; }

Result<GetDatabaseInfoResponse> GetDatabaseInfoResponse::decode(Bytes payload) {
  return decode_as<GetDatabaseInfoResponse>(kGetDatabaseInfoResponseInfo, payload);
}
BytesChain GetDatabaseInfoResponse::encode() const {
  return encode_message(kGetDatabaseInfoResponseInfo, this);
}
const MessageInfo& GetDatabaseInfoResponse::info() { return kGetDatabaseInfoResponseInfo; }

Result<CreatePartitionRequest> CreatePartitionRequest::decode(Bytes payload) {
  return decode_as<CreatePartitionRequest>(kCreatePartitionRequestInfo, payload);
}
BytesChain CreatePartitionRequest::encode() const {
  return encode_message(kCreatePartitionRequestInfo, this);
}
const MessageInfo& CreatePartitionRequest::info() { return kCreatePartitionRequestInfo; }

Result<CreatePartitionResponse> CreatePartitionResponse::decode(Bytes payload) {
  return decode_as<CreatePartitionResponse>(kCreatePartitionResponseInfo, payload);
}
BytesChain CreatePartitionResponse::encode() const {
  return encode_message(kCreatePartitionResponseInfo, this);
}
const MessageInfo& CreatePartitionResponse::info() { return kCreatePartitionResponseInfo; }

Result<DropPartitionRequest> DropPartitionRequest::decode(Bytes payload) {
  return decode_as<DropPartitionRequest>(kDropPartitionRequestInfo, payload);
}
BytesChain DropPartitionRequest::encode() const {
  return encode_message(kDropPartitionRequestInfo, this);
}
const MessageInfo& DropPartitionRequest::info() { return kDropPartitionRequestInfo; }

Result<DropPartitionResponse> DropPartitionResponse::decode(Bytes payload) {
  return decode_as<DropPartitionResponse>(kDropPartitionResponseInfo, payload);
}
BytesChain DropPartitionResponse::encode() const {
  return encode_message(kDropPartitionResponseInfo, this);
}
const MessageInfo& DropPartitionResponse::info() { return kDropPartitionResponseInfo; }

Result<AuthenticateRequest> AuthenticateRequest::decode(Bytes payload) {
  return decode_as<AuthenticateRequest>(kAuthenticateRequestInfo, payload);
}
BytesChain AuthenticateRequest::encode() const {
  return encode_message(kAuthenticateRequestInfo, this);
}
const MessageInfo& AuthenticateRequest::info() { return kAuthenticateRequestInfo; }

Result<AuthenticateResponse> AuthenticateResponse::decode(Bytes payload) {
  return decode_as<AuthenticateResponse>(kAuthenticateResponseInfo, payload);
}
BytesChain AuthenticateResponse::encode() const {
  return encode_message(kAuthenticateResponseInfo, this);
}
const MessageInfo& AuthenticateResponse::info() { return kAuthenticateResponseInfo; }

Result<CreateAclsRequest> CreateAclsRequest::decode(Bytes payload) {
  return decode_as<CreateAclsRequest>(kCreateAclsRequestInfo, payload);
}
BytesChain CreateAclsRequest::encode() const {
  return encode_message(kCreateAclsRequestInfo, this);
}
const MessageInfo& CreateAclsRequest::info() { return kCreateAclsRequestInfo; }

Result<CreateAclsResponse> CreateAclsResponse::decode(Bytes payload) {
  return decode_as<CreateAclsResponse>(kCreateAclsResponseInfo, payload);
}
BytesChain CreateAclsResponse::encode() const {
  return encode_message(kCreateAclsResponseInfo, this);
}
const MessageInfo& CreateAclsResponse::info() { return kCreateAclsResponseInfo; }

Result<ListAclsRequest> ListAclsRequest::decode(Bytes payload) {
  return decode_as<ListAclsRequest>(kListAclsRequestInfo, payload);
}
BytesChain ListAclsRequest::encode() const { return encode_message(kListAclsRequestInfo, this); }
const MessageInfo& ListAclsRequest::info() { return kListAclsRequestInfo; }

Result<ListAclsResponse> ListAclsResponse::decode(Bytes payload) {
  return decode_as<ListAclsResponse>(kListAclsResponseInfo, payload);
}
BytesChain ListAclsResponse::encode() const { return encode_message(kListAclsResponseInfo, this); }
const MessageInfo& ListAclsResponse::info() { return kListAclsResponseInfo; }

Result<DropAclsRequest> DropAclsRequest::decode(Bytes payload) {
  return decode_as<DropAclsRequest>(kDropAclsRequestInfo, payload);
}
BytesChain DropAclsRequest::encode() const { return encode_message(kDropAclsRequestInfo, this); }
const MessageInfo& DropAclsRequest::info() { return kDropAclsRequestInfo; }

Result<DropAclsResponse> DropAclsResponse::decode(Bytes payload) {
  return decode_as<DropAclsResponse>(kDropAclsResponseInfo, payload);
}
BytesChain DropAclsResponse::encode() const { return encode_message(kDropAclsResponseInfo, this); }
const MessageInfo& DropAclsResponse::info() { return kDropAclsResponseInfo; }

Result<LakeTieringHeartbeatRequest> LakeTieringHeartbeatRequest::decode(Bytes payload) {
  return decode_as<LakeTieringHeartbeatRequest>(kLakeTieringHeartbeatRequestInfo, payload);
}
BytesChain LakeTieringHeartbeatRequest::encode() const {
  return encode_message(kLakeTieringHeartbeatRequestInfo, this);
}
const MessageInfo& LakeTieringHeartbeatRequest::info() { return kLakeTieringHeartbeatRequestInfo; }

Result<LakeTieringHeartbeatResponse> LakeTieringHeartbeatResponse::decode(Bytes payload) {
  return decode_as<LakeTieringHeartbeatResponse>(kLakeTieringHeartbeatResponseInfo, payload);
}
BytesChain LakeTieringHeartbeatResponse::encode() const {
  return encode_message(kLakeTieringHeartbeatResponseInfo, this);
}
const MessageInfo& LakeTieringHeartbeatResponse::info() {
  return kLakeTieringHeartbeatResponseInfo;
}

Result<ControlledShutdownRequest> ControlledShutdownRequest::decode(Bytes payload) {
  return decode_as<ControlledShutdownRequest>(kControlledShutdownRequestInfo, payload);
}
BytesChain ControlledShutdownRequest::encode() const {
  return encode_message(kControlledShutdownRequestInfo, this);
}
const MessageInfo& ControlledShutdownRequest::info() { return kControlledShutdownRequestInfo; }

Result<ControlledShutdownResponse> ControlledShutdownResponse::decode(Bytes payload) {
  return decode_as<ControlledShutdownResponse>(kControlledShutdownResponseInfo, payload);
}
BytesChain ControlledShutdownResponse::encode() const {
  return encode_message(kControlledShutdownResponseInfo, this);
}
const MessageInfo& ControlledShutdownResponse::info() { return kControlledShutdownResponseInfo; }

Result<AlterTableRequest> AlterTableRequest::decode(Bytes payload) {
  return decode_as<AlterTableRequest>(kAlterTableRequestInfo, payload);
}
BytesChain AlterTableRequest::encode() const {
  return encode_message(kAlterTableRequestInfo, this);
}
const MessageInfo& AlterTableRequest::info() { return kAlterTableRequestInfo; }

Result<AlterTableResponse> AlterTableResponse::decode(Bytes payload) {
  return decode_as<AlterTableResponse>(kAlterTableResponseInfo, payload);
}
BytesChain AlterTableResponse::encode() const {
  return encode_message(kAlterTableResponseInfo, this);
}
const MessageInfo& AlterTableResponse::info() { return kAlterTableResponseInfo; }

Result<DescribeClusterConfigsRequest> DescribeClusterConfigsRequest::decode(Bytes payload) {
  return decode_as<DescribeClusterConfigsRequest>(kDescribeClusterConfigsRequestInfo, payload);
}
BytesChain DescribeClusterConfigsRequest::encode() const {
  return encode_message(kDescribeClusterConfigsRequestInfo, this);
}
const MessageInfo& DescribeClusterConfigsRequest::info() {
  return kDescribeClusterConfigsRequestInfo;
}

Result<DescribeClusterConfigsResponse> DescribeClusterConfigsResponse::decode(Bytes payload) {
  return decode_as<DescribeClusterConfigsResponse>(kDescribeClusterConfigsResponseInfo, payload);
}
BytesChain DescribeClusterConfigsResponse::encode() const {
  return encode_message(kDescribeClusterConfigsResponseInfo, this);
}
const MessageInfo& DescribeClusterConfigsResponse::info() {
  return kDescribeClusterConfigsResponseInfo;
}

Result<AlterClusterConfigsRequest> AlterClusterConfigsRequest::decode(Bytes payload) {
  return decode_as<AlterClusterConfigsRequest>(kAlterClusterConfigsRequestInfo, payload);
}
BytesChain AlterClusterConfigsRequest::encode() const {
  return encode_message(kAlterClusterConfigsRequestInfo, this);
}
const MessageInfo& AlterClusterConfigsRequest::info() { return kAlterClusterConfigsRequestInfo; }

Result<AlterClusterConfigsResponse> AlterClusterConfigsResponse::decode(Bytes payload) {
  return decode_as<AlterClusterConfigsResponse>(kAlterClusterConfigsResponseInfo, payload);
}
BytesChain AlterClusterConfigsResponse::encode() const {
  return encode_message(kAlterClusterConfigsResponseInfo, this);
}
const MessageInfo& AlterClusterConfigsResponse::info() { return kAlterClusterConfigsResponseInfo; }

Result<AddServerTagRequest> AddServerTagRequest::decode(Bytes payload) {
  return decode_as<AddServerTagRequest>(kAddServerTagRequestInfo, payload);
}
BytesChain AddServerTagRequest::encode() const {
  return encode_message(kAddServerTagRequestInfo, this);
}
const MessageInfo& AddServerTagRequest::info() { return kAddServerTagRequestInfo; }

Result<AddServerTagResponse> AddServerTagResponse::decode(Bytes payload) {
  return decode_as<AddServerTagResponse>(kAddServerTagResponseInfo, payload);
}
BytesChain AddServerTagResponse::encode() const {
  return encode_message(kAddServerTagResponseInfo, this);
}
const MessageInfo& AddServerTagResponse::info() { return kAddServerTagResponseInfo; }

Result<RemoveServerTagRequest> RemoveServerTagRequest::decode(Bytes payload) {
  return decode_as<RemoveServerTagRequest>(kRemoveServerTagRequestInfo, payload);
}
BytesChain RemoveServerTagRequest::encode() const {
  return encode_message(kRemoveServerTagRequestInfo, this);
}
const MessageInfo& RemoveServerTagRequest::info() { return kRemoveServerTagRequestInfo; }

Result<RemoveServerTagResponse> RemoveServerTagResponse::decode(Bytes payload) {
  return decode_as<RemoveServerTagResponse>(kRemoveServerTagResponseInfo, payload);
}
BytesChain RemoveServerTagResponse::encode() const {
  return encode_message(kRemoveServerTagResponseInfo, this);
}
const MessageInfo& RemoveServerTagResponse::info() { return kRemoveServerTagResponseInfo; }

Result<RebalanceRequest> RebalanceRequest::decode(Bytes payload) {
  return decode_as<RebalanceRequest>(kRebalanceRequestInfo, payload);
}
BytesChain RebalanceRequest::encode() const { return encode_message(kRebalanceRequestInfo, this); }
const MessageInfo& RebalanceRequest::info() { return kRebalanceRequestInfo; }

Result<RebalanceResponse> RebalanceResponse::decode(Bytes payload) {
  return decode_as<RebalanceResponse>(kRebalanceResponseInfo, payload);
}
BytesChain RebalanceResponse::encode() const {
  return encode_message(kRebalanceResponseInfo, this);
}
const MessageInfo& RebalanceResponse::info() { return kRebalanceResponseInfo; }

Result<ListRebalanceProgressRequest> ListRebalanceProgressRequest::decode(Bytes payload) {
  return decode_as<ListRebalanceProgressRequest>(kListRebalanceProgressRequestInfo, payload);
}
BytesChain ListRebalanceProgressRequest::encode() const {
  return encode_message(kListRebalanceProgressRequestInfo, this);
}
const MessageInfo& ListRebalanceProgressRequest::info() {
  return kListRebalanceProgressRequestInfo;
}

Result<ListRebalanceProgressResponse> ListRebalanceProgressResponse::decode(Bytes payload) {
  return decode_as<ListRebalanceProgressResponse>(kListRebalanceProgressResponseInfo, payload);
}
BytesChain ListRebalanceProgressResponse::encode() const {
  return encode_message(kListRebalanceProgressResponseInfo, this);
}
const MessageInfo& ListRebalanceProgressResponse::info() {
  return kListRebalanceProgressResponseInfo;
}

Result<CancelRebalanceRequest> CancelRebalanceRequest::decode(Bytes payload) {
  return decode_as<CancelRebalanceRequest>(kCancelRebalanceRequestInfo, payload);
}
BytesChain CancelRebalanceRequest::encode() const {
  return encode_message(kCancelRebalanceRequestInfo, this);
}
const MessageInfo& CancelRebalanceRequest::info() { return kCancelRebalanceRequestInfo; }

Result<CancelRebalanceResponse> CancelRebalanceResponse::decode(Bytes payload) {
  return decode_as<CancelRebalanceResponse>(kCancelRebalanceResponseInfo, payload);
}
BytesChain CancelRebalanceResponse::encode() const {
  return encode_message(kCancelRebalanceResponseInfo, this);
}
const MessageInfo& CancelRebalanceResponse::info() { return kCancelRebalanceResponseInfo; }

Result<PrepareLakeTableSnapshotRequest> PrepareLakeTableSnapshotRequest::decode(Bytes payload) {
  return decode_as<PrepareLakeTableSnapshotRequest>(kPrepareLakeTableSnapshotRequestInfo, payload);
}
BytesChain PrepareLakeTableSnapshotRequest::encode() const {
  return encode_message(kPrepareLakeTableSnapshotRequestInfo, this);
}
const MessageInfo& PrepareLakeTableSnapshotRequest::info() {
  return kPrepareLakeTableSnapshotRequestInfo;
}

Result<PrepareLakeTableSnapshotResponse> PrepareLakeTableSnapshotResponse::decode(Bytes payload) {
  return decode_as<PrepareLakeTableSnapshotResponse>(kPrepareLakeTableSnapshotResponseInfo,
                                                     payload);
}
BytesChain PrepareLakeTableSnapshotResponse::encode() const {
  return encode_message(kPrepareLakeTableSnapshotResponseInfo, this);
}
const MessageInfo& PrepareLakeTableSnapshotResponse::info() {
  return kPrepareLakeTableSnapshotResponseInfo;
}

Result<RegisterProducerOffsetsRequest> RegisterProducerOffsetsRequest::decode(Bytes payload) {
  return decode_as<RegisterProducerOffsetsRequest>(kRegisterProducerOffsetsRequestInfo, payload);
}
BytesChain RegisterProducerOffsetsRequest::encode() const {
  return encode_message(kRegisterProducerOffsetsRequestInfo, this);
}
const MessageInfo& RegisterProducerOffsetsRequest::info() {
  return kRegisterProducerOffsetsRequestInfo;
}

Result<RegisterProducerOffsetsResponse> RegisterProducerOffsetsResponse::decode(Bytes payload) {
  return decode_as<RegisterProducerOffsetsResponse>(kRegisterProducerOffsetsResponseInfo, payload);
}
BytesChain RegisterProducerOffsetsResponse::encode() const {
  return encode_message(kRegisterProducerOffsetsResponseInfo, this);
}
const MessageInfo& RegisterProducerOffsetsResponse::info() {
  return kRegisterProducerOffsetsResponseInfo;
}

Result<GetProducerOffsetsRequest> GetProducerOffsetsRequest::decode(Bytes payload) {
  return decode_as<GetProducerOffsetsRequest>(kGetProducerOffsetsRequestInfo, payload);
}
BytesChain GetProducerOffsetsRequest::encode() const {
  return encode_message(kGetProducerOffsetsRequestInfo, this);
}
const MessageInfo& GetProducerOffsetsRequest::info() { return kGetProducerOffsetsRequestInfo; }

Result<GetProducerOffsetsResponse> GetProducerOffsetsResponse::decode(Bytes payload) {
  return decode_as<GetProducerOffsetsResponse>(kGetProducerOffsetsResponseInfo, payload);
}
BytesChain GetProducerOffsetsResponse::encode() const {
  return encode_message(kGetProducerOffsetsResponseInfo, this);
}
const MessageInfo& GetProducerOffsetsResponse::info() { return kGetProducerOffsetsResponseInfo; }

Result<DeleteProducerOffsetsRequest> DeleteProducerOffsetsRequest::decode(Bytes payload) {
  return decode_as<DeleteProducerOffsetsRequest>(kDeleteProducerOffsetsRequestInfo, payload);
}
BytesChain DeleteProducerOffsetsRequest::encode() const {
  return encode_message(kDeleteProducerOffsetsRequestInfo, this);
}
const MessageInfo& DeleteProducerOffsetsRequest::info() {
  return kDeleteProducerOffsetsRequestInfo;
}

Result<DeleteProducerOffsetsResponse> DeleteProducerOffsetsResponse::decode(Bytes payload) {
  return decode_as<DeleteProducerOffsetsResponse>(kDeleteProducerOffsetsResponseInfo, payload);
}
BytesChain DeleteProducerOffsetsResponse::encode() const {
  return encode_message(kDeleteProducerOffsetsResponseInfo, this);
}
const MessageInfo& DeleteProducerOffsetsResponse::info() {
  return kDeleteProducerOffsetsResponseInfo;
}

Result<AcquireKvSnapshotLeaseRequest> AcquireKvSnapshotLeaseRequest::decode(Bytes payload) {
  return decode_as<AcquireKvSnapshotLeaseRequest>(kAcquireKvSnapshotLeaseRequestInfo, payload);
}
BytesChain AcquireKvSnapshotLeaseRequest::encode() const {
  return encode_message(kAcquireKvSnapshotLeaseRequestInfo, this);
}
const MessageInfo& AcquireKvSnapshotLeaseRequest::info() {
  return kAcquireKvSnapshotLeaseRequestInfo;
}

Result<AcquireKvSnapshotLeaseResponse> AcquireKvSnapshotLeaseResponse::decode(Bytes payload) {
  return decode_as<AcquireKvSnapshotLeaseResponse>(kAcquireKvSnapshotLeaseResponseInfo, payload);
}
BytesChain AcquireKvSnapshotLeaseResponse::encode() const {
  return encode_message(kAcquireKvSnapshotLeaseResponseInfo, this);
}
const MessageInfo& AcquireKvSnapshotLeaseResponse::info() {
  return kAcquireKvSnapshotLeaseResponseInfo;
}

Result<ReleaseKvSnapshotLeaseRequest> ReleaseKvSnapshotLeaseRequest::decode(Bytes payload) {
  return decode_as<ReleaseKvSnapshotLeaseRequest>(kReleaseKvSnapshotLeaseRequestInfo, payload);
}
BytesChain ReleaseKvSnapshotLeaseRequest::encode() const {
  return encode_message(kReleaseKvSnapshotLeaseRequestInfo, this);
}
const MessageInfo& ReleaseKvSnapshotLeaseRequest::info() {
  return kReleaseKvSnapshotLeaseRequestInfo;
}

Result<ReleaseKvSnapshotLeaseResponse> ReleaseKvSnapshotLeaseResponse::decode(Bytes payload) {
  return decode_as<ReleaseKvSnapshotLeaseResponse>(kReleaseKvSnapshotLeaseResponseInfo, payload);
}
BytesChain ReleaseKvSnapshotLeaseResponse::encode() const {
  return encode_message(kReleaseKvSnapshotLeaseResponseInfo, this);
}
const MessageInfo& ReleaseKvSnapshotLeaseResponse::info() {
  return kReleaseKvSnapshotLeaseResponseInfo;
}

Result<DropKvSnapshotLeaseRequest> DropKvSnapshotLeaseRequest::decode(Bytes payload) {
  return decode_as<DropKvSnapshotLeaseRequest>(kDropKvSnapshotLeaseRequestInfo, payload);
}
BytesChain DropKvSnapshotLeaseRequest::encode() const {
  return encode_message(kDropKvSnapshotLeaseRequestInfo, this);
}
const MessageInfo& DropKvSnapshotLeaseRequest::info() { return kDropKvSnapshotLeaseRequestInfo; }

Result<DropKvSnapshotLeaseResponse> DropKvSnapshotLeaseResponse::decode(Bytes payload) {
  return decode_as<DropKvSnapshotLeaseResponse>(kDropKvSnapshotLeaseResponseInfo, payload);
}
BytesChain DropKvSnapshotLeaseResponse::encode() const {
  return encode_message(kDropKvSnapshotLeaseResponseInfo, this);
}
const MessageInfo& DropKvSnapshotLeaseResponse::info() { return kDropKvSnapshotLeaseResponseInfo; }

Result<GetTableStatsRequest> GetTableStatsRequest::decode(Bytes payload) {
  return decode_as<GetTableStatsRequest>(kGetTableStatsRequestInfo, payload);
}
BytesChain GetTableStatsRequest::encode() const {
  return encode_message(kGetTableStatsRequestInfo, this);
}
const MessageInfo& GetTableStatsRequest::info() { return kGetTableStatsRequestInfo; }

Result<GetTableStatsResponse> GetTableStatsResponse::decode(Bytes payload) {
  return decode_as<GetTableStatsResponse>(kGetTableStatsResponseInfo, payload);
}
BytesChain GetTableStatsResponse::encode() const {
  return encode_message(kGetTableStatsResponseInfo, this);
}
const MessageInfo& GetTableStatsResponse::info() { return kGetTableStatsResponseInfo; }

Result<AlterDatabaseRequest> AlterDatabaseRequest::decode(Bytes payload) {
  return decode_as<AlterDatabaseRequest>(kAlterDatabaseRequestInfo, payload);
}
BytesChain AlterDatabaseRequest::encode() const {
  return encode_message(kAlterDatabaseRequestInfo, this);
}
const MessageInfo& AlterDatabaseRequest::info() { return kAlterDatabaseRequestInfo; }

Result<AlterDatabaseResponse> AlterDatabaseResponse::decode(Bytes payload) {
  return decode_as<AlterDatabaseResponse>(kAlterDatabaseResponseInfo, payload);
}
BytesChain AlterDatabaseResponse::encode() const {
  return encode_message(kAlterDatabaseResponseInfo, this);
}
const MessageInfo& AlterDatabaseResponse::info() { return kAlterDatabaseResponseInfo; }

Result<ScanKvRequest> ScanKvRequest::decode(Bytes payload) {
  return decode_as<ScanKvRequest>(kScanKvRequestInfo, payload);
}
BytesChain ScanKvRequest::encode() const { return encode_message(kScanKvRequestInfo, this); }
const MessageInfo& ScanKvRequest::info() { return kScanKvRequestInfo; }

Result<ScanKvResponse> ScanKvResponse::decode(Bytes payload) {
  return decode_as<ScanKvResponse>(kScanKvResponseInfo, payload);
}
BytesChain ScanKvResponse::encode() const { return encode_message(kScanKvResponseInfo, this); }
const MessageInfo& ScanKvResponse::info() { return kScanKvResponseInfo; }

Result<GetClusterHealthRequest> GetClusterHealthRequest::decode(Bytes payload) {
  return decode_as<GetClusterHealthRequest>(kGetClusterHealthRequestInfo, payload);
}
BytesChain GetClusterHealthRequest::encode() const {
  return encode_message(kGetClusterHealthRequestInfo, this);
}
const MessageInfo& GetClusterHealthRequest::info() { return kGetClusterHealthRequestInfo; }

Result<GetClusterHealthResponse> GetClusterHealthResponse::decode(Bytes payload) {
  return decode_as<GetClusterHealthResponse>(kGetClusterHealthResponseInfo, payload);
}
BytesChain GetClusterHealthResponse::encode() const {
  return encode_message(kGetClusterHealthResponseInfo, this);
}
const MessageInfo& GetClusterHealthResponse::info() { return kGetClusterHealthResponseInfo; }

Result<ListRemoteLogManifestsRequest> ListRemoteLogManifestsRequest::decode(Bytes payload) {
  return decode_as<ListRemoteLogManifestsRequest>(kListRemoteLogManifestsRequestInfo, payload);
}
BytesChain ListRemoteLogManifestsRequest::encode() const {
  return encode_message(kListRemoteLogManifestsRequestInfo, this);
}
const MessageInfo& ListRemoteLogManifestsRequest::info() {
  return kListRemoteLogManifestsRequestInfo;
}

Result<ListRemoteLogManifestsResponse> ListRemoteLogManifestsResponse::decode(Bytes payload) {
  return decode_as<ListRemoteLogManifestsResponse>(kListRemoteLogManifestsResponseInfo, payload);
}
BytesChain ListRemoteLogManifestsResponse::encode() const {
  return encode_message(kListRemoteLogManifestsResponseInfo, this);
}
const MessageInfo& ListRemoteLogManifestsResponse::info() {
  return kListRemoteLogManifestsResponseInfo;
}

Result<ListKvSnapshotsRequest> ListKvSnapshotsRequest::decode(Bytes payload) {
  return decode_as<ListKvSnapshotsRequest>(kListKvSnapshotsRequestInfo, payload);
}
BytesChain ListKvSnapshotsRequest::encode() const {
  return encode_message(kListKvSnapshotsRequestInfo, this);
}
const MessageInfo& ListKvSnapshotsRequest::info() { return kListKvSnapshotsRequestInfo; }

Result<ListKvSnapshotsResponse> ListKvSnapshotsResponse::decode(Bytes payload) {
  return decode_as<ListKvSnapshotsResponse>(kListKvSnapshotsResponseInfo, payload);
}
BytesChain ListKvSnapshotsResponse::encode() const {
  return encode_message(kListKvSnapshotsResponseInfo, this);
}
const MessageInfo& ListKvSnapshotsResponse::info() { return kListKvSnapshotsResponseInfo; }

Result<AddServerTagByRackRequest> AddServerTagByRackRequest::decode(Bytes payload) {
  return decode_as<AddServerTagByRackRequest>(kAddServerTagByRackRequestInfo, payload);
}
BytesChain AddServerTagByRackRequest::encode() const {
  return encode_message(kAddServerTagByRackRequestInfo, this);
}
const MessageInfo& AddServerTagByRackRequest::info() { return kAddServerTagByRackRequestInfo; }

Result<AddServerTagByRackResponse> AddServerTagByRackResponse::decode(Bytes payload) {
  return decode_as<AddServerTagByRackResponse>(kAddServerTagByRackResponseInfo, payload);
}
BytesChain AddServerTagByRackResponse::encode() const {
  return encode_message(kAddServerTagByRackResponseInfo, this);
}
const MessageInfo& AddServerTagByRackResponse::info() { return kAddServerTagByRackResponseInfo; }

Result<RemoveServerTagByRackRequest> RemoveServerTagByRackRequest::decode(Bytes payload) {
  return decode_as<RemoveServerTagByRackRequest>(kRemoveServerTagByRackRequestInfo, payload);
}
BytesChain RemoveServerTagByRackRequest::encode() const {
  return encode_message(kRemoveServerTagByRackRequestInfo, this);
}
const MessageInfo& RemoveServerTagByRackRequest::info() {
  return kRemoveServerTagByRackRequestInfo;
}

Result<RemoveServerTagByRackResponse> RemoveServerTagByRackResponse::decode(Bytes payload) {
  return decode_as<RemoveServerTagByRackResponse>(kRemoveServerTagByRackResponseInfo, payload);
}
BytesChain RemoveServerTagByRackResponse::encode() const {
  return encode_message(kRemoveServerTagByRackResponseInfo, this);
}
const MessageInfo& RemoveServerTagByRackResponse::info() {
  return kRemoveServerTagByRackResponseInfo;
}

}  // namespace lakestream::wire
