#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>

#include "base/ids.h"
#include "io/disk.h"
#include "log/segment_index.h"
#include "log/segment_scan.h"

// What the logs of one shard share: the budget of open files and that of batches kept in memory.
// Both are the shard's part of the directory's budget, and what was used longest ago gives way.
//
// Thread rule: shard-local.
//
//   log_shard.use_file(segment);
//   log_shard.change_tail(log, +bytes);
namespace lakestream::log_internal {

class LogState;

// A segment of a log as its shard sees it.
struct Segment {
  Segment(Offset base, uint64_t interval_bytes)
      : base_offset(base), end_offset(base), collector(base, interval_bytes) {}

  Offset base_offset;
  Offset end_offset;
  uint64_t size = 0;      // with what waits for the disk
  uint64_t written = 0;   // bytes in the file
  uint64_t reserved = 0;  // bytes that its file has blocks for; 0: nothing was asked for
  TimestampMs first_timestamp{-1};
  TimestampMs max_timestamp{-1};
  bool sealed = false;
  bool created = false;  // the file exists
  SegmentIndex index;
  PointCollector collector;

  std::shared_ptr<File> file;                        // empty: closed
  std::optional<std::list<Segment*>::iterator> use;  // among the open files of the shard
};

// Budgets of a whole directory.
struct SharedLimits {
  size_t open_files_max = 0;
  uint64_t tail_bytes_max = 0;
  std::atomic<size_t> shards{0};

  size_t share() const { return std::max<size_t>(1, shards.load(std::memory_order_relaxed)); }
};

class LogShard {
 public:
  explicit LogShard(SharedLimits& limits) : limits_(limits) { limits_.shards.fetch_add(1); }
  LogShard(const LogShard&) = delete;
  LogShard& operator=(const LogShard&) = delete;
  ~LogShard() { limits_.shards.fetch_sub(1); }

  // Keeps the file open for the segment, and marks it as used.
  void keep_file(Segment& segment, std::shared_ptr<File> file);
  void use_file(Segment& segment);
  // Gives the file up, for whoever closes it away from the shard.
  std::shared_ptr<File> release_file(Segment& segment);

  // The logs that were written to since they were opened.
  void attach(LogState& log) { logs_.insert(&log); }
  void detach(LogState& log);
  const std::set<LogState*>& logs() const { return logs_; }
  // The batches that the log keeps in memory became more or fewer. When all together are too many,
  // the logs that grew longest ago drop theirs.
  void tail_changed(LogState& log, uint64_t before, uint64_t after);

 private:
  SharedLimits& limits_;
  std::list<Segment*> files_;  // least used first
  std::set<LogState*> logs_;
  std::list<LogState*> tails_;  // not empty ones, least used first
  uint64_t tail_bytes_ = 0;
};

}  // namespace lakestream::log_internal
