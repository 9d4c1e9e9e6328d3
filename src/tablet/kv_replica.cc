#include "tablet/kv_replica.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "io/clock.h"
#include "io/pool.h"
#include "kv/replay.h"
#include "tablet/remote_log.h"

namespace lakestream {
namespace {

constexpr size_t kGroupPutsMax = 64;
constexpr size_t kGroupBytesMax = 4 << 20;
constexpr size_t kReplayReadBytes = 4 << 20;
constexpr Duration kApplyRetry = std::chrono::seconds(1);
constexpr Duration kOpenPauseMin = std::chrono::milliseconds(100);
constexpr Duration kOpenPauseMax = std::chrono::seconds(20);

std::vector<std::string_view> views_of(const std::vector<Bytes>& keys) {
  std::vector<std::string_view> views;
  views.reserve(keys.size());
  for (const Bytes& key : keys) views.push_back(key.view());
  return views;
}

}  // namespace

KvReplica::KvReplica(Env& env,
                     Shard& home,
                     TableBucket bucket,
                     LogTablet& log,
                     KvReplicaOptions options,
                     std::function<void(Offset)> published)
    : env_(env),
      home_(home),
      bucket_(bucket),
      log_(log),
      options_(std::move(options)),
      published_(std::move(published)),
      scans_(env, home, options_.scans, options_.scan_count) {}

Status KvReplica::check_open() const {
  if (!stopped_) return ok();
  return make_error(ErrorCode::kNotLeaderOrFollower,
                    "{} stopped on this server; read the metadata again",
                    bucket_);
}

std::shared_ptr<KvReplica::Put> KvReplica::start_put(KvPutRequest request) {
  auto put = std::make_shared<Put>();
  put->request = std::move(request);
  auto check = [&]() -> Status {
    RETURN_IF_ERROR(check_open());
    // Without puts nobody else would find out that the engine has caught up.
    if (pressure_ >= 1 && tablet_ != nullptr) look_at_engine();
    if (pressure() >= 1) {
      return make_error(ErrorCode::kStorageBackpressureException,
                        "{}: rows arrive faster than they are stored; send the batch again later",
                        bucket_);
    }
    ASSIGN_OR_RETURN(put->batch, KvBatchView::parse(put->request.records));
    return put->batch->validate();
  };
  Status checked = check();
  if (!checked) {
    put->appended.set(fail(std::move(checked).error()));
    return put;
  }
  queued_bytes_ += put->request.records.size();
  queue_.push_back(put);
  if (pumping_) return put;
  std::optional<Gate::Pass> pass = gate_.enter();
  CHECK(pass.has_value(), "the gate closes after stopped_ is set");
  pumping_ = true;
  home_.spawn(pump(std::move(*pass)));
  return put;
}

Task<void> KvReplica::pump(Gate::Pass) {
  while (!queue_.empty()) {
    std::vector<std::shared_ptr<Put>> group;
    size_t bytes = 0;
    while (!queue_.empty() && group.size() < kGroupPutsMax && bytes < kGroupBytesMax) {
      bytes += queue_.front()->request.records.size();
      queued_bytes_ -= queue_.front()->request.records.size();
      group.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    Status taken = co_await take_group(group);
    if (taken) continue;
    for (const auto& put : group) put->appended.set(fail(taken.error()));
  }
  pumping_ = false;
}

// An error is that of all puts which are not settled yet.
Task<Status> KvReplica::take_group(std::vector<std::shared_ptr<Put>> group) {
  CO_RETURN_IF_ERROR(co_await open(group.front()->request.table));
  std::vector<std::shared_ptr<Put>> loaded;
  for (const auto& put : group) {
    CO_ASSIGN_OR_RETURN(KvTable * table, put->request.table->kv());
    KvPut as_put{*put->batch, put->request.target_columns, put->request.overwrite};
    Result<bool> needs = KvTablet::needs_old_rows(*table, as_put);
    if (needs && *needs) loaded.push_back(put);
  }
  int64_t records = 0;
  for (const auto& put : group) records += put->batch->record_count();
  CO_ASSIGN_OR_RETURN(KvTable * newest, group.back()->request.table->kv());
  if (newest->auto_increment()) CO_RETURN_IF_ERROR(co_await reserve_ids(newest, records));
  KvLoad load;
  if (!loaded.empty()) CO_RETURN_IF_ERROR(co_await load_group(&loaded, &load));
  size_t position = 0;
  for (const auto& put : group) {
    bool is_loaded = position < loaded.size() && loaded[position] == put;
    put->appended.set(settle(*put, is_loaded ? &load : nullptr, position));
    if (is_loaded) ++position;
  }
  if (!loaded.empty()) tablet_->forget_load();
  look_at_engine();
  co_return ok();
}

Task<Status> KvReplica::reserve_ids(KvTable* table, int64_t count) {
  int64_t left = tablet_->ids_left();
  if (left >= count) co_return ok();
  CHECK(options_.coordinator != nullptr, "auto-increment columns need a coordinator");
  int32_t column = table->schema().column(*table->auto_increment()).id;
  int64_t wanted = std::max(count - left, table->options().auto_increment_cache_size);
  CO_ASSIGN_OR_RETURN(
      ReservedIds ids,
      co_await options_.coordinator->reserve_ids(&home_, bucket_.table, column, wanted));
  tablet_->add_ids({column, ids.start, ids.end});
  co_return ok();
}

Task<Status> KvReplica::load_group(const std::vector<std::shared_ptr<Put>>* group, KvLoad* load) {
  std::vector<const KvBatchView*> batches;
  for (const auto& put : *group) batches.push_back(&*put->batch);
  for (;;) {
    *load = tablet_->begin_load(batches);
    if (!load->complete()) {
      auto read = [load] { return load->read(); };
      Status done = co_await run_on_pool(env_.pool, home_, std::move(read));
      if (!done) {
        tablet_->forget_load();
        co_return done;
      }
    }
    if (tablet_->end_load(*load)) co_return ok();
  }
}

// Nothing in here waits, so puts stay in order.
Result<Appended> KvReplica::settle(Put& put, const KvLoad* load, size_t position) {
  RETURN_IF_ERROR(check_open());
  ASSIGN_OR_RETURN(KvTable * table, put.request.table->kv());
  if (put.batch->writer_id() != kNoWriter) {
    auto duplicate = log_.find_duplicate(put.batch->writer_id(), put.batch->batch_sequence());
    if (duplicate) return *duplicate;
  }
  KvPut as_put{*put.batch, put.request.target_columns, put.request.overwrite};
  ASSIGN_OR_RETURN(Bytes changelog, tablet_->prepare(*table, as_put, load, position));
  AppendRules rules;
  rules.leader_epoch = put.request.epoch;
  rules.now = env_.clock.now();
  rules.origin = BatchOrigin::kServer;
  Result<Appended> appended = log_.append(std::move(changelog), rules);
  if (appended && !appended->duplicate) {
    tablet_->accept(appended->end_offset);
  } else {
    tablet_->reject();
  }
  return appended;
}

size_t KvReplica::pending_bytes() const {
  return queued_bytes_ + (tablet_ == nullptr ? 0 : tablet_->pending_bytes());
}

double KvReplica::pressure() const {
  return pending_bytes() >= options_.pending_bytes_max ? 1 : pressure_;
}

void KvReplica::log_moved(const LogProgress& progress) {
  if (progress.loss != nullptr && tablet_ != nullptr) tablet_->lose_from(progress.loss->from);
  start_apply();
}

void KvReplica::start_apply() {
  if (applying_ || tablet_ == nullptr) return;
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass) return;  // a restart replays the rest
  applying_ = true;
  home_.spawn(apply(std::move(*pass)));
}

// Everything that writes to the database or copies it happens here, one after the other.
Task<void> KvReplica::apply(Gate::Pass) {
  while (!stopped_) {
    if (co_await grant_wish()) continue;
    KvApply next = tablet_->begin_apply(log_.durable_end_offset());
    if (next.empty()) break;
    Status status = co_await apply_some(&next);
    tablet_->end_apply(next, status);
    if (status) published_(tablet_->applied().applied);
  }
  applying_ = false;
  if (stopped_) refuse_wishes();
}

Task<bool> KvReplica::grant_wish() {
  KvEngine* engine = &tablet_->engine();
  if (CheckpointWish* wish = std::exchange(checkpoint_wish_, nullptr)) {
    auto job = [engine, wish] { return engine->checkpoint(wish->directory); };
    wish->taken.set(co_await run_on_pool(env_.pool, home_, std::move(job)));
    co_return true;
  }
  if (Promise<Status>* flushed = std::exchange(flush_wish_, nullptr)) {
    auto job = [engine] { return engine->flush(); };
    flushed->set(co_await run_on_pool(env_.pool, home_, std::move(job)));
    co_return true;
  }
  co_return false;
}

void KvReplica::refuse_wishes() {
  if (CheckpointWish* wish = std::exchange(checkpoint_wish_, nullptr)) {
    wish->taken.set(fail(check_open().error()));
  }
  if (Promise<Status>* flushed = std::exchange(flush_wish_, nullptr)) {
    flushed->set(check_open());
  }
}

uint64_t KvReplica::unflushed_bytes() const {
  return tablet_ == nullptr ? 0 : tablet_->engine().stats().memtable_bytes;
}

Task<Status> KvReplica::flush() {
  auto pass = gate_.enter();
  if (!pass || tablet_ == nullptr || flush_wish_ != nullptr) co_return ok();
  Promise<Status> flushed;
  flush_wish_ = &flushed;
  start_apply();
  co_return co_await flushed.get();
}

void KvReplica::look_at_engine() {
  KvEngineStats stats = tablet_->engine().stats();
  pressure_ = stats.pressure;
  if (stats.budget_used >= 1) options_.memory_used_up();
}

// After a failure it waits, for the next try is not likely to do better at once.
Task<Status> KvReplica::apply_some(const KvApply* next) {
  auto run = [next] { return next->run(); };
  Status status = co_await run_on_pool(env_.pool, home_, std::move(run));
  if (status) co_return status;
  LOG_ERROR("tablet",
            "rows not stored, trying again",
            KV("bucket", bucket_),
            KV("reason", status.error().message()));
  auto sleeper = std::make_shared<Waiter>();
  Timer timer = env_.clock.start_timer(home_, kApplyRetry, [sleeper] { sleeper->wake(); });
  co_await sleeper->wait();
  co_return status;
}

Task<Status> KvReplica::open(std::shared_ptr<TableContext> table) {
  if (tablet_ != nullptr) co_return check_open();
  CO_RETURN_IF_ERROR(check_open());
  if (opening_) {
    Promise<Status> opened;
    openers_.push_back(&opened);
    co_return co_await opened.get();
  }
  Duration now = env_.clock.monotonic();
  if (failed_open_ && now < failed_open_->until) co_return fail(failed_open_->error);
  opening_ = true;
  Status status = co_await open_database(std::move(table));
  opening_ = false;
  note_open(status);
  for (Promise<Status>* opener : std::exchange(openers_, {})) opener->set(status);
  co_return status;
}

void KvReplica::note_open(const Status& status) {
  if (status || stopped_) {
    failed_open_.reset();
    return;
  }
  Duration pause = failed_open_ ? std::min(2 * failed_open_->pause, kOpenPauseMax) : kOpenPauseMin;
  failed_open_ = FailedOpen{status.error(), env_.clock.monotonic() + pause, pause};
}

Task<Status> KvReplica::open_database(std::shared_ptr<TableContext> table) {
  auto pass = gate_.enter();
  if (!pass) co_return check_open();
  CO_ASSIGN_OR_RETURN(std::shared_ptr<KvTable> kv_table, table->shared_kv());
  CO_ASSIGN_OR_RETURN(std::unique_ptr<KvEngine> engine, co_await open_engine());
  CO_RETURN_IF_ERROR(co_await replay(engine.get(), std::move(kv_table)));
  tablet_ = std::make_unique<KvTablet>(std::move(engine), options_.rows);
  co_return ok();
}

Task<Status> KvReplica::replay(KvEngine* engine, std::shared_ptr<KvTable> table) {
  Offset from = engine->mark().applied;
  Offset end = log_.durable_end_offset();
  if (from >= end) co_return ok();
  auto replay = std::make_shared<KvReplay>(*table, *engine);
  int64_t batches = 0;
  while (from < end) {
    ReadRequest request{from, end, kReplayReadBytes, true};
    CO_ASSIGN_OR_RETURN(LogRead read, co_await read_log(&log_, options_.remote, request));
    CO_RETURN_IF_ERROR(check_open());
    if (read.end_offset <= from) {
      co_return make_error(ErrorCode::kKvStorageException,
                           "{}: the changelog has nothing at offset {}, and its end is {}",
                           bucket_,
                           from,
                           end);
    }
    from = read.end_offset;
    auto records = std::make_shared<Bytes>(read.records.flatten());
    auto job = [replay, records]() -> Result<int64_t> {
      int64_t count = 0;
      BatchReader reader(*records);
      for (;; ++count) {
        ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
        if (!batch) return count;
        RETURN_IF_ERROR(replay->add(*batch));
      }
    };
    CO_ASSIGN_OR_RETURN(int64_t count, co_await run_on_pool(env_.pool, home_, std::move(job)));
    batches += count;
  }
  auto finish = [replay] { return replay->finish(); };
  CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, home_, std::move(finish)));
  LOG_INFO("tablet",
           "key-value state brought up to the log",
           KV("bucket", bucket_),
           KV("batches", batches),
           KV("end_offset", end));
  co_return ok();
}

