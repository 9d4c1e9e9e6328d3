#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/disk.h"
#include "log/log.h"

// The file log.state of a log's directory: the leader epochs that wrote the log and what a
// truncation has to finish. It is written before the first batch of a new epoch and around each
// truncation, never on the way of an ordinary append. A log that has no such file has no epochs and
// was never truncated.
//
// `generation` counts truncations. A recovery point that was noted under another generation counts
// only up to the lowest offset of any truncation, because what came behind it was written anew.
//
// Thread rule: values; load and save block and belong on the pool.
//
//   manifest.pending = Truncation{.offset = Offset(120), .whole = false};
//   RETURN_IF_ERROR(save_manifest(disk, directory, manifest));
namespace lakestream::log_internal {

// The epochs by their first offset, both ascending.
class LeaderEpochs {
 public:
  struct Entry {
    LeaderEpoch epoch;
    Offset start_offset;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // False when the epoch is known already. Epochs that start at or beyond `start` wrote nothing and
  // go. Errors: kFencedLeaderEpochException when it is older than the latest.
  Result<bool> assign(LeaderEpoch epoch, Offset start);
  LeaderEpoch latest() const { return entries_.empty() ? kNoLeaderEpoch : entries_.back().epoch; }
  EpochEnd end_of(LeaderEpoch epoch, Offset log_end) const;
  // The log ends at `end` now. An epoch that would start behind it starts there, if it is the
  // latest.
  void clamp_to(Offset end);
  // Forgets epochs that have no batch below `end`.
  void truncate_to(Offset end);
  void clear() { entries_.clear(); }

  const std::vector<Entry>& entries() const { return entries_; }
  void push_back(Entry entry) { entries_.push_back(entry); }

 private:
  std::vector<Entry> entries_;
};

struct Truncation {
  Offset offset;
  bool whole = false;  // everything goes and the log starts anew at the offset
};

struct LogManifest {
  int64_t generation = 0;
  Offset truncated_to{INT64_MAX};     // by the deepest truncation since the last clean stop
  std::optional<Truncation> pending;  // begun, perhaps not finished
  LeaderEpochs epochs;
};

// Little-endian; kind "lsstate1", i64 generation, i64 truncated to, u8 pending (0 no, 1 part, 2
// whole), i64 its offset, u32 epochs and for each i32 epoch, i64 start offset; CRC-32C.
Bytes encode_manifest(const LogManifest& manifest);
// Errors: kStorageException when the file is damaged.
Result<LogManifest> load_manifest(Disk& disk, const std::string& directory);
Status save_manifest(Disk& disk, const std::string& directory, const LogManifest& manifest);

}  // namespace lakestream::log_internal
