// Made by tools/gen_messages.py from src/wire/messages.tsv. Edit the table, not this file.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// The messages of the Fluss protocol as plain structs, one a message, fields as in messages.tsv:
// required ones are plain values, optional ones std::optional, repeated ones std::vector. A bytes
// field is a slice of the frame that was decoded and keeps it alive; records of responses are
// chains, so that slices of the log are sent without a copy. decode() takes the payload of a frame;
// its error says which field of which message breaks which rule, with a code that no client
// retries. encode() writes the optional fields that are set; byte fields of a kilobyte and more are
// shared, not copied.
//
// Thread rule: values; a message belongs to one thread at a time.
//
//   ASSIGN_OR_RETURN(ProduceLogRequest request, ProduceLogRequest::decode(payload));
//   ProduceLogResponse response;
//   for (const PbProduceLogReqForBucket& bucket : request.buckets_req) append(bucket.records);
//   BytesChain answer = response.encode();
namespace lakestream::wire {

struct MessageInfo;  // the table of a message's fields, of codec.h

// The payload of error responses and server failures.
struct ErrorResponse {
  int32_t error_code = 0;
  std::optional<std::string> error_message = {};

  static Result<ErrorResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ErrorResponse&) const = default;
};

struct PbAclFilter {
  std::optional<std::string> resource_name = {};
  int32_t resource_type = 0;
  std::optional<std::string> principal_name = {};
  std::optional<std::string> principal_type = {};
  std::optional<std::string> host = {};
  int32_t operation_type = 0;
  int32_t permission_type = 0;
  bool operator==(const PbAclFilter&) const = default;
};

struct PbAclInfo {
  std::string resource_name = {};
  int32_t resource_type = 0;
  std::string principal_name = {};
  std::string principal_type = {};
  std::string host = {};
  int32_t operation_type = 0;
  int32_t permission_type = 0;
  bool operator==(const PbAclInfo&) const = default;
};

struct PbKeyValue {
  std::string key = {};
  std::string value = {};
  bool operator==(const PbKeyValue&) const = default;
};

struct PbAddColumn {
  std::string column_name = {};
  Bytes data_type_json = {};
  std::optional<std::string> comment = {};
  int32_t column_position_type = 0;
  std::optional<std::string> agg_function_type = {};
  std::vector<PbKeyValue> agg_function_params = {};
  bool operator==(const PbAddColumn&) const = default;
};

struct PbAdjustIsrReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int32_t leader_epoch = 0;
  std::vector<int32_t> new_isr = {};
  int32_t coordinator_epoch = 0;
  int32_t bucket_epoch = 0;
  std::vector<int32_t> standby_replicas = {};
  bool operator==(const PbAdjustIsrReqForBucket&) const = default;
};

struct PbAdjustIsrReqForTable {
  int64_t table_id = 0;
  std::vector<PbAdjustIsrReqForBucket> buckets_req = {};
  bool operator==(const PbAdjustIsrReqForTable&) const = default;
};

struct PbAdjustIsrRespForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int32_t> leader_id = {};
  std::optional<int32_t> leader_epoch = {};
  std::vector<int32_t> isr = {};
  std::optional<int32_t> bucket_epoch = {};
  std::optional<int32_t> coordinator_epoch = {};
  std::vector<int32_t> standby_replicas = {};
  bool operator==(const PbAdjustIsrRespForBucket&) const = default;
};

struct PbAdjustIsrRespForTable {
  int64_t table_id = 0;
  std::vector<PbAdjustIsrRespForBucket> buckets_resp = {};
  bool operator==(const PbAdjustIsrRespForTable&) const = default;
};

struct PbAlterConfig {
  std::string config_key = {};
  std::optional<std::string> config_value = {};
  int32_t op_type = 0;
  bool operator==(const PbAlterConfig&) const = default;
};

struct PbApiVersion {
  int32_t api_key = 0;
  int32_t min_version = 0;
  int32_t max_version = 0;
  bool operator==(const PbApiVersion&) const = default;
};

struct PbBucketMetadata {
  int32_t bucket_id = 0;
  std::optional<int32_t> leader_id = {};
  std::vector<int32_t> replica_id = {};
  std::optional<int32_t> leader_epoch = {};
  std::optional<int32_t> bucket_epoch = {};
  std::vector<int32_t> isr = {};
  bool operator==(const PbBucketMetadata&) const = default;
};

struct PbBucketOffset {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int64_t> log_end_offset = {};
  bool operator==(const PbBucketOffset&) const = default;
};

struct PbCommitLakeTableSnapshotRespForTable {
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  int64_t table_id = 0;
  bool operator==(const PbCommitLakeTableSnapshotRespForTable&) const = default;
};

struct PbPredicate;
struct PbCompoundPredicate {
  int32_t function = 0;
  std::vector<PbPredicate> children;
  bool operator==(const PbCompoundPredicate&) const = default;
};

struct PbCreateAclRespInfo {
  PbAclInfo acl = {};
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  bool operator==(const PbCreateAclRespInfo&) const = default;
};

struct PbDatabaseSummary {
  std::string database_name = {};
  int64_t created_time = 0;
  int32_t table_count = 0;
  bool operator==(const PbDatabaseSummary&) const = default;
};

struct PbDescribeConfig {
  std::string config_key = {};
  std::optional<std::string> config_value = {};
  std::string config_source = {};
  bool operator==(const PbDescribeConfig&) const = default;
};

struct PbDropAclsMatchingAcl {
  PbAclInfo acl = {};
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  bool operator==(const PbDropAclsMatchingAcl&) const = default;
};

struct PbDropAclsFilterResult {
  std::vector<PbDropAclsMatchingAcl> matching_acls = {};
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  bool operator==(const PbDropAclsFilterResult&) const = default;
};

struct PbDropColumn {
  std::string column_name = {};
  bool operator==(const PbDropColumn&) const = default;
};

struct PbFetchLogReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int64_t fetch_offset = 0;
  int32_t max_fetch_bytes = 0;
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbFetchLogReqForBucket&) const = default;
};

struct PbLiteralValue {
  int32_t literal_type = 0;
  bool is_null = false;
  std::optional<bool> boolean_value = {};
  std::optional<int32_t> int_value = {};
  std::optional<int64_t> bigint_value = {};
  std::optional<float> float_value = {};
  std::optional<double> double_value = {};
  std::optional<std::string> string_value = {};
  std::optional<Bytes> binary_value = {};
  std::optional<int64_t> decimal_value = {};
  std::optional<int64_t> timestamp_millis_value = {};
  std::optional<int32_t> timestamp_nano_of_millis_value = {};
  std::optional<Bytes> decimal_bytes = {};
  bool operator==(const PbLiteralValue&) const = default;
};

