#include "log/segment_index.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/endian.h"
#include "log/file_names.h"

namespace lakestream::log_internal {
namespace {

// Points kept in memory behind those that are not in the files yet: readers close to the end find
// their place without the pool.
constexpr size_t kKept = 256;

}  // namespace

std::optional<IndexPoint> SegmentIndex::floor(int64_t relative_offset) const {
  auto above = std::upper_bound(
      points_.begin(), points_.end(), relative_offset, [](int64_t asked, const IndexPoint& point) {
        return asked < point.relative_offset;
      });
  if (above == points_.begin()) return std::nullopt;
  return *std::prev(above);
}

std::optional<IndexPoint> SegmentIndex::floor(TimestampMs timestamp) const {
  auto from = std::lower_bound(
      points_.begin(), points_.end(), timestamp, [](const IndexPoint& point, TimestampMs asked) {
        return point.timestamp < asked;
      });
  if (from == points_.begin()) return std::nullopt;
  return *std::prev(from);
}

std::optional<IndexPoint> SegmentIndex::last() const {
  if (points_.empty()) return std::nullopt;
  return points_.back();
}

void SegmentIndex::truncate(uint64_t position) {
  while (!points_.empty() && static_cast<uint64_t>(points_.back().position) >= position) {
    points_.pop_back();
  }
  CHECK(count() >= persisted_, "a point in the files is not forgotten");
}

std::vector<IndexPoint> SegmentIndex::unpersisted(uint64_t position) const {
  auto begin = points_.begin() + static_cast<ptrdiff_t>(persisted_ - first_);
  auto end = begin;
  while (end != points_.end() && static_cast<uint64_t>(end->position) < position) ++end;
  return {begin, end};
}

void SegmentIndex::set_persisted(size_t count) {
  CHECK(count >= first_ && count <= this->count(), "points in the files");
  persisted_ = count;
  size_t in_files = persisted_ - first_;
  if (in_files < 2 * kKept) return;
  size_t dropped = in_files - kKept;
  points_.erase(points_.begin(), points_.begin() + static_cast<ptrdiff_t>(dropped));
  first_ += dropped;
}

Result<IndexFiles> IndexFiles::open(Disk& disk, const std::string& directory, Offset base) {
  IndexFiles files;
  std::string offsets = file_path(directory, base, FileKind::kIndex);
  std::string times = file_path(directory, base, FileKind::kTimeIndex);
  ASSIGN_OR_RETURN(bool has_offsets, disk.exists(offsets));
  ASSIGN_OR_RETURN(bool has_times, disk.exists(times));
  if (!has_offsets || !has_times) return files;
  ASSIGN_OR_RETURN(files.offsets_, disk.open(offsets, OpenMode::kRead));
  ASSIGN_OR_RETURN(files.times_, disk.open(times, OpenMode::kRead));
  ASSIGN_OR_RETURN(uint64_t offsets_size, files.offsets_->size());
  ASSIGN_OR_RETURN(uint64_t times_size, files.times_->size());
  files.count_ = static_cast<size_t>(
      std::min(offsets_size / kIndexEntryBytes, times_size / kTimeIndexEntryBytes));
  return files;
}

Result<IndexPoint> IndexFiles::at(size_t index) const {
  uint8_t offset_entry[kIndexEntryBytes] = {};
  uint8_t time_entry[kTimeIndexEntryBytes] = {};
  ASSIGN_OR_RETURN(size_t offset_bytes, offsets_->read_at(index * kIndexEntryBytes, offset_entry));
  ASSIGN_OR_RETURN(size_t time_bytes, times_->read_at(index * kTimeIndexEntryBytes, time_entry));
  if (offset_bytes != kIndexEntryBytes || time_bytes != kTimeIndexEntryBytes) {
    return make_error(
        ErrorCode::kStorageException, "index entry {} is behind the end of its file", index);
  }
  return IndexPoint{.timestamp = TimestampMs(load_be<int64_t>(time_entry)),
                    .relative_offset = load_be<int32_t>(offset_entry),
                    .position = load_be<int32_t>(offset_entry + 4)};
}

template <typename Below>
Result<size_t> IndexFiles::partition_point(size_t count, Below below) const {
  size_t begin = 0;
  size_t end = std::min(count, count_);
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    ASSIGN_OR_RETURN(IndexPoint point, at(middle));
    if (below(point)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

Result<std::optional<IndexPoint>> IndexFiles::floor(int64_t relative_offset, size_t count) const {
  ASSIGN_OR_RETURN(size_t above, partition_point(count, [&](const IndexPoint& point) {
                     return point.relative_offset <= relative_offset;
                   }));
  if (above == 0) return std::optional<IndexPoint>();
  ASSIGN_OR_RETURN(IndexPoint point, at(above - 1));
  return std::optional<IndexPoint>(point);
}

Result<std::optional<IndexPoint>> IndexFiles::floor(TimestampMs timestamp, size_t count) const {
  ASSIGN_OR_RETURN(size_t from, partition_point(count, [&](const IndexPoint& point) {
                     return point.timestamp < timestamp;
                   }));
  if (from == 0) return std::optional<IndexPoint>();
  ASSIGN_OR_RETURN(IndexPoint point, at(from - 1));
  return std::optional<IndexPoint>(point);
}

Result<size_t> IndexFiles::count_before(uint64_t position) const {
  return partition_point(count_, [&](const IndexPoint& point) {
    return point.position >= 0 && static_cast<uint64_t>(point.position) < position;
  });
}

Result<bool> IndexFiles::ascends(size_t count) const {
  MutableBytes entries = MutableBytes::allocate(std::min(count, count_) * kIndexEntryBytes);
  if (entries.size() == 0) return true;
  ASSIGN_OR_RETURN(size_t read, offsets_->read_at(0, entries.span()));
  int32_t offset = -1;
  int32_t position = -1;
  for (size_t at = 0; at + kIndexEntryBytes <= read; at += kIndexEntryBytes) {
    int32_t next_offset = load_be<int32_t>(entries.data() + at);
    int32_t next_position = load_be<int32_t>(entries.data() + at + 4);
    if (next_offset <= offset || next_position <= position) return false;
    offset = next_offset;
    position = next_position;
  }
  return read == entries.size();
}

Status write_points(Disk& disk,
                    const std::string& directory,
                    Offset base,
                    size_t begin,
                    std::span<const IndexPoint> points) {
  MutableBytes offsets = MutableBytes::allocate(points.size() * kIndexEntryBytes);
  MutableBytes times = MutableBytes::allocate(points.size() * kTimeIndexEntryBytes);
  for (size_t i = 0; i < points.size(); ++i) {
    uint8_t* offset_entry = offsets.data() + i * kIndexEntryBytes;
    uint8_t* time_entry = times.data() + i * kTimeIndexEntryBytes;
    store_be<int32_t>(offset_entry, points[i].relative_offset);
    store_be<int32_t>(offset_entry + 4, points[i].position);
    store_be<int64_t>(time_entry, points[i].timestamp.value());
    store_be<int32_t>(time_entry + 8, points[i].relative_offset);
  }
  auto write = [&](FileKind kind, uint64_t entry_bytes, Bytes content) -> Status {
    ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                     disk.open(file_path(directory, base, kind), OpenMode::kCreate));
    uint64_t end = (begin + points.size()) * entry_bytes;
    ASSIGN_OR_RETURN(uint64_t size, file->size());
    if (size > end) RETURN_IF_ERROR(file->truncate(end));
    if (content.empty()) return ok();
    return file->write_at(begin * entry_bytes, {&content, 1});
  };
  RETURN_IF_ERROR(write(FileKind::kIndex, kIndexEntryBytes, std::move(offsets).freeze()));
  return write(FileKind::kTimeIndex, kTimeIndexEntryBytes, std::move(times).freeze());
}

}  // namespace lakestream::log_internal
