#include <algorithm>

#include "log/file_names.h"
#include "log/log_files.h"
#include "log/log_state.h"
#include "log/log_store_state.h"

// What happens to a log beside appends and reads.
namespace lakestream::log_internal {
namespace {

// The log goes on with the segment at `next`, which needs the writer snapshot of its start for good
// before the one below goes; on a full disk room comes first.
Status delete_first_segment(Disk& disk, const std::string& directory, Offset base, Offset next) {
  ASSIGN_OR_RETURN(std::optional<Bytes> snapshot, missing_writer_snapshot(disk, directory, next));
  Status secured = secure_writer_snapshot(disk, directory, next, snapshot);
  if (!secured && !is_disk_full(secured.error())) return secured;
  RETURN_IF_ERROR(remove_segment(disk, directory, base));
  RETURN_IF_ERROR(disk.sync_directory(directory));
  if (!secured) RETURN_IF_ERROR(secure_writer_snapshot(disk, directory, next, snapshot));
  return disk.remove(file_path(directory, base, FileKind::kWriterSnapshot));
}

}  // namespace

LogState::LogState(LogPlace place, const LogOptions& options, OpenedLog opened)
    : place_(std::move(place)),
      options_(options),
      queue_(std::make_shared<DiskQueue>(place_.env.pool, place_.shard)) {
  touched_ = !opened.clean;
  adopt(std::move(opened));
}

LogState::~LogState() {
  for (auto& segment : segments_) place_.log_shard.release_file(*segment);
}

void LogState::adopt(OpenedLog opened) {
  for (auto& segment : segments_) place_.log_shard.release_file(*segment);
  segments_.clear();
  last_timestamp_ = TimestampMs(-1);
  for (const OpenedSegment& found : opened.segments) {
    auto segment = std::make_unique<Segment>(found.base_offset, options_.index_interval_bytes);
    segment->end_offset = found.end_offset;
    segment->size = segment->written = found.size;
    segment->first_timestamp = found.first_timestamp;
    segment->max_timestamp = found.max_timestamp;
    segment->index = SegmentIndex(found.index_points);
    segment->sealed = segment->created = true;
    last_timestamp_ = std::max(last_timestamp_, found.max_timestamp);
    segments_.push_back(std::move(segment));
  }
  active().sealed = false;
  manifest_ = std::move(opened.manifest);
  manifest_dirty_ = false;
  writers_ = std::move(opened.writers);
  end_ = durable_ = synced_ = active().end_offset;
  checkpoint_ = opened.snapshot.value_or(Offset(-1));
  bookmarks_ = {};
  if (uint64_t tail_before = tail_.bytes(); tail_before > 0) {
    tail_.clear();
    note_tail(tail_before);
  }
  ++version_;
}

void LogState::touch() {
  if (!attached_) place_.log_shard.attach(*this);
  touched_ = attached_ = true;
}

uint64_t LogState::size_bytes() const {
  uint64_t size = 0;
  for (const auto& segment : segments_) size += segment->size;
  return size;
}

std::vector<LogSegment> LogState::segments() const {
  std::vector<LogSegment> result;
  for (const auto& segment : segments_) {
    result.push_back({.base_offset = segment->base_offset,
                      .end_offset = segment->end_offset,
                      .size = segment->size,
                      .max_timestamp = segment->max_timestamp,
                      .sealed = segment->sealed,
                      .path = file_path(place_.directory, segment->base_offset, FileKind::kLog)});
  }
  return result;
}

Status LogState::roll() {
  RETURN_IF_ERROR(check_writable());
  if (active().size == 0) return ok();
  touch();
  roll_active();
  enqueue_group();
  return ok();
}

// Ends when everything that was asked of the disk before is done.
Task<Status> LogState::drain(Self self) {
  auto done = std::make_shared<Waiter>();
  self->queue_->enqueue([done]() -> DiskQueue::Job {
    done->wake();
    return {};
  });
  co_await done->wait();
  if (self->abandoned_) co_return self->gone();
  co_return ok();
}

// Runs blocking work in the log's queue.
Task<Status> LogState::run_queued(Self self, UniqueFunction<QueuedWork()> prepare) {
  struct Shared {
    UniqueFunction<QueuedWork()> prepare;
    Status status;
    Waiter done;
  };
  auto shared = std::make_shared<Shared>();
  shared->prepare = std::move(prepare);
  self->queue_->enqueue([shared]() -> DiskQueue::Job {
    QueuedWork work = shared->prepare();
    if (!work.blocking) {
      shared->done.wake();
      return {};
    }
    return [shared, work = std::move(work)]() mutable -> DiskQueue::Done {
      auto status = std::make_unique<Status>(work.blocking());
      return [shared, work = std::move(work), status = std::move(status)]() mutable {
        UniqueFunction<void()>& end = *status ? work.succeeded : work.failed;
        if (end) end();
        shared->status = std::move(*status);
        shared->done.wake();
      };
    };
  });
  co_await shared->done.wait();
  co_return std::move(shared->status);
}

size_t LogState::count_deletable(Offset limit, std::optional<TimestampMs> older_than) const {
  limit = std::min(limit, durable_);
  // A group refers to the segments it writes or seals.
  Offset begin_of_groups = active_base();
  if (gathering_) begin_of_groups = gathering_->parts.front().segment->base_offset;
  if (in_flight_) begin_of_groups = in_flight_->parts.front().segment->base_offset;
  size_t count = 0;
  while (count + 1 < segments_.size()) {
    const Segment& segment = *segments_[count];
    if (segment.end_offset > limit || segment.base_offset >= begin_of_groups) break;
    if (older_than && segment.max_timestamp >= *older_than) break;
    ++count;
  }
  return count;
}

Task<Result<size_t>> LogState::delete_expired(Self self, TimestampMs now, Offset limit) {
  if (self->table_options_.ttl <= Duration::zero()) co_return size_t{0};
  auto ttl = std::chrono::duration_cast<std::chrono::milliseconds>(self->table_options_.ttl);
  TimestampMs older_than(now.value() - ttl.count());
  Segment& newest = self->active();
  if (self->table_options_.expire_active_segment && newest.size > 0 &&
      newest.max_timestamp < older_than && newest.end_offset <= limit) {
    CO_RETURN_IF_ERROR(self->roll());
    Status drained = co_await drain(self);
    CO_RETURN_IF_ERROR(std::move(drained));
  }
  size_t count = self->count_deletable(limit, older_than);
  co_return co_await delete_segments(self, count);
}

Task<Result<size_t>> LogState::delete_before(Self self, Offset limit) {
  size_t count = self->count_deletable(limit, std::nullopt);
  co_return co_await delete_segments(self, count);
}

// The segments leave the log at once, their files when the queue gets to it.
Task<Result<size_t>> LogState::delete_segments(Self self, size_t count) {
  CO_RETURN_IF_ERROR(self->check_writable());
  if (count > 0) self->touch();
  for (size_t i = 0; i < count; ++i) {
    Segment& segment = *self->segments_.front();
    self->doomed_.push_back({segment.base_offset, self->place_.log_shard.release_file(segment)});
    self->segments_.pop_front();
  }
  if (self->doomed_.empty()) co_return size_t{0};
  uint64_t tail_before = self->tail_.bytes();
  self->tail_.drop_below(self->start_offset());
  self->note_tail(tail_before);
  auto prepare = [state = self.get()] { return state->prepare_deletion(); };
  Status removed = co_await run_queued(self, std::move(prepare));
  CO_RETURN_IF_ERROR(std::move(removed));
  co_return count;
}

// One after the other, each with its directory synced, so that the rest is without a gap whenever
// power is lost. What could not be deleted is tried again before anything that comes behind it.
LogState::QueuedWork LogState::prepare_deletion() {
  struct Deletion {
    std::vector<DoomedSegment> segments;
    size_t done = 0;
  };
  if (doomed_.empty()) return {};
  auto deletion = std::make_shared<Deletion>();
  for (DoomedSegment& segment : doomed_) {
    deletion->segments.push_back({segment.base_offset, std::move(segment.file)});
  }
  deletion->segments.push_back({start_offset(), nullptr});
  auto remove = [&disk = place_.env.disk, directory = place_.directory, deletion]() -> Status {
    while (deletion->done + 1 < deletion->segments.size()) {
      DoomedSegment& segment = deletion->segments[deletion->done];
      segment.file.reset();  // the last handle frees the blocks, here and not on the shard
      Offset next = deletion->segments[deletion->done + 1].base_offset;
      RETURN_IF_ERROR(delete_first_segment(disk, directory, segment.base_offset, next));
      ++deletion->done;
    }
    return ok();
  };
  auto forget = [this, deletion] {
    doomed_.erase(doomed_.begin(), doomed_.begin() + static_cast<ptrdiff_t>(deletion->done));
  };
  return {.blocking = std::move(remove), .succeeded = forget, .failed = forget};
}

Task<Status> LogState::truncate(Self self, Truncation truncation) {
  CO_RETURN_IF_ERROR(self->check_writable());
  if (!truncation.whole && truncation.offset >= self->end_) co_return ok();
  if (truncation.offset < self->start_offset()) truncation.whole = true;
  // What was deleted must not be found again when the directory is read.
  if (!self->doomed_.empty()) {
    Result<size_t> deleted = co_await delete_segments(self, 0);
    if (!deleted) co_return fail(std::move(deleted).error());
    CO_RETURN_IF_ERROR(self->check_writable());
  }
  self->truncating_ = true;
  self->touch();
  auto prepare = [state = self.get(), truncation] { return state->prepare_truncation(truncation); };
  Status done = co_await run_queued(self, std::move(prepare));
  self->truncating_ = false;
  if (self->failure_) co_return fail(*self->failure_);
  if (!done) self->set_failure(done.error());
  co_return done;
}

LogState::QueuedWork LogState::prepare_truncation(const Truncation& truncation) {
  if (failure_) return {};
  // Ours stays as it is until the new one is known to be on disk: a generation is used once.
  LogManifest manifest = manifest_;
  ++manifest.generation;
  manifest.truncated_to = std::min(manifest.truncated_to, truncation.offset);
  manifest.pending = truncation;
  manifest.epochs.truncate_to(truncation.whole ? Offset(0) : truncation.offset);
  for (auto& segment : segments_) place_.log_shard.release_file(*segment);
  OpenHints hints;
  synced_ = std::min(synced_, truncation.offset);
  hints.recovery_point = {.generation = manifest.generation, .offset = synced_};
  hints.index_interval_bytes = options_.index_interval_bytes;
  auto opened = std::make_shared<std::optional<OpenedLog>>();
  auto truncate_files = [opened,
                         hints = std::move(hints),
                         manifest = std::move(manifest),
                         directory = place_.directory,
                         &disk = place_.env.disk]() -> Status {
    RETURN_IF_ERROR(save_manifest(disk, directory, manifest));
    ASSIGN_OR_RETURN(*opened, open_log_directory(disk, directory, hints));
    return ok();
  };
  return {.blocking = std::move(truncate_files),
          .succeeded = [this, opened] { adopt(*std::move(*opened)); },
          .failed = {}};
}

// Syncs the files through handles of its own, so that appends go on meanwhile.
Task<Status> LogState::sync_files(Self self, Offset target) {
  if (self->synced_ >= target) co_return ok();
  std::vector<std::string> paths;
  // What could not be deleted is found again after a crash.
  for (const DoomedSegment& segment : self->doomed_) {
    paths.push_back(file_path(self->place_.directory, segment.base_offset, FileKind::kLog));
  }
  for (const auto& segment : self->segments_) {
    if (segment->end_offset <= self->synced_) continue;
    paths.push_back(file_path(self->place_.directory, segment->base_offset, FileKind::kLog));
  }
  uint64_t version = self->version_;
  auto job = [&disk = self->place_.env.disk,
              directory = self->place_.directory,
              paths = std::move(paths)]() -> Status {
    for (const std::string& path : paths) {
      auto file = disk.open(path, OpenMode::kWrite);
      if (!file) {
        ASSIGN_OR_RETURN(bool present, disk.exists(path));
        if (!present) continue;  // deleted meanwhile, or not begun
        return fail(std::move(file).error());
      }
      RETURN_IF_ERROR((*file)->sync());
    }
    return disk.sync_directory(directory);
  };
  Status synced = co_await run_on_pool(self->place_.env.pool, self->place_.shard, std::move(job));
  if (self->version_ != version) {
    co_return make_error(ErrorCode::kLogStorageException,
                         "log {} lost batches while it was synced; try again",
                         self->place_.name);
  }
  if (!synced) {
    self->set_failure(synced.error());
  } else {
    self->synced_ = std::max(self->synced_, target);
  }
  co_return synced;
}

Task<Status> LogState::flush(Self self) {
  CO_RETURN_IF_ERROR(self->check_writable());
  Offset target = self->end_;
  uint64_t version = self->version_;
  Status drained = co_await drain(self);
  CO_RETURN_IF_ERROR(std::move(drained));
  if (self->failure_) co_return fail(*self->failure_);
  if (self->version_ != version) {
    co_return make_error(ErrorCode::kLogStorageException,
                         "log {} lost batches before they were synced",
                         self->place_.name);
  }
  co_return co_await sync_files(self, target);
}

// What spares a recovery from reading: the index of the active segment and the writer states at
// `end`. Called when nothing else of this log is on its way to the disk.
LogState::QueuedWork LogState::prepare_helpers(Offset end, Bytes snapshot) {
  Segment& segment = active();
  size_t begin = segment.index.persisted();
  std::vector<IndexPoint> points = segment.index.unpersisted(segment.written);
  size_t points_end = begin + points.size();
  std::optional<Offset> old_snapshot;
  // Those where segments begin stay, also of segments that could not be deleted yet.
  bool of_a_segment =
      std::any_of(segments_.begin(),
                  segments_.end(),
                  [&](const auto& other) { return other->base_offset == checkpoint_; }) ||
      std::any_of(doomed_.begin(), doomed_.end(), [&](const DoomedSegment& other) {
        return other.base_offset == checkpoint_;
      });
  if (checkpoint_ >= Offset(0) && checkpoint_ != end && !of_a_segment) old_snapshot = checkpoint_;
  auto write = [&disk = place_.env.disk,
                directory = place_.directory,
                base = segment.base_offset,
                begin,
                points = std::move(points),
                end,
                snapshot = std::move(snapshot),
                old_snapshot]() -> Status {
    if (!points.empty()) RETURN_IF_ERROR(write_points(disk, directory, base, begin, points));
    RETURN_IF_ERROR(write_writer_snapshot(disk, directory, end, snapshot));
    if (!old_snapshot) return ok();
    return disk.remove(file_path(directory, *old_snapshot, FileKind::kWriterSnapshot));
  };
  auto note = [this, base = segment.base_offset, points_end, end] {
    checkpoint_ = end;
    // A roll or a deletion may have happened meanwhile.
    if (base < start_offset()) return;
    Segment& written = segment_of(base);
    if (written.base_offset == base) written.index.set_persisted(points_end);
  };
  return {.blocking = std::move(write), .succeeded = std::move(note), .failed = {}};
}

Task<Result<std::optional<RecoveryPoint>>> LogState::checkpoint(Self self) {
  std::optional<RecoveryPoint> nothing;
  if (!self->check_writable() || self->checkpoint_ == self->end_) co_return nothing;
  Offset target = self->end_;
  uint64_t version = self->version_;
  Bytes snapshot = self->writers_.encode();
  Status flushed = co_await flush(self);
  if (!flushed || self->version_ != version || !self->check_writable()) co_return nothing;
  auto prepare = [self = self.get(), target, snapshot, version]() -> QueuedWork {
    if (self->version_ != version) return {};
    return self->prepare_helpers(target, snapshot);
  };
  Status written = co_await run_queued(self, std::move(prepare));
  CO_RETURN_IF_ERROR(std::move(written));
  if (self->version_ != version) co_return nothing;
  co_return RecoveryPoint{.generation = self->manifest_.generation, .offset = target};
}

CleanLog LogState::clean_record() const {
  CleanLog record{.generation = manifest_.generation,
                  .has_writers = writers_.size() > 0,
                  .segments = {},
                  .epochs = manifest_.epochs};
  for (const auto& segment : segments_) {
    record.segments.push_back({.base_offset = segment->base_offset,
                               .end_offset = segment->end_offset,
                               .size = segment->size,
                               .first_timestamp = segment->first_timestamp,
                               .max_timestamp = segment->max_timestamp,
                               .index_points = segment->index.persisted()});
  }
  return record;
}

// Requires: nothing else of this log is on its way to the disk and no append follows.
LogState::QueuedWork LogState::prepare_close() {
  if (failure_) return {};
  Segment& segment = active();
  std::optional<IndexPoint> last = segment.collector.last();
  if (last && segment.index.last() != last) segment.index.add(*last);
  QueuedWork helpers = prepare_helpers(end_, writers_.encode());
  auto write = [&disk = place_.env.disk,
                directory = place_.directory,
                manifest = manifest_,
                dirty = manifest_dirty_,
                reserved = segment.reserved > segment.size,
                base = segment.base_offset,
                size = segment.size,
                helpers = std::move(helpers.blocking)]() mutable -> Status {
    if (dirty) RETURN_IF_ERROR(save_manifest(disk, directory, manifest));
    if (reserved) {
      ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                       disk.open(file_path(directory, base, FileKind::kLog), OpenMode::kWrite));
      RETURN_IF_ERROR(file->truncate(size));
    }
    return helpers();
  };
  return {.blocking = std::move(write), .succeeded = std::move(helpers.succeeded), .failed = {}};
}

