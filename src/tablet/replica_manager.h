#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "io/env.h"
#include "io/task.h"
#include "log/log.h"
#include "tablet/replica.h"
#include "tablet/table_context.h"

// All buckets of a server. Each bucket has a home shard, a pure function of its ids, and everything
// of it happens there. The manager itself (opening and stopping replicas, checkpoints, retention,
// the watch over the disk) runs on the control shard.
//
// Thread rule: home() from any thread, on() on that shard, the rest on the control shard.
//
//   auto opened = co_await ReplicaManager::open(env, control, shards, catalog, options);
//   CO_RETURN_IF_ERROR(co_await tablets->become_leader(path, bucket, epoch));
//   Shard& home = tablets->home(bucket);
//   // on that shard:
//   CO_ASSIGN_OR_RETURN(auto replica, tablets->on(home).leader(bucket));
namespace lakestream {

// What may change while the manager runs.
struct TabletSettings {
  bool roll_active_segment = false;
  // Share of the disk in use above which writes are refused, and below which they are taken again.
  double disk_write_limit_ratio = 0.85;
  double disk_write_recover_ratio = 0.8;
  Duration kv_snapshot_interval = std::chrono::minutes(10);
};

struct TabletOptions {
  TabletSettings settings;
  std::string data_directory;
  LogOptions log;
  Duration checkpoint_interval = std::chrono::minutes(1);
  Duration retention_check_interval = std::chrono::minutes(5);
  Duration writer_check_interval = std::chrono::minutes(10);
  Duration disk_check_interval = std::chrono::seconds(30);
  // Of the primary-key buckets. Never null when there are any.
  std::shared_ptr<KvEngines> kv_engines = nullptr;
  uint64_t kv_row_cache_bytes = 0;  // of all shards
  // Both or none; they outlive the manager. Without them there are no snapshots.
  CoordinatorLink* coordinator = nullptr;
  ObjectStore* objects = nullptr;
  Duration remote_log_interval{0};  // 0: nothing is copied
  size_t remote_log_copies_max = 5;
  size_t remote_log_workers = 4;
  bool serve_remote_reads = false;
  KvScanLimits kv_scans;
  Duration kv_scan_check_interval = std::chrono::seconds(30);
  Duration memory_report_interval = std::chrono::minutes(1);
};

struct ReplicaParts;

// The replicas whose home is one shard. Shard-local.
class ShardTablets {
 public:
  ShardTablets(Shard& shard, const Catalog& catalog) : shard_(shard), catalog_(catalog) {}

  // Errors: kUnknownTableOrBucketException when the bucket is not here, kNotLeaderOrFollower.
  Result<std::shared_ptr<Replica>> leader(const TableBucket& bucket) const;
  Result<std::shared_ptr<Replica>> find(const TableBucket& bucket) const;
  // Errors: kUnknownTableOrBucketException.
  Result<std::shared_ptr<TableContext>> table(TableId id);
  // kDiskWriteLocked while the disk is too full.
  Status check_writable() const;
  // Flushes the bucket that has most to flush, one at a time.
  void relieve_memory();

 private:
  friend class ReplicaManager;
  Shard& shard_;
  const Catalog& catalog_;
  std::unordered_map<TableBucket, std::shared_ptr<Replica>> replicas_;
  std::unordered_map<TableId, std::shared_ptr<TableContext>> tables_;
  std::shared_ptr<RowCache> rows_;
  std::shared_ptr<RemoteIndexes> indexes_;
  std::optional<std::string> disk_full_;  // why writes are refused
  bool relieving_ = false;
};

class ReplicaManager {
 public:
  // `shards` are the homes; `catalog` covers them and outlives the manager.
  static Task<Result<std::unique_ptr<ReplicaManager>>> open(Env& env,
                                                            Shard& control,
                                                            std::vector<Shard*> shards,
                                                            const Catalog& catalog,
                                                            TabletOptions options);
  ReplicaManager(Env& env,
                 Shard& control,
                 std::vector<Shard*> shards,
                 const Catalog& catalog,
                 TabletOptions options);
  ~ReplicaManager();