Task<Result<std::vector<std::optional<Bytes>>>> KvReplica::lookup(
    std::shared_ptr<TableContext> table, std::vector<Bytes> keys, Rows which) {
  if (tablet_ == nullptr) CO_RETURN_IF_ERROR(co_await open(std::move(table)));
  auto pass = gate_.enter();
  if (!pass) co_return fail(check_open().error());
  std::vector<std::string_view> views = views_of(keys);
  KvLookup lookup = tablet_->begin_lookup(views);
  if (which == Rows::kNewest) tablet_->add_pending(&lookup);
  if (!lookup.complete()) {
    auto job = [&lookup] { return lookup.read(); };
    CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, home_, std::move(job)));
  }
  tablet_->end_lookup(lookup);
  std::vector<std::optional<Bytes>> values(keys.size());
  for (size_t i = 0; i < values.size(); ++i) {
    KvRead& row = lookup.rows()[i];
    if (row.state == KvRead::State::kFound) values[i] = std::move(row.value);
  }
  co_return values;
}

Task<Result<KvScanStart>> KvReplica::open_scan(std::shared_ptr<TableContext> table,
                                               std::optional<int64_t> limit,
                                               size_t page_bytes) {
  CO_RETURN_IF_ERROR(scans_.check_room());
  CO_RETURN_IF_ERROR(co_await open(std::move(table)));
  auto pass = gate_.enter();  // the database must outlive the cursor
  if (!pass) co_return fail(check_open().error());
  KvEngine* engine = &tablet_->engine();
  auto job = [engine]() -> Result<std::shared_ptr<KvCursor>> {
    ASSIGN_OR_RETURN(std::unique_ptr<KvCursor> made, engine->open_cursor());
    made->seek({});
    return std::shared_ptr<KvCursor>(std::move(made));
  };
  CO_ASSIGN_OR_RETURN(std::shared_ptr<KvCursor> cursor,
                      co_await run_on_pool(env_.pool, home_, std::move(job)));
  KvScanStart start;
  start.log_offset = cursor->mark().applied;
  start.is_empty = cursor->at_end();
  if (start.is_empty) co_return start;
  CO_ASSIGN_OR_RETURN(start.page, co_await scans_.open(std::move(cursor), limit, page_bytes));
  co_return start;
}

