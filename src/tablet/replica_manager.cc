#include "tablet/replica_manager.h"

#include <algorithm>
#include <functional>

#include "base/logging.h"
#include "io/clock.h"
#include "io/disk.h"
#include "io/pool.h"
#include "io/random.h"

namespace lakestream {
namespace {

// Memory for indexes of remote segments, of all shards.
constexpr size_t kIndexBytesMax = 32 << 20;

}  // namespace

Result<std::shared_ptr<Replica>> ShardTablets::find(const TableBucket& bucket) const {
  auto found = replicas_.find(bucket);
  if (found == replicas_.end()) {
    return make_error(ErrorCode::kUnknownTableOrBucketException,
                      "{} is not on this server; read the metadata again",
                      bucket);
  }
  return found->second;
}

Result<std::shared_ptr<Replica>> ShardTablets::leader(const TableBucket& bucket) const {
  ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, find(bucket));
  // What was dropped stops later, and nothing may be acknowledged until then.
  if (catalog_.on(shard_).find_buckets({bucket.table, bucket.partition}) == nullptr) {
    return make_error(ErrorCode::kUnknownTableOrBucketException,
                      "{} was dropped; read the metadata again",
                      bucket);
  }
  RETURN_IF_ERROR(replica->check_leader());
  return replica;
}

Result<std::shared_ptr<TableContext>> ShardTablets::table(TableId id) {
  std::shared_ptr<const TableEntry> entry = catalog_.on(shard_).find_table(id);
  auto known = tables_.find(id);
  if (entry == nullptr) {
    if (known != tables_.end()) tables_.erase(known);
    return make_error(ErrorCode::kUnknownTableOrBucketException,
                      "table {} does not exist; read the metadata again",
                      id);
  }
  if (known != tables_.end() && known->second->entry() == entry) return known->second;
  ASSIGN_OR_RETURN(std::shared_ptr<TableContext> context, TableContext::make(std::move(entry)));
  if (known != tables_.end()) context->reads() = known->second->reads();
  tables_[id] = context;
  return context;
}

namespace {

Task<void> flush_one(std::shared_ptr<Replica> replica, bool* running) {
  Status flushed = co_await replica->kv()->flush();
  *running = false;
  if (flushed) co_return;
  LOG_WARN("tablet",
           "rows not written to free memory",
           KV("bucket", replica->bucket()),
           KV("reason", flushed.error().message()));
}

}  // namespace

void ShardTablets::relieve_memory() {
  if (relieving_) return;
  std::shared_ptr<Replica> largest;
  uint64_t most = 0;
  for (const auto& [bucket, replica] : replicas_) {
    uint64_t bytes = replica->kv() == nullptr ? 0 : replica->kv()->unflushed_bytes();
    if (bytes > most) {
      most = bytes;
      largest = replica;
    }
  }
  if (largest == nullptr) return;
  relieving_ = true;
  shard_.spawn(flush_one(std::move(largest), &relieving_));
}

Status ShardTablets::check_writable() const {
  if (!disk_full_) return ok();
  return make_error(ErrorCode::kDiskWriteLocked, "{}", *disk_full_);
}

Task<Result<std::unique_ptr<ReplicaManager>>> ReplicaManager::open(Env& env,
                                                                   Shard& control,
                                                                   std::vector<Shard*> shards,
                                                                   const Catalog& catalog,
                                                                   TabletOptions options) {
  auto manager = std::make_unique<ReplicaManager>(
      env, control, std::move(shards), catalog, std::move(options));
  CO_RETURN_IF_ERROR(co_await manager->start());
  co_return manager;
}

ReplicaManager::ReplicaManager(Env& env,
                               Shard& control,
                               std::vector<Shard*> shards,
                               const Catalog& catalog,
                               TabletOptions options)
    : env_(env), control_(control), catalog_(catalog), options_(std::move(options)) {
  auto rows = std::make_shared<RowCacheBudget>(options_.kv_row_cache_bytes, shards.size());
  for (Shard* shard : shards) {
    CHECK(shard->index() == tablets_.size(), "homes are the shards 0, 1, 2, ...");
    tablets_.push_back(std::make_unique<ShardTablets>(*shard, catalog_));
    tablets_.back()->rows_ = std::make_shared<RowCache>(rows);
    tablets_.back()->indexes_ = std::make_shared<RemoteIndexes>(kIndexBytesMax / shards.size());
  }
}

