#include "tiering/round.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>

#include "base/failpoint.h"
#include "base/logging.h"
#include "io/pool.h"
#include "table/options.h"

namespace lakestream::tiering {
namespace {

using client::LakeSnapshotCommit;
using client::LogRange;
using client::LogScanner;
using client::ScanBatch;
using client::TableScanner;

constexpr Duration kPollWait = std::chrono::milliseconds(200);
// Longer than the time of the round if need be: they may have to come from remote segments.
constexpr Duration kFirstRowsWait = std::chrono::seconds(30);
// Of one bucket in an answer: a writer that has as much to do waits seldom for the next rows.
constexpr int32_t kBucketFetchBytes = 4 << 20;

bool is_no_snapshot(const Error& error) { return error.code() == ErrorCode::kLakeSnapshotNotExist; }

// From the state of a bucket and not from its log.
LakeRows rows_of_state(ScanBatch batch) {
  auto count = static_cast<size_t>(batch.rows->num_rows());
  LakeRows rows;
  rows.rows = std::move(batch.rows);
  rows.changes.assign(count, ChangeType::kInsert);
  rows.offsets.assign(count, kLakeNoOffset);
  rows.base_offset = kLakeNoOffset;
  rows.timestamp = kLakeNoTimestamp;
  return rows;
}

LakeRows rows_of_log(ScanBatch batch) {
  LakeRows rows;
  rows.rows = std::move(batch.rows);
  rows.changes = std::move(batch.changes);
  rows.offsets = std::move(batch.offsets);
  rows.base_offset = batch.base_offset;
  rows.timestamp = batch.timestamp;
  return rows;
}

}  // namespace

Round::Round(const RoundContext& context, client::TieringTask task, bool removes_orphans)
    : context_(context),
      task_(std::move(task)),
      removes_orphans_(removes_orphans),
      lake_(context.connection) {}

Task<Result<RoundResult>> Round::run(std::shared_ptr<Round> self) {
  Result<RoundResult> result = co_await steps(self);
  if (result) co_return result;
  co_await self->abort_files();
  // What the store said is of less use than why it was stopped.
  Error error = self->cancelled_ ? *std::move(self->cancelled_) : std::move(result).error();
  co_return fail(std::move(error).with_context(fmt::format("tiering {}", self->task_.path)));
}

void Round::cancel(Error why) {
  if (is_committing_ || cancelled_) return;
  cancelled_ = std::move(why);
  if (scanner_ != nullptr) scanner_->wakeup();
}

Status Round::check_running() const {
  if (cancelled_) return fail(*cancelled_);
  return ok();
}

// An error of the server's; of the lake's a missing table is no more than a failure.
Error Round::checked(Error error) {
  if (error.code() == ErrorCode::kTableNotExist) is_table_gone_ = true;
  return error;
}

Status Round::check_id(TableId found) {
  if (found == task_.ticket.table) return ok();
  Error gone(ErrorCode::kTableNotExist,
             fmt::format("table {} was dropped and created anew", task_.ticket.table));
  return fail(checked(std::move(gone)));
}

// However short the time is, and however slow the store, a round does not end without any rows.
bool Round::is_enough() const {
  auto is_begun = [this](const LogRange& range) { return reached(range) > range.begin; };
  bool has_progress =
      !progress_.empty() || std::any_of(plan_.ranges.begin(), plan_.ranges.end(), is_begun);
  Duration late = context_.env.clock.monotonic() - deadline_;
  if (!has_progress) return late >= kFirstRowsWait;
  return late >= Duration::zero() || writers_->held_bytes() >= context_.options.held_bytes_max;
}

// A range that is read to its end has no position any more.
Offset Round::reached(const LogRange& range) const {
  return scanner_->position(range.bucket).value_or(range.end);
}

Task<Result<RoundResult>> Round::steps(std::shared_ptr<Round> self) {
  CO_RETURN_IF_ERROR(co_await self->open_table());
  CO_RETURN_IF_ERROR(failpoint("tiering.after_open"));
  CO_RETURN_IF_ERROR(co_await self->load_offsets());
  CO_RETURN_IF_ERROR(failpoint("tiering.after_offsets"));
  CO_RETURN_IF_ERROR(co_await self->recover_commit());
  CO_RETURN_IF_ERROR(failpoint("tiering.after_recovery"));
  CO_ASSIGN_OR_RETURN(self->plan_,
                      co_await plan_round(self->context_.connection, *self->info_, self->offsets_));
  CO_RETURN_IF_ERROR(failpoint("tiering.after_plan"));
  RoundResult result;
  if (self->plan_.is_empty()) co_return result;
  self->deadline_ = self->context_.env.clock.monotonic() + self->info_->options.lake.freshness;
  self->writers_ =
      std::make_shared<RoundWriters>(self->context_.env, self->context_.shard, self->table_);
  CO_RETURN_IF_ERROR(co_await self->copy_state());
  CO_RETURN_IF_ERROR(co_await self->copy_log());
  result.is_forced = self->is_forced_;
  if (self->progress_.empty()) co_return result;
  for (const TableBucket& bucket : self->plan_.unused) self->progress_[bucket] = Offset(0);
  CO_ASSIGN_OR_RETURN(LakeSnapshot snapshot, co_await self->commit());
  CO_RETURN_IF_ERROR(failpoint("tiering.after_report"));
  result.snapshot = snapshot.id;
  result.rows = self->rows();
  result.bytes = self->bytes();
  co_await self->keep_up(snapshot.id);
  CO_RETURN_IF_ERROR(failpoint("tiering.after_upkeep"));
  co_return result;
}

Task<Status> Round::open_table() {
  client::Admin admin(context_.connection);
  CO_ASSIGN_OR_RETURN(info_, co_await admin.table_info(task_.path));
  if (info_->id != task_.ticket.table) {
    co_return make_error(
        ErrorCode::kTableNotExist, "table {} was dropped and created anew", task_.ticket.table);
  }
  auto open = [this] { return context_.format.open_table(task_.path, info_->descriptor); };
  CO_ASSIGN_OR_RETURN(table_,
                      co_await run_on_pool(context_.env.pool, context_.shard, std::move(open)));
  co_return ok();
}

Task<Status> Round::load_offsets() {
  auto known = co_await lake_.latest_snapshot(task_.path);
  if (!known && is_no_snapshot(known.error())) co_return ok();
  if (!known) co_return fail(checked(std::move(known).error()));
  CO_RETURN_IF_ERROR(check_id(known->table));
  known_ = known->id;
  offsets_ = std::move(known->offsets);
  co_return ok();
}

// Nothing when the coordinator knows it.
Result<std::optional<LakeSnapshot>> Round::newest_of_ours() {
  ASSIGN_OR_RETURN(std::optional<LakeSnapshot> newest, table_->latest_snapshot_of(kLakeCommitUser));
  if (!known_) return newest;
  if (newest && newest->id == *known_) return std::optional<LakeSnapshot>();
  ASSIGN_OR_RETURN(std::optional<int64_t> order, table_->order_of(*known_));
  if (order && newest && newest->order > *order) return newest;
  return make_error(
      ErrorCode::kUnknownServerError,
      "lake snapshot {}, whose offsets are known, is gone{}: the lake table was set back by "
      "somebody else; bring it forward again, or drop it and switch the lake off and on again",
      *known_,
      newest ? fmt::format(", the newest of ours is {}", newest->id) : std::string());
}

Task<Status> Round::recover_commit() {
  auto look = [this] { return newest_of_ours(); };
  CO_ASSIGN_OR_RETURN(std::optional<LakeSnapshot> missing,
                      co_await run_on_pool(context_.env.pool, context_.shard, std::move(look)));
  if (!missing) co_return ok();
  auto path = missing->properties.find(kLakeOffsetsProperty);
  if (path == missing->properties.end() || path->second.find('{') != std::string::npos) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "lake snapshot {} of {} has no usable property {}; take it back with a "
                         "tool of the lake's",
                         missing->id,
                         missing->user,
                         kLakeOffsetsProperty);
  }
  LOG_INFO("tiering",
           "a lake commit that was not reported is made known",
           KV("table", fmt::to_string(task_.path)),
           KV("snapshot", missing->id.value()));
  CO_RETURN_IF_ERROR(failpoint("tiering.before_recovery"));
  LakeSnapshotCommit commit;
  commit.path = task_.path;
  commit.table = info_->id;
  commit.snapshot = missing->id;
  commit.tiered_path = path->second;
  commit.readable_path = path->second;
  commit.retention.kind = client::LakeRetention::Kind::kAll;
  CO_RETURN_IF_ERROR(co_await lake_.commit_snapshot(std::move(commit)));
  co_return co_await load_offsets();
}

