#include <algorithm>
#include <limits>
#include <utility>

#include "base/logging.h"
#include "catalog/kv_snapshots.h"
#include "catalog/lake_snapshots.h"
#include "coordinator/coordinator.h"
#include "io/object_store.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {

// The end of a snapshot: superseded (nobody can lease it any more), its files are removed but for
// those that another snapshot of the bucket has, too, then its document, then its node. The nodes
// tell what is left to do after a restart. A file that could not be removed stops the removal; it
// is tried again later.

namespace {

std::string folder_of(const std::string& path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

struct SnapshotLists {
  std::vector<KvSnapshotRecord> kept;
  std::vector<KvSnapshotRecord> superseded;
};

// An error when it is not known what the others need.
Result<KvRemovalPlan> plan_removal(ObjectStore& objects,
                                   const TableBucket& bucket,
                                   const SnapshotLists& lists) {
  std::set<std::string> needed;
  for (const KvSnapshotRecord& record : lists.kept) {
    ASSIGN_OR_RETURN(KvSnapshot snapshot, read_kv_snapshot(objects, bucket, record));
    for (KvSnapshotFile& file : snapshot.shared_files) needed.insert(std::move(file.path));
  }
  KvRemovalPlan plan;
  for (const KvSnapshotRecord& record : lists.superseded) {
    plan.folders.push_back(folder_of(record.metadata_path));
    Result<KvSnapshot> snapshot = read_kv_snapshot(objects, bucket, record);
    if (!snapshot) {
      // The document is the last that goes: this removal was interrupted. Or it was lost, and what
      // it alone knew of stays behind.
      if (snapshot.error().code() == ErrorCode::kKvSnapshotNotExist) continue;
      return fail(std::move(snapshot).error());
    }
    for (const auto* files : {&snapshot->shared_files, &snapshot->private_files}) {
      for (const KvSnapshotFile& file : *files) {
        if (!needed.contains(file.path)) plan.files.push_back(file.path);
      }
    }
  }
  std::sort(plan.files.begin(), plan.files.end());
  plan.files.erase(std::unique(plan.files.begin(), plan.files.end()), plan.files.end());
  return plan;
}

// The folder of a bucket in remote storage; empty when nothing was ever written there.
Result<std::string> remote_folder(MetaStore& store, const TableBucket& bucket) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(paths::kv_snapshots(bucket)));
  if (!node) return std::string();
  if (!node->value.empty()) return std::string(node->value.view());
  ASSIGN_OR_RETURN(std::vector<KvSnapshotRecord> records, load_kv_snapshots(store, bucket));
  return records.empty() ? std::string() : folder_of(folder_of(records[0].metadata_path));
}

// The same for its log.
Result<std::string> remote_log_folder(MetaStore& store, const TableBucket& bucket) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(paths::remote_log(bucket)));
  if (!node) return std::string();
  ASSIGN_OR_RETURN(RemoteLogRecord record, decode_remote_log(node->value));
  return record.folder;
}

// Whether the folder is that of the table or partition, and nothing else's.
bool is_folder_of(const std::string& folder, const PhysicalTableId& id) {
  return folder.ends_with(id.partition ? fmt::format("-p{}", *id.partition)
                                       : fmt::format("-{}", id.table));
}

// The folders of the table's documents about the lake: `known`, and where those of its snapshots
// lie. What was never part of a snapshot stays when the folder is not known any more.
Result<std::set<std::string>> lake_folders(MetaStore& store, TableId table, std::string known) {
  std::set<std::string> folders;
  if (!known.empty()) folders.insert(std::move(known));
  ASSIGN_OR_RETURN(std::optional<LakeTableRecord> record, load_lake_table(store, table));
  if (!record) return folders;
  for (const LakeSnapshotRecord& snapshot : record->snapshots) {
    std::string folder = remote_lake_folder_of(snapshot.tiered_path);
    if (is_folder_of(folder, {table, std::nullopt})) folders.insert(std::move(folder));
  }
  return folders;
}

// Removes the folders of the table or partition, or what can be told to belong to it.
Status remove_remote_table(MetaStore& store,
                           ObjectStore& objects,
                           const PhysicalTableId& id,
                           std::string lake_folder) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::buckets(id)));
  std::set<std::string> folders;
  if (!id.partition) {
    ASSIGN_OR_RETURN(folders, lake_folders(store, id.table, std::move(lake_folder)));
  }
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(int64_t number, decode_number(name, std::numeric_limits<int32_t>::max()));
    TableBucket bucket = bucket_of(id, BucketId(static_cast<int32_t>(number)));
    ASSIGN_OR_RETURN(std::string kv, remote_folder(store, bucket));
    ASSIGN_OR_RETURN(std::string log, remote_log_folder(store, bucket));
    for (const std::string& folder : {kv, log}) {
      if (folder.empty()) continue;
      std::string whole = folder_of(folder);
      folders.insert(is_folder_of(whole, id) ? whole : folder);
    }
  }
  for (const std::string& folder : folders) RETURN_IF_ERROR(objects.remove_prefix(folder));
  return ok();
}

}  // namespace

Status remove_files(ObjectStore& objects, const KvRemovalPlan& plan) {
  for (const std::string& file : plan.files) RETURN_IF_ERROR(objects.remove(file));
  for (const std::string& folder : plan.folders) RETURN_IF_ERROR(objects.remove_prefix(folder));
  return ok();
}