Task<Result<KvScanPage>> KvReplica::next_page(uint64_t scanner,
                                              int32_t sequence,
                                              size_t page_bytes) {
  auto pass = gate_.enter();
  if (!pass) co_return fail(check_open().error());
  co_return co_await scans_.next(scanner, sequence, page_bytes);
}

Task<Result<std::vector<Bytes>>> KvReplica::scan_prefix(std::shared_ptr<TableContext> table,
                                                        Bytes prefix,
                                                        size_t count_max,
                                                        size_t bytes_max) {
  CO_RETURN_IF_ERROR(co_await open(std::move(table)));
  auto pass = gate_.enter();
  if (!pass) co_return fail(check_open().error());
  KvEngine* engine = &tablet_->engine();
  auto job = [engine, prefix, count_max, bytes_max]() -> Result<std::vector<Bytes>> {
    ASSIGN_OR_RETURN(std::unique_ptr<KvCursor> cursor, engine->open_cursor());
    std::vector<Bytes> values;
    size_t bytes = 0;
    for (cursor->seek(prefix.view()); !cursor->at_end() && values.size() < count_max;
         cursor->next()) {
      if (!cursor->key().starts_with(prefix.view())) break;
      bytes += cursor->value().size();
      if (bytes > bytes_max) {
        return make_error(ErrorCode::kInvalidScanRequest,
                          "the rows take more than {} bytes; ask for fewer or scan the bucket",
                          bytes_max);
      }
      values.push_back(Bytes::copy_of(cursor->value()));
    }
    RETURN_IF_ERROR(cursor->status());
    return values;
  };
  co_return co_await run_on_pool(env_.pool, home_, std::move(job));
}

