#include "log/recovery.h"

#include <algorithm>

#include "base/logging.h"
#include "log/file_names.h"
#include "log/log_files.h"
#include "log/segment_scan.h"
#include "log/writer_states.h"

namespace lakestream::log_internal {
namespace {

// Writer states as they were at an offset of the log.
struct WritersAt {
  WriterStates writers;
  Offset offset;
  std::optional<Offset> snapshot;  // where they were loaded from

  // Adds a batch that lies at or behind the offset.
  void pass(const BatchHead& head) {
    if (head.base_offset < offset) return;
    offset = head.next_offset;
    if (head.writer_id <= kNoWriter) return;
    auto delta = static_cast<int32_t>(head.next_offset.value() - head.base_offset.value() - 1);
    writers.add(head.writer_id,
                WriterBatch{.sequence = head.batch_sequence,
                            .offset_delta = delta,
                            .last_offset = Offset(head.next_offset.value() - 1),
                            .timestamp = head.commit_timestamp});
  }

  Status pass_segment(Disk& disk, const std::string& directory, Offset base, uint64_t size) {
    ASSIGN_OR_RETURN(auto file,
                     disk.open(file_path(directory, base, FileKind::kLog), OpenMode::kRead));
    SegmentScanner scanner(*file, 0, size);
    for (;;) {
      ASSIGN_OR_RETURN(ScannedBatch batch, scanner.next(BodyCheck::kNone));
      if (batch.step != ScanStep::kBatch) return ok();
      pass(batch.head);
    }
  }
};

// The newest snapshot that can be read, at or below the limit; else nothing at the start of the
// log.
Result<WritersAt> load_writers(Disk& disk,
                               const std::string& directory,
                               const LogFiles& files,
                               Offset limit) {
  WritersAt found;
  found.offset = files.segments.begin()->first;
  for (auto at = files.snapshots.rbegin(); at != files.snapshots.rend(); ++at) {
    if (*at > limit || *at < found.offset) continue;
    ASSIGN_OR_RETURN(Bytes content,
                     read_file(disk, file_path(directory, *at, FileKind::kWriterSnapshot)));
    std::optional<WriterStates> writers = WriterStates::decode(std::move(content));
    if (!writers) continue;
    found.writers = *std::move(writers);
    found.offset = *at;
    found.snapshot = *at;
    break;
  }
  return found;
}

class Opening {
 public:
  Opening(Disk& disk, const std::string& directory, const OpenHints& hints)
      : disk_(disk), directory_(directory), hints_(hints) {}

  Result<OpenedLog> run();

 private:
  bool looks_clean() const;
  Result<bool> take_clean();

  Status finish_truncation();
  Status truncate_part(Offset target);
  Status truncate_whole(Offset start);

  Status remove_strays();
  Status recover();
  Offset recovery_offset() const;
  Status trust_segment(Offset base, Offset next_base);
  Result<bool> ends_as_indexed(Offset base, Offset next_base, OpenedSegment* segment);
  // Where a walk begins: at a batch that the index names rightly.
  struct Place {
    uint64_t position = 0;
    Offset offset;
    std::optional<size_t> points = std::nullopt;  // of the index before it; none: out of order
  };
  Result<Place> find_place(File& file, Offset base, uint64_t size, Offset from);
  struct Walk {
    OpenedSegment segment;
    std::vector<IndexPoint> points;
  };
  Result<Walk> walk(File& file, Offset base, uint64_t size, const Place& place);
  // True when the segment is whole, so that another may follow.
  Result<bool> check_segment(Offset base, Offset from);
  Status cut(File& file, const OpenedSegment& segment, uint64_t old_size);
  Status drop_segments_behind(Offset base);
  Status drop_snapshots();

  std::string path(Offset base, FileKind kind) const { return file_path(directory_, base, kind); }