ReplicaManager::~ReplicaManager() = default;

Task<Status> ReplicaManager::start() {
  CO_ASSIGN_OR_RETURN(
      store_, co_await LogStore::open(env_, control_, options_.data_directory, options_.log));
  co_await watch_disk();
  start_repeating(options_.checkpoint_interval, &ReplicaManager::checkpoint);
  start_repeating(options_.retention_check_interval, &ReplicaManager::enforce_retention);
  start_repeating(options_.writer_check_interval, &ReplicaManager::expire_writers);
  start_repeating(options_.disk_check_interval, &ReplicaManager::watch_disk);
  if (std::optional<Gate::Pass> pass = gate_.enter()) {
    control_.spawn(repeat_snapshots(std::move(*pass)));
  }
  if (options_.remote_log_interval > Duration::zero()) {
    start_repeating(options_.remote_log_interval, &ReplicaManager::copy_logs);
  }
  start_repeating(options_.kv_scan_check_interval, &ReplicaManager::expire_scans);
  start_repeating(options_.memory_report_interval, &ReplicaManager::report_memory);
  start_repeating(options_.memory_report_interval, &ReplicaManager::report_reads);
  co_return ok();
}

// Consecutive buckets of a table go to consecutive shards, so that its load spreads evenly.
Shard& ReplicaManager::home(const TableBucket& bucket) const {
  TableBucket first{bucket.table, bucket.partition, BucketId(0)};
  size_t spread = std::hash<TableBucket>()(first) + static_cast<size_t>(bucket.bucket.value());
  return tablets_[spread % tablets_.size()]->shard_;
}

// What a replica is made of.
struct ReplicaParts {
  PhysicalTablePath path;
  TableBucket bucket;
  std::unique_ptr<LogTablet> log;
  KvReplicaOptions kv;
  std::optional<RemoteLogPlace> place;  // none without remote storage
  RemoteLogOptions remote;
};

namespace {

// What the disk lost while remote storage has it: the log goes on behind that.
Task<Status> mend_end(ReplicaParts* parts) {
  LogTablet& log = *parts->log;
  Offset copied_end = parts->place ? parts->place->end_offset : Offset(0);
  if (log.end_offset() >= copied_end) co_return ok();
  LOG_ERROR("tablet",
            "the log on the disk lost its end, which remote storage has",
            KV("bucket", parts->bucket),
            KV("end_offset", log.end_offset()),
            KV("goes_on_at", copied_end));
  Status mended = co_await log.truncate_fully_and_start_at(copied_end);
  if (!mended) parts->log.reset();
  co_return mended;
}

}  // namespace

Task<Status> ReplicaManager::install(ShardTablets* tablets, std::shared_ptr<ReplicaParts> parts) {
  CO_RETURN_IF_ERROR(co_await mend_end(parts.get()));
  auto replica =
      std::make_shared<Replica>(env_, tablets->shard_, parts->bucket, std::move(parts->log));
  if (parts->place) {
    replica->add_remote(parts->path, std::move(parts->remote), std::move(*parts->place));
  }
  auto table = tablets->table(parts->bucket.table);
  if (table && (*table)->has_primary_key()) replica->add_kv(std::move(parts->kv));
  tablets->replicas_[parts->bucket] = std::move(replica);
  co_return ok();
}

