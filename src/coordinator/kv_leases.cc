#include <algorithm>
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

Result<KvLease> read_lease(ObjectStore& objects, const KvLeaseRecord& record) {
  KvLease lease{.expiration_time = record.expiration_time, .snapshots = {}, .files = record.files};
  for (const auto& [table, path] : record.files) {
    ASSIGN_OR_RETURN(std::optional<Bytes> text, objects.get(path));
    if (!text) {
      LOG_WARN("coordinator", "the document of a lease is missing", KV("path", path));
      continue;
    }
    Result<KvTableLease> held = kv_table_lease_from_json(text->view());
    if (!held) return fail(std::move(held).error().with_context(path));
    if (held->buckets) add_leased(*held->buckets, {table, std::nullopt, {}}, &lease);
    for (const auto& [partition, leased] : held->partitions) {
      add_leased(leased, {table, partition, {}}, &lease);
    }
  }
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
    if (!record) return fail(std::move(record).error().with_context("metadata node " + path));
    ASSIGN_OR_RETURN(leases[id], read_lease(objects, *record));
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

std::set<TableId> tables_of(const KvLease& lease) {
  std::set<TableId> tables;
  for (const auto& [bucket, id] : lease.snapshots) tables.insert(bucket.table);
  return tables;
}

}  // namespace

// Reads what others left. Requires: in an event.
Task<Status> Coordinator::load_leases() {
  if (leases_known_) co_return ok();
  MetaStore* store = &store_;
  ObjectStore* objects = &objects_;
  auto read = [store, objects] { return read_leases(*store, *objects); };
  Result<std::map<std::string, KvLease>> leases =
      co_await run_on_pool(env_.pool, control_, std::move(read));
  if (!leases) co_return fail(std::move(leases).error());
  leases_ = std::move(*leases);
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
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(co_await load_leases());
  auto known = leases_.find(id);
  KvLease next = known == leases_.end() ? KvLease{} : known->second;
  next.expiration_time = later(env_.clock.now(), duration);
  std::vector<BucketSnapshot> unavailable;
  for (const BucketSnapshot& snapshot : wanted) {
    if (is_available(snapshot)) {
      next.snapshots[snapshot.bucket] = snapshot.id;
    } else {
      unavailable.push_back(snapshot);
    }
  }
  CO_RETURN_IF_ERROR(co_await write_lease(std::move(id), std::move(next)));
  co_return unavailable;
}

Task<Status> Coordinator::release_kv_lease(std::string id, std::vector<TableBucket> buckets) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(co_await load_leases());
  auto known = leases_.find(id);
  if (known == leases_.end()) co_return ok();
  KvLease next = known->second;
  for (const TableBucket& bucket : buckets) next.snapshots.erase(bucket);
  if (next.snapshots.empty()) co_return co_await delete_lease(std::move(id));
  if (next.snapshots == known->second.snapshots) co_return ok();
  co_return co_await write_lease(std::move(id), std::move(next));
}

Task<Status> Coordinator::drop_kv_lease(std::string id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(co_await load_leases());
  if (!leases_.contains(id)) co_return ok();
  co_return co_await delete_lease(std::move(id));
}

Task<Result<std::vector<TableId>>> Coordinator::kv_lease_tables(std::string id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(co_await load_leases());
  auto lease = leases_.find(id);
  std::vector<TableId> tables;
  if (lease == leases_.end()) co_return tables;
  for (TableId table : tables_of(lease->second)) tables.push_back(table);
  co_return tables;
}

// Requires: in an event.
Task<Status> Coordinator::write_lease(std::string id, KvLease next) {
  bool is_new = !leases_.contains(id);
  const KvLease before = is_new ? KvLease{} : leases_.at(id);
  std::erase_if(next.snapshots, [&](const auto& held) {
    return catalog_->find_buckets(owner_of(held.first)) == nullptr;
  });
  std::vector<Document> files;
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
    next.files[table] = remote_kv_lease(options_.remote_data_dir, id, table, uuid);
    files.push_back({next.files[table], Bytes::copy_of(to_json(held))});
  }
  ObjectStore* objects = &objects_;
  auto put = [objects, files] { return put_documents(*objects, files); };
  Status written = co_await run_on_pool(env_.pool, control_, std::move(put));
  if (written) {
    Bytes value = encode(KvLeaseRecord{next.expiration_time, next.files});
    std::string path = paths::kv_lease(id);
    std::vector<MetaOp> ops;
    ops.push_back(is_new ? MetaOp::create(std::move(path), std::move(value))
                         : MetaOp::put(std::move(path), std::move(value), kAnyVersion));
    written = co_await writer_.commit(std::move(ops));
    if (!written && writer_.is_uncertain()) co_return written;
  }
  std::vector<std::string> unused;
  if (written) {
    for (const auto& [table, path] : before.files) {
      auto now = next.files.find(table);
      if (now == next.files.end() || now->second != path) unused.push_back(path);
    }
    leases_[id] = std::move(next);
  } else {
    for (const Document& file : files) unused.push_back(file.path);
  }
  auto remove = [objects, unused] { return remove_documents(*objects, unused); };
  co_await run_on_pool(env_.pool, control_, std::move(remove));
  run_removals();
  co_return written;
}

// Requires: in an event.
Task<Status> Coordinator::delete_lease(std::string id) {
  std::vector<MetaOp> ops;
  ops.push_back(MetaOp::remove(paths::kv_lease(id), kAnyVersion));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  std::vector<std::string> unused;
  for (const auto& [table, path] : leases_.at(id).files) unused.push_back(path);
  leases_.erase(id);
  ObjectStore* objects = &objects_;
  auto remove = [objects, unused] { return remove_documents(*objects, unused); };
  co_await run_on_pool(env_.pool, control_, std::move(remove));
  run_removals();
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
  Result<Event> event = co_await begin_event();
  Status done = event ? co_await load_leases() : Status(fail(event.error()));
  std::vector<std::string> expired;
  for (const auto& [id, lease] : leases_) {
    if (lease.expiration_time <= env_.clock.now()) expired.push_back(id);
  }
  for (std::string& id : expired) {
    if (!done) break;
    LOG_INFO("coordinator", "a lease of snapshots has expired", KV("lease", id));
    done = co_await delete_lease(std::move(id));
  }
  if (!done) {
    LOG_WARN("coordinator", "leases are not checked", KV("error", done.error().to_string()));
  }
  check_leases_later();
}

}  // namespace lakestream::coordinator
