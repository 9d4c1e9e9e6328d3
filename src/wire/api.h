// Made by tools/gen_messages.py from src/wire/api.tsv. Edit the table, not this file.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The APIs of the Fluss protocol: keys, the versions that this server advertises, which role
// answers them, whether they are served yet, and which messages they carry (ApiTraits).
//
// Thread rule: immutable.
//
//   const ApiInfo* api = find_api(header.api_key);
//   if (api == nullptr || !api->served) return answer_unsupported();
//   using Request = ApiTraits<ApiKey::kProduceLog>::Request;
namespace lakestream::wire {

enum class ApiKey : int16_t {
  kApiVersions = 1000,
  kCreateDatabase = 1001,
  kDropDatabase = 1002,
  kListDatabases = 1003,
  kDatabaseExists = 1004,
  kCreateTable = 1005,
  kDropTable = 1006,
  kGetTableInfo = 1007,
  kListTables = 1008,
  kListPartitionInfos = 1009,
  kTableExists = 1010,
  kGetTableSchema = 1011,
  kGetMetadata = 1012,
  kUpdateMetadata = 1013,
  kProduceLog = 1014,
  kFetchLog = 1015,
  kPutKv = 1016,
  kLookup = 1017,
  kNotifyLeaderAndIsr = 1018,
  kStopReplica = 1019,
  kAdjustIsr = 1020,
  kListOffsets = 1021,
  kCommitKvSnapshot = 1022,
  kGetLatestKvSnapshots = 1023,
  kGetKvSnapshotMetadata = 1024,
  kGetFilesystemSecurityToken = 1025,
  kInitWriter = 1026,
  kCommitRemoteLogManifest = 1027,
  kNotifyRemoteLogOffsets = 1028,
  kNotifyKvSnapshotOffset = 1029,
  kCommitLakeTableSnapshot = 1030,
  kNotifyLakeTableOffset = 1031,
  kGetLakeSnapshot = 1032,
  kLimitScan = 1033,
  kPrefixLookup = 1034,
  kGetDatabaseInfo = 1035,
  kCreatePartition = 1036,
  kDropPartition = 1037,
  kAuthenticate = 1038,
  kCreateAcls = 1039,
  kListAcls = 1040,
  kDropAcls = 1041,
  kLakeTieringHeartbeat = 1042,
  kControlledShutdown = 1043,
  kAlterTable = 1044,
  kDescribeClusterConfigs = 1045,
  kAlterClusterConfigs = 1046,
  kAddServerTag = 1047,
  kRemoveServerTag = 1048,
  kRebalance = 1049,
  kListRebalanceProgress = 1050,
  kCancelRebalance = 1051,
  kPrepareLakeTableSnapshot = 1052,
  kRegisterProducerOffsets = 1053,
  kGetProducerOffsets = 1054,
  kDeleteProducerOffsets = 1055,
  kAcquireKvSnapshotLease = 1056,
  kReleaseKvSnapshotLease = 1057,
  kDropKvSnapshotLease = 1058,
  kGetTableStats = 1059,
  kAlterDatabase = 1060,
  kScanKv = 1061,
  kGetClusterHealth = 1062,
  kListRemoteLogManifests = 1063,
  kListKvSnapshots = 1064,
  kAddServerTagByRack = 1065,
  kRemoveServerTagByRack = 1066,
};

struct ApiInfo {
  ApiKey key;
  std::string_view name;
  int16_t min_version;
  int16_t max_version;
  bool on_coordinator;
  bool on_tablet;
  bool is_public;  // false: meant for servers, refused on client listeners where that is hardened
  bool served;     // false: known, not there yet, not advertised
};

// nullptr for a key without a row.
const ApiInfo* find_api(int16_t key);
// In the order of the keys.
std::span<const ApiInfo> all_apis();

template <ApiKey key>
struct ApiTraits;

struct ApiVersionsRequest;
struct ApiVersionsResponse;
template <>
struct ApiTraits<ApiKey::kApiVersions> {
  using Request = ApiVersionsRequest;
  using Response = ApiVersionsResponse;
};

struct CreateDatabaseRequest;
struct CreateDatabaseResponse;
template <>
struct ApiTraits<ApiKey::kCreateDatabase> {
  using Request = CreateDatabaseRequest;
  using Response = CreateDatabaseResponse;
};

struct DropDatabaseRequest;
struct DropDatabaseResponse;
template <>
struct ApiTraits<ApiKey::kDropDatabase> {
  using Request = DropDatabaseRequest;
  using Response = DropDatabaseResponse;
};

struct ListDatabasesRequest;
struct ListDatabasesResponse;
template <>
struct ApiTraits<ApiKey::kListDatabases> {
  using Request = ListDatabasesRequest;
  using Response = ListDatabasesResponse;
};

struct DatabaseExistsRequest;
struct DatabaseExistsResponse;
template <>
struct ApiTraits<ApiKey::kDatabaseExists> {
  using Request = DatabaseExistsRequest;
  using Response = DatabaseExistsResponse;
};

struct CreateTableRequest;
struct CreateTableResponse;
template <>
struct ApiTraits<ApiKey::kCreateTable> {
  using Request = CreateTableRequest;
  using Response = CreateTableResponse;
};

struct DropTableRequest;
struct DropTableResponse;
template <>
struct ApiTraits<ApiKey::kDropTable> {
  using Request = DropTableRequest;
  using Response = DropTableResponse;
};

struct GetTableInfoRequest;
struct GetTableInfoResponse;
template <>
struct ApiTraits<ApiKey::kGetTableInfo> {
  using Request = GetTableInfoRequest;
  using Response = GetTableInfoResponse;
};

struct ListTablesRequest;
struct ListTablesResponse;
template <>
struct ApiTraits<ApiKey::kListTables> {
  using Request = ListTablesRequest;
  using Response = ListTablesResponse;
};

struct ListPartitionInfosRequest;
struct ListPartitionInfosResponse;
template <>
struct ApiTraits<ApiKey::kListPartitionInfos> {
  using Request = ListPartitionInfosRequest;
  using Response = ListPartitionInfosResponse;
};

struct TableExistsRequest;
struct TableExistsResponse;
template <>
struct ApiTraits<ApiKey::kTableExists> {
  using Request = TableExistsRequest;
  using Response = TableExistsResponse;
};

struct GetTableSchemaRequest;
struct GetTableSchemaResponse;
template <>
struct ApiTraits<ApiKey::kGetTableSchema> {
  using Request = GetTableSchemaRequest;
  using Response = GetTableSchemaResponse;
};

struct MetadataRequest;
struct MetadataResponse;
template <>
struct ApiTraits<ApiKey::kGetMetadata> {
  using Request = MetadataRequest;
  using Response = MetadataResponse;
};

struct UpdateMetadataRequest;
struct UpdateMetadataResponse;
template <>
struct ApiTraits<ApiKey::kUpdateMetadata> {
  using Request = UpdateMetadataRequest;
  using Response = UpdateMetadataResponse;
};

struct ProduceLogRequest;
struct ProduceLogResponse;
template <>
struct ApiTraits<ApiKey::kProduceLog> {
  using Request = ProduceLogRequest;
  using Response = ProduceLogResponse;
};

struct FetchLogRequest;
struct FetchLogResponse;
template <>
struct ApiTraits<ApiKey::kFetchLog> {
  using Request = FetchLogRequest;
  using Response = FetchLogResponse;
};

struct PutKvRequest;
struct PutKvResponse;
template <>
struct ApiTraits<ApiKey::kPutKv> {
  using Request = PutKvRequest;
  using Response = PutKvResponse;
};

struct LookupRequest;
struct LookupResponse;
template <>
struct ApiTraits<ApiKey::kLookup> {
  using Request = LookupRequest;
  using Response = LookupResponse;
};

struct NotifyLeaderAndIsrRequest;
struct NotifyLeaderAndIsrResponse;
template <>
struct ApiTraits<ApiKey::kNotifyLeaderAndIsr> {
  using Request = NotifyLeaderAndIsrRequest;
  using Response = NotifyLeaderAndIsrResponse;
};

struct StopReplicaRequest;
struct StopReplicaResponse;
template <>
struct ApiTraits<ApiKey::kStopReplica> {
  using Request = StopReplicaRequest;
  using Response = StopReplicaResponse;
};

struct AdjustIsrRequest;
struct AdjustIsrResponse;
template <>
struct ApiTraits<ApiKey::kAdjustIsr> {
  using Request = AdjustIsrRequest;
  using Response = AdjustIsrResponse;
};

struct ListOffsetsRequest;
struct ListOffsetsResponse;
template <>
struct ApiTraits<ApiKey::kListOffsets> {
  using Request = ListOffsetsRequest;
  using Response = ListOffsetsResponse;
};

struct CommitKvSnapshotRequest;
struct CommitKvSnapshotResponse;
template <>
struct ApiTraits<ApiKey::kCommitKvSnapshot> {
  using Request = CommitKvSnapshotRequest;
  using Response = CommitKvSnapshotResponse;
};

struct GetLatestKvSnapshotsRequest;
struct GetLatestKvSnapshotsResponse;
template <>
struct ApiTraits<ApiKey::kGetLatestKvSnapshots> {
  using Request = GetLatestKvSnapshotsRequest;
  using Response = GetLatestKvSnapshotsResponse;
};

struct GetKvSnapshotMetadataRequest;
struct GetKvSnapshotMetadataResponse;
template <>
struct ApiTraits<ApiKey::kGetKvSnapshotMetadata> {
  using Request = GetKvSnapshotMetadataRequest;
  using Response = GetKvSnapshotMetadataResponse;
};

struct GetFileSystemSecurityTokenRequest;
struct GetFileSystemSecurityTokenResponse;
template <>
struct ApiTraits<ApiKey::kGetFilesystemSecurityToken> {
  using Request = GetFileSystemSecurityTokenRequest;
  using Response = GetFileSystemSecurityTokenResponse;
};

struct InitWriterRequest;
struct InitWriterResponse;
template <>
struct ApiTraits<ApiKey::kInitWriter> {
  using Request = InitWriterRequest;
  using Response = InitWriterResponse;
};

struct CommitRemoteLogManifestRequest;
struct CommitRemoteLogManifestResponse;
template <>
struct ApiTraits<ApiKey::kCommitRemoteLogManifest> {
  using Request = CommitRemoteLogManifestRequest;
  using Response = CommitRemoteLogManifestResponse;
};

struct NotifyRemoteLogOffsetsRequest;
struct NotifyRemoteLogOffsetsResponse;
template <>
struct ApiTraits<ApiKey::kNotifyRemoteLogOffsets> {
  using Request = NotifyRemoteLogOffsetsRequest;
  using Response = NotifyRemoteLogOffsetsResponse;
};

struct NotifyKvSnapshotOffsetRequest;
struct NotifyKvSnapshotOffsetResponse;
template <>
struct ApiTraits<ApiKey::kNotifyKvSnapshotOffset> {
  using Request = NotifyKvSnapshotOffsetRequest;
  using Response = NotifyKvSnapshotOffsetResponse;
};

struct CommitLakeTableSnapshotRequest;
struct CommitLakeTableSnapshotResponse;
template <>
struct ApiTraits<ApiKey::kCommitLakeTableSnapshot> {
  using Request = CommitLakeTableSnapshotRequest;
  using Response = CommitLakeTableSnapshotResponse;
};

struct NotifyLakeTableOffsetRequest;
struct NotifyLakeTableOffsetResponse;
template <>
struct ApiTraits<ApiKey::kNotifyLakeTableOffset> {
  using Request = NotifyLakeTableOffsetRequest;
  using Response = NotifyLakeTableOffsetResponse;
};

struct GetLakeSnapshotRequest;
struct GetLakeSnapshotResponse;
template <>
struct ApiTraits<ApiKey::kGetLakeSnapshot> {
  using Request = GetLakeSnapshotRequest;
  using Response = GetLakeSnapshotResponse;
};

struct LimitScanRequest;
struct LimitScanResponse;
template <>
struct ApiTraits<ApiKey::kLimitScan> {
  using Request = LimitScanRequest;
  using Response = LimitScanResponse;
};

struct PrefixLookupRequest;
struct PrefixLookupResponse;
template <>
struct ApiTraits<ApiKey::kPrefixLookup> {
  using Request = PrefixLookupRequest;
  using Response = PrefixLookupResponse;
};

struct GetDatabaseInfoRequest;
struct GetDatabaseInfoResponse;
template <>
struct ApiTraits<ApiKey::kGetDatabaseInfo> {
  using Request = GetDatabaseInfoRequest;
  using Response = GetDatabaseInfoResponse;
};

struct CreatePartitionRequest;
struct CreatePartitionResponse;
template <>
struct ApiTraits<ApiKey::kCreatePartition> {
  using Request = CreatePartitionRequest;
  using Response = CreatePartitionResponse;
};

struct DropPartitionRequest;
struct DropPartitionResponse;
template <>
struct ApiTraits<ApiKey::kDropPartition> {
  using Request = DropPartitionRequest;
  using Response = DropPartitionResponse;
};

struct AuthenticateRequest;
struct AuthenticateResponse;
template <>
struct ApiTraits<ApiKey::kAuthenticate> {
  using Request = AuthenticateRequest;
  using Response = AuthenticateResponse;
};

struct CreateAclsRequest;
struct CreateAclsResponse;
template <>
struct ApiTraits<ApiKey::kCreateAcls> {
  using Request = CreateAclsRequest;
  using Response = CreateAclsResponse;
};

struct ListAclsRequest;
struct ListAclsResponse;
template <>
struct ApiTraits<ApiKey::kListAcls> {
  using Request = ListAclsRequest;
  using Response = ListAclsResponse;
};

struct DropAclsRequest;
struct DropAclsResponse;
template <>
struct ApiTraits<ApiKey::kDropAcls> {
  using Request = DropAclsRequest;
  using Response = DropAclsResponse;
};

struct LakeTieringHeartbeatRequest;
struct LakeTieringHeartbeatResponse;
template <>
struct ApiTraits<ApiKey::kLakeTieringHeartbeat> {
  using Request = LakeTieringHeartbeatRequest;
  using Response = LakeTieringHeartbeatResponse;
};

struct ControlledShutdownRequest;
struct ControlledShutdownResponse;
template <>
struct ApiTraits<ApiKey::kControlledShutdown> {
  using Request = ControlledShutdownRequest;
  using Response = ControlledShutdownResponse;
};

struct AlterTableRequest;
struct AlterTableResponse;
template <>
struct ApiTraits<ApiKey::kAlterTable> {
  using Request = AlterTableRequest;
  using Response = AlterTableResponse;
};

struct DescribeClusterConfigsRequest;
struct DescribeClusterConfigsResponse;
template <>
struct ApiTraits<ApiKey::kDescribeClusterConfigs> {
  using Request = DescribeClusterConfigsRequest;
  using Response = DescribeClusterConfigsResponse;
};

struct AlterClusterConfigsRequest;
struct AlterClusterConfigsResponse;
template <>
struct ApiTraits<ApiKey::kAlterClusterConfigs> {
  using Request = AlterClusterConfigsRequest;
  using Response = AlterClusterConfigsResponse;
};

struct AddServerTagRequest;
struct AddServerTagResponse;
template <>
struct ApiTraits<ApiKey::kAddServerTag> {
  using Request = AddServerTagRequest;
  using Response = AddServerTagResponse;
};

struct RemoveServerTagRequest;
struct RemoveServerTagResponse;
template <>
struct ApiTraits<ApiKey::kRemoveServerTag> {
  using Request = RemoveServerTagRequest;
  using Response = RemoveServerTagResponse;
};

struct RebalanceRequest;
struct RebalanceResponse;
template <>
struct ApiTraits<ApiKey::kRebalance> {
  using Request = RebalanceRequest;
  using Response = RebalanceResponse;
};

struct ListRebalanceProgressRequest;
struct ListRebalanceProgressResponse;
template <>
struct ApiTraits<ApiKey::kListRebalanceProgress> {
  using Request = ListRebalanceProgressRequest;
  using Response = ListRebalanceProgressResponse;
};

struct CancelRebalanceRequest;
struct CancelRebalanceResponse;
template <>
struct ApiTraits<ApiKey::kCancelRebalance> {
  using Request = CancelRebalanceRequest;
  using Response = CancelRebalanceResponse;
};

struct PrepareLakeTableSnapshotRequest;
struct PrepareLakeTableSnapshotResponse;
template <>
struct ApiTraits<ApiKey::kPrepareLakeTableSnapshot> {
  using Request = PrepareLakeTableSnapshotRequest;
  using Response = PrepareLakeTableSnapshotResponse;
};

struct RegisterProducerOffsetsRequest;
struct RegisterProducerOffsetsResponse;
template <>
struct ApiTraits<ApiKey::kRegisterProducerOffsets> {
  using Request = RegisterProducerOffsetsRequest;
  using Response = RegisterProducerOffsetsResponse;
};

struct GetProducerOffsetsRequest;
struct GetProducerOffsetsResponse;
template <>
struct ApiTraits<ApiKey::kGetProducerOffsets> {
  using Request = GetProducerOffsetsRequest;
  using Response = GetProducerOffsetsResponse;
};

struct DeleteProducerOffsetsRequest;
struct DeleteProducerOffsetsResponse;
template <>
struct ApiTraits<ApiKey::kDeleteProducerOffsets> {
  using Request = DeleteProducerOffsetsRequest;
  using Response = DeleteProducerOffsetsResponse;
};

struct AcquireKvSnapshotLeaseRequest;
struct AcquireKvSnapshotLeaseResponse;
template <>
struct ApiTraits<ApiKey::kAcquireKvSnapshotLease> {
  using Request = AcquireKvSnapshotLeaseRequest;
  using Response = AcquireKvSnapshotLeaseResponse;
};

struct ReleaseKvSnapshotLeaseRequest;
struct ReleaseKvSnapshotLeaseResponse;
template <>
struct ApiTraits<ApiKey::kReleaseKvSnapshotLease> {
  using Request = ReleaseKvSnapshotLeaseRequest;
  using Response = ReleaseKvSnapshotLeaseResponse;
};

struct DropKvSnapshotLeaseRequest;
struct DropKvSnapshotLeaseResponse;
template <>
struct ApiTraits<ApiKey::kDropKvSnapshotLease> {
  using Request = DropKvSnapshotLeaseRequest;
  using Response = DropKvSnapshotLeaseResponse;
};

struct GetTableStatsRequest;
struct GetTableStatsResponse;
template <>
struct ApiTraits<ApiKey::kGetTableStats> {
  using Request = GetTableStatsRequest;
  using Response = GetTableStatsResponse;
};

struct AlterDatabaseRequest;
struct AlterDatabaseResponse;
template <>
struct ApiTraits<ApiKey::kAlterDatabase> {
  using Request = AlterDatabaseRequest;
  using Response = AlterDatabaseResponse;
};

struct ScanKvRequest;
struct ScanKvResponse;
template <>
struct ApiTraits<ApiKey::kScanKv> {
  using Request = ScanKvRequest;
  using Response = ScanKvResponse;
};

struct GetClusterHealthRequest;
struct GetClusterHealthResponse;
template <>
struct ApiTraits<ApiKey::kGetClusterHealth> {
  using Request = GetClusterHealthRequest;
  using Response = GetClusterHealthResponse;
};

struct ListRemoteLogManifestsRequest;
struct ListRemoteLogManifestsResponse;
template <>
struct ApiTraits<ApiKey::kListRemoteLogManifests> {
  using Request = ListRemoteLogManifestsRequest;
  using Response = ListRemoteLogManifestsResponse;
};

struct ListKvSnapshotsRequest;
struct ListKvSnapshotsResponse;
template <>
struct ApiTraits<ApiKey::kListKvSnapshots> {
  using Request = ListKvSnapshotsRequest;
  using Response = ListKvSnapshotsResponse;
};

struct AddServerTagByRackRequest;
struct AddServerTagByRackResponse;
template <>
struct ApiTraits<ApiKey::kAddServerTagByRack> {
  using Request = AddServerTagByRackRequest;
  using Response = AddServerTagByRackResponse;
};

struct RemoveServerTagByRackRequest;
struct RemoveServerTagByRackResponse;
template <>
struct ApiTraits<ApiKey::kRemoveServerTagByRack> {
  using Request = RemoveServerTagByRackRequest;
  using Response = RemoveServerTagByRackResponse;
};

}  // namespace lakestream::wire
