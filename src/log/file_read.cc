#include "log/file_read.h"

#include <algorithm>

#include "log/batch_select.h"
#include "log/file_names.h"
#include "log/segment_scan.h"

namespace lakestream::log_internal {
namespace {

// Read in front of the wanted batches when their place is only known roughly.
constexpr size_t kSkipBytes = 16 << 10;
// Ranges with a smaller gap between them are read together: copying it costs no more than a call.
constexpr size_t kGapBytesMax = 8 << 10;

tl::unexpected<Error> damaged(const FileReadPlan& plan, uint64_t position) {
  return make_error(ErrorCode::kCorruptRecordException,
                    "{}: no batch at byte {} of {}; the disk damaged the file; remove the log's "
                    "directory or restore it from a replica",
                    file_path(plan.directory, plan.base_offset, FileKind::kLog),
                    position,
                    plan.end);
}

// Fronts that are read ahead in one go on the pool.
constexpr size_t kFrontsMax = 64;

enum class Wait : uint8_t { kNo, kYes };

// Batches from `position` on.
Result<FileReadResult> read_from(File& file,
                                 const FileReadPlan& plan,
                                 uint64_t position,
                                 const ReadRequest& request,
                                 Wait wait) {
  FileReadResult result{.file = plan.file,
                        .batches = {},
                        .first_offset = request.from,
                        .end_offset = request.from,
                        .end_position = position};
  uint64_t needed = 0;
  while (position < plan.end) {
    uint64_t wanted = std::max<uint64_t>(needed, uint64_t{request.bytes_max} + kSkipBytes);
    wanted = std::min(wanted, plan.end - position);
    MutableBytes slab = MutableBytes::allocate(static_cast<size_t>(wanted));
    if (wait == Wait::kNo) {
      ASSIGN_OR_RETURN(std::optional<size_t> count, file.try_read_at(position, slab.span()));
      if (!count || *count < wanted) {
        result.would_block = true;
        return result;
      }
    } else {
      ASSIGN_OR_RETURN(size_t count, file.read_at(position, slab.span()));
      if (count < wanted) return damaged(plan, position + count);
    }
    Bytes bytes = std::move(slab).freeze();
    Selection chosen = select_batches(
        bytes.span(), request.from, request.limit, request.bytes_max, request.at_least_one);
    if (!chosen.empty()) {
      if (chosen.first_offset > request.from) return damaged(plan, position + chosen.begin);
      result.batches = bytes.slice(chosen.begin, chosen.end - chosen.begin);
      result.first_offset = chosen.first_offset;
      result.end_offset = chosen.end_offset;
      result.end_position = position + chosen.end;
      break;
    }
    if (chosen.damaged) return damaged(plan, position + chosen.end);
    // Everything was passed over, or the wanted batch is not wholly in the slab.
    bool goes_on = chosen.cut_short > 0 || chosen.end == bytes.size();
    if (!goes_on) break;
    position += chosen.end;
    needed = chosen.cut_short;
    if (needed > plan.end - position && chosen.end == 0) return damaged(plan, position);
  }
  return result;
}

Result<std::shared_ptr<File>> open_file(Disk& disk, const FileReadPlan& plan) {
  if (plan.file != nullptr) return plan.file;
  ASSIGN_OR_RETURN(
      std::shared_ptr<File> file,
      disk.open(file_path(plan.directory, plan.base_offset, FileKind::kLog), OpenMode::kWrite));
  return file;
}

// The position of the batch that the point names, or the start when it is not there.
Result<uint64_t> trusted_position(File& file,
                                  const FileReadPlan& plan,
                                  const std::optional<IndexPoint>& point,
                                  bool* index_damaged) {
  if (!point) return uint64_t{0};
  auto position = static_cast<uint64_t>(std::max(0, point->position));
  ASSIGN_OR_RETURN(std::optional<BatchHead> head, read_head_at(file, position, plan.end));
  bool right = point->position >= 0 && head &&
               head->base_offset.value() == plan.base_offset.value() + point->relative_offset;
  *index_damaged = !right;
  return right ? position : uint64_t{0};
}

// The position of a batch at or before the offset.
Result<uint64_t> position_before(
    Disk& disk, File& file, const FileReadPlan& plan, Offset offset, bool* index_damaged) {
  if (plan.position) return *plan.position;
  ASSIGN_OR_RETURN(IndexFiles index, IndexFiles::open(disk, plan.directory, plan.base_offset));
  int64_t relative = offset.value() - plan.base_offset.value();
  ASSIGN_OR_RETURN(std::optional<IndexPoint> point, index.floor(relative, plan.index_points));
  ASSIGN_OR_RETURN(uint64_t position, trusted_position(file, plan, point, index_damaged));
  *index_damaged = *index_damaged || index.count() < plan.index_points;
  return position;
}

}  // namespace

Result<FileReadResult> try_read_batches(const FileReadPlan& plan, const ReadRequest& request) {
  CHECK(plan.file != nullptr && plan.position, "a read on the shard knows its place");
  return read_from(*plan.file, plan, *plan.position, request, Wait::kNo);
}

Result<VisitEnd> visit_batches(const FileReadPlan& plan,
                               Offset from,
                               Offset limit,
                               const VisitRules& rules,
                               BatchVisitor& visitor) {
  CHECK(plan.file != nullptr && plan.position, "a read on the shard knows its place");
  VisitEnd end{.offset = from, .position = *plan.position};
  uint64_t position = *plan.position;
  std::vector<uint8_t> front;
  while (position < plan.end) {
    front.resize(static_cast<size_t>(std::min<uint64_t>(rules.front_bytes, plan.end - position)));
    ASSIGN_OR_RETURN(std::optional<size_t> count, plan.file->try_read_at(position, front));
    if (!count || *count < front.size()) break;
    std::optional<BatchHead> head = read_batch_head(front);
    // What is damaged is for the read of whole batches to report.
    if (!head || head->size < rules.batch_bytes_min || head->size > plan.end - position) break;
    bool passed_over = head->next_offset <= from;
    if (!passed_over) {
      if (head->base_offset >= limit || head->base_offset > end.offset) break;
      StoredBatch batch(*plan.file, position, head->size, std::move(front));
      ASSIGN_OR_RETURN(bool taken, visitor(batch));
      if (!taken) break;
      end = {.offset = head->next_offset, .position = position + head->size};
    }
    position += head->size;
  }
  return end;
}

Result<FrontsRead> read_fronts(Disk& disk,
                               const FileReadPlan& plan,
                               Offset from,
                               const VisitRules& rules) {
  FrontsRead fronts;
  ASSIGN_OR_RETURN(fronts.file, open_file(disk, plan));
  bool index_damaged = false;  // the read of whole batches sees to it
  ASSIGN_OR_RETURN(uint64_t position,
                   position_before(disk, *fronts.file, plan, from, &index_damaged));
  fronts.position = position;
  std::vector<uint8_t> front;
  while (position < plan.end && fronts.count < kFrontsMax) {
    front.resize(static_cast<size_t>(std::min<uint64_t>(rules.front_bytes, plan.end - position)));
    ASSIGN_OR_RETURN(size_t count, fronts.file->read_at(position, front));
    std::optional<BatchHead> head = read_batch_head(std::span(front).first(count));
    if (!head || head->size > plan.end - position) break;
    bool passed_over = head->next_offset <= from;
    if (!passed_over && head->size < rules.batch_bytes_min) break;
    position += head->size;
    if (passed_over) {
      fronts.position = position;
    } else {
      ++fronts.count;
    }
  }
  return fronts;
}

Result<FileReadResult> read_batches(Disk& disk,
                                    const FileReadPlan& plan,
                                    const ReadRequest& request) {
  ASSIGN_OR_RETURN(std::shared_ptr<File> file, open_file(disk, plan));
  bool index_damaged = false;
  ASSIGN_OR_RETURN(uint64_t position,
                   position_before(disk, *file, plan, request.from, &index_damaged));
  ASSIGN_OR_RETURN(FileReadResult result, read_from(*file, plan, position, request, Wait::kYes));
  result.file = std::move(file);
  result.index_damaged = index_damaged;
  return result;
}

Result<FoundTime> find_time(Disk& disk, const FileReadPlan& plan, TimestampMs timestamp) {
  FoundTime found;
  ASSIGN_OR_RETURN(found.file, open_file(disk, plan));
  uint64_t position = plan.position.value_or(0);
  if (!plan.position) {
    ASSIGN_OR_RETURN(IndexFiles index, IndexFiles::open(disk, plan.directory, plan.base_offset));
    ASSIGN_OR_RETURN(std::optional<IndexPoint> point, index.floor(timestamp, plan.index_points));
    bool index_damaged = false;
    ASSIGN_OR_RETURN(position, trusted_position(*found.file, plan, point, &index_damaged));
  }
  SegmentScanner scanner(*found.file, position, plan.end);
  for (;;) {
    ASSIGN_OR_RETURN(ScannedBatch batch, scanner.next(BodyCheck::kNone));
    if (batch.step == ScanStep::kDamaged) return damaged(plan, batch.position);
    if (batch.step == ScanStep::kEnd) return found;
    if (batch.head.commit_timestamp >= timestamp) {
      found.offset = batch.head.base_offset;
      return found;
    }
  }
}

}  // namespace lakestream::log_internal