struct PbLeafPredicate {
  int32_t function = 0;
  int32_t field_id = 0;
  std::vector<PbLiteralValue> literals = {};
  bool operator==(const PbLeafPredicate&) const = default;
};

struct PbPredicate {
  int32_t type = 0;
  std::optional<PbLeafPredicate> leaf = {};
  std::optional<PbCompoundPredicate> compound = {};
  bool operator==(const PbPredicate&) const = default;
};

struct PbFetchLogReqForTable {
  int64_t table_id = 0;
  bool projection_pushdown_enabled = false;
  std::vector<int32_t> projected_fields = {};
  std::vector<PbFetchLogReqForBucket> buckets_req = {};
  std::optional<PbPredicate> filter_predicate = {};
  std::optional<int32_t> filter_schema_id = {};
  bool operator==(const PbFetchLogReqForTable&) const = default;
};

struct PbRemoteLogSegment {
  std::string remote_log_segment_id = {};
  int64_t remote_log_start_offset = 0;
  int64_t remote_log_end_offset = 0;
  int32_t segment_size_in_bytes = 0;
  std::optional<int64_t> max_timestamp = {};
  bool operator==(const PbRemoteLogSegment&) const = default;
};

struct PbRemoteLogFetchInfo {
  std::string remote_log_tablet_dir = {};
  std::optional<std::string> partition_name = {};
  std::vector<PbRemoteLogSegment> remote_log_segments = {};
  std::optional<int32_t> first_start_pos = {};
  bool operator==(const PbRemoteLogFetchInfo&) const = default;
};

struct PbFetchLogRespForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int64_t> high_watermark = {};
  std::optional<int64_t> log_start_offset = {};
  std::optional<PbRemoteLogFetchInfo> remote_log_fetch_info = {};
  std::optional<BytesChain> records = {};
  std::optional<int64_t> filtered_end_offset = {};
  std::optional<int64_t> min_retain_offset = {};
  bool operator==(const PbFetchLogRespForBucket&) const = default;
};

struct PbFetchLogRespForTable {
  int64_t table_id = 0;
  std::vector<PbFetchLogRespForBucket> buckets_resp = {};
  bool operator==(const PbFetchLogRespForTable&) const = default;
};

struct PbLakeTieringStats {
  std::optional<int64_t> file_size = {};
  std::optional<int64_t> record_count = {};
  bool operator==(const PbLakeTieringStats&) const = default;
};

struct PbHeartbeatReqForTable {
  int64_t table_id = 0;
  int32_t coordinator_epoch = 0;
  int64_t tiering_epoch = 0;
  std::optional<PbLakeTieringStats> lake_tiering_stats = {};
  std::optional<std::string> failure = {};
  bool operator==(const PbHeartbeatReqForTable&) const = default;
};

struct PbHeartbeatRespForTable {
  int64_t table_id = 0;
  std::optional<ErrorResponse> error = {};
  bool operator==(const PbHeartbeatRespForTable&) const = default;
};

struct PbKvSnapshot {
  int32_t bucket_id = 0;
  std::optional<int64_t> snapshot_id = {};
  std::optional<int64_t> log_offset = {};
  bool operator==(const PbKvSnapshot&) const = default;
};

struct PbKvSnapshotLeaseForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int64_t snapshot_id = 0;
  bool operator==(const PbKvSnapshotLeaseForBucket&) const = default;
};

struct PbKvSnapshotLeaseForTable {
  int64_t table_id = 0;
  std::vector<PbKvSnapshotLeaseForBucket> bucket_snapshots = {};
  bool operator==(const PbKvSnapshotLeaseForTable&) const = default;
};

struct PbLakeSnapshotForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int64_t> log_offset = {};
  std::optional<std::string> partition_name = {};
  bool operator==(const PbLakeSnapshotForBucket&) const = default;
};

struct PbLakeTableOffsetForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int64_t> log_end_offset = {};
  std::optional<int64_t> max_timestamp = {};
  bool operator==(const PbLakeTableOffsetForBucket&) const = default;
};

struct PbTablePath {
  std::string database_name = {};
  std::string table_name = {};
  bool operator==(const PbTablePath&) const = default;
};

struct PbLakeTableSnapshotInfo {
  std::optional<int64_t> table_id = {};
  int64_t snapshot_id = 0;
  std::vector<PbLakeTableOffsetForBucket> buckets_req = {};
  std::optional<PbTablePath> table_path = {};
  bool operator==(const PbLakeTableSnapshotInfo&) const = default;
};

struct PbLakeTableSnapshotMetadata {
  int64_t table_id = 0;
  int64_t snapshot_id = 0;
  std::string tiered_bucket_offsets_file_path = {};
  std::optional<std::string> readable_bucket_offsets_file_path = {};
  std::optional<int64_t> earliest_snapshot_id_to_keep = {};
  bool operator==(const PbLakeTableSnapshotMetadata&) const = default;
};

struct PbLakeTieringTableInfo {
  int64_t table_id = 0;
  PbTablePath table_path = {};
  int64_t tiering_epoch = 0;
  bool operator==(const PbLakeTieringTableInfo&) const = default;
};

struct PbListOffsetsRespForBucket {
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int64_t> offset = {};
  bool operator==(const PbListOffsetsRespForBucket&) const = default;
};

struct PbLookupReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::vector<Bytes> keys = {};
  std::optional<std::string> original_partition_name = {};
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbLookupReqForBucket&) const = default;
};

struct PbValue {
  std::optional<Bytes> values = {};
  bool operator==(const PbValue&) const = default;
};

struct PbLookupRespForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::vector<PbValue> values = {};
  std::optional<std::string> original_partition_name = {};
  bool operator==(const PbLookupRespForBucket&) const = default;
};

struct PbModifyBucketCount {
  int32_t new_bucket_count = 0;
  bool operator==(const PbModifyBucketCount&) const = default;
};

struct PbModifyColumn {
  std::string column_name = {};
  std::optional<Bytes> data_type_json = {};
  std::optional<std::string> comment = {};
  std::optional<int32_t> column_position_type = {};
  bool operator==(const PbModifyColumn&) const = default;
};

struct PbNotifyLakeTableOffsetReqForBucket {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int64_t snapshot_id = 0;
  std::optional<int64_t> log_start_offset = {};
  std::optional<int64_t> log_end_offset = {};
  std::optional<int64_t> max_timestamp = {};
  bool operator==(const PbNotifyLakeTableOffsetReqForBucket&) const = default;
};

struct PbPhysicalTablePath {
  std::string database_name = {};
  std::string table_name = {};
  std::optional<std::string> partition_name = {};
  bool operator==(const PbPhysicalTablePath&) const = default;
};

