// Made by tools/gen_errors.py from src/base/errors.tsv. Edit the table, not this file.

#include "base/error_code.h"

namespace lakestream {

std::string_view error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnknownServerError:
      return "UNKNOWN_SERVER_ERROR";
    case ErrorCode::kNone:
      return "NONE";
    case ErrorCode::kNetworkException:
      return "NETWORK_EXCEPTION";
    case ErrorCode::kUnsupportedVersion:
      return "UNSUPPORTED_VERSION";
    case ErrorCode::kCorruptMessage:
      return "CORRUPT_MESSAGE";
    case ErrorCode::kDatabaseNotExist:
      return "DATABASE_NOT_EXIST";
    case ErrorCode::kDatabaseNotEmpty:
      return "DATABASE_NOT_EMPTY";
    case ErrorCode::kDatabaseAlreadyExist:
      return "DATABASE_ALREADY_EXIST";
    case ErrorCode::kTableNotExist:
      return "TABLE_NOT_EXIST";
    case ErrorCode::kTableAlreadyExist:
      return "TABLE_ALREADY_EXIST";
    case ErrorCode::kSchemaNotExist:
      return "SCHEMA_NOT_EXIST";
    case ErrorCode::kLogStorageException:
      return "LOG_STORAGE_EXCEPTION";
    case ErrorCode::kKvStorageException:
      return "KV_STORAGE_EXCEPTION";
    case ErrorCode::kNotLeaderOrFollower:
      return "NOT_LEADER_OR_FOLLOWER";
    case ErrorCode::kRecordTooLargeException:
      return "RECORD_TOO_LARGE_EXCEPTION";
    case ErrorCode::kCorruptRecordException:
      return "CORRUPT_RECORD_EXCEPTION";
    case ErrorCode::kInvalidTableException:
      return "INVALID_TABLE_EXCEPTION";
    case ErrorCode::kInvalidDatabaseException:
      return "INVALID_DATABASE_EXCEPTION";
    case ErrorCode::kInvalidReplicationFactor:
      return "INVALID_REPLICATION_FACTOR";
    case ErrorCode::kInvalidRequiredAcks:
      return "INVALID_REQUIRED_ACKS";
    case ErrorCode::kLogOffsetOutOfRangeException:
      return "LOG_OFFSET_OUT_OF_RANGE_EXCEPTION";
    case ErrorCode::kNonPrimaryKeyTableException:
      return "NON_PRIMARY_KEY_TABLE_EXCEPTION";
    case ErrorCode::kUnknownTableOrBucketException:
      return "UNKNOWN_TABLE_OR_BUCKET_EXCEPTION";
    case ErrorCode::kInvalidUpdateVersionException:
      return "INVALID_UPDATE_VERSION_EXCEPTION";
    case ErrorCode::kInvalidCoordinatorException:
      return "INVALID_COORDINATOR_EXCEPTION";
    case ErrorCode::kFencedLeaderEpochException:
      return "FENCED_LEADER_EPOCH_EXCEPTION";
    case ErrorCode::kRequestTimeOut:
      return "REQUEST_TIME_OUT";
    case ErrorCode::kStorageException:
      return "STORAGE_EXCEPTION";
    case ErrorCode::kOperationNotAttemptedException:
      return "OPERATION_NOT_ATTEMPTED_EXCEPTION";
    case ErrorCode::kNotEnoughReplicasAfterAppendException:
      return "NOT_ENOUGH_REPLICAS_AFTER_APPEND_EXCEPTION";
    case ErrorCode::kNotEnoughReplicasException:
      return "NOT_ENOUGH_REPLICAS_EXCEPTION";
    case ErrorCode::kSecurityTokenException:
      return "SECURITY_TOKEN_EXCEPTION";
    case ErrorCode::kOutOfOrderSequenceException:
      return "OUT_OF_ORDER_SEQUENCE_EXCEPTION";
    case ErrorCode::kDuplicateSequenceException:
      return "DUPLICATE_SEQUENCE_EXCEPTION";
    case ErrorCode::kUnknownWriterIdException:
      return "UNKNOWN_WRITER_ID_EXCEPTION";
    case ErrorCode::kInvalidColumnProjection:
      return "INVALID_COLUMN_PROJECTION";
    case ErrorCode::kInvalidTargetColumn:
      return "INVALID_TARGET_COLUMN";
    case ErrorCode::kPartitionNotExists:
      return "PARTITION_NOT_EXISTS";
    case ErrorCode::kTableNotPartitionedException:
      return "TABLE_NOT_PARTITIONED_EXCEPTION";
    case ErrorCode::kInvalidTimestampException:
      return "INVALID_TIMESTAMP_EXCEPTION";
    case ErrorCode::kInvalidConfigException:
      return "INVALID_CONFIG_EXCEPTION";
    case ErrorCode::kLakeStorageNotConfiguredException:
      return "LAKE_STORAGE_NOT_CONFIGURED_EXCEPTION";
    case ErrorCode::kKvSnapshotNotExist:
      return "KV_SNAPSHOT_NOT_EXIST";
    case ErrorCode::kPartitionAlreadyExists:
      return "PARTITION_ALREADY_EXISTS";
    case ErrorCode::kPartitionSpecInvalidException:
      return "PARTITION_SPEC_INVALID_EXCEPTION";
    case ErrorCode::kLeaderNotAvailableException:
      return "LEADER_NOT_AVAILABLE_EXCEPTION";
    case ErrorCode::kPartitionMaxNumException:
      return "PARTITION_MAX_NUM_EXCEPTION";
    case ErrorCode::kAuthenticateException:
      return "AUTHENTICATE_EXCEPTION";
    case ErrorCode::kSecurityDisabledException:
      return "SECURITY_DISABLED_EXCEPTION";
    case ErrorCode::kAuthorizationException:
      return "AUTHORIZATION_EXCEPTION";
    case ErrorCode::kBucketMaxNumException:
      return "BUCKET_MAX_NUM_EXCEPTION";
    case ErrorCode::kFencedTieringEpochException:
      return "FENCED_TIERING_EPOCH_EXCEPTION";
    case ErrorCode::kRetriableAuthenticateException:
      return "RETRIABLE_AUTHENTICATE_EXCEPTION";
    case ErrorCode::kInvalidServerRackInfoException:
      return "INVALID_SERVER_RACK_INFO_EXCEPTION";
    case ErrorCode::kLakeSnapshotNotExist:
      return "LAKE_SNAPSHOT_NOT_EXIST";
    case ErrorCode::kLakeTableAlreadyExist:
      return "LAKE_TABLE_ALREADY_EXIST";
    case ErrorCode::kIneligibleReplicaException:
      return "INELIGIBLE_REPLICA_EXCEPTION";
    case ErrorCode::kInvalidAlterTableException:
      return "INVALID_ALTER_TABLE_EXCEPTION";
    case ErrorCode::kDeletionDisabledException:
      return "DELETION_DISABLED_EXCEPTION";
    case ErrorCode::kServerNotExistException:
      return "SERVER_NOT_EXIST_EXCEPTION";
    case ErrorCode::kSeverTagAlreadyExistException:
      return "SEVER_TAG_ALREADY_EXIST_EXCEPTION";
    case ErrorCode::kSeverTagNotExistException:
      return "SEVER_TAG_NOT_EXIST_EXCEPTION";
    case ErrorCode::kRebalanceFailureException:
      return "REBALANCE_FAILURE_EXCEPTION";
    case ErrorCode::kNoRebalanceInProgressException:
      return "NO_REBALANCE_IN_PROGRESS_EXCEPTION";
    case ErrorCode::kInvalidProducerIdException:
      return "INVALID_PRODUCER_ID_EXCEPTION";
    case ErrorCode::kConfigException:
      return "CONFIG_EXCEPTION";
    case ErrorCode::kNotCoordinatorLeaderException:
      return "NOT_COORDINATOR_LEADER_EXCEPTION";
    case ErrorCode::kScannerExpired:
      return "SCANNER_EXPIRED";
    case ErrorCode::kUnknownScannerId:
      return "UNKNOWN_SCANNER_ID";
    case ErrorCode::kInvalidScanRequest:
      return "INVALID_SCAN_REQUEST";
    case ErrorCode::kTooManyScanners:
      return "TOO_MANY_SCANNERS";
    case ErrorCode::kDiskWriteLocked:
      return "DISK_WRITE_LOCKED";
    case ErrorCode::kInsufficientKvLeaderReplicaCapacity:
      return "INSUFFICIENT_KV_LEADER_REPLICA_CAPACITY";
    case ErrorCode::kStorageBackpressureException:
      return "STORAGE_BACKPRESSURE_EXCEPTION";
    case ErrorCode::kHistoricalPartitionThrottled:
      return "HISTORICAL_PARTITION_THROTTLED";
    case ErrorCode::kInvalidBucketRouting:
      return "INVALID_BUCKET_ROUTING";
  }
  return "UNKNOWN_SERVER_ERROR";
}