Task<Status> LogState::close(Self self) {
  if (self->closed_) co_return self->gone();
  Status result = co_await flush(self);
  self->closed_ = true;
  if (result && self->touched_) {
    // Appends that came in during the flush are written before the queue gets to this.
    auto prepare = [state = self.get()] { return state->prepare_close(); };
    result = co_await run_queued(self, std::move(prepare));
    if (result) result = co_await sync_files(self, self->durable_);
  }
  if (result && self->failure_) result = fail(*self->failure_);
  self->release(result ? std::optional(self->clean_record()) : std::nullopt);
  co_return result;
}

// Tells the store that the log is not open any more.
void LogState::release(std::optional<CleanLog> clean) {
  if (std::exchange(released_, true)) return;
  ClosedLog closed{.name = place_.name,
                   .recovery_point = {.generation = manifest_.generation, .offset = synced_},
                   .clean = std::move(clean),
                   .failed_at = {}};
  if (failure_) closed.failed_at = durable_;
  place_.store->post_closed(std::move(closed));
}

void LogState::abandon() {
  abandoned_ = true;
  listener_ = {};
  uint64_t tail_before = tail_.bytes();
  tail_.clear();
  note_tail(tail_before);
  place_.log_shard.detach(*this);
  attached_ = false;
  if (released_) return;
  // Another open of this log has to wait for what is still on its way to the disk.
  queue_->enqueue([self = shared_from_this()]() -> DiskQueue::Job {
    self->release(std::nullopt);
    return {};
  });
}

}  // namespace lakestream::log_internal