struct PbTableBucket {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  bool operator==(const PbTableBucket&) const = default;
};

struct PbNotifyLeaderAndIsrReqForBucket {
  PbPhysicalTablePath physical_table_path = {};
  PbTableBucket table_bucket = {};
  int32_t leader = 0;
  int32_t leader_epoch = 0;
  std::vector<int32_t> replicas = {};
  std::vector<int32_t> isr = {};
  int32_t bucket_epoch = 0;
  std::vector<int32_t> standby_replicas = {};
  std::optional<int32_t> bucket_count = {};
  std::optional<int64_t> bucket_count_epoch = {};
  bool operator==(const PbNotifyLeaderAndIsrReqForBucket&) const = default;
};

struct PbNotifyLeaderAndIsrRespForBucket {
  PbTableBucket table_bucket = {};
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  bool operator==(const PbNotifyLeaderAndIsrRespForBucket&) const = default;
};

struct PbPartitionSpec {
  std::vector<PbKeyValue> partition_key_values = {};
  bool operator==(const PbPartitionSpec&) const = default;
};

struct PbPartitionInfo {
  int64_t partition_id = 0;
  PbPartitionSpec partition_spec = {};
  std::optional<std::string> remote_data_dir = {};
  std::optional<int32_t> bucket_count = {};
  bool operator==(const PbPartitionInfo&) const = default;
};

struct PbPartitionMetadata {
  int64_t table_id = 0;
  std::string partition_name = {};
  int64_t partition_id = 0;
  std::vector<PbBucketMetadata> bucket_metadata = {};
  std::optional<int32_t> bucket_count = {};
  bool operator==(const PbPartitionMetadata&) const = default;
};

struct PbPrefixLookupReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::vector<Bytes> keys = {};
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbPrefixLookupReqForBucket&) const = default;
};

struct PbValueList {
  std::vector<Bytes> values = {};
  bool operator==(const PbValueList&) const = default;
};

struct PbPrefixLookupRespForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::vector<PbValueList> value_lists = {};
  bool operator==(const PbPrefixLookupRespForBucket&) const = default;
};

struct PbPrepareLakeTableRespForTable {
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int64_t> table_id = {};
  std::optional<std::string> lake_table_offsets_path = {};
  bool operator==(const PbPrepareLakeTableRespForTable&) const = default;
};

struct PbProduceLogReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  Bytes records = {};
  std::optional<std::string> original_partition_name = {};
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbProduceLogReqForBucket&) const = default;
};

struct PbProduceLogRespForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int64_t> base_offset = {};
  std::optional<std::string> original_partition_name = {};
  bool operator==(const PbProduceLogRespForBucket&) const = default;
};

struct PbProducerTableOffsets {
  int64_t table_id = 0;
  std::vector<PbBucketOffset> bucket_offsets = {};
  bool operator==(const PbProducerTableOffsets&) const = default;
};

struct PbPutKvReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  Bytes records = {};
  std::optional<std::string> original_partition_name = {};
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbPutKvReqForBucket&) const = default;
};

struct PbPutKvRespForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int64_t> log_end_offset = {};
  std::optional<float> pressure = {};
  std::optional<std::string> original_partition_name = {};
  bool operator==(const PbPutKvRespForBucket&) const = default;
};

struct PbRebalancePlanForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> original_leader = {};
  std::optional<int32_t> new_leader = {};
  std::vector<int32_t> original_replicas = {};
  std::vector<int32_t> new_replicas = {};
  bool operator==(const PbRebalancePlanForBucket&) const = default;
};

struct PbRebalancePlanForTable {
  int64_t table_id = 0;
  std::vector<PbRebalancePlanForBucket> buckets_plan = {};
  bool operator==(const PbRebalancePlanForTable&) const = default;
};

struct PbRebalanceProgressForBucket {
  PbRebalancePlanForBucket rebalance_plan = {};
  int32_t rebalance_status = 0;
  bool operator==(const PbRebalanceProgressForBucket&) const = default;
};

struct PbRebalanceProgressForTable {
  int64_t table_id = 0;
  std::vector<PbRebalanceProgressForBucket> buckets_progress = {};
  bool operator==(const PbRebalanceProgressForTable&) const = default;
};

struct PbRemoteLogManifestEntry {
  PbTableBucket table_bucket = {};
  std::string remote_log_manifest_path = {};
  int64_t remote_log_end_offset = 0;
  bool operator==(const PbRemoteLogManifestEntry&) const = default;
};

struct PbRemotePathAndLocalFile {
  std::string remote_path = {};
  std::string local_file_name = {};
  bool operator==(const PbRemotePathAndLocalFile&) const = default;
};

struct PbRenameColumn {
  std::string old_column_name = {};
  std::string new_column_name = {};
  bool operator==(const PbRenameColumn&) const = default;
};

struct PbScanReqForBucket {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int64_t> limit = {};
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbScanReqForBucket&) const = default;
};

struct PbServerNode {
  int32_t node_id = 0;
  std::string host = {};
  int32_t port = 0;
  std::optional<std::string> listeners = {};
  std::optional<std::string> rack = {};
  bool operator==(const PbServerNode&) const = default;
};

struct PbStopReplicaReqForBucket {
  PbTableBucket table_bucket = {};
  int32_t leader_epoch = 0;
  bool delete_ = false;
  std::optional<bool> delete_remote = {};
  bool operator==(const PbStopReplicaReqForBucket&) const = default;
};

struct PbStopReplicaRespForBucket {
  PbTableBucket table_bucket = {};
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  bool operator==(const PbStopReplicaRespForBucket&) const = default;
};

struct PbTableMetadata {
  PbTablePath table_path = {};
  int64_t table_id = 0;
  int32_t schema_id = 0;
  Bytes table_json = {};
  std::vector<PbBucketMetadata> bucket_metadata = {};
  int64_t created_time = 0;
  int64_t modified_time = 0;
  std::optional<std::string> remote_data_dir = {};
  std::optional<int64_t> bucket_count_epoch = {};
  bool operator==(const PbTableMetadata&) const = default;
};

struct PbTableOffsets {
  int64_t table_id = 0;
  PbTablePath table_path = {};
  std::vector<PbBucketOffset> bucket_offsets = {};
  bool operator==(const PbTableOffsets&) const = default;
};

struct PbTableStatsReqForBucket {
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int32_t> routing_bucket_count = {};
  bool operator==(const PbTableStatsReqForBucket&) const = default;
};

struct PbTableStatsRespForBucket {
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::optional<int64_t> row_count = {};
  bool operator==(const PbTableStatsRespForBucket&) const = default;
};

