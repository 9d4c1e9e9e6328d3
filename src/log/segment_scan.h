#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/disk.h"
#include "log/batch_head.h"
#include "log/segment_index.h"

// Walks the batches of a segment file from a position on, reading ahead in large pieces. Heads
// alone are cheap to walk: bodies that do not fit the buffer are not read.
//
// Thread rule: belongs to one thread at a time; blocks, so on the pool.
//
//   SegmentScanner scanner(*file, position, size);
//   for (;;) {
//     ASSIGN_OR_RETURN(ScannedBatch batch, scanner.next(BodyCheck::kChecksum));
//     if (batch.step != ScanStep::kBatch) break;
//   }
namespace lakestream::log_internal {

enum class ScanStep : uint8_t {
  kBatch,
  kEnd,      // nothing is left
  kDamaged,  // what is left is no whole batch, or its checksum is wrong
};

enum class BodyCheck : uint8_t { kNone, kChecksum };

struct ScannedBatch {
  ScanStep step = ScanStep::kEnd;
  uint64_t position = 0;
  BatchHead head;
};

class SegmentScanner {
 public:
  // `end` is where the walk stops: the size of the file or less.
  SegmentScanner(File& file, uint64_t position, uint64_t end)
      : file_(file), position_(position), end_(end) {}

  Result<ScannedBatch> next(BodyCheck check);
  // Where the next batch would begin.
  uint64_t position() const { return position_; }

 private:
  // At least min(size, what is left) bytes from position_ on.
  Result<std::span<const uint8_t>> look(size_t size);

  File& file_;
  uint64_t position_;
  uint64_t end_;
  std::vector<uint8_t> buffer_;
  uint64_t buffer_position_ = 0;
  size_t buffered_ = 0;
};

// The head of the batch at `position` of a file of `size` bytes; empty when no whole batch is
// there.
Result<std::optional<BatchHead>> read_head_at(File& file, uint64_t position, uint64_t size);

// Collects the points of a segment while its batches pass, in the order of offsets.
class PointCollector {
 public:
  PointCollector(Offset base, uint64_t interval_bytes)
      : base_(base), interval_bytes_(interval_bytes), since_point_(interval_bytes) {}

  // The point for this batch, when one is due.
  std::optional<IndexPoint> pass(const BatchHead& head, uint64_t position) {
    last_ = IndexPoint{
        .timestamp = head.commit_timestamp,
        .relative_offset = static_cast<int32_t>(head.base_offset.value() - base_.value()),
        .position = static_cast<int32_t>(position)};
    bool due = since_point_ >= interval_bytes_;
    since_point_ = (due ? 0 : since_point_) + head.size;
    if (!due) return std::nullopt;
    return last_;
  }
  // Of the last batch that passed.
  std::optional<IndexPoint> last() const { return last_; }

 private:
  Offset base_;
  uint64_t interval_bytes_;
  uint64_t since_point_;
  std::optional<IndexPoint> last_;
};

// Reads all heads of a segment and writes its index anew. The last batch gets a point, as in every
// sealed segment. Returns how many points there are.
Result<size_t> rebuild_index(
    Disk& disk, const std::string& directory, Offset base, uint64_t size, uint64_t interval_bytes);

}  // namespace lakestream::log_internal
