#include <algorithm>
#include <climits>

#include "log/log_state.h"

// Appends: check everything, then change everything.
namespace lakestream::log_internal {

// What the checks found out about the batches of one append.
struct LogState::Incoming {
  Offset end;                            // of the log once they are in
  std::vector<WriterStates::Undo> undo;  // of the writer states, which know them already
  std::vector<bool> duplicate;           // by batch; empty when none is
  std::optional<WriterBatch> first_duplicate;
  Offset duplicates_end;
  bool first_is_duplicate = false;
};

Status LogState::check_writable() const {
  if (failure_) return fail(*failure_);
  if (closed_ || abandoned_) {
    return make_error(ErrorCode::kLogStorageException, "log {} is closed", place_.name);
  }
  if (truncating_) {
    return make_error(
        ErrorCode::kLogStorageException, "log {} is being truncated; try again", place_.name);
  }
  return ok();
}

Result<Appended> LogState::append(Bytes records, const AppendRules& rules, AppendRole role) {
  RETURN_IF_ERROR(check_writable());
  uint64_t waiting = (gathering_ ? gathering_->bytes : 0) + (in_flight_ ? in_flight_->bytes : 0);
  if (waiting > 0 && waiting + records.size() > options_.pending_bytes_max) {
    return make_error(ErrorCode::kLogStorageException,
                      "log {}: {} bytes wait for the disk already, {} more would pass the limit of "
                      "{}; try again",
                      place_.name,
                      waiting,
                      records.size(),
                      options_.pending_bytes_max);
  }
  auto with_name = [&](Error error) { return fail(std::move(error).with_context(place_.name)); };
  auto batches = parse_batches(records);
  if (!batches) return with_name(std::move(batches).error());
  Status checked = check_batches(*batches, rules, role);
  if (!checked) return with_name(std::move(checked).error());

  Incoming incoming;
  incoming.end = end_;
  if (role == AppendRole::kLeader) {
    Status admitted = admit_writers(*batches, &incoming);
    if (!admitted) return with_name(std::move(admitted).error());
    if (incoming.end == end_) {
      counters_.duplicates += batches->size();
      return Appended{.base_offset = incoming.first_duplicate->base_offset(),
                      .end_offset = incoming.duplicates_end,
                      .timestamp = incoming.first_duplicate->timestamp,
                      .duplicate = true,
                      .losses = counters_.groups_failed};
    }
    TimestampMs now = std::max(last_timestamp_, rules.now);
    Offset next = end_;
    for (size_t i = 0; i < batches->size(); ++i) {
      const BatchView& batch = (*batches)[i];
      if (!incoming.duplicate.empty() && incoming.duplicate[i]) continue;
      stamp_batch(
          batch.bytes().exclusive_data(),
          BatchStamp{
              .base_offset = next, .commit_timestamp = now, .leader_epoch = rules.leader_epoch});
      next = batch.next_offset();
    }
  } else {
    incoming.end = batches->back().next_offset();
  }
  touch();
  TimestampMs time = batches->front().commit_timestamp();
  if (must_roll(records.size(), incoming.end.value() - end_.value(), time)) roll_active();
  record_writers(*batches, &incoming);
  if (rules.leader_epoch > manifest_.epochs.latest()) {
    RETURN_IF_ERROR(assign_epoch(rules.leader_epoch));
  }
  return take_in(std::move(records), *batches, std::move(incoming));
}

Status LogState::check_batches(std::vector<BatchView>& batches,
                               const AppendRules& rules,
                               AppendRole role) {
  Offset next = end_;
  for (const BatchView& batch : batches) {
    if (role == AppendRole::kLeader && batch.size() > options_.batch_bytes_max) {
      return make_error(ErrorCode::kRecordTooLargeException,
                        "a log batch has {} bytes, at most {} are allowed; write smaller batches",
                        batch.size(),
                        options_.batch_bytes_max);
    }
    if (rules.origin == BatchOrigin::kClient) {
      const BatchShape* shape =
          rules.shapes == nullptr ? nullptr : rules.shapes->find(batch.schema_id());
      RETURN_IF_ERROR(shape == nullptr ? batch.validate() : shape->validate(batch));
      if (rules.shapes != nullptr && shape == nullptr) {
        return make_error(
            ErrorCode::kUnknownServerError,
            "a log batch has schema id {}, which the table does not have; nothing was "
            "appended",
            batch.schema_id());
      }
    }
    if (role == AppendRole::kFollower) {
      if (batch.base_offset() != next || batch.last_offset_delta() < 0) {
        return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                          "a replicated batch starts at offset {}, the log goes on at {}",
                          batch.base_offset(),
                          next);
      }
      next = batch.next_offset();
    }
  }
  if (role == AppendRole::kFollower || rules.leader_epoch >= manifest_.epochs.latest() ||
      rules.leader_epoch == kNoLeaderEpoch) {
    return ok();
  }
  return make_error(ErrorCode::kFencedLeaderEpochException,
                    "leader epoch {} is older than {}, the latest one of this log",
                    rules.leader_epoch,
                    manifest_.epochs.latest());
}

