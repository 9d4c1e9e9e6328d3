#include <algorithm>
#include <limits>
#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"
#include "coordinator/documents.h"
#include "coordinator/lifetimes.h"
#include "io/object_store.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {

// A lease is a node with an expiration time and, for each table, a document in remote storage that
// lists snapshots.

namespace {

constexpr size_t kLeaseIdBytesMax = 200;
constexpr Duration kLeaseReadPauseMin = std::chrono::seconds(1);

// The id becomes a part of paths.
Status check_lease_id(std::string_view id) {
  bool is_name = !id.empty() && id.size() <= kLeaseIdBytesMax && id != "." && id != ".." &&
                 std::all_of(id.begin(), id.end(), [](char c) {
                   return static_cast<unsigned char>(c) > ' ' && c != '/' && c != '\x7f';
                 });
  if (is_name) return ok();
  return make_error(ErrorCode::kInvalidConfigException,
                    "lease id '{}': ids have 1 to {} characters, no '/' and no spaces",
                    id.substr(0, kLeaseIdBytesMax),
                    kLeaseIdBytesMax);
}

void add_leased(const LeasedSnapshots& leased, TableBucket bucket, KvLease* lease) {
  for (size_t i = 0; i < leased.size(); ++i) {
    bucket.bucket = BucketId(static_cast<int32_t>(i));
    if (leased[i] != kNoKvSnapshot) lease->snapshots[bucket] = leased[i];
  }
}

// A document that is missing may be in a store that is not the one that answers; it must not cost
// the other leases anything, nor what it holds.
Result<KvLease> read_lease(ObjectStore& objects,
                           const std::string& id,
                           const KvLeaseRecord& record) {
  KvLease lease;
  lease.expiration_time = record.expiration_time;
  lease.files = record.files;
  for (const auto& [table, path] : record.files) {
    ASSIGN_OR_RETURN(std::optional<Bytes> text, objects.get(path));
    Result<KvTableLease> held = text ? kv_table_lease_from_json(text->view())
                                     : make_error(ErrorCode::kUnknownServerError, "it is missing");
    if (!held) {
      LOG_WARN("coordinator",
               "a document of a lease can not be read: all snapshots of the table stay until the "
               "lease expires; drop the lease if nobody needs it",
               KV("lease", id),
               KV("table", table),
               KV("path", path),
               KV("error", held.error().message()));
      lease.unknown.insert(table);
      continue;
    }
    if (held->buckets) add_leased(*held->buckets, {table, std::nullopt, {}}, &lease);
    for (const auto& [partition, leased] : held->partitions) {
      add_leased(leased, {table, partition, {}}, &lease);
    }
  }
  return lease;
}

// The same when even its node says nothing.
KvLease damaged_lease(const std::string& id, const Error& error) {
  LOG_WARN("coordinator",
           "the node of a lease is damaged: all snapshots of all tables stay until the lease is "
           "dropped; drop it if nobody needs it",
           KV("lease", id),
           KV("error", error.message()));
  KvLease lease;
  lease.expiration_time = TimestampMs(std::numeric_limits<int64_t>::max());
  lease.is_damaged = true;
  return lease;
}

Result<std::map<std::string, KvLease>> read_leases(MetaStore& store, ObjectStore& objects) {
  std::map<std::string, KvLease> leases;
  RETURN_IF_ERROR(ensure_node(store, paths::kKvLeases));
  ASSIGN_OR_RETURN(std::vector<std::string> ids, store.children(paths::kKvLeases));
  for (const std::string& id : ids) {
    std::string path = paths::kv_lease(id);
    ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
    if (!node) continue;
    Result<KvLeaseRecord> record = decode_kv_lease(node->value);
    if (!record) {
      leases[id] = damaged_lease(id, record.error());
      continue;
    }
    ASSIGN_OR_RETURN(leases[id], read_lease(objects, id, *record));
  }
  return leases;
}

// What the lease holds of the table.
KvTableLease table_lease(const KvLease& lease, TableId table) {
  KvTableLease held{.table = table, .buckets = std::nullopt, .partitions = {}};
  for (const auto& [bucket, id] : lease.snapshots) {
    if (bucket.table != table) continue;
    if (!bucket.partition && !held.buckets) held.buckets.emplace();
    LeasedSnapshots& leased = bucket.partition ? held.partitions[*bucket.partition] : *held.buckets;
    auto index = static_cast<size_t>(bucket.bucket.value());
    if (leased.size() <= index) leased.resize(index + 1, kNoKvSnapshot);
    leased[index] = id;
  }
  return held;
}

tl::unexpected<Error> lost_document(const std::string& id, const std::string& path) {
  return make_error(ErrorCode::kUnknownServerError,
                    "lease '{}': its document {} is missing or damaged, so that no more snapshots "
                    "of that table can be added; drop the lease",
                    id,
                    path);
}

tl::unexpected<Error> damaged_node(const std::string& id) {
  return make_error(ErrorCode::kUnknownServerError,
                    "lease '{}': its metadata node {} is damaged, so that it can not be changed; "
                    "drop the lease",
                    id,
                    paths::kv_lease(id));
}

std::set<TableId> tables_of(const KvLease& lease) {
  std::set<TableId> tables = lease.unknown;
  for (const auto& [bucket, id] : lease.snapshots) tables.insert(bucket.table);
  return tables;
}

std::set<TableId> tables_with_keys(const CatalogSnapshot& catalog) {
  std::set<TableId> tables;
  for (const auto& [name, database] : catalog.databases()) {
    for (const auto& [table_name, table] : database->tables) {
      if (table->descriptor.has_primary_key()) tables.insert(table->id);
    }
  }
  return tables;
}

}  // namespace