Task<Status> Round::copy_state() {
  for (const auto& [partition, buckets] : plan_.states) {
    client::TableScanOptions options;
    if (!partition.empty()) {
      const std::vector<std::string>& keys = info_->descriptor.partition_keys;
      const std::vector<std::string>& values = plan_.partitions.at(*buckets.front().partition);
      for (size_t i = 0; i < keys.size(); ++i) options.partitions.emplace_back(keys[i], values[i]);
    }
    auto opened = co_await TableScanner::open(context_.connection, task_.path, std::move(options));
    CO_ASSIGN_OR_RETURN(std::unique_ptr<TableScanner> scanner, std::move(opened));
    for (;;) {
      CO_RETURN_IF_ERROR(check_running());
      CO_ASSIGN_OR_RETURN(std::optional<ScanBatch> batch, co_await scanner->next());
      if (!batch) break;
      bool is_wanted = std::find(buckets.begin(), buckets.end(), batch->bucket) != buckets.end();
      if (!is_wanted) continue;
      batch->timestamp = kLakeNoTimestamp;
      std::vector<ScanBatch> batches;
      batches.push_back(*std::move(batch));
      CO_RETURN_IF_ERROR(co_await write(std::move(batches)));
    }
    for (const TableBucket& bucket : buckets) {
      std::optional<Offset> end = scanner->log_offset(bucket);
      if (end) progress_[bucket] = *end;
    }
    (void)co_await scanner->close();
  }
  co_return ok();
}

