#include <algorithm>

#include "base/logging.h"
#include "log/file_read.h"
#include "log/log_state.h"

// Reads: memory first, then the page cache, then the pool.
namespace lakestream::log_internal {

Status LogState::check_range(Offset from) const {
  if (from >= start_offset() && from <= end_) return ok();
  return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                    "log {}: offset {} is outside {}..{}, the start and the end of the log",
                    place_.name,
                    from,
                    start_offset(),
                    end_);
}

// Requires: start_offset() <= offset.
Segment& LogState::segment_of(Offset offset) {
  auto above = std::upper_bound(
      segments_.begin(), segments_.end(), offset, [](Offset asked, const auto& segment) {
        return asked < segment->base_offset;
      });
  return **std::prev(above);
}

// The position of a batch at or before the offset, as far as it is known without the index files.
std::optional<uint64_t> LogState::known_position(const Segment& segment, Offset offset) const {
  for (const Bookmark& mark : bookmarks_) {
    if (mark.offset == offset && mark.segment == segment.base_offset) return mark.position;
  }
  if (auto point = segment.index.floor(offset.value() - segment.base_offset.value())) {
    return static_cast<uint64_t>(point->position);
  }
  if (offset == segment.base_offset || segment.index.persisted() == 0) return uint64_t{0};
  return std::nullopt;
}

FileReadPlan LogState::plan_read(const Segment& segment) const {
  return FileReadPlan{.directory = place_.directory,
                      .base_offset = segment.base_offset,
                      .file = segment.file,
                      .position = {},
                      .index_points = segment.index.persisted(),
                      .end = segment.written};
}

void LogState::bookmark(Offset offset, const Segment& segment, uint64_t position) {
  if (offset >= segment.end_offset) return;
  bookmarks_[next_bookmark_] = {offset, segment.base_offset, position};
  next_bookmark_ = (next_bookmark_ + 1) % bookmarks_.size();
}

void LogState::add_piece(Segment& segment, FileReadResult piece, LogRead* read) {
  if (piece.file != nullptr) place_.log_shard.keep_file(segment, std::move(piece.file));
  if (piece.batches.empty()) return;
  bookmark(piece.end_offset, segment, piece.end_position);
  if (read->records.empty()) read->first_offset = piece.first_offset;
  read->end_offset = piece.end_offset;
  read->records.append(std::move(piece.batches));
}

// Adds what lies in memory or in the page cache. False when the disk would have to be waited for.
Result<bool> LogState::add_without_waiting(ReadRequest request, LogRead* read) {
  Offset limit = std::min(request.limit, end_);
  size_t bytes_max = request.bytes_max;
  while (request.from < limit) {
    bool first = read->records.empty();
    request.bytes_max = bytes_max - std::min(bytes_max, read->records.size());
    request.at_least_one = request.at_least_one && first;
    if (request.bytes_max == 0 && !request.at_least_one) return true;
    if (tail_.covers(request.from)) {
      ++counters_.reads_tail;
      tail_.read(request, read);
      return true;
    }
    Segment& segment = segment_of(request.from);
    FileReadPlan plan = plan_read(segment);
    plan.position = known_position(segment, request.from);
    if (plan.file == nullptr || !plan.position) return false;
    ASSIGN_OR_RETURN(FileReadResult piece, try_read_batches(plan, request));
    if (piece.would_block) return false;
    ++counters_.reads_cache;
    bool to_the_end = !piece.batches.empty() && piece.end_position == plan.end;
    add_piece(segment, std::move(piece), read);
    if (!to_the_end) return true;
    request.from = read->end_offset;
  }
  return true;
}

std::optional<Result<LogRead>> LogState::try_read(const ReadRequest& request) {
  Status in_range = check_range(request.from);
  if (!in_range) return Result<LogRead>(fail(std::move(in_range).error()));
  LogRead read{.records = {}, .first_offset = request.from, .end_offset = request.from};
  Result<bool> all = add_without_waiting(request, &read);
  if (!read.records.empty()) return Result<LogRead>(std::move(read));
  if (!all) return Result<LogRead>(fail(std::move(all).error()));
  if (!*all) return std::nullopt;
  return Result<LogRead>(std::move(read));
}

Result<Offset> LogState::try_visit(Offset from,
                                   Offset limit,
                                   const VisitRules& rules,
                                   BatchVisitor visitor) {
  RETURN_IF_ERROR(check_range(from));
  limit = std::min(limit, end_);
  while (from < limit && !tail_.covers(from)) {
    Segment& segment = segment_of(from);
    FileReadPlan plan = plan_read(segment);
    plan.position = known_position(segment, from);
    if (plan.file == nullptr || !plan.position) break;
    ASSIGN_OR_RETURN(VisitEnd end, visit_batches(plan, from, limit, rules, visitor));
    if (end.offset == from) break;
    ++counters_.reads_cache;
    place_.log_shard.use_file(segment);
    bookmark(end.offset, segment, end.position);
    from = end.offset;
    if (end.position < plan.end) break;
  }
  return from;
}