Task<Status> ReplicaManager::open_replica(PhysicalTablePath path, TableBucket bucket) {
  Shard& shard = home(bucket);
  ShardTablets* tablets = tablets_[shard.index()].get();
  auto parts = std::make_shared<ReplicaParts>();
  parts->path = path;
  parts->bucket = bucket;
  if (options_.coordinator != nullptr && options_.objects != nullptr) {
    CO_ASSIGN_OR_RETURN(parts->place, co_await options_.coordinator->remote_log(&control_, bucket));
  }
  LogPath log_path{path, bucket};
  CO_ASSIGN_OR_RETURN(parts->log, co_await store_->open_log(log_path, shard));
  parts->remote.coordinator = options_.coordinator;
  parts->remote.objects = options_.objects;
  parts->remote.random = env_.random.fork();
  parts->remote.index_interval_bytes = options_.log.index_interval_bytes;
  parts->remote.indexes = tablets->indexes_;
  parts->kv.directory = kv_directory(log_path);
  parts->kv.engines = options_.kv_engines;
  parts->kv.rows = tablets->rows_;
  parts->kv.coordinator = options_.coordinator;
  parts->kv.objects = options_.objects;
  parts->kv.random = env_.random.fork();
  parts->kv.scans = options_.kv_scans;
  parts->kv.scan_count = scan_count_;
  parts->kv.memory_used_up = [tablets] { tablets->relieve_memory(); };
  auto job = [this, tablets, parts] { return install(tablets, parts); };
  CO_RETURN_IF_ERROR(co_await call_on(control_, shard, std::move(job)));
  open_[bucket] = std::move(path);
  co_return ok();
}

Task<Status> ReplicaManager::become_leader(PhysicalTablePath path,
                                           TableBucket bucket,
                                           LeaderEpoch epoch) {
  if (!open_.contains(bucket)) {
    CO_RETURN_IF_ERROR(co_await open_replica(std::move(path), bucket));
  }
  Shard& shard = home(bucket);
  ShardTablets* tablets = tablets_[shard.index()].get();
  auto lead = [tablets, bucket, epoch]() -> Status {
    auto found = tablets->find(bucket);
    if (!found) return fail(std::move(found).error());
    return (*found)->become_leader(epoch);
  };
  co_return co_await call_on(control_, shard, std::move(lead));
}

Task<Status> ReplicaManager::stop_replica(PhysicalTablePath path, TableBucket bucket, bool erase) {
  if (open_.erase(bucket) > 0) {
    Shard& shard = home(bucket);
    ShardTablets* tablets = tablets_[shard.index()].get();
    struct Run {
      static Task<Status> stop(ShardTablets* on, TableBucket which) {
        auto found = on->replicas_.extract(which);
        if (found.empty()) co_return ok();
        on->tables_.erase(which.table);
        std::shared_ptr<Replica> replica = std::move(found.mapped());
        co_return co_await replica->stop();
      }
    };
    auto job = [tablets, bucket] { return Run::stop(tablets, bucket); };
    Status stopped = co_await call_on(control_, shard, std::move(job));
    // A log that could not be closed well is scanned at the next start, or is about to be deleted.
    if (!stopped) {
      LOG_WARN("tablet",
               "log not closed cleanly",
               KV("bucket", bucket),
               KV("reason", stopped.error().message()));
    }
  }
  if (!erase) co_return ok();
  LogPath log_path{std::move(path), bucket};
  co_return co_await erase_log(std::move(log_path));
}

std::optional<PhysicalTablePath> ReplicaManager::path_of(const TableBucket& bucket) const {
  auto known = open_.find(bucket);
  if (known != open_.end()) return known->second;
  for (const LogPath& path : store_->found()) {
    if (path.bucket == bucket) return path.table;
  }
  return std::nullopt;
}

Task<Status> ReplicaManager::erase_unknown_logs() {
  std::vector<LogPath> found = store_->found();
  for (const LogPath& path : found) {
    if (open_.contains(path.bucket) || erasing_.contains(path.bucket)) continue;
    LOG_INFO("tablet", "deleting the log of a dropped table", KV("log", log_directory(path)));
    CO_RETURN_IF_ERROR(co_await erase_log(path));
  }
  co_return ok();
}

std::string ReplicaManager::kv_directory(const LogPath& path) const {
  return fmt::format(
      "{}/{}/kv-{}", options_.data_directory, table_directory(path), path.bucket.bucket);
}

Task<Status> ReplicaManager::erase_kv(LogPath path) {
  if (options_.kv_engines == nullptr) co_return ok();
  std::string directory = kv_directory(path);
  std::shared_ptr<KvEngines> engines = options_.kv_engines;
  auto job = [engines, directory, disk = &env_.disk]() -> Status {
    // What an interrupted snapshot left.
    RETURN_IF_ERROR(disk->remove_all(kv_checkpoint_directory(directory)));
    return engines->remove(directory);
  };
  co_return co_await run_on_pool(env_.pool, control_, std::move(job));
}

