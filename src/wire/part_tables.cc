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
constexpr FieldInfo kPbAclFilterFields[] = {
  {1, kString, kOptional, AT(PbAclFilter, resource_name)},
  {2, kInt32, kRequired, AT(PbAclFilter, resource_type)},
  {3, kString, kOptional, AT(PbAclFilter, principal_name)},
  {4, kString, kOptional, AT(PbAclFilter, principal_type)},
  {5, kString, kOptional, AT(PbAclFilter, host)},
  {6, kInt32, kRequired, AT(PbAclFilter, operation_type)},
  {7, kInt32, kRequired, AT(PbAclFilter, permission_type)},
};
constexpr FieldInfo kPbAclInfoFields[] = {
  {1, kString, kRequired, AT(PbAclInfo, resource_name)},
  {2, kInt32, kRequired, AT(PbAclInfo, resource_type)},
  {3, kString, kRequired, AT(PbAclInfo, principal_name)},
  {4, kString, kRequired, AT(PbAclInfo, principal_type)},
  {5, kString, kRequired, AT(PbAclInfo, host)},
  {6, kInt32, kRequired, AT(PbAclInfo, operation_type)},
  {7, kInt32, kRequired, AT(PbAclInfo, permission_type)},
};
constexpr FieldInfo kPbKeyValueFields[] = {
  {1, kString, kRequired, AT(PbKeyValue, key)},
  {2, kString, kRequired, AT(PbKeyValue, value)},
};
constexpr FieldInfo kPbAddColumnFields[] = {
  {1, kString, kRequired, AT(PbAddColumn, column_name)},
  {2, kBytes, kRequired, AT(PbAddColumn, data_type_json)},
  {3, kString, kOptional, AT(PbAddColumn, comment)},
  {4, kInt32, kRequired, AT(PbAddColumn, column_position_type)},
  {5, kString, kOptional, AT(PbAddColumn, agg_function_type)},
  {6, kMessage, kRepeated, AT(PbAddColumn, agg_function_params),
    &kPbKeyValueInfo,
    &kVectorOps<PbKeyValue>},
};
constexpr FieldInfo kPbAdjustIsrReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbAdjustIsrReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbAdjustIsrReqForBucket, bucket_id)},
  {3, kInt32, kRequired, AT(PbAdjustIsrReqForBucket, leader_epoch)},
  {4, kInt32, kPacked, AT(PbAdjustIsrReqForBucket, new_isr)},
  {5, kInt32, kRequired, AT(PbAdjustIsrReqForBucket, coordinator_epoch)},
  {6, kInt32, kRequired, AT(PbAdjustIsrReqForBucket, bucket_epoch)},
  {7, kInt32, kPacked, AT(PbAdjustIsrReqForBucket, standby_replicas)},
};
constexpr FieldInfo kPbAdjustIsrReqForTableFields[] = {
  {1, kInt64, kRequired, AT(PbAdjustIsrReqForTable, table_id)},
  {2, kMessage, kRepeated, AT(PbAdjustIsrReqForTable, buckets_req),
    &kPbAdjustIsrReqForBucketInfo,
    &kVectorOps<PbAdjustIsrReqForBucket>},
};
constexpr FieldInfo kPbAdjustIsrRespForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbAdjustIsrRespForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbAdjustIsrRespForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbAdjustIsrRespForBucket, error_code)},
  {4, kString, kOptional, AT(PbAdjustIsrRespForBucket, error_message)},
  {5, kInt32, kOptional, AT(PbAdjustIsrRespForBucket, leader_id)},
  {6, kInt32, kOptional, AT(PbAdjustIsrRespForBucket, leader_epoch)},
  {7, kInt32, kPacked, AT(PbAdjustIsrRespForBucket, isr)},
  {8, kInt32, kOptional, AT(PbAdjustIsrRespForBucket, bucket_epoch)},
  {9, kInt32, kOptional, AT(PbAdjustIsrRespForBucket, coordinator_epoch)},
  {10, kInt32, kPacked, AT(PbAdjustIsrRespForBucket, standby_replicas)},
};
constexpr FieldInfo kPbAdjustIsrRespForTableFields[] = {
  {1, kInt64, kRequired, AT(PbAdjustIsrRespForTable, table_id)},
  {2, kMessage, kRepeated, AT(PbAdjustIsrRespForTable, buckets_resp),
    &kPbAdjustIsrRespForBucketInfo,
    &kVectorOps<PbAdjustIsrRespForBucket>},
};
constexpr FieldInfo kPbAlterConfigFields[] = {
  {1, kString, kRequired, AT(PbAlterConfig, config_key)},
  {2, kString, kOptional, AT(PbAlterConfig, config_value)},
  {3, kInt32, kRequired, AT(PbAlterConfig, op_type)},
};
constexpr FieldInfo kPbApiVersionFields[] = {
  {1, kInt32, kRequired, AT(PbApiVersion, api_key)},
  {2, kInt32, kRequired, AT(PbApiVersion, min_version)},
  {3, kInt32, kRequired, AT(PbApiVersion, max_version)},
};
constexpr FieldInfo kPbBucketMetadataFields[] = {
  {1, kInt32, kRequired, AT(PbBucketMetadata, bucket_id)},
  {2, kInt32, kOptional, AT(PbBucketMetadata, leader_id)},
  {3, kInt32, kPacked, AT(PbBucketMetadata, replica_id)},
  {4, kInt32, kOptional, AT(PbBucketMetadata, leader_epoch)},
  {5, kInt32, kOptional, AT(PbBucketMetadata, bucket_epoch)},
  {6, kInt32, kPacked, AT(PbBucketMetadata, isr)},
};
constexpr FieldInfo kPbBucketOffsetFields[] = {
  {1, kInt64, kOptional, AT(PbBucketOffset, partition_id)},
  {2, kInt32, kRequired, AT(PbBucketOffset, bucket_id)},
  {4, kInt64, kOptional, AT(PbBucketOffset, log_end_offset)},
};
constexpr FieldInfo kPbCommitLakeTableSnapshotRespForTableFields[] = {
  {1, kInt32, kOptional, AT(PbCommitLakeTableSnapshotRespForTable, error_code)},
  {2, kString, kOptional, AT(PbCommitLakeTableSnapshotRespForTable, error_message)},
  {3, kInt64, kRequired, AT(PbCommitLakeTableSnapshotRespForTable, table_id)},
};
constexpr FieldInfo kPbCompoundPredicateFields[] = {
  {1, kInt32, kRequired, AT(PbCompoundPredicate, function)},
  {2, kMessage, kRepeated, AT(PbCompoundPredicate, children),
    &kPbPredicateInfo,
    &kVectorOps<PbPredicate>},
};
constexpr FieldInfo kPbCreateAclRespInfoFields[] = {
  {1, kMessage, kRequired, AT(PbCreateAclRespInfo, acl),
    &kPbAclInfoInfo},
  {2, kInt32, kOptional, AT(PbCreateAclRespInfo, error_code)},
  {3, kString, kOptional, AT(PbCreateAclRespInfo, error_message)},
};
constexpr FieldInfo kPbDatabaseSummaryFields[] = {
  {1, kString, kRequired, AT(PbDatabaseSummary, database_name)},
  {2, kInt64, kRequired, AT(PbDatabaseSummary, created_time)},
  {3, kInt32, kRequired, AT(PbDatabaseSummary, table_count)},
};
constexpr FieldInfo kPbDescribeConfigFields[] = {
  {1, kString, kRequired, AT(PbDescribeConfig, config_key)},
  {2, kString, kOptional, AT(PbDescribeConfig, config_value)},
  {3, kString, kRequired, AT(PbDescribeConfig, config_source)},
};
constexpr FieldInfo kPbDropAclsMatchingAclFields[] = {
  {1, kMessage, kRequired, AT(PbDropAclsMatchingAcl, acl),
    &kPbAclInfoInfo},
  {2, kInt32, kOptional, AT(PbDropAclsMatchingAcl, error_code)},
  {3, kString, kOptional, AT(PbDropAclsMatchingAcl, error_message)},
};
constexpr FieldInfo kPbDropAclsFilterResultFields[] = {
  {1, kMessage, kRepeated, AT(PbDropAclsFilterResult, matching_acls),
    &kPbDropAclsMatchingAclInfo,
    &kVectorOps<PbDropAclsMatchingAcl>},
  {2, kInt32, kOptional, AT(PbDropAclsFilterResult, error_code)},
  {3, kString, kOptional, AT(PbDropAclsFilterResult, error_message)},
};
constexpr FieldInfo kPbDropColumnFields[] = {
  {1, kString, kRequired, AT(PbDropColumn, column_name)},
};
constexpr FieldInfo kPbFetchLogReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbFetchLogReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbFetchLogReqForBucket, bucket_id)},
  {3, kInt64, kRequired, AT(PbFetchLogReqForBucket, fetch_offset)},
  {4, kInt32, kRequired, AT(PbFetchLogReqForBucket, max_fetch_bytes)},
  {5, kInt32, kOptional, AT(PbFetchLogReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbLiteralValueFields[] = {
  {1, kInt32, kRequired, AT(PbLiteralValue, literal_type)},
  {2, kBool, kRequired, AT(PbLiteralValue, is_null)},
  {3, kBool, kOptional, AT(PbLiteralValue, boolean_value)},
  {4, kInt32, kOptional, AT(PbLiteralValue, int_value)},
  {5, kInt64, kOptional, AT(PbLiteralValue, bigint_value)},
  {6, kFloat, kOptional, AT(PbLiteralValue, float_value)},
  {7, kDouble, kOptional, AT(PbLiteralValue, double_value)},
  {8, kString, kOptional, AT(PbLiteralValue, string_value)},
  {9, kBytes, kOptional, AT(PbLiteralValue, binary_value)},
  {10, kInt64, kOptional, AT(PbLiteralValue, decimal_value)},
  {11, kInt64, kOptional, AT(PbLiteralValue, timestamp_millis_value)},
  {12, kInt32, kOptional, AT(PbLiteralValue, timestamp_nano_of_millis_value)},
  {13, kBytes, kOptional, AT(PbLiteralValue, decimal_bytes)},
};
constexpr FieldInfo kPbLeafPredicateFields[] = {
  {1, kInt32, kRequired, AT(PbLeafPredicate, function)},
  {2, kInt32, kRequired, AT(PbLeafPredicate, field_id)},
  {3, kMessage, kRepeated, AT(PbLeafPredicate, literals),
    &kPbLiteralValueInfo,
    &kVectorOps<PbLiteralValue>},
};
constexpr FieldInfo kPbPredicateFields[] = {
  {1, kInt32, kRequired, AT(PbPredicate, type)},
  {2, kMessage, kOptional, AT(PbPredicate, leaf),
    &kPbLeafPredicateInfo,
    &kOptionalOps<PbLeafPredicate>},
  {3, kMessage, kOptional, AT(PbPredicate, compound),
    &kPbCompoundPredicateInfo,
    &kOptionalOps<PbCompoundPredicate>},
};
constexpr FieldInfo kPbFetchLogReqForTableFields[] = {
  {1, kInt64, kRequired, AT(PbFetchLogReqForTable, table_id)},
  {2, kBool, kRequired, AT(PbFetchLogReqForTable, projection_pushdown_enabled)},
  {3, kInt32, kPacked, AT(PbFetchLogReqForTable, projected_fields)},
  {4, kMessage, kRepeated, AT(PbFetchLogReqForTable, buckets_req),
    &kPbFetchLogReqForBucketInfo,
    &kVectorOps<PbFetchLogReqForBucket>},
  {5, kMessage, kOptional, AT(PbFetchLogReqForTable, filter_predicate),
    &kPbPredicateInfo,
    &kOptionalOps<PbPredicate>},
  {6, kInt32, kOptional, AT(PbFetchLogReqForTable, filter_schema_id)},
};
constexpr FieldInfo kPbRemoteLogSegmentFields[] = {
  {1, kString, kRequired, AT(PbRemoteLogSegment, remote_log_segment_id)},
  {2, kInt64, kRequired, AT(PbRemoteLogSegment, remote_log_start_offset)},
  {3, kInt64, kRequired, AT(PbRemoteLogSegment, remote_log_end_offset)},
  {4, kInt32, kRequired, AT(PbRemoteLogSegment, segment_size_in_bytes)},
  {5, kInt64, kOptional, AT(PbRemoteLogSegment, max_timestamp)},
};
constexpr FieldInfo kPbRemoteLogFetchInfoFields[] = {
  {1, kString, kRequired, AT(PbRemoteLogFetchInfo, remote_log_tablet_dir)},
  {2, kString, kOptional, AT(PbRemoteLogFetchInfo, partition_name)},
  {3, kMessage, kRepeated, AT(PbRemoteLogFetchInfo, remote_log_segments),
    &kPbRemoteLogSegmentInfo,
    &kVectorOps<PbRemoteLogSegment>},
  {4, kInt32, kOptional, AT(PbRemoteLogFetchInfo, first_start_pos)},
};
constexpr FieldInfo kPbFetchLogRespForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbFetchLogRespForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbFetchLogRespForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbFetchLogRespForBucket, error_code)},
  {4, kString, kOptional, AT(PbFetchLogRespForBucket, error_message)},
  {5, kInt64, kOptional, AT(PbFetchLogRespForBucket, high_watermark)},
  {6, kInt64, kOptional, AT(PbFetchLogRespForBucket, log_start_offset)},
  {7, kMessage, kOptional, AT(PbFetchLogRespForBucket, remote_log_fetch_info),
    &kPbRemoteLogFetchInfoInfo,
    &kOptionalOps<PbRemoteLogFetchInfo>},
  {8, kChain, kOptional, AT(PbFetchLogRespForBucket, records)},
  {9, kInt64, kOptional, AT(PbFetchLogRespForBucket, filtered_end_offset)},
  {10, kInt64, kOptional, AT(PbFetchLogRespForBucket, min_retain_offset)},
};
constexpr FieldInfo kPbFetchLogRespForTableFields[] = {
  {1, kInt64, kRequired, AT(PbFetchLogRespForTable, table_id)},
  {2, kMessage, kRepeated, AT(PbFetchLogRespForTable, buckets_resp),
    &kPbFetchLogRespForBucketInfo,
    &kVectorOps<PbFetchLogRespForBucket>},
};
constexpr FieldInfo kPbLakeTieringStatsFields[] = {
  {1, kInt64, kOptional, AT(PbLakeTieringStats, file_size)},
  {2, kInt64, kOptional, AT(PbLakeTieringStats, record_count)},
};
constexpr FieldInfo kPbHeartbeatReqForTableFields[] = {
  {1, kInt64, kRequired, AT(PbHeartbeatReqForTable, table_id)},
  {2, kInt32, kRequired, AT(PbHeartbeatReqForTable, coordinator_epoch)},
  {3, kInt64, kRequired, AT(PbHeartbeatReqForTable, tiering_epoch)},
  {4, kMessage, kOptional, AT(PbHeartbeatReqForTable, lake_tiering_stats),
    &kPbLakeTieringStatsInfo,
    &kOptionalOps<PbLakeTieringStats>},
  {201, kString, kOptional, AT(PbHeartbeatReqForTable, failure)},
};
constexpr FieldInfo kPbHeartbeatRespForTableFields[] = {
  {1, kInt64, kRequired, AT(PbHeartbeatRespForTable, table_id)},
  {2, kMessage, kOptional, AT(PbHeartbeatRespForTable, error),
    &kErrorResponseInfo,
    &kOptionalOps<ErrorResponse>},
};
constexpr FieldInfo kPbKvSnapshotFields[] = {
  {1, kInt32, kRequired, AT(PbKvSnapshot, bucket_id)},
  {2, kInt64, kOptional, AT(PbKvSnapshot, snapshot_id)},
  {3, kInt64, kOptional, AT(PbKvSnapshot, log_offset)},
};
constexpr FieldInfo kPbKvSnapshotLeaseForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbKvSnapshotLeaseForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbKvSnapshotLeaseForBucket, bucket_id)},
  {3, kInt64, kRequired, AT(PbKvSnapshotLeaseForBucket, snapshot_id)},
};
constexpr FieldInfo kPbKvSnapshotLeaseForTableFields[] = {
  {1, kInt64, kRequired, AT(PbKvSnapshotLeaseForTable, table_id)},
  {2, kMessage, kRepeated, AT(PbKvSnapshotLeaseForTable, bucket_snapshots),
    &kPbKvSnapshotLeaseForBucketInfo,
    &kVectorOps<PbKvSnapshotLeaseForBucket>},
};
constexpr FieldInfo kPbLakeSnapshotForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbLakeSnapshotForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbLakeSnapshotForBucket, bucket_id)},
  {3, kInt64, kOptional, AT(PbLakeSnapshotForBucket, log_offset)},
  {4, kString, kOptional, AT(PbLakeSnapshotForBucket, partition_name)},
};
constexpr FieldInfo kPbLakeTableOffsetForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbLakeTableOffsetForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbLakeTableOffsetForBucket, bucket_id)},
  {4, kInt64, kOptional, AT(PbLakeTableOffsetForBucket, log_end_offset)},
  {6, kInt64, kOptional, AT(PbLakeTableOffsetForBucket, max_timestamp)},
};
constexpr FieldInfo kPbTablePathFields[] = {
  {1, kString, kRequired, AT(PbTablePath, database_name)},
  {2, kString, kRequired, AT(PbTablePath, table_name)},
};
constexpr FieldInfo kPbLakeTableSnapshotInfoFields[] = {
  {1, kInt64, kOptional, AT(PbLakeTableSnapshotInfo, table_id)},
  {2, kInt64, kRequired, AT(PbLakeTableSnapshotInfo, snapshot_id)},
  {3, kMessage, kRepeated, AT(PbLakeTableSnapshotInfo, buckets_req),
    &kPbLakeTableOffsetForBucketInfo,
    &kVectorOps<PbLakeTableOffsetForBucket>},
  {4, kMessage, kOptional, AT(PbLakeTableSnapshotInfo, table_path),
    &kPbTablePathInfo,
    &kOptionalOps<PbTablePath>},
};
constexpr FieldInfo kPbLakeTableSnapshotMetadataFields[] = {
  {1, kInt64, kRequired, AT(PbLakeTableSnapshotMetadata, table_id)},
  {2, kInt64, kRequired, AT(PbLakeTableSnapshotMetadata, snapshot_id)},
  {3, kString, kRequired, AT(PbLakeTableSnapshotMetadata, tiered_bucket_offsets_file_path)},
  {4, kString, kOptional, AT(PbLakeTableSnapshotMetadata, readable_bucket_offsets_file_path)},
  {5, kInt64, kOptional, AT(PbLakeTableSnapshotMetadata, earliest_snapshot_id_to_keep)},
};
constexpr FieldInfo kPbLakeTieringTableInfoFields[] = {
  {1, kInt64, kRequired, AT(PbLakeTieringTableInfo, table_id)},
  {2, kMessage, kRequired, AT(PbLakeTieringTableInfo, table_path),
    &kPbTablePathInfo},
  {3, kInt64, kRequired, AT(PbLakeTieringTableInfo, tiering_epoch)},
};
constexpr FieldInfo kPbListOffsetsRespForBucketFields[] = {
  {1, kInt32, kRequired, AT(PbListOffsetsRespForBucket, bucket_id)},
  {2, kInt32, kOptional, AT(PbListOffsetsRespForBucket, error_code)},
  {3, kString, kOptional, AT(PbListOffsetsRespForBucket, error_message)},
  {4, kInt64, kOptional, AT(PbListOffsetsRespForBucket, offset)},
};
constexpr FieldInfo kPbLookupReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbLookupReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbLookupReqForBucket, bucket_id)},
  {3, kBytes, kRepeated, AT(PbLookupReqForBucket, keys)},
  {4, kString, kOptional, AT(PbLookupReqForBucket, original_partition_name)},
  {5, kInt32, kOptional, AT(PbLookupReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbValueFields[] = {
  {1, kBytes, kOptional, AT(PbValue, values)},
};
constexpr FieldInfo kPbLookupRespForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbLookupRespForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbLookupRespForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbLookupRespForBucket, error_code)},
  {4, kString, kOptional, AT(PbLookupRespForBucket, error_message)},
  {5, kMessage, kRepeated, AT(PbLookupRespForBucket, values),
    &kPbValueInfo,
    &kVectorOps<PbValue>},
  {6, kString, kOptional, AT(PbLookupRespForBucket, original_partition_name)},
};
constexpr FieldInfo kPbModifyBucketCountFields[] = {
  {1, kInt32, kRequired, AT(PbModifyBucketCount, new_bucket_count)},
};
constexpr FieldInfo kPbModifyColumnFields[] = {
  {1, kString, kRequired, AT(PbModifyColumn, column_name)},
  {2, kBytes, kOptional, AT(PbModifyColumn, data_type_json)},
  {3, kString, kOptional, AT(PbModifyColumn, comment)},
  {4, kInt32, kOptional, AT(PbModifyColumn, column_position_type)},
};
constexpr FieldInfo kPbNotifyLakeTableOffsetReqForBucketFields[] = {
  {1, kInt64, kRequired, AT(PbNotifyLakeTableOffsetReqForBucket, table_id)},
  {2, kInt64, kOptional, AT(PbNotifyLakeTableOffsetReqForBucket, partition_id)},
  {3, kInt32, kRequired, AT(PbNotifyLakeTableOffsetReqForBucket, bucket_id)},
  {4, kInt64, kRequired, AT(PbNotifyLakeTableOffsetReqForBucket, snapshot_id)},
  {5, kInt64, kOptional, AT(PbNotifyLakeTableOffsetReqForBucket, log_start_offset)},
  {6, kInt64, kOptional, AT(PbNotifyLakeTableOffsetReqForBucket, log_end_offset)},
  {7, kInt64, kOptional, AT(PbNotifyLakeTableOffsetReqForBucket, max_timestamp)},
};
constexpr FieldInfo kPbPhysicalTablePathFields[] = {
  {1, kString, kRequired, AT(PbPhysicalTablePath, database_name)},
  {2, kString, kRequired, AT(PbPhysicalTablePath, table_name)},
  {3, kString, kOptional, AT(PbPhysicalTablePath, partition_name)},
};
constexpr FieldInfo kPbTableBucketFields[] = {
  {1, kInt64, kRequired, AT(PbTableBucket, table_id)},
  {2, kInt64, kOptional, AT(PbTableBucket, partition_id)},
  {3, kInt32, kRequired, AT(PbTableBucket, bucket_id)},
};
constexpr FieldInfo kPbNotifyLeaderAndIsrReqForBucketFields[] = {
  {1, kMessage, kRequired, AT(PbNotifyLeaderAndIsrReqForBucket, physical_table_path),
    &kPbPhysicalTablePathInfo},
  {2, kMessage, kRequired, AT(PbNotifyLeaderAndIsrReqForBucket, table_bucket),
    &kPbTableBucketInfo},
  {3, kInt32, kRequired, AT(PbNotifyLeaderAndIsrReqForBucket, leader)},
  {4, kInt32, kRequired, AT(PbNotifyLeaderAndIsrReqForBucket, leader_epoch)},
  {5, kInt32, kPacked, AT(PbNotifyLeaderAndIsrReqForBucket, replicas)},
  {6, kInt32, kPacked, AT(PbNotifyLeaderAndIsrReqForBucket, isr)},
  {7, kInt32, kRequired, AT(PbNotifyLeaderAndIsrReqForBucket, bucket_epoch)},
  {8, kInt32, kPacked, AT(PbNotifyLeaderAndIsrReqForBucket, standby_replicas)},
  {9, kInt32, kOptional, AT(PbNotifyLeaderAndIsrReqForBucket, bucket_count)},
  {10, kInt64, kOptional, AT(PbNotifyLeaderAndIsrReqForBucket, bucket_count_epoch)},
};
constexpr FieldInfo kPbNotifyLeaderAndIsrRespForBucketFields[] = {
  {1, kMessage, kRequired, AT(PbNotifyLeaderAndIsrRespForBucket, table_bucket),
    &kPbTableBucketInfo},
  {2, kInt32, kOptional, AT(PbNotifyLeaderAndIsrRespForBucket, error_code)},
  {3, kString, kOptional, AT(PbNotifyLeaderAndIsrRespForBucket, error_message)},
};
constexpr FieldInfo kPbPartitionSpecFields[] = {
  {1, kMessage, kRepeated, AT(PbPartitionSpec, partition_key_values),
    &kPbKeyValueInfo,
    &kVectorOps<PbKeyValue>},
};
constexpr FieldInfo kPbPartitionInfoFields[] = {
  {1, kInt64, kRequired, AT(PbPartitionInfo, partition_id)},
  {2, kMessage, kRequired, AT(PbPartitionInfo, partition_spec),
    &kPbPartitionSpecInfo},
  {3, kString, kOptional, AT(PbPartitionInfo, remote_data_dir)},
  {4, kInt32, kOptional, AT(PbPartitionInfo, bucket_count)},
};
constexpr FieldInfo kPbPartitionMetadataFields[] = {
  {1, kInt64, kRequired, AT(PbPartitionMetadata, table_id)},
  {2, kString, kRequired, AT(PbPartitionMetadata, partition_name)},
  {3, kInt64, kRequired, AT(PbPartitionMetadata, partition_id)},
  {4, kMessage, kRepeated, AT(PbPartitionMetadata, bucket_metadata),
    &kPbBucketMetadataInfo,
    &kVectorOps<PbBucketMetadata>},
  {5, kInt32, kOptional, AT(PbPartitionMetadata, bucket_count)},
};
constexpr FieldInfo kPbPrefixLookupReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbPrefixLookupReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbPrefixLookupReqForBucket, bucket_id)},
  {3, kBytes, kRepeated, AT(PbPrefixLookupReqForBucket, keys)},
  {4, kInt32, kOptional, AT(PbPrefixLookupReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbValueListFields[] = {
  {1, kBytes, kRepeated, AT(PbValueList, values)},
};
constexpr FieldInfo kPbPrefixLookupRespForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbPrefixLookupRespForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbPrefixLookupRespForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbPrefixLookupRespForBucket, error_code)},
  {4, kString, kOptional, AT(PbPrefixLookupRespForBucket, error_message)},
  {5, kMessage, kRepeated, AT(PbPrefixLookupRespForBucket, value_lists),
    &kPbValueListInfo,
    &kVectorOps<PbValueList>},
};
constexpr FieldInfo kPbPrepareLakeTableRespForTableFields[] = {
  {1, kInt32, kOptional, AT(PbPrepareLakeTableRespForTable, error_code)},
  {2, kString, kOptional, AT(PbPrepareLakeTableRespForTable, error_message)},
  {3, kInt64, kOptional, AT(PbPrepareLakeTableRespForTable, table_id)},
  {4, kString, kOptional, AT(PbPrepareLakeTableRespForTable, lake_table_offsets_path)},
};
constexpr FieldInfo kPbProduceLogReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbProduceLogReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbProduceLogReqForBucket, bucket_id)},
  {3, kBytes, kRequired, AT(PbProduceLogReqForBucket, records)},
  {4, kString, kOptional, AT(PbProduceLogReqForBucket, original_partition_name)},
  {5, kInt32, kOptional, AT(PbProduceLogReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbProduceLogRespForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbProduceLogRespForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbProduceLogRespForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbProduceLogRespForBucket, error_code)},
  {4, kString, kOptional, AT(PbProduceLogRespForBucket, error_message)},
  {5, kInt64, kOptional, AT(PbProduceLogRespForBucket, base_offset)},
  {6, kString, kOptional, AT(PbProduceLogRespForBucket, original_partition_name)},
};
constexpr FieldInfo kPbProducerTableOffsetsFields[] = {
  {1, kInt64, kRequired, AT(PbProducerTableOffsets, table_id)},
  {2, kMessage, kRepeated, AT(PbProducerTableOffsets, bucket_offsets),
    &kPbBucketOffsetInfo,
    &kVectorOps<PbBucketOffset>},
};
constexpr FieldInfo kPbPutKvReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbPutKvReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbPutKvReqForBucket, bucket_id)},
  {3, kBytes, kRequired, AT(PbPutKvReqForBucket, records)},
  {4, kString, kOptional, AT(PbPutKvReqForBucket, original_partition_name)},
  {5, kInt32, kOptional, AT(PbPutKvReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbPutKvRespForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbPutKvRespForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbPutKvRespForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbPutKvRespForBucket, error_code)},
  {4, kString, kOptional, AT(PbPutKvRespForBucket, error_message)},
  {5, kInt64, kOptional, AT(PbPutKvRespForBucket, log_end_offset)},
  {6, kFloat, kOptional, AT(PbPutKvRespForBucket, pressure)},
  {7, kString, kOptional, AT(PbPutKvRespForBucket, original_partition_name)},
};
constexpr FieldInfo kPbRebalancePlanForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbRebalancePlanForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbRebalancePlanForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbRebalancePlanForBucket, original_leader)},
  {4, kInt32, kOptional, AT(PbRebalancePlanForBucket, new_leader)},
  {5, kInt32, kPacked, AT(PbRebalancePlanForBucket, original_replicas)},
  {6, kInt32, kPacked, AT(PbRebalancePlanForBucket, new_replicas)},
};
constexpr FieldInfo kPbRebalancePlanForTableFields[] = {
  {1, kInt64, kRequired, AT(PbRebalancePlanForTable, table_id)},
  {2, kMessage, kRepeated, AT(PbRebalancePlanForTable, buckets_plan),
    &kPbRebalancePlanForBucketInfo,
    &kVectorOps<PbRebalancePlanForBucket>},
};
constexpr FieldInfo kPbRebalanceProgressForBucketFields[] = {
  {1, kMessage, kRequired, AT(PbRebalanceProgressForBucket, rebalance_plan),
    &kPbRebalancePlanForBucketInfo},
  {2, kInt32, kRequired, AT(PbRebalanceProgressForBucket, rebalance_status)},
};
constexpr FieldInfo kPbRebalanceProgressForTableFields[] = {
  {1, kInt64, kRequired, AT(PbRebalanceProgressForTable, table_id)},
  {2, kMessage, kRepeated, AT(PbRebalanceProgressForTable, buckets_progress),
    &kPbRebalanceProgressForBucketInfo,
    &kVectorOps<PbRebalanceProgressForBucket>},
};
constexpr FieldInfo kPbRemoteLogManifestEntryFields[] = {
  {1, kMessage, kRequired, AT(PbRemoteLogManifestEntry, table_bucket),
    &kPbTableBucketInfo},
  {2, kString, kRequired, AT(PbRemoteLogManifestEntry, remote_log_manifest_path)},
  {3, kInt64, kRequired, AT(PbRemoteLogManifestEntry, remote_log_end_offset)},
};
constexpr FieldInfo kPbRemotePathAndLocalFileFields[] = {
  {1, kString, kRequired, AT(PbRemotePathAndLocalFile, remote_path)},
  {2, kString, kRequired, AT(PbRemotePathAndLocalFile, local_file_name)},
};
constexpr FieldInfo kPbRenameColumnFields[] = {
  {1, kString, kRequired, AT(PbRenameColumn, old_column_name)},
  {2, kString, kRequired, AT(PbRenameColumn, new_column_name)},
};
constexpr FieldInfo kPbScanReqForBucketFields[] = {
  {1, kInt64, kRequired, AT(PbScanReqForBucket, table_id)},
  {2, kInt64, kOptional, AT(PbScanReqForBucket, partition_id)},
  {3, kInt32, kRequired, AT(PbScanReqForBucket, bucket_id)},
  {4, kInt64, kOptional, AT(PbScanReqForBucket, limit)},
  {5, kInt32, kOptional, AT(PbScanReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbServerNodeFields[] = {
  {1, kInt32, kRequired, AT(PbServerNode, node_id)},
  {2, kString, kRequired, AT(PbServerNode, host)},
  {3, kInt32, kRequired, AT(PbServerNode, port)},
  {4, kString, kOptional, AT(PbServerNode, listeners)},
  {5, kString, kOptional, AT(PbServerNode, rack)},
};
constexpr FieldInfo kPbStopReplicaReqForBucketFields[] = {
  {1, kMessage, kRequired, AT(PbStopReplicaReqForBucket, table_bucket),
    &kPbTableBucketInfo},
  {2, kInt32, kRequired, AT(PbStopReplicaReqForBucket, leader_epoch)},
  {3, kBool, kRequired, AT(PbStopReplicaReqForBucket, delete_)},
  {4, kBool, kOptional, AT(PbStopReplicaReqForBucket, delete_remote)},
};
constexpr FieldInfo kPbStopReplicaRespForBucketFields[] = {
  {1, kMessage, kRequired, AT(PbStopReplicaRespForBucket, table_bucket),
    &kPbTableBucketInfo},
  {2, kInt32, kOptional, AT(PbStopReplicaRespForBucket, error_code)},
  {3, kString, kOptional, AT(PbStopReplicaRespForBucket, error_message)},
};
constexpr FieldInfo kPbTableMetadataFields[] = {
  {1, kMessage, kRequired, AT(PbTableMetadata, table_path),
    &kPbTablePathInfo},
  {2, kInt64, kRequired, AT(PbTableMetadata, table_id)},
  {3, kInt32, kRequired, AT(PbTableMetadata, schema_id)},
  {4, kBytes, kRequired, AT(PbTableMetadata, table_json)},
  {5, kMessage, kRepeated, AT(PbTableMetadata, bucket_metadata),
    &kPbBucketMetadataInfo,
    &kVectorOps<PbBucketMetadata>},
  {6, kInt64, kRequired, AT(PbTableMetadata, created_time)},
  {7, kInt64, kRequired, AT(PbTableMetadata, modified_time)},
  {8, kString, kOptional, AT(PbTableMetadata, remote_data_dir)},
  {9, kInt64, kOptional, AT(PbTableMetadata, bucket_count_epoch)},
};
constexpr FieldInfo kPbTableOffsetsFields[] = {
  {1, kInt64, kRequired, AT(PbTableOffsets, table_id)},
  {2, kMessage, kRequired, AT(PbTableOffsets, table_path),
    &kPbTablePathInfo},
  {3, kMessage, kRepeated, AT(PbTableOffsets, bucket_offsets),
    &kPbBucketOffsetInfo,
    &kVectorOps<PbBucketOffset>},
};
constexpr FieldInfo kPbTableStatsReqForBucketFields[] = {
  {1, kInt64, kOptional, AT(PbTableStatsReqForBucket, partition_id)},
  {2, kInt32, kRequired, AT(PbTableStatsReqForBucket, bucket_id)},
  {3, kInt32, kOptional, AT(PbTableStatsReqForBucket, routing_bucket_count)},
};
constexpr FieldInfo kPbTableStatsRespForBucketFields[] = {
  {1, kInt32, kOptional, AT(PbTableStatsRespForBucket, error_code)},
  {2, kString, kOptional, AT(PbTableStatsRespForBucket, error_message)},
  {3, kInt64, kOptional, AT(PbTableStatsRespForBucket, partition_id)},
  {4, kInt32, kRequired, AT(PbTableStatsRespForBucket, bucket_id)},
  {5, kInt64, kOptional, AT(PbTableStatsRespForBucket, row_count)},
};
constexpr FieldInfo kPbTieringStatusFields[] = {
  {1, kInt64, kRequired, AT(PbTieringStatus, table_id)},
  {2, kMessage, kRequired, AT(PbTieringStatus, table_path),
    &kPbTablePathInfo},
  {3, kString, kRequired, AT(PbTieringStatus, state)},
  {4, kInt64, kRequired, AT(PbTieringStatus, in_state_ms)},
  {5, kInt64, kRequired, AT(PbTieringStatus, failures)},
  {6, kString, kOptional, AT(PbTieringStatus, failure)},
};

#undef AT

}  // namespace

const MessageInfo kPbAclFilterInfo = {
  "PbAclFilter", kPbAclFilterFields, 0x62};
const MessageInfo kPbAclInfoInfo = {
  "PbAclInfo", kPbAclInfoFields, 0x7f};
const MessageInfo kPbKeyValueInfo = {
  "PbKeyValue", kPbKeyValueFields, 0x3};
const MessageInfo kPbAddColumnInfo = {
  "PbAddColumn", kPbAddColumnFields, 0xb};
const MessageInfo kPbAdjustIsrReqForBucketInfo = {
  "PbAdjustIsrReqForBucket", kPbAdjustIsrReqForBucketFields, 0x36};
const MessageInfo kPbAdjustIsrReqForTableInfo = {
  "PbAdjustIsrReqForTable", kPbAdjustIsrReqForTableFields, 0x1};
const MessageInfo kPbAdjustIsrRespForBucketInfo = {
  "PbAdjustIsrRespForBucket", kPbAdjustIsrRespForBucketFields, 0x2};
const MessageInfo kPbAdjustIsrRespForTableInfo = {
  "PbAdjustIsrRespForTable", kPbAdjustIsrRespForTableFields, 0x1};
const MessageInfo kPbAlterConfigInfo = {
  "PbAlterConfig", kPbAlterConfigFields, 0x5};
const MessageInfo kPbApiVersionInfo = {
  "PbApiVersion", kPbApiVersionFields, 0x7};
const MessageInfo kPbBucketMetadataInfo = {
  "PbBucketMetadata", kPbBucketMetadataFields, 0x1};
const MessageInfo kPbBucketOffsetInfo = {
  "PbBucketOffset", kPbBucketOffsetFields, 0x2};
const MessageInfo kPbCommitLakeTableSnapshotRespForTableInfo = {
  "PbCommitLakeTableSnapshotRespForTable", kPbCommitLakeTableSnapshotRespForTableFields, 0x4};
const MessageInfo kPbCompoundPredicateInfo = {
  "PbCompoundPredicate", kPbCompoundPredicateFields, 0x1};
const MessageInfo kPbCreateAclRespInfoInfo = {
  "PbCreateAclRespInfo", kPbCreateAclRespInfoFields, 0x1};
const MessageInfo kPbDatabaseSummaryInfo = {
  "PbDatabaseSummary", kPbDatabaseSummaryFields, 0x7};
const MessageInfo kPbDescribeConfigInfo = {
  "PbDescribeConfig", kPbDescribeConfigFields, 0x5};
const MessageInfo kPbDropAclsMatchingAclInfo = {
  "PbDropAclsMatchingAcl", kPbDropAclsMatchingAclFields, 0x1};
const MessageInfo kPbDropAclsFilterResultInfo = {
  "PbDropAclsFilterResult", kPbDropAclsFilterResultFields, 0x0};
const MessageInfo kPbDropColumnInfo = {
  "PbDropColumn", kPbDropColumnFields, 0x1};
const MessageInfo kPbFetchLogReqForBucketInfo = {
  "PbFetchLogReqForBucket", kPbFetchLogReqForBucketFields, 0xe};
const MessageInfo kPbLiteralValueInfo = {
  "PbLiteralValue", kPbLiteralValueFields, 0x3};
const MessageInfo kPbLeafPredicateInfo = {
  "PbLeafPredicate", kPbLeafPredicateFields, 0x3};
const MessageInfo kPbPredicateInfo = {
  "PbPredicate", kPbPredicateFields, 0x1};
const MessageInfo kPbFetchLogReqForTableInfo = {
  "PbFetchLogReqForTable", kPbFetchLogReqForTableFields, 0x3};
const MessageInfo kPbRemoteLogSegmentInfo = {
  "PbRemoteLogSegment", kPbRemoteLogSegmentFields, 0xf};
const MessageInfo kPbRemoteLogFetchInfoInfo = {
  "PbRemoteLogFetchInfo", kPbRemoteLogFetchInfoFields, 0x1};
const MessageInfo kPbFetchLogRespForBucketInfo = {
  "PbFetchLogRespForBucket", kPbFetchLogRespForBucketFields, 0x2};
const MessageInfo kPbFetchLogRespForTableInfo = {
  "PbFetchLogRespForTable", kPbFetchLogRespForTableFields, 0x1};
const MessageInfo kPbLakeTieringStatsInfo = {
  "PbLakeTieringStats", kPbLakeTieringStatsFields, 0x0};
const MessageInfo kPbHeartbeatReqForTableInfo = {
  "PbHeartbeatReqForTable", kPbHeartbeatReqForTableFields, 0x7};
const MessageInfo kPbHeartbeatRespForTableInfo = {
  "PbHeartbeatRespForTable", kPbHeartbeatRespForTableFields, 0x1};
const MessageInfo kPbKvSnapshotInfo = {
  "PbKvSnapshot", kPbKvSnapshotFields, 0x1};
const MessageInfo kPbKvSnapshotLeaseForBucketInfo = {
  "PbKvSnapshotLeaseForBucket", kPbKvSnapshotLeaseForBucketFields, 0x6};
const MessageInfo kPbKvSnapshotLeaseForTableInfo = {
  "PbKvSnapshotLeaseForTable", kPbKvSnapshotLeaseForTableFields, 0x1};
const MessageInfo kPbLakeSnapshotForBucketInfo = {
  "PbLakeSnapshotForBucket", kPbLakeSnapshotForBucketFields, 0x2};
const MessageInfo kPbLakeTableOffsetForBucketInfo = {
  "PbLakeTableOffsetForBucket", kPbLakeTableOffsetForBucketFields, 0x2};
const MessageInfo kPbTablePathInfo = {
  "PbTablePath", kPbTablePathFields, 0x3};
const MessageInfo kPbLakeTableSnapshotInfoInfo = {
  "PbLakeTableSnapshotInfo", kPbLakeTableSnapshotInfoFields, 0x2};
const MessageInfo kPbLakeTableSnapshotMetadataInfo = {
  "PbLakeTableSnapshotMetadata", kPbLakeTableSnapshotMetadataFields, 0x7};
const MessageInfo kPbLakeTieringTableInfoInfo = {
  "PbLakeTieringTableInfo", kPbLakeTieringTableInfoFields, 0x7};
const MessageInfo kPbListOffsetsRespForBucketInfo = {
  "PbListOffsetsRespForBucket", kPbListOffsetsRespForBucketFields, 0x1};
const MessageInfo kPbLookupReqForBucketInfo = {
  "PbLookupReqForBucket", kPbLookupReqForBucketFields, 0x2};
const MessageInfo kPbValueInfo = {
  "PbValue", kPbValueFields, 0x0};
const MessageInfo kPbLookupRespForBucketInfo = {
  "PbLookupRespForBucket", kPbLookupRespForBucketFields, 0x2};
const MessageInfo kPbModifyBucketCountInfo = {
  "PbModifyBucketCount", kPbModifyBucketCountFields, 0x1};
const MessageInfo kPbModifyColumnInfo = {
  "PbModifyColumn", kPbModifyColumnFields, 0x1};
const MessageInfo kPbNotifyLakeTableOffsetReqForBucketInfo = {
  "PbNotifyLakeTableOffsetReqForBucket", kPbNotifyLakeTableOffsetReqForBucketFields, 0xd};
const MessageInfo kPbPhysicalTablePathInfo = {
  "PbPhysicalTablePath", kPbPhysicalTablePathFields, 0x3};
const MessageInfo kPbTableBucketInfo = {
  "PbTableBucket", kPbTableBucketFields, 0x5};
const MessageInfo kPbNotifyLeaderAndIsrReqForBucketInfo = {
  "PbNotifyLeaderAndIsrReqForBucket", kPbNotifyLeaderAndIsrReqForBucketFields, 0x4f};
const MessageInfo kPbNotifyLeaderAndIsrRespForBucketInfo = {
  "PbNotifyLeaderAndIsrRespForBucket", kPbNotifyLeaderAndIsrRespForBucketFields, 0x1};
const MessageInfo kPbPartitionSpecInfo = {
  "PbPartitionSpec", kPbPartitionSpecFields, 0x0};
const MessageInfo kPbPartitionInfoInfo = {
  "PbPartitionInfo", kPbPartitionInfoFields, 0x3};
const MessageInfo kPbPartitionMetadataInfo = {
  "PbPartitionMetadata", kPbPartitionMetadataFields, 0x7};
const MessageInfo kPbPrefixLookupReqForBucketInfo = {
  "PbPrefixLookupReqForBucket", kPbPrefixLookupReqForBucketFields, 0x2};
const MessageInfo kPbValueListInfo = {
  "PbValueList", kPbValueListFields, 0x0};
const MessageInfo kPbPrefixLookupRespForBucketInfo = {
  "PbPrefixLookupRespForBucket", kPbPrefixLookupRespForBucketFields, 0x2};
const MessageInfo kPbPrepareLakeTableRespForTableInfo = {
  "PbPrepareLakeTableRespForTable", kPbPrepareLakeTableRespForTableFields, 0x0};
const MessageInfo kPbProduceLogReqForBucketInfo = {
  "PbProduceLogReqForBucket", kPbProduceLogReqForBucketFields, 0x6};
const MessageInfo kPbProduceLogRespForBucketInfo = {
  "PbProduceLogRespForBucket", kPbProduceLogRespForBucketFields, 0x2};
const MessageInfo kPbProducerTableOffsetsInfo = {
  "PbProducerTableOffsets", kPbProducerTableOffsetsFields, 0x1};
const MessageInfo kPbPutKvReqForBucketInfo = {
  "PbPutKvReqForBucket", kPbPutKvReqForBucketFields, 0x6};
const MessageInfo kPbPutKvRespForBucketInfo = {
  "PbPutKvRespForBucket", kPbPutKvRespForBucketFields, 0x2};
const MessageInfo kPbRebalancePlanForBucketInfo = {
  "PbRebalancePlanForBucket", kPbRebalancePlanForBucketFields, 0x2};
const MessageInfo kPbRebalancePlanForTableInfo = {
  "PbRebalancePlanForTable", kPbRebalancePlanForTableFields, 0x1};
const MessageInfo kPbRebalanceProgressForBucketInfo = {
  "PbRebalanceProgressForBucket", kPbRebalanceProgressForBucketFields, 0x3};
const MessageInfo kPbRebalanceProgressForTableInfo = {
  "PbRebalanceProgressForTable", kPbRebalanceProgressForTableFields, 0x1};
const MessageInfo kPbRemoteLogManifestEntryInfo = {
  "PbRemoteLogManifestEntry", kPbRemoteLogManifestEntryFields, 0x7};
const MessageInfo kPbRemotePathAndLocalFileInfo = {
  "PbRemotePathAndLocalFile", kPbRemotePathAndLocalFileFields, 0x3};
const MessageInfo kPbRenameColumnInfo = {
  "PbRenameColumn", kPbRenameColumnFields, 0x3};
const MessageInfo kPbScanReqForBucketInfo = {
  "PbScanReqForBucket", kPbScanReqForBucketFields, 0x5};
const MessageInfo kPbServerNodeInfo = {
  "PbServerNode", kPbServerNodeFields, 0x7};
const MessageInfo kPbStopReplicaReqForBucketInfo = {
  "PbStopReplicaReqForBucket", kPbStopReplicaReqForBucketFields, 0x7};
const MessageInfo kPbStopReplicaRespForBucketInfo = {
  "PbStopReplicaRespForBucket", kPbStopReplicaRespForBucketFields, 0x1};
const MessageInfo kPbTableMetadataInfo = {
  "PbTableMetadata", kPbTableMetadataFields, 0x6f};
const MessageInfo kPbTableOffsetsInfo = {
  "PbTableOffsets", kPbTableOffsetsFields, 0x3};
const MessageInfo kPbTableStatsReqForBucketInfo = {
  "PbTableStatsReqForBucket", kPbTableStatsReqForBucketFields, 0x2};
const MessageInfo kPbTableStatsRespForBucketInfo = {
  "PbTableStatsRespForBucket", kPbTableStatsRespForBucketFields, 0x8};
const MessageInfo kPbTieringStatusInfo = {
  "PbTieringStatus", kPbTieringStatusFields, 0x1f};
// clang-format on

}  // namespace lakestream::wire
