#include "log/remote_segment.h"

#include <algorithm>
#include <vector>

#include "base/endian.h"
#include "io/disk.h"
#include "io/object_store.h"
#include "log/batch_select.h"
#include "log/file_names.h"
#include "log/segment_scan.h"
#include "log/writer_states.h"

namespace lakestream {
namespace {

using namespace log_internal;

// Read in front of the wanted batches, as an index knows their place only roughly.
constexpr uint64_t kSkipBytes = 16 << 10;
// One read while heads are looked at.
constexpr size_t kHeadsBytes = 1 << 20;

tl::unexpected<Error> damaged(const std::string& path, uint64_t position, uint64_t size) {
  return make_error(ErrorCode::kCorruptRecordException,
                    "{}: no whole batch at byte {} of {}; the file is damaged, restore it",
                    path,
                    position,
                    size);
}

RemoteIndex encode_points(const std::vector<IndexPoint>& points) {
  MutableBytes offsets = MutableBytes::allocate(points.size() * kIndexEntryBytes);
  MutableBytes times = MutableBytes::allocate(points.size() * kTimeIndexEntryBytes);
  uint8_t* offset_at = offsets.span().data();
  uint8_t* time_at = times.span().data();
  for (const IndexPoint& point : points) {
    store_be(offset_at, point.relative_offset);
    store_be(offset_at + 4, point.position);
    store_be(time_at, point.timestamp.value());
    store_be(time_at + 8, point.relative_offset);
    offset_at += kIndexEntryBytes;
    time_at += kTimeIndexEntryBytes;
  }
  return {std::move(offsets).freeze(), std::move(times).freeze()};
}

// How many of `count` come before what is looked for.
template <typename Before>
size_t partition_point(size_t count, Before before) {
  size_t begin = 0;
  while (count > 0) {
    size_t half = count / 2;
    if (before(begin + half)) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}

// The position of the point in front of the first `count` ones.
uint64_t position_before(const RemoteSegment& segment, const RemoteIndex& index, size_t count) {
  if (count == 0) return 0;
  auto position = load_be<int32_t>(index.offsets.data() + (count - 1) * kIndexEntryBytes + 4);
  return position < 0 || static_cast<uint64_t>(position) >= segment.size
             ? 0
             : static_cast<uint64_t>(position);
}

Result<Bytes> read_piece(ObjectStore& objects,
                         const RemoteSegment& segment,
                         uint64_t position,
                         uint64_t size) {
  ASSIGN_OR_RETURN(std::optional<Bytes> piece, objects.get_range(segment.path, position, size));
  if (!piece) {
    return make_error(ErrorCode::kStorageException,
                      "{} is not in remote storage any more; read on from a later offset",
                      segment.path);
  }
  if (piece->size() < size) return damaged(segment.path, position + piece->size(), segment.size);
  return std::move(*piece);
}

// A position that an index names wrongly is no reason to fail: the start always is right.
Result<uint64_t> checked_position(ObjectStore& objects,
                                  const RemoteSegment& segment,
                                  uint64_t position,
                                  Offset limit) {
  if (position == 0) return position;
  uint64_t size = std::min<uint64_t>(kBatchHeadBytesMax, segment.size - position);
  ASSIGN_OR_RETURN(Bytes bytes, read_piece(objects, segment, position, size));
  std::optional<BatchHead> head = read_batch_head(bytes.span());
  bool right = head && head->base_offset >= segment.base_offset && head->base_offset <= limit &&
               head->size <= segment.size - position;
  return right ? position : uint64_t{0};
}

}  // namespace

Result<SegmentExtras> check_segment(Disk& disk,
                                    const LogSegment& segment,
                                    uint64_t index_interval_bytes) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(segment.path, OpenMode::kRead));
  SegmentScanner scanner(*file, 0, segment.size);
  PointCollector collector(segment.base_offset, index_interval_bytes);
  std::vector<IndexPoint> points;
  Offset next = segment.base_offset;
  for (;;) {
    ASSIGN_OR_RETURN(ScannedBatch batch, scanner.next(BodyCheck::kChecksum));
    if (batch.step == ScanStep::kEnd) break;
    if (batch.step == ScanStep::kDamaged || batch.head.base_offset != next) {
      return damaged(segment.path, batch.position, segment.size);
    }
    next = batch.head.next_offset;
    if (auto point = collector.pass(batch.head, batch.position)) points.push_back(*point);
  }
  if (next != segment.end_offset) return damaged(segment.path, segment.size, segment.size);
  auto last = collector.last();
  if (last && points.back() != *last) points.push_back(*last);
  SegmentExtras extras{.index = encode_points(points), .writer_snapshot = {}};
  std::string_view path = segment.path;
  std::string snapshot = file_path(
      path.substr(0, path.find_last_of('/')), segment.end_offset, FileKind::kWriterSnapshot);
  ASSIGN_OR_RETURN(bool present, disk.exists(snapshot));
  if (!present) return extras;
  ASSIGN_OR_RETURN(Bytes content, read_file(disk, snapshot));
  if (WriterStates::decode(content)) extras.writer_snapshot = std::move(content);
  return extras;
}