Task<Status> ReplicaManager::erase_log(LogPath path) {
  // The start and the coordinator may find the same one.
  while (erasing_.contains(path.bucket)) {
    auto erased = std::make_shared<Waiter>();
    erasing_[path.bucket].push_back(erased);
    co_await erased->wait();
  }
  erasing_[path.bucket] = {};
  Status removed = co_await erase_kv(path);
  if (removed) removed = co_await store_->remove(path);
  auto waiters = std::move(erasing_.extract(path.bucket).mapped());
  for (const auto& waiter : waiters) waiter->wake();
  co_return removed;
}

// Side by side, because closing a log is mostly waiting for the disk.
Task<void> ReplicaManager::stop_all_replicas() {
  Gate stopping;
  for (const auto& [bucket, path] : open_) {
    control_.spawn(stop_one(path, bucket, std::move(*stopping.enter())));
  }
  co_await stopping.closed();
}

Task<void> ReplicaManager::stop_one(PhysicalTablePath path, TableBucket bucket, Gate::Pass) {
  // Without the wish to delete there is nothing that can be refused.
  (void)co_await stop_replica(std::move(path), bucket, false);
}

Task<Status> ReplicaManager::stop() {
  stopping_ = true;
  for (auto& sleeper : sleepers_) sleeper->wake();
  co_await gate_.closed();
  co_await report_memory();
  co_await report_reads();
  co_await stop_all_replicas();
  co_return co_await store_->close();
}

void ReplicaManager::start_repeating(Duration interval, Task<void> (ReplicaManager::*job)()) {
  std::optional<Gate::Pass> pass = gate_.enter();
  if (pass) control_.spawn(repeat(interval, job, std::move(*pass)));
}

Task<void> ReplicaManager::repeat(Duration interval,
                                  Task<void> (ReplicaManager::*job)(),
                                  Gate::Pass) {
  auto sleeper = std::make_shared<Waiter>();
  sleepers_.push_back(sleeper);
  while (!stopping_) {
    Timer timer = env_.clock.start_timer(control_, interval, [sleeper] { sleeper->wake(); });
    co_await sleeper->wait();
    if (!stopping_) co_await (this->*job)();
  }
}

Task<void> ReplicaManager::repeat_snapshots(Gate::Pass) {
  snapshot_sleeper_ = std::make_shared<Waiter>();
  sleepers_.push_back(snapshot_sleeper_);
  while (!stopping_) {
    Duration interval = options_.settings.kv_snapshot_interval;
    Timer timer = env_.clock.start_timer(
        control_, interval, [sleeper = snapshot_sleeper_] { sleeper->wake(); });
    co_await snapshot_sleeper_->wait();
    bool is_due = !std::exchange(snapshots_again_, false);
    if (!stopping_ && is_due) co_await take_snapshots();
  }
}

Task<void> ReplicaManager::follow(TabletSettings settings) {
  bool waits_anew = settings.kv_snapshot_interval != options_.settings.kv_snapshot_interval;
  options_.settings = settings;
  if (waits_anew && snapshot_sleeper_ != nullptr) {
    snapshots_again_ = true;
    snapshot_sleeper_->wake();
  }
  co_await watch_disk();
}

Task<void> ReplicaManager::checkpoint() {
  Status done = co_await store_->checkpoint();
  if (!done) {
    LOG_WARN("tablet", "recovery points not noted", KV("reason", done.error().message()));
  }
}

