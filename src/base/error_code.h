// Made by tools/gen_errors.py from src/base/errors.tsv. Edit the table, not this file.

#pragma once

#include <cstdint>
#include <string_view>

namespace lakestream {

// The error codes of the Fluss protocol: what a function returns is what a client sees.
// Thread rule: immutable.
enum class ErrorCode : int32_t {
  kUnknownServerError = -1,
  kNone = 0,
  kNetworkException = 1,
  kUnsupportedVersion = 2,
  kCorruptMessage = 3,
  kDatabaseNotExist = 4,
  kDatabaseNotEmpty = 5,
  kDatabaseAlreadyExist = 6,
  kTableNotExist = 7,
  kTableAlreadyExist = 8,
  kSchemaNotExist = 9,
  kLogStorageException = 10,
  kKvStorageException = 11,
  kNotLeaderOrFollower = 12,
  kRecordTooLargeException = 13,
  kCorruptRecordException = 14,
  kInvalidTableException = 15,
  kInvalidDatabaseException = 16,
  kInvalidReplicationFactor = 17,
  kInvalidRequiredAcks = 18,
  kLogOffsetOutOfRangeException = 19,
  kNonPrimaryKeyTableException = 20,
  kUnknownTableOrBucketException = 21,
  kInvalidUpdateVersionException = 22,
  kInvalidCoordinatorException = 23,
  kFencedLeaderEpochException = 24,
  kRequestTimeOut = 25,
  kStorageException = 26,
  kOperationNotAttemptedException = 27,
  kNotEnoughReplicasAfterAppendException = 28,
  kNotEnoughReplicasException = 29,
  kSecurityTokenException = 30,
  kOutOfOrderSequenceException = 31,
  kDuplicateSequenceException = 32,
  kUnknownWriterIdException = 33,
  kInvalidColumnProjection = 34,
  kInvalidTargetColumn = 35,
  kPartitionNotExists = 36,
  kTableNotPartitionedException = 37,
  kInvalidTimestampException = 38,
  kInvalidConfigException = 39,
  kLakeStorageNotConfiguredException = 40,
  kKvSnapshotNotExist = 41,
  kPartitionAlreadyExists = 42,
  kPartitionSpecInvalidException = 43,
  kLeaderNotAvailableException = 44,
  kPartitionMaxNumException = 45,
  kAuthenticateException = 46,
  kSecurityDisabledException = 47,
  kAuthorizationException = 48,
  kBucketMaxNumException = 49,
  kFencedTieringEpochException = 50,
  kRetriableAuthenticateException = 51,
  kInvalidServerRackInfoException = 52,
  kLakeSnapshotNotExist = 53,
  kLakeTableAlreadyExist = 54,
  kIneligibleReplicaException = 55,
  kInvalidAlterTableException = 56,
  kDeletionDisabledException = 57,
  kServerNotExistException = 58,
  kSeverTagAlreadyExistException = 59,
  kSeverTagNotExistException = 60,
  kRebalanceFailureException = 61,
  kNoRebalanceInProgressException = 62,
  kInvalidProducerIdException = 63,
  kConfigException = 64,
  kNotCoordinatorLeaderException = 65,
  kScannerExpired = 66,
  kUnknownScannerId = 67,
  kInvalidScanRequest = 68,
  kTooManyScanners = 69,
  kDiskWriteLocked = 70,
  kInsufficientKvLeaderReplicaCapacity = 71,
  kStorageBackpressureException = 72,
  kHistoricalPartitionThrottled = 73,
  kInvalidBucketRouting = 74,
};

// The protocol's name of the code, "UNKNOWN_SERVER_ERROR" for a number without a row.
std::string_view error_name(ErrorCode code);
// True when a client may send the same request again.
bool is_retriable(ErrorCode code);
// True when the client's view of leaders is stale and has to be read again.
bool refreshes_metadata(ErrorCode code);
// The code with this number; unknown numbers become kUnknownServerError.
ErrorCode error_code_of(int32_t number);

}  // namespace lakestream