struct PbTieringStatus {
  int64_t table_id = 0;
  PbTablePath table_path = {};
  std::string state = {};
  int64_t in_state_ms = 0;
  int64_t failures = 0;
  std::optional<std::string> failure = {};
  bool operator==(const PbTieringStatus&) const = default;
};

// 1000 API_VERSIONS
struct ApiVersionsRequest {
  std::string client_software_name = {};
  std::string client_software_version = {};

  static Result<ApiVersionsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ApiVersionsRequest&) const = default;
};

struct ApiVersionsResponse {
  std::vector<PbApiVersion> api_versions = {};
  std::optional<int32_t> server_type = {};

  static Result<ApiVersionsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ApiVersionsResponse&) const = default;
};

// 1001 CREATE_DATABASE
struct CreateDatabaseRequest {
  std::string database_name = {};
  bool ignore_if_exists = false;
  std::optional<Bytes> database_json = {};

  static Result<CreateDatabaseRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreateDatabaseRequest&) const = default;
};

struct CreateDatabaseResponse {
  static Result<CreateDatabaseResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreateDatabaseResponse&) const = default;
};

// 1002 DROP_DATABASE
struct DropDatabaseRequest {
  std::string database_name = {};
  bool ignore_if_not_exists = false;
  bool cascade = false;

  static Result<DropDatabaseRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropDatabaseRequest&) const = default;
};

struct DropDatabaseResponse {
  static Result<DropDatabaseResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropDatabaseResponse&) const = default;
};

// 1003 LIST_DATABASES
struct ListDatabasesRequest {
  std::optional<bool> include_summary = {};

  static Result<ListDatabasesRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListDatabasesRequest&) const = default;
};

struct ListDatabasesResponse {
  std::vector<std::string> database_name = {};
  std::vector<PbDatabaseSummary> database_summary = {};

  static Result<ListDatabasesResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListDatabasesResponse&) const = default;
};

// 1004 DATABASE_EXISTS
struct DatabaseExistsRequest {
  std::string database_name = {};

  static Result<DatabaseExistsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DatabaseExistsRequest&) const = default;
};

struct DatabaseExistsResponse {
  bool exists = false;

  static Result<DatabaseExistsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DatabaseExistsResponse&) const = default;
};

// 1005 CREATE_TABLE
struct CreateTableRequest {
  PbTablePath table_path = {};
  Bytes table_json = {};
  bool ignore_if_exists = false;

  static Result<CreateTableRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreateTableRequest&) const = default;
};

struct CreateTableResponse {
  static Result<CreateTableResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreateTableResponse&) const = default;
};

// 1006 DROP_TABLE
struct DropTableRequest {
  PbTablePath table_path = {};
  bool ignore_if_not_exists = false;

  static Result<DropTableRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropTableRequest&) const = default;
};

struct DropTableResponse {
  static Result<DropTableResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropTableResponse&) const = default;
};

// 1007 GET_TABLE_INFO
struct GetTableInfoRequest {
  PbTablePath table_path = {};

  static Result<GetTableInfoRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetTableInfoRequest&) const = default;
};

struct GetTableInfoResponse {
  int64_t table_id = 0;
  int32_t schema_id = 0;
  Bytes table_json = {};
  int64_t created_time = 0;
  int64_t modified_time = 0;
  std::optional<std::string> remote_data_dir = {};
  std::optional<int64_t> bucket_count_epoch = {};

  static Result<GetTableInfoResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetTableInfoResponse&) const = default;
};

// 1008 LIST_TABLES
struct ListTablesRequest {
  std::string database_name = {};

  static Result<ListTablesRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListTablesRequest&) const = default;
};

struct ListTablesResponse {
  std::vector<std::string> table_name = {};

  static Result<ListTablesResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListTablesResponse&) const = default;
};

// 1009 LIST_PARTITION_INFOS
struct ListPartitionInfosRequest {
  PbTablePath table_path = {};
  std::optional<PbPartitionSpec> partial_partition_spec = {};
  std::optional<bool> include_system_partitions = {};

  static Result<ListPartitionInfosRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListPartitionInfosRequest&) const = default;
};

struct ListPartitionInfosResponse {
  std::vector<PbPartitionInfo> partitions_info = {};
  std::optional<bool> system_partitions_included = {};

  static Result<ListPartitionInfosResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListPartitionInfosResponse&) const = default;
};

// 1010 TABLE_EXISTS
struct TableExistsRequest {
  PbTablePath table_path = {};

  static Result<TableExistsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const TableExistsRequest&) const = default;
};

struct TableExistsResponse {
  bool exists = false;

  static Result<TableExistsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const TableExistsResponse&) const = default;
};

// 1011 GET_TABLE_SCHEMA
struct GetTableSchemaRequest {
  PbTablePath table_path = {};
  std::optional<int32_t> schema_id = {};

  static Result<GetTableSchemaRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetTableSchemaRequest&) const = default;
};

struct GetTableSchemaResponse {
  int32_t schema_id = 0;
  Bytes schema_json = {};

  static Result<GetTableSchemaResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetTableSchemaResponse&) const = default;
};

// 1012 GET_METADATA
struct MetadataRequest {
  std::vector<PbTablePath> table_path = {};
  std::vector<PbPhysicalTablePath> partitions_path = {};
  std::vector<int64_t> partitions_id = {};

  static Result<MetadataRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const MetadataRequest&) const = default;
};

struct MetadataResponse {
  std::optional<PbServerNode> coordinator_server = {};
  std::vector<PbServerNode> tablet_servers = {};
  std::vector<PbTableMetadata> table_metadata = {};
  std::vector<PbPartitionMetadata> partition_metadata = {};

  static Result<MetadataResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const MetadataResponse&) const = default;
};

// 1013 UPDATE_METADATA
struct UpdateMetadataRequest {
  std::optional<PbServerNode> coordinator_server = {};
  std::vector<PbServerNode> tablet_servers = {};
  std::vector<PbTableMetadata> table_metadata = {};
  std::vector<PbPartitionMetadata> partition_metadata = {};
  std::optional<int32_t> coordinator_epoch = {};

  static Result<UpdateMetadataRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const UpdateMetadataRequest&) const = default;
};

struct UpdateMetadataResponse {
  static Result<UpdateMetadataResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const UpdateMetadataResponse&) const = default;
};

// 1014 PRODUCE_LOG
struct ProduceLogRequest {
  int32_t acks = 0;
  int64_t table_id = 0;
  int32_t timeout_ms = 0;
  std::vector<PbProduceLogReqForBucket> buckets_req = {};