bool is_retriable(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNetworkException:
    case ErrorCode::kCorruptMessage:
    case ErrorCode::kSchemaNotExist:
    case ErrorCode::kLogStorageException:
    case ErrorCode::kKvStorageException:
    case ErrorCode::kNotLeaderOrFollower:
    case ErrorCode::kCorruptRecordException:
    case ErrorCode::kUnknownTableOrBucketException:
    case ErrorCode::kRequestTimeOut:
    case ErrorCode::kStorageException:
    case ErrorCode::kNotEnoughReplicasAfterAppendException:
    case ErrorCode::kNotEnoughReplicasException:
    case ErrorCode::kLeaderNotAvailableException:
    case ErrorCode::kDiskWriteLocked:
    case ErrorCode::kStorageBackpressureException:
    case ErrorCode::kHistoricalPartitionThrottled:
      return true;
    default:
      return false;
  }
}

bool refreshes_metadata(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNetworkException:
    case ErrorCode::kNotLeaderOrFollower:
    case ErrorCode::kUnknownTableOrBucketException:
    case ErrorCode::kLeaderNotAvailableException:
      return true;
    default:
      return false;
  }
}

ErrorCode error_code_of(int32_t number) {
  return number < -1 || number > 74 ? ErrorCode::kUnknownServerError
                                  : static_cast<ErrorCode>(number);
}

}  // namespace lakestream