Task<Status> Round::copy_log() {
  if (plan_.ranges.empty()) co_return ok();
  client::ScannerOptions options;
  options.bucket_bytes_max = kBucketFetchBytes;
  auto opened = co_await LogScanner::open(context_.connection, task_.path, std::move(options));
  CO_ASSIGN_OR_RETURN(std::unique_ptr<LogScanner> scanner, std::move(opened));
  CO_RETURN_IF_ERROR(check_id(scanner->table().id));
  CO_RETURN_IF_ERROR(co_await scanner->subscribe_ranges(plan_.ranges));
  scanner_ = scanner.get();
  Status copied = ok();
  while (copied && !scanner->is_finished()) {
    if (is_enough()) {
      is_forced_ = true;
      break;
    }
    auto batches = co_await scanner->poll(kPollWait);
    copied = check_running();
    if (copied && !batches) copied = fail(std::move(batches).error());
    if (copied) copied = co_await write(*std::move(batches));
  }
  for (const LogRange& range : plan_.ranges) {
    if (reached(range) > range.begin) progress_[range.bucket] = reached(range);
  }
  scanner_ = nullptr;
  (void)co_await scanner->close();
  co_return copied;
}

Task<Status> Round::write(std::vector<ScanBatch> batches) {
  std::vector<Portion> portions;
  portions.reserve(batches.size());
  for (ScanBatch& batch : batches) {
    Portion portion;
    if (batch.bucket.partition) {
      portion.bucket.partition = plan_.partitions.at(*batch.bucket.partition);
    }
    portion.bucket.bucket = batch.bucket.bucket;
    bool is_state = batch.timestamp == kLakeNoTimestamp;
    portion.rows = is_state ? rows_of_state(std::move(batch)) : rows_of_log(std::move(batch));
    portions.push_back(std::move(portion));
  }
  co_return co_await RoundWriters::write(writers_, std::move(portions));
}