  static Result<ProduceLogRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ProduceLogRequest&) const = default;
};

struct ProduceLogResponse {
  std::vector<PbProduceLogRespForBucket> buckets_resp = {};

  static Result<ProduceLogResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ProduceLogResponse&) const = default;
};

// 1015 FETCH_LOG
struct FetchLogRequest {
  int32_t follower_server_id = 0;
  int32_t max_bytes = 0;
  std::vector<PbFetchLogReqForTable> tables_req = {};
  std::optional<int32_t> max_wait_ms = {};
  std::optional<int32_t> min_bytes = {};
  std::optional<int32_t> read_preference = {};

  static Result<FetchLogRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const FetchLogRequest&) const = default;
};

struct FetchLogResponse {
  std::vector<PbFetchLogRespForTable> tables_resp = {};

  static Result<FetchLogResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const FetchLogResponse&) const = default;
};

// 1016 PUT_KV
struct PutKvRequest {
  int32_t acks = 0;
  int64_t table_id = 0;
  int32_t timeout_ms = 0;
  std::vector<int32_t> target_columns = {};
  std::vector<PbPutKvReqForBucket> buckets_req = {};
  std::optional<int32_t> agg_mode = {};

  static Result<PutKvRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const PutKvRequest&) const = default;
};

struct PutKvResponse {
  std::vector<PbPutKvRespForBucket> buckets_resp = {};

  static Result<PutKvResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const PutKvResponse&) const = default;
};

// 1017 LOOKUP
struct LookupRequest {
  int64_t table_id = 0;
  std::vector<PbLookupReqForBucket> buckets_req = {};
  std::optional<bool> insert_if_not_exists = {};
  std::optional<int32_t> acks = {};
  std::optional<int32_t> timeout_ms = {};

  static Result<LookupRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const LookupRequest&) const = default;
};

struct LookupResponse {
  std::vector<PbLookupRespForBucket> buckets_resp = {};

  static Result<LookupResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const LookupResponse&) const = default;
};

// 1018 NOTIFY_LEADER_AND_ISR
struct NotifyLeaderAndIsrRequest {
  int32_t coordinator_epoch = 0;
  std::vector<PbNotifyLeaderAndIsrReqForBucket> notify_buckets_leader_req = {};

  static Result<NotifyLeaderAndIsrRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyLeaderAndIsrRequest&) const = default;
};

struct NotifyLeaderAndIsrResponse {
  std::vector<PbNotifyLeaderAndIsrRespForBucket> notify_buckets_leader_resp = {};

  static Result<NotifyLeaderAndIsrResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyLeaderAndIsrResponse&) const = default;
};

// 1019 STOP_REPLICA
struct StopReplicaRequest {
  int32_t coordinator_epoch = 0;
  std::vector<PbStopReplicaReqForBucket> stop_replicas_req = {};

  static Result<StopReplicaRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const StopReplicaRequest&) const = default;
};

struct StopReplicaResponse {
  std::vector<PbStopReplicaRespForBucket> stop_replicas_resp = {};

  static Result<StopReplicaResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const StopReplicaResponse&) const = default;
};

// 1020 ADJUST_ISR
struct AdjustIsrRequest {
  int32_t server_id = 0;
  std::vector<PbAdjustIsrReqForTable> tables_req = {};

  static Result<AdjustIsrRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AdjustIsrRequest&) const = default;
};

struct AdjustIsrResponse {
  std::vector<PbAdjustIsrRespForTable> tables_resp = {};

  static Result<AdjustIsrResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AdjustIsrResponse&) const = default;
};

// 1021 LIST_OFFSETS
struct ListOffsetsRequest {
  int32_t follower_server_id = 0;
  int32_t offset_type = 0;
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  std::vector<int32_t> bucket_id = {};
  std::optional<int64_t> start_timestamp = {};
  std::optional<int32_t> routing_bucket_count = {};

  static Result<ListOffsetsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListOffsetsRequest&) const = default;
};

struct ListOffsetsResponse {
  std::vector<PbListOffsetsRespForBucket> buckets_resp = {};

  static Result<ListOffsetsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListOffsetsResponse&) const = default;
};

// 1022 COMMIT_KV_SNAPSHOT
struct CommitKvSnapshotRequest {
  Bytes completed_snapshot = {};
  int32_t coordinator_epoch = 0;
  int32_t bucket_leader_epoch = 0;

  static Result<CommitKvSnapshotRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CommitKvSnapshotRequest&) const = default;
};

struct CommitKvSnapshotResponse {
  static Result<CommitKvSnapshotResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CommitKvSnapshotResponse&) const = default;
};

// 1023 GET_LATEST_KV_SNAPSHOTS
struct GetLatestKvSnapshotsRequest {
  PbTablePath table_path = {};
  std::optional<std::string> partition_name = {};

  static Result<GetLatestKvSnapshotsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetLatestKvSnapshotsRequest&) const = default;
};

struct GetLatestKvSnapshotsResponse {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  std::vector<PbKvSnapshot> latest_snapshots = {};

  static Result<GetLatestKvSnapshotsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetLatestKvSnapshotsResponse&) const = default;
};

// 1024 GET_KV_SNAPSHOT_METADATA
struct GetKvSnapshotMetadataRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int64_t snapshot_id = 0;

  static Result<GetKvSnapshotMetadataRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetKvSnapshotMetadataRequest&) const = default;
};

struct GetKvSnapshotMetadataResponse {
  int64_t log_offset = 0;
  std::vector<PbRemotePathAndLocalFile> snapshot_files = {};

  static Result<GetKvSnapshotMetadataResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetKvSnapshotMetadataResponse&) const = default;
};

// 1025 GET_FILESYSTEM_SECURITY_TOKEN
struct GetFileSystemSecurityTokenRequest {
  static Result<GetFileSystemSecurityTokenRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetFileSystemSecurityTokenRequest&) const = default;
};

struct GetFileSystemSecurityTokenResponse {
  std::string schema = {};
  Bytes token = {};
  std::optional<int64_t> expiration_time = {};
  std::vector<PbKeyValue> addition_info = {};

  static Result<GetFileSystemSecurityTokenResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetFileSystemSecurityTokenResponse&) const = default;
};

// 1026 INIT_WRITER
struct InitWriterRequest {
  std::vector<PbTablePath> table_path = {};

  static Result<InitWriterRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const InitWriterRequest&) const = default;
};

struct InitWriterResponse {
  int64_t writer_id = 0;

  static Result<InitWriterResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const InitWriterResponse&) const = default;
};