namespace {

// What it takes to find out how far the lake of a bucket is.
struct LakeAsk {
  bool has_lake = false;  // else nothing has to wait for it
  Duration ttl{0};
  CoordinatorLink* coordinator = nullptr;
  Shard* home = nullptr;
};

// What may be deleted when it is old enough.
Task<Offset> deletable_below(std::shared_ptr<Replica> replica) {
  Offset limit = replica->high_watermark();
  if (replica->kv() == nullptr) co_return limit;
  Result<Offset> needed = co_await replica->kv()->needed_from();
  co_return needed ? std::min(limit, *needed) : Offset(0);
}

// From where on rows stay however old they are: those that are not in the lake yet.
Task<Offset> expires_below(std::shared_ptr<Replica> replica, LakeAsk ask) {
  if (!ask.has_lake) co_return kAllMayExpire;
  if (!replica->lake_end() && ask.coordinator != nullptr) {
    Result<Offset> end = co_await ask.coordinator->lake_end(ask.home, replica->bucket());
    if (end) {
      if (!replica->lake_end()) replica->lake_moved(*end);  // else a notice was faster
    } else if (replica->is_leader()) {
      LOG_WARN("tablet",
               "not known how far the lake is, nothing expires",
               KV("bucket", replica->bucket()),
               KV("reason", end.error().message()));
    }
  }
  co_return replica->lake_end().value_or(Offset(0));
}

struct Expiring {
  std::shared_ptr<Replica> replica;
  LakeAsk lake;
};

struct Expired {
  size_t segments = 0;
  size_t waiting = 0;  // buckets whose old segments are not in the lake yet
};

// Whether the log has segments above `limit` that are too old.
bool has_older(LogTablet& log, Offset limit, TimestampMs now, Duration ttl) {
  if (ttl <= Duration::zero()) return false;
  int64_t age = std::chrono::duration_cast<std::chrono::milliseconds>(ttl).count();
  for (const LogSegment& segment : log.segments()) {
    if (segment.end_offset <= limit || segment.max_timestamp.value() < 0) continue;
    return segment.max_timestamp.value() < now.value() - age;
  }
  return false;
}

Task<Expired> expire_segments(std::vector<Expiring> due, TimestampMs now) {
  Expired expired;
  for (const Expiring& one : due) {
    const std::shared_ptr<Replica>& replica = one.replica;
    Offset in_lake = co_await expires_below(replica, one.lake);
    Offset limit = std::min(co_await deletable_below(replica), in_lake);
    if (has_older(replica->log(), in_lake, now, one.lake.ttl)) ++expired.waiting;
    Result<size_t> removed = co_await replica->log().delete_expired(now, limit);
    if (removed) {
      expired.segments += *removed;
    } else if (replica->is_leader()) {
      LOG_WARN("tablet",
               "expired segments not deleted",
               KV("bucket", replica->bucket()),
               KV("reason", removed.error().message()));
    }
  }
  co_return expired;
}

}  // namespace

Task<void> ReplicaManager::enforce_retention() {
  TimestampMs now = env_.clock.now();
  // What is copied, RemoteLog deletes.
  bool copies = options_.remote_log_interval > Duration::zero();
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    bool roll_active = options_.settings.roll_active_segment;
    LakeAsk lake{false, Duration::zero(), options_.coordinator, &on->shard_};
    auto job = [on, now, roll_active, copies, lake]() mutable {
      std::vector<Expiring> due;
      for (const auto& [bucket, replica] : on->replicas_) {
        // Nothing is deleted by options that are not known, or not any more.
        auto table = on->table(bucket.table);
        if (!table) continue;
        TableLogOptions options;
        const TableOptions& of_table = (*table)->options();
        options.ttl = of_table.log_ttl;
        if (!copies) options.ttl = of_table.log_local_ttl.value_or(of_table.log_ttl);
        options.expire_active_segment = roll_active;
        replica->log().set_table_options(options);
        lake.has_lake = of_table.lake.enabled;
        lake.ttl = options.ttl;
        due.push_back({replica, lake});
      }
      return expire_segments(std::move(due), now);
    };
    Expired expired = co_await call_on(control_, on->shard_, std::move(job));
    if (expired.segments > 0) {
      LOG_INFO("tablet", "expired segments deleted", KV("count", expired.segments));
    }
    if (expired.waiting > 0) {
      LOG_WARN("tablet",
               "rows past table.log.ttl stay, as they are not in the lake yet",
               KV("buckets", expired.waiting));
    }
  }
}

Task<void> ReplicaManager::lakes_moved(std::vector<std::pair<TableBucket, Offset>> ends) {
  for (const auto& [bucket, end] : ends) {
    ShardTablets* on = tablets_[home(bucket).index()].get();
    on->shard_.post([on, bucket = bucket, end = end] {
      auto replica = on->find(bucket);
      if (replica) (*replica)->lake_moved(end);
    });
  }
  co_return;
}