Task<Result<LakeSnapshot>> Round::commit() {
  CO_RETURN_IF_ERROR(co_await RoundWriters::finish(writers_, &files_));
  CO_RETURN_IF_ERROR(failpoint("tiering.after_files"));
  auto look = [this] { return newest_of_ours(); };
  CO_ASSIGN_OR_RETURN(std::optional<LakeSnapshot> newer,
                      co_await run_on_pool(context_.env.pool, context_.shard, std::move(look)));
  if (newer) {
    co_return make_error(ErrorCode::kFencedTieringEpochException,
                         "another worker has committed lake snapshot {} meanwhile",
                         newer->id);
  }
  CO_RETURN_IF_ERROR(check_running());
  auto prepared = co_await lake_.prepare_snapshot(task_.path, info_->id, progress_);
  if (!prepared) co_return fail(checked(std::move(prepared).error()));
  std::string path = *std::move(prepared);
  CO_RETURN_IF_ERROR(failpoint("tiering.after_prepare"));
  CO_RETURN_IF_ERROR(check_running());

  is_committing_ = true;
  LakeCommitTag tag;
  tag.properties.emplace(kLakeOffsetsProperty, path);
  tag.newest_known = LakeNewestKnown{known_};
  auto job = [this, tag = std::move(tag)] { return table_->commit(files_, tag); };
  CO_ASSIGN_OR_RETURN(LakeSnapshot snapshot,
                      co_await run_on_pool(context_.env.pool, context_.shard, std::move(job)));
  files_.clear();
  CO_RETURN_IF_ERROR(failpoint("tiering.after_lake_commit"));

  LakeSnapshotCommit known;
  known.path = task_.path;
  known.table = info_->id;
  known.snapshot = snapshot.id;
  known.tiered_path = path;
  known.readable_path = path;
  known.progress = progress_;
  CO_RETURN_IF_ERROR(co_await lake_.commit_snapshot(std::move(known)));
  co_return snapshot;
}

// Of a commit that may be there all the same nothing is removed.
Task<void> Round::abort_files() {
  if (writers_) (void)co_await RoundWriters::drop(writers_);
  auto job = [this] {
    if (table_ && !is_committing_) table_->abort(files_);
    return true;
  };
  co_await run_on_pool(context_.env.pool, context_.shard, std::move(job));
}

Task<void> Round::keep_up(LakeSnapshotId committed) {
  LakeUpkeep upkeep;
  upkeep.compact = info_->options.lake.auto_compaction;
  upkeep.expire = context_.options.expire_all || info_->options.lake.auto_expire_snapshot;
  upkeep.keep_from = committed;
  if (removes_orphans_) {
    auto age = std::chrono::duration_cast<std::chrono::milliseconds>(context_.options.orphan_age);
    upkeep.orphans_before = TimestampMs(context_.env.clock.now().value() - age.count());
  }
  if (!upkeep.compact && !upkeep.expire && !upkeep.orphans_before) co_return;
  auto job = [this, upkeep] { return table_->keep_up(upkeep); };
  auto done = co_await run_on_pool(context_.env.pool, context_.shard, std::move(job));
  // The rows are in the lake; the next round tries again.
  if (!done) {
    LOG_WARN("tiering",
             "the lake table was not tidied up",
             KV("table", fmt::to_string(task_.path)),
             KV("error", done.error().message()));
    co_return;
  }
  for (const std::string& step : *done) {
    LOG_INFO("tiering", "tidied up", KV("table", fmt::to_string(task_.path)), KV("step", step));
  }
}

}  // namespace lakestream::tiering