// 1027 COMMIT_REMOTE_LOG_MANIFEST
struct CommitRemoteLogManifestRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  std::string remote_log_manifest_path = {};
  int64_t remote_log_start_offset = 0;
  int64_t remote_log_end_offset = 0;
  int32_t coordinator_epoch = 0;
  int32_t bucket_leader_epoch = 0;
  std::optional<int64_t> highest_copied_end_offset = {};

  static Result<CommitRemoteLogManifestRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CommitRemoteLogManifestRequest&) const = default;
};

struct CommitRemoteLogManifestResponse {
  bool commit_success = false;

  static Result<CommitRemoteLogManifestResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CommitRemoteLogManifestResponse&) const = default;
};

// 1028 NOTIFY_REMOTE_LOG_OFFSETS
struct NotifyRemoteLogOffsetsRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int32_t coordinator_epoch = 0;
  int64_t remote_start_offset = 0;
  int64_t remote_end_offset = 0;
  std::optional<int64_t> highest_copied_end_offset = {};

  static Result<NotifyRemoteLogOffsetsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyRemoteLogOffsetsRequest&) const = default;
};

struct NotifyRemoteLogOffsetsResponse {
  static Result<NotifyRemoteLogOffsetsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyRemoteLogOffsetsResponse&) const = default;
};

// 1029 NOTIFY_KV_SNAPSHOT_OFFSET
struct NotifyKvSnapshotOffsetRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int32_t coordinator_epoch = 0;
  int64_t min_retain_offset = 0;

  static Result<NotifyKvSnapshotOffsetRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyKvSnapshotOffsetRequest&) const = default;
};

struct NotifyKvSnapshotOffsetResponse {
  static Result<NotifyKvSnapshotOffsetResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyKvSnapshotOffsetResponse&) const = default;
};

// 1030 COMMIT_LAKE_TABLE_SNAPSHOT
struct CommitLakeTableSnapshotRequest {
  std::vector<PbLakeTableSnapshotInfo> tables_req = {};
  std::vector<PbLakeTableSnapshotMetadata> lake_table_snapshot_metadata = {};

  static Result<CommitLakeTableSnapshotRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CommitLakeTableSnapshotRequest&) const = default;
};

struct CommitLakeTableSnapshotResponse {
  std::vector<PbCommitLakeTableSnapshotRespForTable> table_resp = {};

  static Result<CommitLakeTableSnapshotResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CommitLakeTableSnapshotResponse&) const = default;
};

// 1031 NOTIFY_LAKE_TABLE_OFFSET
struct NotifyLakeTableOffsetRequest {
  int32_t coordinator_epoch = 0;
  std::vector<PbNotifyLakeTableOffsetReqForBucket> notify_buckets_req = {};

  static Result<NotifyLakeTableOffsetRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyLakeTableOffsetRequest&) const = default;
};

struct NotifyLakeTableOffsetResponse {
  static Result<NotifyLakeTableOffsetResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const NotifyLakeTableOffsetResponse&) const = default;
};

// 1032 GET_LAKE_SNAPSHOT
struct GetLakeSnapshotRequest {
  PbTablePath table_path = {};
  std::optional<int64_t> snapshot_id = {};
  std::optional<bool> readable = {};

  static Result<GetLakeSnapshotRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetLakeSnapshotRequest&) const = default;
};

struct GetLakeSnapshotResponse {
  int64_t table_id = 0;
  int64_t snapshot_id = 0;
  std::vector<PbLakeSnapshotForBucket> bucket_snapshots = {};

  static Result<GetLakeSnapshotResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetLakeSnapshotResponse&) const = default;
};

// 1033 LIMIT_SCAN
struct LimitScanRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  int32_t bucket_id = 0;
  int32_t limit = 0;
  std::optional<int32_t> routing_bucket_count = {};

  static Result<LimitScanRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const LimitScanRequest&) const = default;
};

struct LimitScanResponse {
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<bool> is_log_table = {};
  std::optional<BytesChain> records = {};

  static Result<LimitScanResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const LimitScanResponse&) const = default;
};

// 1034 PREFIX_LOOKUP
struct PrefixLookupRequest {
  int64_t table_id = 0;
  std::vector<PbPrefixLookupReqForBucket> buckets_req = {};

  static Result<PrefixLookupRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const PrefixLookupRequest&) const = default;
};

struct PrefixLookupResponse {
  std::vector<PbPrefixLookupRespForBucket> buckets_resp = {};

  static Result<PrefixLookupResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const PrefixLookupResponse&) const = default;
};

// 1035 GET_DATABASE_INFO
struct GetDatabaseInfoRequest {
  std::string database_name = {};

  static Result<GetDatabaseInfoRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetDatabaseInfoRequest&) const = default;
};

struct GetDatabaseInfoResponse {
  Bytes database_json = {};
  int64_t created_time = 0;
  int64_t modified_time = 0;

  static Result<GetDatabaseInfoResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetDatabaseInfoResponse&) const = default;
};

// 1036 CREATE_PARTITION
struct CreatePartitionRequest {
  PbTablePath table_path = {};
  PbPartitionSpec partition_spec = {};
  bool ignore_if_not_exists = false;

  static Result<CreatePartitionRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreatePartitionRequest&) const = default;
};

struct CreatePartitionResponse {
  static Result<CreatePartitionResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreatePartitionResponse&) const = default;
};

// 1037 DROP_PARTITION
struct DropPartitionRequest {
  PbTablePath table_path = {};
  PbPartitionSpec partition_spec = {};
  bool ignore_if_not_exists = false;

  static Result<DropPartitionRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropPartitionRequest&) const = default;
};

struct DropPartitionResponse {
  static Result<DropPartitionResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropPartitionResponse&) const = default;
};

// 1038 AUTHENTICATE
struct AuthenticateRequest {
  std::string protocol = {};
  Bytes token = {};

  static Result<AuthenticateRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AuthenticateRequest&) const = default;
};

struct AuthenticateResponse {
  std::optional<Bytes> challenge = {};

  static Result<AuthenticateResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AuthenticateResponse&) const = default;
};

// 1039 CREATE_ACLS
struct CreateAclsRequest {
  std::vector<PbAclInfo> acl = {};

  static Result<CreateAclsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreateAclsRequest&) const = default;
};

struct CreateAclsResponse {
  std::vector<PbCreateAclRespInfo> acl_res = {};

  static Result<CreateAclsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CreateAclsResponse&) const = default;
};

// 1040 LIST_ACLS
struct ListAclsRequest {
  PbAclFilter acl_filter = {};

  static Result<ListAclsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListAclsRequest&) const = default;
};

struct ListAclsResponse {
  std::vector<PbAclInfo> acl = {};

  static Result<ListAclsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListAclsResponse&) const = default;
};