Task<void> ReplicaManager::expire_writers() {
  TimestampMs now = env_.clock.now();
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    on->shard_.post([on, now] {
      for (const auto& [bucket, replica] : on->replicas_) replica->log().expire_writers(now);
    });
  }
  co_return;
}

namespace {

Task<bool> snapshot_all(std::vector<std::shared_ptr<Replica>> replicas,
                        const std::atomic<bool>* stopping) {
  for (const std::shared_ptr<Replica>& replica : replicas) {
    if (stopping->load(std::memory_order_relaxed)) break;
    Status done = co_await replica->kv()->snapshot(stopping);
    if (!done && replica->is_leader() && !*stopping) {
      LOG_WARN("tablet",
               "no snapshot taken",
               KV("bucket", replica->bucket()),
               KV("reason", done.error().message()));
    }
  }
  co_return true;
}

}  // namespace

// One bucket after the other on each shard, so that copying stays behind serving.
Task<void> ReplicaManager::take_snapshots() {
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    auto job = [on, stopping = &stopping_] {
      std::vector<std::shared_ptr<Replica>> replicas;
      for (const auto& [bucket, replica] : on->replicas_) {
        if (replica->kv() != nullptr && replica->kv()->is_open()) replicas.push_back(replica);
      }
      return snapshot_all(std::move(replicas), stopping);
    };
    co_await call_on(control_, on->shard_, std::move(job));
  }
}

namespace {

Task<bool> nothing_to_do() { co_return false; }

Task<bool> copy_log(std::shared_ptr<Replica> replica, RemoteLogRules rules, LakeAsk lake) {
  rules.copied_below = replica->high_watermark();
  rules.expires_below = co_await expires_below(replica, lake);
  rules.deleted_below = co_await deletable_below(replica);
  Status done = co_await replica->remote()->run(rules);
  if (!done && replica->is_leader()) {
    LOG_WARN("tablet",
             "log not brought to remote storage",
             KV("bucket", replica->bucket()),
             KV("reason", done.error().message()));
  }
  co_return true;
}

}  // namespace

// A few buckets at a time, whatever their number, so that copying stays behind serving.
Task<void> ReplicaManager::copy_logs() {
  auto due = std::make_shared<std::vector<TableBucket>>();
  for (const auto& [bucket, path] : open_) due->push_back(bucket);
  Gate workers;
  size_t count = std::min(options_.remote_log_workers, due->size());
  for (size_t i = 0; i < count; ++i) control_.spawn(copy_some(due, std::move(*workers.enter())));
  co_await workers.closed();
}

Task<void> ReplicaManager::copy_some(std::shared_ptr<std::vector<TableBucket>> due, Gate::Pass) {
  while (!due->empty() && !stopping_) {
    TableBucket bucket = due->back();
    due->pop_back();
    ShardTablets* on = tablets_[home(bucket).index()].get();
    RemoteLogRules rules;
    rules.now = env_.clock.now();
    rules.copies_max = options_.remote_log_copies_max;
    rules.stopping = &stopping_;
    LakeAsk lake{false, Duration::zero(), options_.coordinator, &on->shard_};
    auto job = [on, bucket, rules, lake]() mutable -> Task<bool> {
      auto replica = on->leader(bucket);
      auto table = on->table(bucket.table);
      // Nothing happens by options that are not known, or not any more.
      if (!replica || !table || (*replica)->remote() == nullptr) return nothing_to_do();
      const TableOptions& options = (*table)->options();
      rules.ttl = options.log_ttl;
      rules.local_ttl = options.log_local_ttl;
      rules.local_segments = options.tiered_local_segments;
      lake.has_lake = options.lake.enabled;
      return copy_log(*replica, rules, lake);
    };
    co_await call_on(control_, on->shard_, std::move(job));
  }
}

Task<void> ReplicaManager::expire_scans() {
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    on->shard_.post([on] {
      for (const auto& [bucket, replica] : on->replicas_) {
        if (replica->kv() != nullptr) replica->kv()->scans().expire();
      }
    });
  }
  co_return;
}

