#include <algorithm>

#include "base/logging.h"
#include "log/log_state.h"

// From the gathering group to the disk, and back when the disk refuses.
namespace lakestream::log_internal {
namespace {

// Index points that wait in memory before they are written along with a group.
constexpr size_t kPointsWaiting = 512;
constexpr uint64_t kReserveBytesMin = 1 << 20;
constexpr uint64_t kReserveBytesMax = 16 << 20;
// A copy of so many bytes to the page cache is done where they are warm, on the shard: that costs
// less than the way to the pool and back. More of them gather when the shard has much to do.
constexpr uint64_t kShortWriteBytesMax = 2 << 20;
// A short write that took so long was held up by the system, which has too much to write.
constexpr Duration kShortWriteTimeMax = std::chrono::milliseconds(20);
constexpr Duration kHeldUpPause = std::chrono::seconds(1);

// Nothing but a copy to the page cache.
bool is_short(const GroupPlan& plan) {
  if (plan.sync || plan.manifest || plan.steps.size() != 1) return false;
  const GroupStep& step = plan.steps.front();
  if (step.file == nullptr || !step.points.empty() || step.snapshot) return false;
  return step.end() - step.position <= kShortWriteBytesMax;
}

}  // namespace

// The group that appends join, ending with a part of the active segment.
LogState::Group& LogState::gather() {
  Segment& segment = active();
  if (!gathering_) {
    gathering_.emplace(Group{.begin = end_,
                             .end = end_,
                             .last_timestamp = last_timestamp_,
                             .mark = {.end_offset = segment.end_offset,
                                      .size = segment.size,
                                      .first_timestamp = segment.first_timestamp,
                                      .max_timestamp = segment.max_timestamp,
                                      .collector = segment.collector},
                             .parts = {},
                             .undo = {}});
  }
  if (gathering_->parts.empty() || gathering_->parts.back().segment != &segment) {
    gathering_->parts.push_back(
        GroupPart{.segment = &segment, .position = segment.size, .parts = {}, .snapshot = {}});
  }
  return *gathering_;
}

void LogState::enqueue_group() {
  if (std::exchange(gathering_->queued, true)) return;
  queue_->enqueue([this]() -> DiskQueue::Job {
    if (!gathering_) return {};  // undone together with the one before it
    in_flight_ = std::exchange(gathering_, std::nullopt);
    GroupPlan plan = plan_group(*in_flight_);
    bool short_work = is_short(plan) && place_.env.clock.monotonic() >= held_up_until_;
    auto write = [this, plan = std::move(plan), env = &place_.env]() mutable {
      Duration begin = env->clock.monotonic();
      auto outcome = std::make_unique<GroupOutcome>(write_group(env->disk, plan));
      Duration taken = env->clock.monotonic() - begin;
      return DiskQueue::Done([this, taken, outcome = std::move(outcome)] {
        if (taken > kShortWriteTimeMax) {
          held_up_until_ = place_.env.clock.monotonic() + kHeldUpPause;
        }
        finish_group(std::move(*outcome));
      });
    };
    return DiskQueue::Job(std::move(write), short_work);
  });
}

// Blocks that are asked for ahead cost the file system half of what they cost one by one. Never
// more than the file has already: there are many small logs.
uint64_t LogState::reserve(Segment& segment, uint64_t end) const {
  if (end < kReserveBytesMin || end <= segment.reserved) return 0;
  uint64_t full = std::min(options_.segment_bytes_max, kSegmentBytesLimit);
  segment.reserved = std::max(end, std::min(end + std::min(end, kReserveBytesMax), full));
  return segment.reserved;
}

GroupPlan LogState::plan_group(Group& group) {
  GroupPlan plan{.directory = place_.directory,
                 .sync = options_.durability == Durability::kSync,
                 .manifest = {},
                 .steps = {}};
  if (std::exchange(manifest_dirty_, false)) plan.manifest = encode_manifest(manifest_);
  for (GroupPart& part : group.parts) {
    Segment& segment = *part.segment;
    GroupStep step{.base_offset = segment.base_offset,
                   .create = !segment.created,
                   .file = segment.file,
                   .position = part.position,
                   .parts = part.parts,
                   .reserve = 0,
                   .release = false,
                   .points_begin = segment.index.persisted(),
                   .points = {},
                   .snapshot = part.snapshot,
                   .snapshot_offset = segment.end_offset};
    if (part.snapshot) {
      step.release = segment.reserved > 0;
    } else {
      step.reserve = reserve(segment, step.end());
    }
    if (segment.sealed || segment.index.unpersisted_count() >= kPointsWaiting) {
      step.points = segment.index.unpersisted(step.end());
    }
    part.points_end = step.points_begin + step.points.size();
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

void LogState::finish_group(GroupOutcome outcome) {
  Group group = *std::exchange(in_flight_, std::nullopt);
  ++counters_.groups_written;
  if (!outcome.error) {
    bool moved = group.end > durable_;
    settle_group(std::move(group), std::move(outcome));
    if (moved) report(nullptr);
    return;
  }
  ++counters_.groups_failed;
  manifest_dirty_ = true;
  Error error(ErrorCode::kLogStorageException,
              fmt::format("log {}: offsets from {} on could not be written: {}",
                          place_.name,
                          group.begin,
                          outcome.error->message()));
  LOG_ERROR("log",
            "lost appends",
            KV("log", place_.name),
            KV("from", group.begin),
            KV("until", end_),
            KV("undone", outcome.undone),
            KV("error", outcome.error->message()));
  if (gathering_) {
    undo_group(*gathering_);
    gathering_.reset();
  }
  undo_group(group);
  ++version_;
  if (!outcome.undone) {
    set_failure(Error(ErrorCode::kLogStorageException,
                      fmt::format("log {} takes no appends since the disk failed: {}; it has to be "
                                  "opened again",
                                  place_.name,
                                  outcome.error->message())));
  }
  LogLoss loss{.from = group.begin, .error = std::move(error), .number = counters_.groups_failed};
  report(&loss);
}

void LogState::settle_group(Group group, GroupOutcome outcome) {
  for (size_t i = 0; i < group.parts.size(); ++i) {
    GroupPart& part = group.parts[i];
    Segment& segment = *part.segment;
    segment.created = true;
    segment.written = part.position;
    for (const Bytes& bytes : part.parts) segment.written += bytes.size();
    if (outcome.points_written[i] && part.points_end > segment.index.persisted()) {
      segment.index.set_persisted(part.points_end);
    }
    // A sealed segment does with its files.
    if (segment.sealed && segment.index.unpersisted_count() == 0) {
      segment.index = SegmentIndex(segment.index.count());
    }
    place_.log_shard.keep_file(segment, std::move(outcome.files[i]));
  }
  durable_ = group.end;
  if (options_.durability == Durability::kSync) synced_ = durable_;
  note_tail(tail_.bytes());
}

void LogState::undo_group(Group& group) {
  for (size_t i = group.undo.size(); i-- > 0;) writers_.undo(group.undo[i]);
  Segment& segment = *group.parts.front().segment;
  while (segments_.back().get() != &segment) {
    place_.log_shard.release_file(*segments_.back());
    segments_.pop_back();
  }
  segment.end_offset = group.mark.end_offset;
  segment.size = group.mark.size;
  segment.reserved = 0;
  segment.first_timestamp = group.mark.first_timestamp;
  segment.max_timestamp = group.mark.max_timestamp;
  segment.collector = group.mark.collector;
  segment.sealed = false;
  segment.index.truncate(segment.size);
  last_timestamp_ = group.last_timestamp;
  end_ = group.begin;
  manifest_.epochs.clamp_to(end_);
  bookmarks_ = {};
  uint64_t before = tail_.bytes();
  tail_.truncate(end_);
  note_tail(before);
}

// The active segment is complete; batches go on in a new one.
void LogState::roll_active() {
  Group& group = gather();
  Segment& full = active();
  full.sealed = true;
  std::optional<IndexPoint> last = full.collector.last();
  if (last && full.index.last() != last) full.index.add(*last);
  group.parts.back().snapshot = writers_.encode();
  segments_.push_back(std::make_unique<Segment>(end_, options_.index_interval_bytes));
  gather();
}

void LogState::note_tail(uint64_t before) {
  tail_.shed(options_.tail_bytes_max, durable_);
  place_.log_shard.tail_changed(*this, before, tail_.bytes());
}

uint64_t LogState::drop_tail() {
  uint64_t before = tail_.bytes();
  tail_.shed(0, durable_);
  return before - tail_.bytes();
}

void LogState::report(const LogLoss* loss) {
  if (abandoned_ || !listener_) return;
  listener_(LogProgress{.durable_end = durable_, .loss = loss});
}

void LogState::set_failure(Error error) {
  if (failure_) return;
  LOG_ERROR("log", "log failed", KV("log", place_.name), KV("error", error.message()));
  failure_ = std::move(error);
}

}  // namespace lakestream::log_internal