// Reads what others left. Requires: a turn among the reads of leases, and no event: remote storage
// may hang. No lease is changed until it has ended well.
Task<Status> Coordinator::load_leases() {
  if (leases_known_) co_return ok();
  if (env_.clock.monotonic() < lease_reads_.next) co_return lease_reads_.last;
  MetaStore* store = &store_;
  ObjectStore* objects = &objects_;
  auto read = [store, objects] { return read_leases(*store, *objects); };
  Result<std::map<std::string, KvLease>> leases =
      co_await run_on_pool(env_.pool, control_, std::move(read));
  if (!leases) {
    Duration pause_max = std::max(kLeaseReadPauseMin, options_.deletion_retry);
    lease_reads_.pause = std::clamp(2 * lease_reads_.pause, kLeaseReadPauseMin, pause_max);
    lease_reads_.next = env_.clock.monotonic() + lease_reads_.pause;
    lease_reads_.last = fail(std::move(leases).error());
    co_return lease_reads_.last;
  }
  lease_reads_.pause = Duration::zero();
  leases_ = std::move(*leases);
  // A table that comes later has nothing that such a lease could hold.
  for (auto& [id, lease] : leases_) {
    if (lease.is_damaged) lease.unknown = tables_with_keys(*catalog_);
  }
  leases_known_ = true;
  co_return ok();
}

// A superseded snapshot may be gone in part already.
bool Coordinator::is_available(const BucketSnapshot& wanted) const {
  auto known = snapshots_.find(wanted.bucket);
  if (find_bucket(wanted.bucket) == nullptr || known == snapshots_.end()) return false;
  if (!known->second.registered.contains(wanted.id)) return false;
  std::vector<KvSnapshotId> gone = superseded(wanted.bucket);
  return std::find(gone.begin(), gone.end(), wanted.id) == gone.end();
}

Task<Result<std::vector<BucketSnapshot>>> Coordinator::acquire_kv_lease(
    std::string id, Duration duration, std::vector<BucketSnapshot> wanted) {
  CO_RETURN_IF_ERROR(check_lease_id(id));
  if (duration <= Duration::zero()) {
    co_return make_error(ErrorCode::kInvalidConfigException,
                         "lease '{}': a lease lasts for at least one millisecond",
                         id);
  }
  CO_ASSIGN_OR_RETURN(Event change, co_await begin_turn(&lease_changes_));
  for (;;) {
    KvLease next;
    std::vector<BucketSnapshot> taken;
    std::vector<BucketSnapshot> unavailable;
    {
      CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
      auto known = leases_.find(id);
      if (known != leases_.end()) next = known->second;
      if (next.is_damaged) co_return damaged_node(id);
      for (const BucketSnapshot& snapshot : wanted) {
        bool has = is_available(snapshot);
        if (has && next.unknown.contains(snapshot.bucket.table)) {
          co_return lost_document(id, next.files.at(snapshot.bucket.table));
        }
        if (has) next.snapshots[snapshot.bucket] = snapshot.id;
        (has ? taken : unavailable).push_back(snapshot);
      }
    }
    next.expiration_time = later(env_.clock.now(), duration);
    CO_ASSIGN_OR_RETURN(bool written, co_await write_lease(id, std::move(next), std::move(taken)));
    if (written) co_return unavailable;
  }
}

Task<Status> Coordinator::release_kv_lease(std::string id, std::vector<TableBucket> buckets) {
  CO_ASSIGN_OR_RETURN(Event change, co_await begin_turn(&lease_changes_));
  KvLease next;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
    auto known = leases_.find(id);
    if (known == leases_.end()) co_return ok();
    next = known->second;
    if (next.is_damaged) co_return damaged_node(id);
    for (const TableBucket& bucket : buckets) next.snapshots.erase(bucket);
    bool is_same = next.snapshots == known->second.snapshots;
    if (is_same && !tables_of(next).empty()) co_return ok();
  }
  if (tables_of(next).empty()) co_return co_await delete_lease(std::move(id));
  std::vector<BucketSnapshot> taken;
  CO_RETURN_IF_ERROR(co_await write_lease(std::move(id), std::move(next), std::move(taken)));
  co_return ok();
}

Task<Status> Coordinator::drop_kv_lease(std::string id) {
  CO_ASSIGN_OR_RETURN(Event change, co_await begin_turn(&lease_changes_));
  co_return co_await delete_lease(std::move(id));
}