namespace lakestream {

Result<bool> StoredBatch::extend_front(size_t size) {
  CHECK(size <= size_, "the front of a batch is a part of it");
  if (size <= front_.size()) return true;
  size_t known = front_.size();
  front_.resize(size);
  std::span<uint8_t> rest = std::span(front_).subspan(known);
  ASSIGN_OR_RETURN(std::optional<size_t> count, file_.try_read_at(position_ + known, rest));
  bytes_read_ += rest.size();
  return count && *count == rest.size();
}

Result<bool> StoredBatch::read(std::span<const BatchRange> ranges, std::vector<Bytes>* parts) {
  for (size_t first = 0; first < ranges.size();) {
    size_t last = first;
    auto end_of = [&](size_t index) { return ranges[index].offset + ranges[index].size; };
    while (last + 1 < ranges.size() &&
           ranges[last + 1].offset - end_of(last) <= log_internal::kGapBytesMax) {
      ++last;
    }
    size_t begin = ranges[first].offset;
    CHECK(begin <= end_of(last) && end_of(last) <= size_, "parts of the batch");
    MutableBytes slab = MutableBytes::allocate(end_of(last) - begin);
    ASSIGN_OR_RETURN(std::optional<size_t> count,
                     file_.try_read_at(position_ + begin, slab.span()));
    if (!count || *count < slab.size()) return false;
    bytes_read_ += slab.size();
    Bytes bytes = std::move(slab).freeze();
    for (; first <= last; ++first) {
      parts->push_back(bytes.slice(ranges[first].offset - begin, ranges[first].size));
    }
  }
  return true;
}

}  // namespace lakestream
