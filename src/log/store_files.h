#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "log/recovery.h"

// Two files of a data directory that speak of all its logs, by their directory names.
//
//   logs.clean            written by a clean stop, removed by the next start: every segment of
//   every log that
//                         was closed well, so that a start reads no log at all
//   logs.recovery_points  written every minute: how far each log is on stable storage, so that a
//                         start after a crash reads only what lies behind
//
// Both are little-endian with a CRC-32C at their end (record_file.h); one that can not be read is
// taken as absent, and the logs are read instead.
//
// Thread rule: pure functions.
//
//   Bytes content = encode_clean_logs(logs);
namespace lakestream::log_internal {

inline constexpr std::string_view kCleanLogsName = "logs.clean";
inline constexpr std::string_view kRecoveryPointsName = "logs.recovery_points";

using CleanLogs = std::map<std::string, CleanLog, std::less<>>;
using RecoveryPoints = std::map<std::string, RecoveryPoint, std::less<>>;

Bytes encode_clean_logs(const CleanLogs& logs);
std::optional<CleanLogs> decode_clean_logs(Bytes content);
Bytes encode_recovery_points(const RecoveryPoints& points);
std::optional<RecoveryPoints> decode_recovery_points(Bytes content);

}  // namespace lakestream::log_internal