// Finds duplicates and the end of the log after this append. The states change on the way, so that
// several batches of one writer are checked in their order, and are brought back.
Status LogState::admit_writers(const std::vector<BatchView>& batches, Incoming* incoming) {
  Status result = ok();
  std::vector<WriterStates::Undo> tried;
  for (size_t i = 0; i < batches.size() && result; ++i) {
    const BatchView& batch = batches[i];
    int32_t delta = batch.last_offset_delta();
    Offset last(incoming->end.value() + delta);
    if (batch.writer_id() > kNoWriter) {
      auto checked = writers_.check(batch.writer_id(), batch.batch_sequence());
      if (!checked) {
        result = fail(std::move(checked).error());
        break;
      }
      if (const std::optional<WriterBatch>& duplicate = *checked) {
        incoming->duplicate.resize(batches.size());
        incoming->duplicate[i] = true;
        if (!incoming->first_duplicate) incoming->first_duplicate = duplicate;
        incoming->first_is_duplicate = incoming->first_is_duplicate || i == 0;
        incoming->duplicates_end = Offset(duplicate->last_offset.value() + 1);
        continue;
      }
      tried.push_back(writers_.add(batch.writer_id(),
                                   WriterBatch{.sequence = batch.batch_sequence(),
                                               .offset_delta = delta,
                                               .last_offset = last,
                                               .timestamp = TimestampMs(0)}));
    }
    incoming->end = Offset(last.value() + 1);
  }
  for (size_t i = tried.size(); i-- > 0;) writers_.undo(tried[i]);
  return result;
}

// Requires: the batches carry their final offsets and times.
void LogState::record_writers(const std::vector<BatchView>& batches, Incoming* incoming) {
  for (size_t i = 0; i < batches.size(); ++i) {
    const BatchView& batch = batches[i];
    bool duplicate = !incoming->duplicate.empty() && incoming->duplicate[i];
    if (duplicate || batch.writer_id() <= kNoWriter) continue;
    incoming->undo.push_back(writers_.add(batch.writer_id(),
                                          WriterBatch{.sequence = batch.batch_sequence(),
                                                      .offset_delta = batch.last_offset_delta(),
                                                      .last_offset = batch.last_offset(),
                                                      .timestamp = batch.commit_timestamp()}));
  }
  if (writers_.size() > options_.writers_max) {
    writers_.shrink(options_.writers_max - options_.writers_max / 16);
  }
}

bool LogState::must_roll(uint64_t bytes, int64_t records, TimestampMs now) {
  Segment& segment = active();
  if (segment.size == 0) return false;
  if (segment.size + bytes > std::min(options_.segment_bytes_max, kSegmentBytesLimit)) return true;
  if (end_.value() + records - segment.base_offset.value() > INT32_MAX) return true;
  if (options_.segment_age_max <= Duration::zero()) return false;
  auto age = std::chrono::milliseconds(now.value() - segment.first_timestamp.value());
  return segment.first_timestamp.value() >= 0 && age >= options_.segment_age_max;
}

// Requires: the batch is stamped and follows the end of the log.
void LogState::place_batch(const BatchView& batch) {
  Segment& segment = active();
  TimestampMs time = batch.commit_timestamp();
  BatchHead head{.base_offset = batch.base_offset(),
                 .next_offset = batch.next_offset(),
                 .size = batch.size(),
                 .commit_timestamp = time,
                 .writer_id = batch.writer_id(),
                 .batch_sequence = batch.batch_sequence()};
  if (auto point = segment.collector.pass(head, segment.size)) segment.index.add(*point);
  if (segment.size == 0) segment.first_timestamp = time;
  segment.max_timestamp = std::max(segment.max_timestamp, time);
  segment.size += batch.size();
  segment.end_offset = batch.next_offset();
  last_timestamp_ = std::max(last_timestamp_, time);
  end_ = batch.next_offset();
}

Appended LogState::take_in(Bytes records, std::vector<BatchView>& batches, Incoming incoming) {
  Group& group = gather();
  Appended appended{.base_offset = end_,
                    .end_offset = incoming.end,
                    .timestamp = batches.front().commit_timestamp(),
                    .losses = counters_.groups_failed};
  if (incoming.first_is_duplicate) appended.base_offset = incoming.first_duplicate->base_offset();

  uint64_t tail_before = tail_.bytes();
  auto add_part = [&](Offset base, TimestampMs time, Bytes part) {
    tail_.push({.base_offset = base, .end_offset = end_, .timestamp = time, .batches = part});
    group.bytes += part.size();
    counters_.bytes_appended += part.size();
    group.parts.back().parts.push_back(std::move(part));
  };
  Offset first = end_;
  for (size_t i = 0; i < batches.size(); ++i) {
    if (!incoming.duplicate.empty() && incoming.duplicate[i]) continue;
    Offset base = end_;
    place_batch(batches[i]);
    ++counters_.batches_appended;
    counters_.records_appended += static_cast<uint64_t>(batches[i].record_count());
    if (incoming.duplicate.empty()) continue;
    add_part(base, batches[i].commit_timestamp(), batches[i].bytes());
  }
  if (incoming.duplicate.empty()) {
    add_part(first, batches.back().commit_timestamp(), std::move(records));
  }
  group.end = end_;
  std::move(incoming.undo.begin(), incoming.undo.end(), std::back_inserter(group.undo));
  note_tail(tail_before);
  enqueue_group();
  return appended;
}

Status LogState::assign_epoch(LeaderEpoch epoch) {
  RETURN_IF_ERROR(check_writable());
  ASSIGN_OR_RETURN(bool changed, manifest_.epochs.assign(epoch, end_));
  if (changed) {
    manifest_dirty_ = true;
    touched_ = true;
  }
  return ok();
}

}  // namespace lakestream::log_internal