Task<Result<LogRead>> LogState::read(Self self, ReadRequest request) {
  for (;;) {
    if (self->abandoned_) co_return self->gone();
    if (auto ready = self->try_read(request)) co_return *std::move(ready);
    Segment& segment = self->segment_of(request.from);
    FileReadPlan plan = self->plan_read(segment);
    plan.position = self->known_position(segment, request.from);
    uint64_t version = self->version_;
    ++self->counters_.reads_pool;
    auto job = [&disk = self->place_.env.disk, plan, request] {
      return read_batches(disk, plan, request);
    };
    Result<FileReadResult> piece =
        co_await run_on_pool(self->place_.env.pool, self->place_.shard, std::move(job));
    // Truncated or deleted meanwhile: what was read may not be the log any more.
    if (self->abandoned_ || self->version_ != version || request.from < self->start_offset()) {
      continue;
    }
    if (!piece) co_return fail(std::move(piece).error());
    if (piece->index_damaged) self->repair_index(plan.base_offset);
    LogRead read{.records = {}, .first_offset = request.from, .end_offset = request.from};
    bool to_the_end = !piece->batches.empty() && piece->end_position == plan.end;
    self->add_piece(self->segment_of(request.from), *std::move(piece), &read);
    if (to_the_end) {
      request.from = read.end_offset;
      // Whatever comes of it, there is an answer already.
      (void)self->add_without_waiting(request, &read);
    }
    co_return read;
  }
}

Task<Result<bool>> LogState::prepare_visit(Self self, Offset from, VisitRules rules) {
  if (self->abandoned_) co_return self->gone();
  CO_RETURN_IF_ERROR(self->check_range(from));
  if (self->tail_.covers(from)) co_return false;
  FileReadPlan plan = self->plan_read(self->segment_of(from));
  plan.position = self->known_position(self->segment_of(from), from);
  uint64_t version = self->version_;
  ++self->counters_.reads_pool;
  auto job = [&disk = self->place_.env.disk, plan, from, rules] {
    return read_fronts(disk, plan, from, rules);
  };
  Result<FrontsRead> fronts =
      co_await run_on_pool(self->place_.env.pool, self->place_.shard, std::move(job));
  if (self->abandoned_) co_return self->gone();
  if (!fronts) co_return fail(std::move(fronts).error());
  // Truncated or deleted meanwhile: the next read finds out.
  if (self->version_ != version || from < self->start_offset()) co_return false;
  Segment& segment = self->segment_of(from);
  self->place_.log_shard.keep_file(segment, std::move(fronts->file));
  self->bookmark(from, segment, fronts->position);
  co_return fronts->count > 0;
}

Task<Result<std::optional<Offset>>> LogState::offset_for_timestamp(Self self,
                                                                   TimestampMs timestamp) {
  for (;;) {
    if (self->abandoned_) co_return self->gone();
    if (self->last_timestamp_ < timestamp || self->start_offset() == self->end_) {
      co_return std::optional<Offset>();
    }
    if (self->tail_.begins_before(timestamp) || self->tail_.covers(self->start_offset())) {
      co_return self->tail_.find(timestamp);
    }
    auto found =
        std::find_if(self->segments_.begin(), self->segments_.end(), [&](const auto& segment) {
          return segment->max_timestamp >= timestamp;
        });
    if (found == self->segments_.end()) co_return std::optional<Offset>();
    Segment& segment = **found;
    FileReadPlan plan = self->plan_read(segment);
    if (auto point = segment.index.floor(timestamp)) {
      plan.position = static_cast<uint64_t>(point->position);
    } else if (plan.index_points == 0) {
      plan.position = 0;
    }
    uint64_t version = self->version_;
    Offset start = self->start_offset();
    auto job = [&disk = self->place_.env.disk, plan, timestamp] {
      return find_time(disk, plan, timestamp);
    };
    Result<FoundTime> answer =
        co_await run_on_pool(self->place_.env.pool, self->place_.shard, std::move(job));
    if (self->abandoned_ || self->version_ != version || start != self->start_offset()) continue;
    if (!answer) co_return fail(std::move(answer).error());
    if (answer->offset) co_return answer->offset;
    // It is in what was not written yet when the plan was made.
    if (auto offset = self->tail_.find(timestamp)) co_return offset;
  }
}

void LogState::repair_index(Offset base) {
  Segment& damaged = segment_of(base);
  if (damaged.base_offset != base || !damaged.sealed || damaged.written < damaged.size) return;
  LOG_WARN("log", "rebuilds an index", KV("log", place_.name), KV("segment", base));
  queue_->enqueue([this, base]() -> DiskQueue::Job {
    Segment& segment = segment_of(std::max(base, start_offset()));
    if (segment.base_offset != base || !segment.sealed) return {};
    auto job = [this,
                base,
                size = segment.written,
                interval = options_.index_interval_bytes,
                directory = place_.directory,
                disk = &place_.env.disk]() -> DiskQueue::Done {
      auto points =
          std::make_unique<Result<size_t>>(rebuild_index(*disk, directory, base, size, interval));
      return [this, base, points = std::move(points)] {
        Segment& rebuilt = segment_of(std::max(base, start_offset()));
        if (*points && rebuilt.base_offset == base) rebuilt.index = SegmentIndex(**points);
      };
    };
    return job;
  });
}

tl::unexpected<Error> LogState::gone() const {
  return make_error(ErrorCode::kLogStorageException, "log {} is closed", place_.name);
}

}  // namespace lakestream::log_internal