uint64_t remote_position(const RemoteSegment& segment, const RemoteIndex& index, Offset offset) {
  int64_t relative = offset.value() - segment.base_offset.value();
  size_t count = partition_point(index.offsets.size() / kIndexEntryBytes, [&](size_t point) {
    return load_be<int32_t>(index.offsets.data() + point * kIndexEntryBytes) <= relative;
  });
  return position_before(segment, index, count);
}

Result<LogRead> read_remote_segment(ObjectStore& objects,
                                    const RemoteSegment& segment,
                                    const RemoteIndex& index,
                                    const ReadRequest& request) {
  LogRead read{.records = {}, .first_offset = request.from, .end_offset = request.from};
  ASSIGN_OR_RETURN(
      uint64_t position,
      checked_position(
          objects, segment, remote_position(segment, index, request.from), request.from));
  uint64_t needed = 0;
  while (position < segment.size) {
    uint64_t wanted = std::max<uint64_t>(needed, uint64_t{request.bytes_max} + kSkipBytes);
    wanted = std::min(wanted, segment.size - position);
    ASSIGN_OR_RETURN(Bytes bytes, read_piece(objects, segment, position, wanted));
    Selection chosen = select_batches(
        bytes.span(), request.from, request.limit, request.bytes_max, request.at_least_one);
    if (!chosen.empty()) {
      if (chosen.first_offset > request.from) {
        return damaged(segment.path, position + chosen.begin, segment.size);
      }
      read.records.append(bytes.slice(chosen.begin, chosen.end - chosen.begin));
      read.first_offset = chosen.first_offset;
      read.end_offset = chosen.end_offset;
      break;
    }
    if (chosen.damaged) return damaged(segment.path, position + chosen.end, segment.size);
    // Everything was passed over, or the wanted batch is not wholly in the piece.
    bool goes_on = chosen.cut_short > 0 || chosen.end == bytes.size();
    if (!goes_on) break;
    position += chosen.end;
    needed = chosen.cut_short;
    if (needed > segment.size - position) return damaged(segment.path, position, segment.size);
  }
  return read;
}

Result<Offset> find_remote_time(ObjectStore& objects,
                                const RemoteSegment& segment,
                                const RemoteIndex& index,
                                TimestampMs timestamp) {
  size_t points =
      std::min(index.offsets.size() / kIndexEntryBytes, index.times.size() / kTimeIndexEntryBytes);
  size_t count = partition_point(points, [&](size_t point) {
    const uint8_t* time = index.times.data() + point * kTimeIndexEntryBytes;
    return TimestampMs(load_be<int64_t>(time)) < timestamp;
  });
  ASSIGN_OR_RETURN(
      uint64_t position,
      checked_position(
          objects, segment, position_before(segment, index, count), segment.end_offset));
  while (position < segment.size) {
    uint64_t wanted = std::min<uint64_t>(kHeadsBytes, segment.size - position);
    ASSIGN_OR_RETURN(Bytes bytes, read_piece(objects, segment, position, wanted));
    size_t at = 0;
    while (at < bytes.size()) {
      std::optional<BatchHead> head = read_batch_head(bytes.span().subspan(at));
      if (!head && bytes.size() - at < kBatchHeadBytesMax && at > 0) break;
      if (!head || head->size > segment.size - position - at) {
        return damaged(segment.path, position + at, segment.size);
      }
      if (head->commit_timestamp >= timestamp) return head->base_offset;
      at += head->size;
    }
    position += at;  // beyond the piece when its last batch is
  }
  return segment.end_offset;
}

}  // namespace lakestream