  Shard& home(const TableBucket& bucket) const;
  ShardTablets& on(const Shard& shard) { return *tablets_[shard.index()]; }
  size_t home_count() const { return tablets_.size(); }
  Env& env() { return env_; }
  const Catalog& catalog() const { return catalog_; }
  // Whether the server reads remote storage for those who fetch.
  bool serves_remote_reads() const { return options_.serve_remote_reads; }

  // Opens the log when it is not open yet and takes the lead.
  Task<Status> become_leader(PhysicalTablePath path, TableBucket bucket, LeaderEpoch epoch);
  // Fine when the bucket is not here. `erase` deletes its files.
  Task<Status> stop_replica(PhysicalTablePath path, TableBucket bucket, bool erase);
  // Of a bucket that is open or has files here.
  std::optional<PhysicalTablePath> path_of(const TableBucket& bucket) const;
  // Readers of the lake need the logs of these buckets only from there on. Those that are not here
  // are left out.
  Task<void> lakes_moved(std::vector<std::pair<TableBucket, Offset>> ends);
  // Deletes the logs on the disk whose buckets are not open here: what was dropped while the server
  // was down. Call it when all replicas of the metadata are open.
  Task<Status> erase_unknown_logs();
  // Holds when it ends. A new interval counts from now.
  Task<void> follow(TabletSettings settings);
  // Closes all replicas and notes a clean end.
  Task<Status> stop();

 private:
  Task<Status> start();
  Task<Status> open_replica(PhysicalTablePath path, TableBucket bucket);
  // On the home.
  Task<Status> install(ShardTablets* tablets, std::shared_ptr<ReplicaParts> parts);
  Task<void> repeat(Duration interval, Task<void> (ReplicaManager::*job)(), Gate::Pass pass);
  Task<void> repeat_snapshots(Gate::Pass pass);
  std::string kv_directory(const LogPath& path) const;
  Task<Status> erase_kv(LogPath path);
  Task<Status> erase_log(LogPath path);
  Task<void> stop_all_replicas();
  Task<void> stop_one(PhysicalTablePath path, TableBucket bucket, Gate::Pass pass);
  void start_repeating(Duration interval, Task<void> (ReplicaManager::*job)());
  Task<void> checkpoint();
  Task<void> enforce_retention();
  Task<void> expire_writers();
  Task<void> watch_disk();
  Task<void> take_snapshots();
  Task<void> copy_logs();
  Task<void> copy_some(std::shared_ptr<std::vector<TableBucket>> due, Gate::Pass pass);
  Task<void> expire_scans();
  // Says what primary-key buckets have in memory, by what limits it.
  Task<void> report_memory();
  // Says what conditions spare the readers of tables.
  Task<void> report_reads();

  Env& env_;
  Shard& control_;
  const Catalog& catalog_;
  TabletOptions options_;
  std::unique_ptr<LogStore> store_;
  std::vector<std::unique_ptr<ShardTablets>> tablets_;  // by shard index
  std::unordered_map<TableBucket, PhysicalTablePath> open_;
  std::unordered_map<TableBucket, std::vector<std::shared_ptr<Waiter>>> erasing_;  // who waits
  // Scan sessions of all buckets.
  std::shared_ptr<std::atomic<size_t>> scan_count_ = std::make_shared<std::atomic<size_t>>(0);
  std::unordered_map<TableId, ReadCounters> reported_reads_;
  bool disk_locked_ = false;
  std::atomic<bool> stopping_ = false;
  std::vector<std::shared_ptr<Waiter>> sleepers_;
  std::shared_ptr<Waiter> snapshot_sleeper_;  // one of them
  bool snapshots_again_ = false;              // their interval is another now
  Gate gate_;
};

}  // namespace lakestream
