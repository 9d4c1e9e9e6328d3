#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/bytes.h"
#include "base/ids.h"
#include "log/log.h"

// The newest batches of a log in memory: the very slices that were appended. Everything that is not
// written to the file yet is in it; of the rest as much as the budget allows.
//
// Thread rule: shard-local.
//
//   tail.push({base, end, now, records});
//   if (tail.covers(from)) return tail.read(request);
namespace lakestream::log_internal {

class TailCache {
 public:
  struct Entry {
    Offset base_offset;
    Offset end_offset;
    TimestampMs timestamp;  // of all its batches, or the greatest
    Bytes batches;
  };

  void push(Entry entry) {
    bytes_ += entry.batches.size();
    entries_.push_back(std::move(entry));
  }
  bool empty() const { return entries_.empty(); }
  uint64_t bytes() const { return bytes_; }
  bool covers(Offset offset) const {
    return !entries_.empty() && offset >= entries_.front().base_offset;
  }
  // Adds batches from request.from on to `read`. Requires: covers(request.from).
  void read(const ReadRequest& request, LogRead* read) const;
  // The first batch in memory whose commit time is not before `timestamp`.
  std::optional<Offset> find(TimestampMs timestamp) const;
  // True when no batch before those in memory can be the first at or after `timestamp`.
  bool begins_before(TimestampMs timestamp) const {
    return !entries_.empty() && entries_.front().timestamp < timestamp;
  }

  // Drops the oldest until `bytes_max` are left, but nothing at or above `written`.
  void shed(uint64_t bytes_max, Offset written);
  // Drops what ends above `end`, which lies between two entries.
  void truncate(Offset end);
  // Drops what ends at or below `start`.
  void drop_below(Offset start);
  void clear() { *this = TailCache(); }

 private:
  std::deque<Entry> entries_;
  uint64_t bytes_ = 0;
};

}  // namespace lakestream::log_internal
