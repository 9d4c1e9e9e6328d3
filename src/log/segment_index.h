#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/disk.h"

// The sparse index of a segment: for one batch in every few KiB its offset, position and commit
// time. The newest points are in memory, all others in the files .index and .timeindex, which have
// one entry each for every point and are searched where they lie. They are a help, not a truth: who
// uses a point checks the batch there, and rebuilds the index when it is another one. So the files
// need no sync.
//
// Thread rule: SegmentIndex is shard-local; IndexFiles and write_points block and belong on the
// pool.
//
//   if (auto point = index.floor(Offset(120))) return point->position;
//   ASSIGN_OR_RETURN(auto files, IndexFiles::open(disk, directory, base));
//   ASSIGN_OR_RETURN(auto point, files.floor(120 - base));
namespace lakestream::log_internal {

struct IndexPoint {
  TimestampMs timestamp;
  int32_t relative_offset = 0;  // of the batch's first record
  int32_t position = 0;

  friend bool operator==(const IndexPoint&, const IndexPoint&) = default;
};

inline constexpr uint64_t kIndexEntryBytes = 8;
inline constexpr uint64_t kTimeIndexEntryBytes = 12;

class SegmentIndex {
 public:
  SegmentIndex() = default;
  // Of files that hold `count` points.
  explicit SegmentIndex(size_t count) : first_(count), persisted_(count) {}

  void add(IndexPoint point) { points_.push_back(point); }
  // The last point at or before the offset; empty when it may be one of those in the files.
  std::optional<IndexPoint> floor(int64_t relative_offset) const;
  // The last point before the time.
  std::optional<IndexPoint> floor(TimestampMs timestamp) const;
  std::optional<IndexPoint> last() const;
  // Forgets points at or behind the position. Requires: they are not in the files.
  void truncate(uint64_t position);

  size_t count() const { return first_ + points_.size(); }
  size_t persisted() const { return persisted_; }
  // What the files do not hold yet of the batches before the position.
  std::vector<IndexPoint> unpersisted(uint64_t position) const;
  size_t unpersisted_count() const { return count() - persisted_; }
  // The first `count` points are in the files; most of them leave memory.
  void set_persisted(size_t count);

 private:
  std::vector<IndexPoint> points_;
  size_t first_ = 0;  // the number of points before points_[0], which are only in the files
  size_t persisted_ = 0;
};

class IndexFiles {
 public:
  // An index that is not there has no points.
  static Result<IndexFiles> open(Disk& disk, const std::string& directory, Offset base);

  size_t count() const { return count_; }
  Result<IndexPoint> at(size_t index) const;
  // The last of the first `count` points that is not above the offset, or before the time.
  Result<std::optional<IndexPoint>> floor(int64_t relative_offset, size_t count) const;
  Result<std::optional<IndexPoint>> floor(TimestampMs timestamp, size_t count) const;
  // How many points lie before the position.
  Result<size_t> count_before(uint64_t position) const;
  // Whether the first `count` points ascend, as a search expects of them.
  Result<bool> ascends(size_t count) const;

 private:
  template <typename Below>
  Result<size_t> partition_point(size_t count, Below below) const;

  std::unique_ptr<File> offsets_;
  std::unique_ptr<File> times_;
  size_t count_ = 0;
};

// Writes points behind the first `begin` ones and ends the files there.
Status write_points(Disk& disk,
                    const std::string& directory,
                    Offset base,
                    size_t begin,
                    std::span<const IndexPoint> points);

}  // namespace lakestream::log_internal