Task<Result<int64_t>> KvReplica::row_count(std::shared_ptr<TableContext> table) {
  CO_ASSIGN_OR_RETURN(KvTable * kv, table->kv());
  bool counted = kv->logs_old_rows();  // an empty state has a count all the same
  CO_RETURN_IF_ERROR(co_await open(std::move(table)));
  auto pass = gate_.enter();
  if (!pass) co_return fail(check_open().error());
  const std::optional<int64_t>& count = tablet_->applied().row_count;
  if (counted && count) co_return *count;
  co_return make_error(ErrorCode::kInvalidTableException,
                       "{}: rows are not counted with 'table.changelog.image' = 'WAL'",
                       bucket_);
}

Task<Status> KvReplica::stop() {
  stopped_ = true;
  co_await gate_.closed();
  scans_.close_all();
  if (tablet_ == nullptr) co_return ok();
  KvEngine* engine = &tablet_->engine();
  auto flush = [engine] { return engine->flush(); };
  Status flushed = co_await run_on_pool(env_.pool, home_, std::move(flush));
  auto doomed = std::make_shared<std::unique_ptr<KvTablet>>(std::move(tablet_));
  auto close = [doomed] {
    doomed->reset();
    return true;
  };
  co_await run_on_pool(env_.pool, home_, std::move(close));
  co_return flushed;
}

}  // namespace lakestream
