#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/disk.h"
#include "log/log_manifest.h"
#include "log/log_options.h"
#include "log/writer_states.h"

// Opens a log's directory and leaves it in order. Three ways, from cheap to dear:
//
//   clean     The last stop noted every segment and its size, and the directory still looks so:
//   nothing
//             is read but the writer snapshot.
//   recovered Segments below the recovery point are trusted by their last index entry. From there
//   on each
//             batch is read and must have its checksum and the next offset; the first that has not
//             ends the log, and what follows is removed. Writer states come from the newest
//             snapshot at or below the recovery point and the heads behind it.
//   truncated A truncation that was begun is finished first.
//
// Thread rule: blocks, so on the pool; nobody else uses the directory meanwhile.
//
//   ASSIGN_OR_RETURN(OpenedLog opened, open_log_directory(disk, directory, hints));
namespace lakestream::log_internal {

struct OpenedSegment {
  Offset base_offset;
  Offset end_offset;
  uint64_t size = 0;
  TimestampMs first_timestamp{-1};  // -1 when it is empty or not known
  TimestampMs max_timestamp{-1};    // -1 when it is empty
  size_t index_points = 0;          // in the files; the last one is the last batch
};

// How far a log is known to be on stable storage.
struct RecoveryPoint {
  int64_t generation = 0;
  Offset offset;
};

// What a clean stop notes of a log.
struct CleanLog {
  int64_t generation = 0;
  bool has_writers = false;
  std::vector<OpenedSegment> segments;
  LeaderEpochs epochs;
};

struct OpenHints {
  std::optional<CleanLog> clean;
  RecoveryPoint recovery_point;
  uint64_t index_interval_bytes = 0;
  // Where a failed log was sound: what lies behind it was never acknowledged and may exist in the
  // page cache alone.
  std::optional<Offset> cut_at;
};

struct OpenedLog {
  LogManifest manifest;
  std::vector<OpenedSegment> segments;  // at least one
  WriterStates writers;
  std::optional<Offset> snapshot;  // the newest writer snapshot
  bool clean = false;
  uint64_t bytes_scanned = 0;
  uint64_t bytes_cut = 0;
};

// The content of the writer snapshot at `offset`, where a segment begins, when the file is not
// there or
// not readable: made from what lies below. Empty when it is sound.
Result<std::optional<Bytes>> missing_writer_snapshot(Disk& disk,
                                                     const std::string& directory,
                                                     Offset offset);
// Brings it to stable storage; without content the file that is there. What lies below may be
// deleted
// then: writers whose batches go stay known.
Status secure_writer_snapshot(Disk& disk,
                              const std::string& directory,
                              Offset offset,
                              const std::optional<Bytes>& content);

// Errors: kStorageException when the disk fails, or when damage lies where no truncation may hide
// it.
Result<OpenedLog> open_log_directory(Disk& disk,
                                     const std::string& directory,
                                     const OpenHints& hints);

}  // namespace lakestream::log_internal