Task<Result<std::vector<TableId>>> Coordinator::kv_lease_tables(std::string id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
  auto lease = leases_.find(id);
  std::vector<TableId> tables;
  if (lease == leases_.end()) co_return tables;
  for (TableId table : tables_of(lease->second)) tables.push_back(table);
  co_return tables;
}

// False, and nothing is changed, when one of those that are `taken` went meanwhile. Requires: a
// turn among the changes of leases since the lease was looked at, and no event.
Task<Result<bool>> Coordinator::write_lease(std::string id,
                                            KvLease next,
                                            std::vector<BucketSnapshot> taken) {
  bool is_new = !leases_.contains(id);
  const KvLease before = is_new ? KvLease{} : leases_.at(id);
  std::erase_if(next.snapshots, [&](const auto& held) {
    return catalog_->find_buckets(owner_of(held.first)) == nullptr;
  });
  std::erase_if(next.unknown,
                [&](TableId table) { return catalog_->find_table(table) == nullptr; });
  std::vector<Document> files;
  std::vector<std::string> unused;
  next.files.clear();
  for (TableId table : tables_of(next)) {
    KvTableLease held = table_lease(next, table);
    auto old = before.files.find(table);
    if (old != before.files.end() && table_lease(before, table) == held) {
      next.files.insert(*old);
      continue;
    }
    uint64_t high = random_.next();
    std::string uuid = uuid_text(high, random_.next());
    std::string path = remote_kv_lease(options_.remote_data_dir, id, table, uuid);
    files.push_back({path, Bytes::copy_of(to_json(held))});
    unused.push_back(path);
    next.files[table] = std::move(path);
  }
  ObjectStore* objects = &objects_;
  auto put = [objects, files] { return put_documents(*objects, files); };
  Status written = co_await run_on_pool(env_.pool, control_, std::move(put));
  bool are_there = true;
  if (written) {
    Result<Event> event = co_await begin_lease_event();
    if (!event) written = fail(event.error());
    are_there =
        std::all_of(taken.begin(), taken.end(), [this](const auto& s) { return is_available(s); });
    if (written && are_there) {
      Bytes value = encode(KvLeaseRecord{next.expiration_time, next.files});
      std::string path = paths::kv_lease(id);
      std::vector<MetaOp> ops;
      ops.push_back(is_new ? MetaOp::create(std::move(path), std::move(value))
                           : MetaOp::put(std::move(path), std::move(value), kAnyVersion));
      written = co_await writer_.commit(std::move(ops));
      if (!written && writer_.is_uncertain()) co_return fail(std::move(written).error());
    }
    if (written && are_there) {
      unused.clear();
      for (const auto& [table, path] : before.files) {
        auto now = next.files.find(table);
        if (now == next.files.end() || now->second != path) unused.push_back(path);
      }
      leases_[id] = std::move(next);
      run_removals();
    }
  }
  auto remove = [objects, unused] { return remove_documents(*objects, unused); };
  co_await run_on_pool(env_.pool, control_, std::move(remove));
  if (!written) co_return fail(std::move(written).error());
  co_return are_there;
}

// An unknown lease is done. Requires: a turn among the changes of leases, and no event.
Task<Status> Coordinator::delete_lease(std::string id) {
  std::vector<std::string> unused;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
    auto known = leases_.find(id);
    if (known == leases_.end()) co_return ok();
    for (const auto& [table, path] : known->second.files) unused.push_back(path);
    std::vector<MetaOp> ops;
    ops.push_back(MetaOp::remove(paths::kv_lease(id), kAnyVersion));
    CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
    leases_.erase(id);
    run_removals();
  }
  ObjectStore* objects = &objects_;
  auto remove = [objects, unused] { return remove_documents(*objects, unused); };
  co_await run_on_pool(env_.pool, control_, std::move(remove));
  co_return ok();
}

void Coordinator::check_leases_later() {
  if (gate_.is_closed()) return;
  lease_check_ = env_.clock.start_timer(control_, options_.lease_check_interval, [this] {
    std::optional<Gate::Pass> pass = gate_.enter();
    if (pass) control_.spawn(check_leases(std::move(*pass)));
  });
}

Task<void> Coordinator::check_leases(Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  Status done = co_await delete_expired_leases();
  if (!done) {
    LOG_WARN("coordinator", "leases are not checked", KV("error", done.error().to_string()));
  }
  check_leases_later();
}

Task<Status> Coordinator::delete_expired_leases() {
  CO_ASSIGN_OR_RETURN(Event change, co_await begin_turn(&lease_changes_));
  std::vector<std::string> expired;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
    for (const auto& [id, lease] : leases_) {
      if (lease.expiration_time <= env_.clock.now()) expired.push_back(id);
    }
  }
  for (std::string& id : expired) {
    LOG_INFO("coordinator", "a lease of snapshots has expired", KV("lease", id));
    CO_RETURN_IF_ERROR(co_await delete_lease(std::move(id)));
  }
  co_return ok();
}

}  // namespace lakestream::coordinator