  Disk& disk_;
  const std::string& directory_;
  const OpenHints& hints_;
  LogFiles files_;
  OpenedLog opened_;
  Offset recovery_point_;
  WritersAt writers_;
};

bool Opening::looks_clean() const {
  if (!hints_.clean || hints_.clean->segments.size() != files_.segments.size()) return false;
  if (files_.segments.empty()) return false;
  auto expected = hints_.clean->segments.begin();
  for (const auto& [base, segment] : files_.segments) {
    if (base != expected->base_offset || segment.size != expected->size) return false;
    if (segment.index_points < expected->index_points) return false;
    ++expected;
  }
  return true;
}

// False when the directory is not as the clean stop left it.
Result<bool> Opening::take_clean() {
  if (!looks_clean()) return false;
  if (hints_.clean->has_writers) {
    Offset end = hints_.clean->segments.back().end_offset;
    if (files_.snapshots.empty() || files_.snapshots.back() != end) return false;
    ASSIGN_OR_RETURN(Bytes content, read_file(disk_, path(end, FileKind::kWriterSnapshot)));
    std::optional<WriterStates> writers = WriterStates::decode(std::move(content));
    if (!writers) return false;
    opened_.writers = *std::move(writers);
  }
  opened_.manifest.generation = hints_.clean->generation;
  opened_.manifest.epochs = hints_.clean->epochs;
  opened_.segments = hints_.clean->segments;
  if (!files_.snapshots.empty()) opened_.snapshot = files_.snapshots.back();
  opened_.clean = true;
  return true;
}

Result<OpenedLog> Opening::run() {
  RETURN_IF_ERROR(disk_.create_directories(directory_));
  ASSIGN_OR_RETURN(files_, list_log_files(disk_, directory_));
  RETURN_IF_ERROR(remove_strays());
  ASSIGN_OR_RETURN(bool clean, take_clean());
  if (clean) return std::move(opened_);

  ASSIGN_OR_RETURN(opened_.manifest, load_manifest(disk_, directory_));
  if (hints_.cut_at && !opened_.manifest.pending) {
    opened_.manifest.pending = Truncation{.offset = *hints_.cut_at, .whole = false};
  }
  if (opened_.manifest.pending) RETURN_IF_ERROR(finish_truncation());
  if (files_.segments.empty()) {
    ASSIGN_OR_RETURN(auto file, disk_.open(path(Offset(0), FileKind::kLog), OpenMode::kCreate));
    files_.segments[Offset(0)];
  }
  RETURN_IF_ERROR(recover());
  RETURN_IF_ERROR(drop_snapshots());
  RETURN_IF_ERROR(disk_.sync_directory(directory_));
  Offset end = opened_.segments.back().end_offset;
  opened_.manifest.epochs.truncate_to(Offset(end.value() + 1));
  return std::move(opened_);
}

Status Opening::remove_strays() {
  for (const std::string& name : files_.strays) {
    LOG_WARN("log", "removed a stray file", KV("directory", directory_), KV("file", name));
    RETURN_IF_ERROR(disk_.remove(directory_ + "/" + name));
  }
  for (const std::string& name : files_.unknown) {
    LOG_WARN("log", "left an unknown file alone", KV("directory", directory_), KV("file", name));
  }
  return ok();
}

Status Opening::finish_truncation() {
  Truncation truncation = *opened_.manifest.pending;
  if (truncation.whole) {
    RETURN_IF_ERROR(truncate_whole(truncation.offset));
  } else {
    RETURN_IF_ERROR(truncate_part(truncation.offset));
  }
  RETURN_IF_ERROR(disk_.sync_directory(directory_));
  opened_.manifest.pending.reset();
  RETURN_IF_ERROR(save_manifest(disk_, directory_, opened_.manifest));
  ASSIGN_OR_RETURN(files_, list_log_files(disk_, directory_));
  return ok();
}

Status Opening::truncate_whole(Offset start) {
  for (auto at = files_.segments.rbegin(); at != files_.segments.rend(); ++at) {
    RETURN_IF_ERROR(remove_segment(disk_, directory_, at->first));
  }
  for (Offset snapshot : files_.snapshots) {
    RETURN_IF_ERROR(disk_.remove(path(snapshot, FileKind::kWriterSnapshot)));
  }
  return disk_.open(path(start, FileKind::kLog), OpenMode::kCreate).map([](auto&&) {});
}

Status Opening::truncate_part(Offset target) {
  while (files_.segments.size() > 1 && files_.segments.rbegin()->first >= target) {
    Offset base = files_.segments.rbegin()->first;
    RETURN_IF_ERROR(remove_segment(disk_, directory_, base));
    files_.segments.erase(base);
  }
  for (Offset snapshot : files_.snapshots) {
    if (snapshot <= target) continue;
    RETURN_IF_ERROR(disk_.remove(path(snapshot, FileKind::kWriterSnapshot)));
  }
  if (files_.segments.empty()) return ok();
  Offset base = files_.segments.rbegin()->first;
  ASSIGN_OR_RETURN(auto file, disk_.open(path(base, FileKind::kLog), OpenMode::kWrite));
  SegmentScanner scanner(*file, 0, files_.segments.rbegin()->second.size);
  uint64_t position = 0;
  for (;;) {
    ASSIGN_OR_RETURN(ScannedBatch batch, scanner.next(BodyCheck::kNone));
    if (batch.step != ScanStep::kBatch || batch.head.next_offset > target) break;
    position = scanner.position();
  }
  RETURN_IF_ERROR(file->truncate(position));
  RETURN_IF_ERROR(file->sync());
  ASSIGN_OR_RETURN(IndexFiles index, IndexFiles::open(disk_, directory_, base));
  ASSIGN_OR_RETURN(size_t points, index.count_before(position));
  return write_points(disk_, directory_, base, points, {});
}

Offset Opening::recovery_offset() const {
  Offset offset = hints_.recovery_point.offset;
  if (hints_.recovery_point.generation != opened_.manifest.generation) {
    offset = std::min(offset, opened_.manifest.truncated_to);
  }
  return std::max(offset, files_.segments.begin()->first);
}

Status Opening::recover() {
  recovery_point_ = recovery_offset();
  ASSIGN_OR_RETURN(writers_, load_writers(disk_, directory_, files_, recovery_point_));
  auto checked = std::prev(files_.segments.upper_bound(recovery_point_));
  for (auto at = files_.segments.begin(); at != checked; ++at) {
    Offset next_base = std::next(at)->first;
    RETURN_IF_ERROR(trust_segment(at->first, next_base));
    if (next_base <= writers_.offset) continue;
    RETURN_IF_ERROR(writers_.pass_segment(disk_, directory_, at->first, at->second.size));
  }
  Offset from = std::max(checked->first, std::min(writers_.offset, recovery_point_));
  std::vector<Offset> bases;
  for (; checked != files_.segments.end(); ++checked) bases.push_back(checked->first);
  for (Offset base : bases) {
    bool follows = base == bases.front() || base == opened_.segments.back().end_offset;
    bool whole = false;
    if (follows) {
      // Those from before the end of the process may be of batches that were undone.
      if (base > recovery_point_) {
        RETURN_IF_ERROR(write_writer_snapshot(disk_, directory_, base, writers_.writers.encode()));
      }
      ASSIGN_OR_RETURN(whole, check_segment(base, std::max(base, from)));
    }
    if (!whole) {
      RETURN_IF_ERROR(drop_segments_behind(opened_.segments.back().base_offset));
      break;
    }
  }
  opened_.writers = std::move(writers_.writers);
  opened_.snapshot = writers_.snapshot;
  return ok();
}

// A segment below the recovery point: its last index entry leads to its last batch.
Status Opening::trust_segment(Offset base, Offset next_base) {
  OpenedSegment segment;
  ASSIGN_OR_RETURN(bool right, ends_as_indexed(base, next_base, &segment));
  if (!right) {
    uint64_t size = files_.segments[base].size;
    LOG_WARN("log", "rebuilds an index", KV("directory", directory_), KV("segment", base));
    RETURN_IF_ERROR(rebuild_index(disk_, directory_, base, size, hints_.index_interval_bytes));
    opened_.bytes_scanned += size;
    ASSIGN_OR_RETURN(right, ends_as_indexed(base, next_base, &segment));
  }
  if (!right) {
    return make_error(ErrorCode::kStorageException,
                      "{}: segment {} does not end at {}, where the next one starts; a file is "
                      "missing or damaged; remove the log's directory or restore it from a replica",
                      directory_,
                      base,
                      next_base);
  }
  opened_.segments.push_back(segment);
  return ok();
}

Result<bool> Opening::ends_as_indexed(Offset base, Offset next_base, OpenedSegment* segment) {
  ASSIGN_OR_RETURN(IndexFiles index, IndexFiles::open(disk_, directory_, base));
  if (index.count() == 0) return false;
  ASSIGN_OR_RETURN(IndexPoint last, index.at(index.count() - 1));
  uint64_t size = files_.segments[base].size;
  if (last.position < 0 || static_cast<uint64_t>(last.position) >= size) return false;
  ASSIGN_OR_RETURN(auto file, disk_.open(path(base, FileKind::kLog), OpenMode::kRead));
  auto position = static_cast<uint64_t>(last.position);
  ASSIGN_OR_RETURN(std::optional<BatchHead> head, read_head_at(*file, position, size));
  if (!head || position + head->size != size || head->next_offset != next_base) return false;
  *segment = OpenedSegment{.base_offset = base,
                           .end_offset = next_base,
                           .size = size,
                           .first_timestamp = TimestampMs(-1),
                           .max_timestamp = head->commit_timestamp,
                           .index_points = index.count()};
  return true;
}

// Strictly before `from`, so that the walk passes at least one batch that is known to be there.
Result<Opening::Place> Opening::find_place(File& file, Offset base, uint64_t size, Offset from) {
  Place start{.position = 0, .offset = base, .points = 0};
  ASSIGN_OR_RETURN(IndexFiles index, IndexFiles::open(disk_, directory_, base));
  ASSIGN_OR_RETURN(std::optional<IndexPoint> point,
                   index.floor(from.value() - 1 - base.value(), index.count()));
  if (!point || point->position < 0) return start;
  Place place{.position = static_cast<uint64_t>(point->position),
              .offset = Offset(base.value() + point->relative_offset)};
  ASSIGN_OR_RETURN(std::optional<BatchHead> head, read_head_at(file, place.position, size));
  if (!head || head->base_offset != place.offset) return start;
  ASSIGN_OR_RETURN(size_t points, index.count_before(place.position));
  if (points == index.count()) return place;
  ASSIGN_OR_RETURN(IndexPoint found, index.at(points));
  ASSIGN_OR_RETURN(bool ascends, index.ascends(points + 1));
  if (ascends && found == *point) place.points = points;
  return place;
}

Result<Opening::Walk> Opening::walk(File& file, Offset base, uint64_t size, const Place& place) {
  Walk result;
  OpenedSegment& segment = result.segment;
  segment.base_offset = base;
  segment.end_offset = place.offset;
  segment.size = place.position;
  SegmentScanner scanner(file, place.position, size);
  PointCollector collector(base, hints_.index_interval_bytes);
  for (;;) {
    bool known = segment.end_offset < recovery_point_;
    ASSIGN_OR_RETURN(ScannedBatch batch,
                     scanner.next(known ? BodyCheck::kNone : BodyCheck::kChecksum));
    if (batch.step != ScanStep::kBatch || batch.head.base_offset != segment.end_offset) break;
    writers_.pass(batch.head);
    if (auto due = collector.pass(batch.head, batch.position)) result.points.push_back(*due);
    segment.end_offset = batch.head.next_offset;
    segment.size = scanner.position();
    segment.max_timestamp = std::max(segment.max_timestamp, batch.head.commit_timestamp);
  }
  opened_.bytes_scanned += size - place.position;
  auto last = collector.last();
  if (last && (result.points.empty() || result.points.back() != *last)) {
    result.points.push_back(*last);
  }
  return result;
}

// Walks the batches from the one before `from` on: writers learn what they do not know yet, and
// what lies at or behind the recovery point must be sound. The index behind the start of the walk
// is made anew.
Result<bool> Opening::check_segment(Offset base, Offset from) {
  ASSIGN_OR_RETURN(auto file, disk_.open(path(base, FileKind::kLog), OpenMode::kWrite));
  uint64_t size = files_.segments[base].size;
  ASSIGN_OR_RETURN(Place place, find_place(*file, base, size, from));
  std::vector<IndexPoint> points;
  if (!place.points) {
    ASSIGN_OR_RETURN(Walk before, walk(*file, base, place.position, {.offset = base}));
    points = std::move(before.points);
  }
  ASSIGN_OR_RETURN(Walk walked, walk(*file, base, size, place));
  points.insert(points.end(), walked.points.begin(), walked.points.end());
  OpenedSegment& segment = walked.segment;
  ASSIGN_OR_RETURN(std::optional<BatchHead> first, read_head_at(*file, 0, segment.size));
  if (first) segment.first_timestamp = first->commit_timestamp;
  size_t kept = place.points.value_or(0);
  RETURN_IF_ERROR(write_points(disk_, directory_, base, kept, points));
  segment.index_points = kept + points.size();
  opened_.segments.push_back(segment);
  RETURN_IF_ERROR(cut(*file, segment, size));
  return segment.size == size;
}

Status Opening::cut(File& file, const OpenedSegment& segment, uint64_t old_size) {
  if (segment.size < old_size) {
    opened_.bytes_cut += old_size - segment.size;
    if (segment.end_offset < recovery_point_) {
      LOG_ERROR("log",
                "damage below the recovery point, acknowledged records are lost",
                KV("directory", directory_),
                KV("log_end", segment.end_offset),
                KV("recovery_point", recovery_point_));
    }
    RETURN_IF_ERROR(file.truncate(segment.size));
  }
  return file.sync();
}

Status Opening::drop_segments_behind(Offset base) {
  while (files_.segments.rbegin()->first > base) {
    Offset dropped = files_.segments.rbegin()->first;
    opened_.bytes_cut += files_.segments.rbegin()->second.size;
    RETURN_IF_ERROR(remove_segment(disk_, directory_, dropped));
    files_.segments.erase(dropped);
  }
  return ok();
}

// Kept are the one that was loaded and those where segments begin.
Status Opening::drop_snapshots() {
  for (Offset snapshot : files_.snapshots) {
    if (files_.segments.contains(snapshot) || snapshot == opened_.snapshot) continue;
    RETURN_IF_ERROR(disk_.remove(path(snapshot, FileKind::kWriterSnapshot)));
  }
  return ok();
}

}  // namespace

Result<std::optional<Bytes>> missing_writer_snapshot(Disk& disk,
                                                     const std::string& directory,
                                                     Offset offset) {
  ASSIGN_OR_RETURN(LogFiles files, list_log_files(disk, directory));
  ASSIGN_OR_RETURN(WritersAt writers, load_writers(disk, directory, files, offset));
  if (writers.snapshot == offset) return std::optional<Bytes>();
  for (const auto& [base, segment] : files.segments) {
    if (base >= offset) break;
    RETURN_IF_ERROR(writers.pass_segment(disk, directory, base, segment.size));
  }
  return std::optional<Bytes>(writers.writers.encode());
}

Status secure_writer_snapshot(Disk& disk,
                              const std::string& directory,
                              Offset offset,
                              const std::optional<Bytes>& content) {
  if (content) RETURN_IF_ERROR(write_writer_snapshot(disk, directory, offset, *content));
  std::string path = file_path(directory, offset, FileKind::kWriterSnapshot);
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(path, OpenMode::kWrite));
  RETURN_IF_ERROR(file->sync());
  return disk.sync_directory(directory);
}

Result<OpenedLog> open_log_directory(Disk& disk,
                                     const std::string& directory,
                                     const OpenHints& hints) {
  return Opening(disk, directory, hints).run();
}

}  // namespace lakestream::log_internal
