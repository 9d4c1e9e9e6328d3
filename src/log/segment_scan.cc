#include "log/segment_scan.h"

#include <algorithm>

#include "log/file_names.h"

namespace lakestream::log_internal {
namespace {

constexpr size_t kReadAheadBytes = 256 << 10;

}  // namespace

Result<std::span<const uint8_t>> SegmentScanner::look(size_t size) {
  size = static_cast<size_t>(std::min<uint64_t>(size, end_ - position_));
  uint64_t buffer_end = buffer_position_ + buffered_;
  bool inside = position_ >= buffer_position_ && position_ + size <= buffer_end;
  if (!inside) {
    size_t wanted = std::max(size, kReadAheadBytes);
    wanted = static_cast<size_t>(std::min<uint64_t>(wanted, end_ - position_));
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    ASSIGN_OR_RETURN(buffered_,
                     file_.read_at(position_, std::span<uint8_t>(buffer_.data(), wanted)));
    buffer_position_ = position_;
  }
  size_t skip = static_cast<size_t>(position_ - buffer_position_);
  return std::span<const uint8_t>(buffer_.data() + skip, buffered_ - skip);
}

Result<ScannedBatch> SegmentScanner::next(BodyCheck check) {
  ScannedBatch batch{.step = ScanStep::kEnd, .position = position_, .head = {}};
  if (position_ >= end_) return batch;
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, look(kBatchHeadBytesMax));
  std::optional<BatchHead> head = read_batch_head(bytes);
  batch.step = ScanStep::kDamaged;
  if (!head || head->size > end_ - position_) return batch;
  if (check == BodyCheck::kChecksum) {
    ASSIGN_OR_RETURN(bytes, look(head->size));
    if (bytes.size() < head->size) return batch;
    auto view = BatchView::parse(Bytes(bytes.data(), head->size, nullptr));
    if (!view || !view->validate_crc()) return batch;
  }
  batch.step = ScanStep::kBatch;
  batch.head = *head;
  position_ += head->size;
  return batch;
}

Result<std::optional<BatchHead>> read_head_at(File& file, uint64_t position, uint64_t size) {
  if (position >= size) return std::optional<BatchHead>();
  uint8_t bytes[kBatchHeadBytesMax];
  uint64_t wanted = std::min<uint64_t>(size - position, kBatchHeadBytesMax);
  ASSIGN_OR_RETURN(size_t count,
                   file.read_at(position, std::span<uint8_t>(bytes, static_cast<size_t>(wanted))));
  std::optional<BatchHead> head = read_batch_head({bytes, count});
  if (head && head->size > size - position) head.reset();
  return head;
}

Result<size_t> rebuild_index(
    Disk& disk, const std::string& directory, Offset base, uint64_t size, uint64_t interval_bytes) {
  std::string path = file_path(directory, base, FileKind::kLog);
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(path, OpenMode::kRead));
  SegmentScanner scanner(*file, 0, size);
  PointCollector collector(base, interval_bytes);
  std::vector<IndexPoint> points;
  for (;;) {
    ASSIGN_OR_RETURN(ScannedBatch batch, scanner.next(BodyCheck::kNone));
    if (batch.step == ScanStep::kEnd) break;
    if (batch.step == ScanStep::kDamaged) {
      return make_error(ErrorCode::kCorruptRecordException,
                        "{}: no batch at byte {} of {}; the disk damaged the file; remove the "
                        "log's directory or restore it from a replica",
                        path,
                        batch.position,
                        size);
    }
    if (auto point = collector.pass(batch.head, batch.position)) points.push_back(*point);
  }
  auto last = collector.last();
  if (last && (points.empty() || points.back() != *last)) points.push_back(*last);
  RETURN_IF_ERROR(write_points(disk, directory, base, 0, points));
  return points.size();
}

}  // namespace lakestream::log_internal