// 1041 DROP_ACLS
struct DropAclsRequest {
  std::vector<PbAclFilter> acl_filter = {};

  static Result<DropAclsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropAclsRequest&) const = default;
};

struct DropAclsResponse {
  std::vector<PbDropAclsFilterResult> filter_results = {};

  static Result<DropAclsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropAclsResponse&) const = default;
};

// 1042 LAKE_TIERING_HEARTBEAT
struct LakeTieringHeartbeatRequest {
  std::vector<PbHeartbeatReqForTable> tiering_tables = {};
  std::vector<PbHeartbeatReqForTable> finished_tables = {};
  std::vector<PbHeartbeatReqForTable> failed_tables = {};
  std::optional<bool> request_table = {};
  std::vector<int64_t> force_finished_tables = {};
  std::optional<bool> describe_tables = {};

  static Result<LakeTieringHeartbeatRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const LakeTieringHeartbeatRequest&) const = default;
};

struct LakeTieringHeartbeatResponse {
  int32_t coordinator_epoch = 0;
  std::optional<PbLakeTieringTableInfo> tiering_table = {};
  std::vector<PbHeartbeatRespForTable> tiering_table_resp = {};
  std::vector<PbHeartbeatRespForTable> finished_table_resp = {};
  std::vector<PbHeartbeatRespForTable> failed_table_resp = {};
  std::vector<PbTieringStatus> tiering_statuses = {};

  static Result<LakeTieringHeartbeatResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const LakeTieringHeartbeatResponse&) const = default;
};

// 1043 CONTROLLED_SHUTDOWN
struct ControlledShutdownRequest {
  int32_t tablet_server_id = 0;
  int32_t tablet_server_epoch = 0;

  static Result<ControlledShutdownRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ControlledShutdownRequest&) const = default;
};

struct ControlledShutdownResponse {
  std::vector<PbTableBucket> remaining_leader_buckets = {};

  static Result<ControlledShutdownResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ControlledShutdownResponse&) const = default;
};

// 1044 ALTER_TABLE
struct AlterTableRequest {
  PbTablePath table_path = {};
  bool ignore_if_not_exists = false;
  std::vector<PbAlterConfig> config_changes = {};
  std::vector<PbAddColumn> add_columns = {};
  std::vector<PbDropColumn> drop_columns = {};
  std::vector<PbRenameColumn> rename_columns = {};
  std::vector<PbModifyColumn> modify_columns = {};
  std::optional<PbModifyBucketCount> modify_bucket_count = {};

  static Result<AlterTableRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AlterTableRequest&) const = default;
};

struct AlterTableResponse {
  static Result<AlterTableResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AlterTableResponse&) const = default;
};

// 1045 DESCRIBE_CLUSTER_CONFIGS
struct DescribeClusterConfigsRequest {
  static Result<DescribeClusterConfigsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DescribeClusterConfigsRequest&) const = default;
};

struct DescribeClusterConfigsResponse {
  std::vector<PbDescribeConfig> configs = {};

  static Result<DescribeClusterConfigsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DescribeClusterConfigsResponse&) const = default;
};

// 1046 ALTER_CLUSTER_CONFIGS
struct AlterClusterConfigsRequest {
  std::vector<PbAlterConfig> alter_configs = {};

  static Result<AlterClusterConfigsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AlterClusterConfigsRequest&) const = default;
};

struct AlterClusterConfigsResponse {
  static Result<AlterClusterConfigsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AlterClusterConfigsResponse&) const = default;
};

// 1047 ADD_SERVER_TAG
struct AddServerTagRequest {
  std::vector<int32_t> server_ids = {};
  int32_t server_tag = 0;

  static Result<AddServerTagRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AddServerTagRequest&) const = default;
};

struct AddServerTagResponse {
  static Result<AddServerTagResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AddServerTagResponse&) const = default;
};

// 1048 REMOVE_SERVER_TAG
struct RemoveServerTagRequest {
  std::vector<int32_t> server_ids = {};
  int32_t server_tag = 0;

  static Result<RemoveServerTagRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RemoveServerTagRequest&) const = default;
};

struct RemoveServerTagResponse {
  static Result<RemoveServerTagResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RemoveServerTagResponse&) const = default;
};

// 1049 REBALANCE
struct RebalanceRequest {
  std::vector<int32_t> goals = {};

  static Result<RebalanceRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RebalanceRequest&) const = default;
};

struct RebalanceResponse {
  std::string rebalance_id = {};

  static Result<RebalanceResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RebalanceResponse&) const = default;
};

// 1050 LIST_REBALANCE_PROGRESS
struct ListRebalanceProgressRequest {
  std::optional<std::string> rebalance_id = {};

  static Result<ListRebalanceProgressRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListRebalanceProgressRequest&) const = default;
};

struct ListRebalanceProgressResponse {
  std::optional<std::string> rebalance_id = {};
  std::optional<int32_t> rebalance_status = {};
  std::vector<PbRebalanceProgressForTable> table_progress = {};

  static Result<ListRebalanceProgressResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListRebalanceProgressResponse&) const = default;
};

// 1051 CANCEL_REBALANCE
struct CancelRebalanceRequest {
  std::optional<std::string> rebalance_id = {};

  static Result<CancelRebalanceRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CancelRebalanceRequest&) const = default;
};

struct CancelRebalanceResponse {
  static Result<CancelRebalanceResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const CancelRebalanceResponse&) const = default;
};

// 1052 PREPARE_LAKE_TABLE_SNAPSHOT
struct PrepareLakeTableSnapshotRequest {
  std::vector<PbTableOffsets> bucket_offsets = {};
  std::optional<bool> ignore_previous_table_offsets = {};

  static Result<PrepareLakeTableSnapshotRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const PrepareLakeTableSnapshotRequest&) const = default;
};

struct PrepareLakeTableSnapshotResponse {
  std::vector<PbPrepareLakeTableRespForTable> prepare_lake_table_resp = {};

  static Result<PrepareLakeTableSnapshotResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const PrepareLakeTableSnapshotResponse&) const = default;
};

// 1053 REGISTER_PRODUCER_OFFSETS
struct RegisterProducerOffsetsRequest {
  std::string producer_id = {};
  std::vector<PbProducerTableOffsets> table_offsets = {};
  std::optional<int64_t> ttl_ms = {};

  static Result<RegisterProducerOffsetsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RegisterProducerOffsetsRequest&) const = default;
};

struct RegisterProducerOffsetsResponse {
  std::optional<int32_t> result = {};

  static Result<RegisterProducerOffsetsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RegisterProducerOffsetsResponse&) const = default;
};