bool Coordinator::is_leased(const TableBucket& bucket, KvSnapshotId id) const {
  return std::any_of(leases_.begin(), leases_.end(), [&](const auto& entry) {
    const KvLease& lease = entry.second;
    auto held = lease.snapshots.find(bucket);
    return lease.unknown.contains(bucket.table) ||
           (held != lease.snapshots.end() && held->second == id);
  });
}

// Requires: the leases are known.
std::vector<KvSnapshotId> Coordinator::superseded(const TableBucket& bucket) const {
  std::vector<KvSnapshotId> ids;
  auto known = snapshots_.find(bucket);
  if (known == snapshots_.end()) return ids;
  size_t newer = known->second.registered.size();
  for (const auto& [id, record] : known->second.registered) {
    if (newer-- <= options_.snapshots_retained) break;
    if (!is_leased(bucket, id)) ids.push_back(id);
  }
  return ids;
}

void Coordinator::run_removals() {
  for (const auto& [bucket, known] : snapshots_) {
    bool failed = removals_.contains(bucket);
    if (failed || known.registered.size() > options_.snapshots_retained) run_removal(bucket);
  }
}

void Coordinator::run_removal(TableBucket bucket) {
  if (!leases_known_) {
    learn_leases();
    return;
  }
  if (removals_[bucket].is_running) return;
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass) return;
  removals_[bucket].is_running = true;
  control_.spawn(remove_superseded(bucket, std::move(*pass)));
}

void Coordinator::learn_leases() {
  if (lease_reads_.is_awaited) return;
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass) return;
  lease_reads_.is_awaited = true;
  control_.spawn(remove_once_leases_known(std::move(*pass)));
}

Task<void> Coordinator::remove_once_leases_known(Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  Result<Event> event = co_await begin_lease_event();
  lease_reads_.is_awaited = false;
  if (event) {
    run_removals();
    co_return;
  }
  LOG_WARN("coordinator",
           "superseded snapshots are not removed: it is not known which are leased",
           KV("error", event.error().to_string()));
  retry_deletions_later();
}

Task<void> Coordinator::remove_superseded(TableBucket bucket, Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  // What became superseded meanwhile goes in the next round.
  Result<bool> removed = true;
  bool looked = false;
  while (removed && *removed) {
    removed = co_await remove_some(bucket);
    if (!removed || *removed || looked || !may_have_orphans(bucket)) continue;
    looked = true;
    Status tidied = co_await remove_orphans(bucket);
    removed = tidied ? Result<bool>(true) : Result<bool>(fail(std::move(tidied).error()));
  }
  if (removed) {
    removals_.erase(bucket);
    co_return;
  }
  removals_.at(bucket).is_running = false;
  LOG_WARN("coordinator",
           "superseded snapshots are not removed yet",
           KV("bucket", bucket),
           KV("error", removed.error().to_string()));
  retry_deletions_later();
}

// False when nothing is superseded.
Task<Result<bool>> Coordinator::remove_some(TableBucket bucket) {
  SnapshotLists lists;
  std::vector<KvSnapshotId> ids;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
    ids = superseded(bucket);
    if (ids.empty()) co_return false;
    for (const auto& [id, record] : snapshots_[bucket].registered) {
      bool goes = std::find(ids.begin(), ids.end(), id) != ids.end();
      (goes ? lists.superseded : lists.kept).push_back(record);
    }
  }
  ObjectStore* objects = &objects_;
  auto plan = [objects, bucket, lists] { return plan_removal(*objects, bucket, lists); };
  Result<KvRemovalPlan> planned = co_await run_on_pool(env_.pool, control_, std::move(plan));
  if (!planned) co_return fail(std::move(planned).error());
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    // A snapshot that came meanwhile may need a file of the plan: look again.
    if (snapshots_[bucket].registered.size() != lists.kept.size() + lists.superseded.size()) {
      co_return true;
    }
    removals_[bucket].files.insert(planned->files.begin(), planned->files.end());
  }
  auto remove = [objects, work = std::move(*planned)] { return remove_files(*objects, work); };
  CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, control_, std::move(remove)));
  CO_RETURN_IF_ERROR(co_await remove_records(bucket, std::move(ids)));
  co_return true;
}

Task<Status> Coordinator::remove_records(TableBucket bucket, std::vector<KvSnapshotId> ids) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  BucketSnapshots& known = snapshots_[bucket];
  std::vector<MetaOp> ops;
  for (KvSnapshotId id : ids) {
    // They are gone when the table was dropped meanwhile.
    if (find_bucket(bucket) == nullptr || !known.registered.contains(id)) continue;
    ops.push_back(MetaOp::remove(paths::kv_snapshot(bucket, id), kAnyVersion));
  }
  CO_RETURN_IF_ERROR(co_await commit_in_parts(std::move(ops)));
  for (KvSnapshotId id : ids) snapshots_[bucket].registered.erase(id);
  co_return ok();
}

Task<Status> Coordinator::remove_remote(PhysicalTableId id) {
  MetaStore* store = &store_;
  ObjectStore* objects = &objects_;
  auto remove = [store, objects, id, lake = deletions_.at(id).lake_folder] {
    return remove_remote_table(*store, *objects, id, lake);
  };
  Status removed = co_await run_on_pool(env_.pool, control_, std::move(remove));
  if (!removed) co_return removed;
  std::erase_if(snapshots_, [id](const auto& entry) { return owner_of(entry.first) == id; });
  std::erase_if(remote_logs_, [id](const auto& entry) { return owner_of(entry.first) == id; });
  co_return ok();
}

}  // namespace lakestream::coordinator