namespace {

struct ShardMemory {
  size_t open_buckets = 0;
  uint64_t pending_bytes = 0;
  uint64_t row_cache_bytes = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
};

}  // namespace

Task<void> ReplicaManager::report_memory() {
  if (options_.kv_engines == nullptr) co_return;
  ShardMemory all;
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    auto job = [on] {
      ShardMemory memory;
      for (const auto& [bucket, replica] : on->replicas_) {
        if (replica->kv() == nullptr || !replica->kv()->is_open()) continue;
        ++memory.open_buckets;
        memory.pending_bytes += replica->kv()->pending_bytes();
      }
      memory.row_cache_bytes = on->rows_->bytes();
      memory.hits = on->rows_->hits();
      memory.misses = on->rows_->misses();
      return memory;
    };
    ShardMemory memory = co_await call_on(control_, on->shard_, std::move(job));
    all.open_buckets += memory.open_buckets;
    all.pending_bytes += memory.pending_bytes;
    all.row_cache_bytes += memory.row_cache_bytes;
    all.hits += memory.hits;
    all.misses += memory.misses;
  }
  if (all.open_buckets == 0) co_return;
  KvMemory engines = options_.kv_engines->memory();
  LOG_INFO("tablet",
           "memory of primary-key buckets",
           KV("open_buckets", all.open_buckets),
           KV("block_cache", engines.block_cache_bytes),
           KV("write_buffers", engines.write_buffer_bytes),
           KV("row_cache", all.row_cache_bytes),
           KV("pending", all.pending_bytes),
           KV("row_hits", all.hits),
           KV("row_misses", all.misses));
}

Task<void> ReplicaManager::report_reads() {
  using TableReads = std::vector<std::pair<TableId, ReadCounters>>;
  std::unordered_map<TableId, ReadCounters> all;
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    auto job = [on] {
      TableReads reads;
      for (const auto& [id, table] : on->tables_) {
        if (table->reads().rows_skipped > 0) reads.emplace_back(id, table->reads());
      }
      return reads;
    };
    TableReads reads = co_await call_on(control_, on->shard_, std::move(job));
    for (const auto& [id, counters] : reads) all[id] += counters;
  }
  for (const auto& [id, counters] : all) {
    if (std::exchange(reported_reads_[id], counters) == counters) continue;
    LOG_INFO("tablet",
             "reads of a table with conditions",
             KV("table_id", id),
             KV("bytes_read", counters.bytes_read),
             KV("rows_skipped", counters.rows_skipped),
             KV("bytes_skipped", counters.bytes_skipped),
             KV("rows_sent", counters.rows_sent),
             KV("bytes_sent", counters.bytes_sent));
  }
  std::erase_if(reported_reads_, [&](const auto& entry) { return !all.contains(entry.first); });
}

Task<void> ReplicaManager::watch_disk() {
  auto job = [this] { return env_.disk.space(options_.data_directory); };
  Result<DiskSpace> space = co_await run_on_pool(env_.pool, control_, std::move(job));
  if (!space || space->total_bytes == 0) co_return;
  double used =
      1.0 - static_cast<double>(space->available_bytes) / static_cast<double>(space->total_bytes);
  const TabletSettings& settings = options_.settings;
  bool lock =
      used >= (disk_locked_ ? settings.disk_write_recover_ratio : settings.disk_write_limit_ratio);
  if (lock == disk_locked_) co_return;
  disk_locked_ = lock;
  std::optional<std::string> reason;
  if (lock) {
    reason = fmt::format(
        "the disk of {} is {:.1f} % full, above server.data-disk.write-limit-ratio {}; writes are "
        "refused until it is below server.data-disk.write-recover-ratio {}: free space or raise "
        "the ratio",
        options_.data_directory,
        used * 100,
        settings.disk_write_limit_ratio,
        settings.disk_write_recover_ratio);
    LOG_ERROR("tablet", "writes refused", KV("reason", *reason));
  } else {
    LOG_INFO("tablet", "writes taken again", KV("used", used));
  }
  for (const auto& tablets : tablets_) {
    ShardTablets* on = tablets.get();
    on->shard_.post([on, reason] { on->disk_full_ = reason; });
  }
}

}  // namespace lakestream