// 1054 GET_PRODUCER_OFFSETS
struct GetProducerOffsetsRequest {
  std::string producer_id = {};

  static Result<GetProducerOffsetsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetProducerOffsetsRequest&) const = default;
};

struct GetProducerOffsetsResponse {
  std::optional<std::string> producer_id = {};
  std::optional<int64_t> expiration_time = {};
  std::vector<PbProducerTableOffsets> table_offsets = {};

  static Result<GetProducerOffsetsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetProducerOffsetsResponse&) const = default;
};

// 1055 DELETE_PRODUCER_OFFSETS
struct DeleteProducerOffsetsRequest {
  std::string producer_id = {};

  static Result<DeleteProducerOffsetsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DeleteProducerOffsetsRequest&) const = default;
};

struct DeleteProducerOffsetsResponse {
  static Result<DeleteProducerOffsetsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DeleteProducerOffsetsResponse&) const = default;
};

// 1056 ACQUIRE_KV_SNAPSHOT_LEASE
struct AcquireKvSnapshotLeaseRequest {
  std::string lease_id = {};
  int64_t lease_duration_ms = 0;
  std::vector<PbKvSnapshotLeaseForTable> snapshots_to_lease = {};

  static Result<AcquireKvSnapshotLeaseRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AcquireKvSnapshotLeaseRequest&) const = default;
};

struct AcquireKvSnapshotLeaseResponse {
  std::vector<PbKvSnapshotLeaseForTable> unavailable_snapshots = {};

  static Result<AcquireKvSnapshotLeaseResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AcquireKvSnapshotLeaseResponse&) const = default;
};

// 1057 RELEASE_KV_SNAPSHOT_LEASE
struct ReleaseKvSnapshotLeaseRequest {
  std::string lease_id = {};
  std::vector<PbTableBucket> buckets_to_release = {};

  static Result<ReleaseKvSnapshotLeaseRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ReleaseKvSnapshotLeaseRequest&) const = default;
};

struct ReleaseKvSnapshotLeaseResponse {
  static Result<ReleaseKvSnapshotLeaseResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ReleaseKvSnapshotLeaseResponse&) const = default;
};

// 1058 DROP_KV_SNAPSHOT_LEASE
struct DropKvSnapshotLeaseRequest {
  std::string lease_id = {};

  static Result<DropKvSnapshotLeaseRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropKvSnapshotLeaseRequest&) const = default;
};

struct DropKvSnapshotLeaseResponse {
  static Result<DropKvSnapshotLeaseResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const DropKvSnapshotLeaseResponse&) const = default;
};

// 1059 GET_TABLE_STATS
struct GetTableStatsRequest {
  int64_t table_id = 0;
  std::vector<PbTableStatsReqForBucket> buckets_req = {};
  std::vector<int32_t> target_columns = {};

  static Result<GetTableStatsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetTableStatsRequest&) const = default;
};

struct GetTableStatsResponse {
  std::vector<PbTableStatsRespForBucket> buckets_resp = {};

  static Result<GetTableStatsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetTableStatsResponse&) const = default;
};

// 1060 ALTER_DATABASE
struct AlterDatabaseRequest {
  std::string database_name = {};
  bool ignore_if_not_exists = false;
  std::vector<PbAlterConfig> config_changes = {};
  std::optional<std::string> comment = {};

  static Result<AlterDatabaseRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AlterDatabaseRequest&) const = default;
};

struct AlterDatabaseResponse {
  static Result<AlterDatabaseResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AlterDatabaseResponse&) const = default;
};

// 1061 SCAN_KV
struct ScanKvRequest {
  std::optional<Bytes> scanner_id = {};
  std::optional<PbScanReqForBucket> bucket_scan_req = {};
  std::optional<int32_t> call_seq_id = {};
  std::optional<int32_t> batch_size_bytes = {};
  std::optional<bool> close_scanner = {};

  static Result<ScanKvRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ScanKvRequest&) const = default;
};

struct ScanKvResponse {
  std::optional<int32_t> error_code = {};
  std::optional<std::string> error_message = {};
  std::optional<Bytes> scanner_id = {};
  std::optional<bool> has_more_results = {};
  std::optional<BytesChain> records = {};
  std::optional<int64_t> log_offset = {};

  static Result<ScanKvResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ScanKvResponse&) const = default;
};

// 1062 GET_CLUSTER_HEALTH
struct GetClusterHealthRequest {
  static Result<GetClusterHealthRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetClusterHealthRequest&) const = default;
};

struct GetClusterHealthResponse {
  int32_t num_replicas = 0;
  int32_t in_sync_replicas = 0;
  int32_t num_leader_replicas = 0;
  int32_t active_leader_replicas = 0;
  int32_t status = 0;

  static Result<GetClusterHealthResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const GetClusterHealthResponse&) const = default;
};

// 1063 LIST_REMOTE_LOG_MANIFESTS
struct ListRemoteLogManifestsRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};

  static Result<ListRemoteLogManifestsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListRemoteLogManifestsRequest&) const = default;
};

struct ListRemoteLogManifestsResponse {
  std::vector<PbRemoteLogManifestEntry> manifests = {};

  static Result<ListRemoteLogManifestsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListRemoteLogManifestsResponse&) const = default;
};

// 1064 LIST_KV_SNAPSHOTS
struct ListKvSnapshotsRequest {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};

  static Result<ListKvSnapshotsRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListKvSnapshotsRequest&) const = default;
};

struct ListKvSnapshotsResponse {
  int64_t table_id = 0;
  std::optional<int64_t> partition_id = {};
  std::vector<PbKvSnapshot> active_snapshots = {};

  static Result<ListKvSnapshotsResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const ListKvSnapshotsResponse&) const = default;
};

// 1065 ADD_SERVER_TAG_BY_RACK
struct AddServerTagByRackRequest {
  std::vector<std::string> racks = {};
  int32_t server_tag = 0;

  static Result<AddServerTagByRackRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AddServerTagByRackRequest&) const = default;
};

struct AddServerTagByRackResponse {
  static Result<AddServerTagByRackResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const AddServerTagByRackResponse&) const = default;
};

// 1066 REMOVE_SERVER_TAG_BY_RACK
struct RemoveServerTagByRackRequest {
  std::vector<std::string> racks = {};
  int32_t server_tag = 0;

  static Result<RemoveServerTagByRackRequest> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RemoveServerTagByRackRequest&) const = default;
};

struct RemoveServerTagByRackResponse {
  static Result<RemoveServerTagByRackResponse> decode(Bytes payload);
  BytesChain encode() const;
  static const MessageInfo& info();
  bool operator==(const RemoveServerTagByRackResponse&) const = default;
};

}  // namespace lakestream::wire
