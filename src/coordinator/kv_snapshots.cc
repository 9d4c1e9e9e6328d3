#include "coordinator/kv_snapshots.h"

#include <limits>
#include <utility>

#include "base/logging.h"
#include "catalog/kv_snapshots.h"
#include "coordinator/coordinator.h"
#include "io/object_store.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {

// The life of a snapshot: an id is given (the counter moves first, so no id comes twice), the
// leader uploads, its document is written beside the files, its node is made. From then on it is
// the bucket's latest. Once there are enough newer ones and no lease holds it, it is superseded and
// removed (kv_removals.cc). What is left of one that was never committed goes after a later commit
// (kv_orphans.cc).

namespace {

tl::unexpected<Error> unknown_bucket(const TableBucket& bucket) {
  return make_error(ErrorCode::kUnknownTableOrBucketException, "{} does not exist", bucket);
}

// What the metadata store holds for the ids of a bucket.
struct IdNodes {
  std::optional<MetaNode> counter;
  std::optional<MetaNode> folder;
  int64_t next = 0;
};

Result<IdNodes> read_id_nodes(MetaStore& store, const TableBucket& bucket) {
  IdNodes nodes;
  std::string path = paths::kv_snapshot_counter(bucket);
  ASSIGN_OR_RETURN(nodes.counter, store.get(path));
  if (nodes.counter) {
    Result<int64_t> next = decode_counter(nodes.counter->value);
    if (!next) return fail(std::move(next).error().with_context("metadata node " + path));
    nodes.next = *next;
  }
  ASSIGN_OR_RETURN(nodes.folder, store.get(paths::kv_snapshots(bucket)));
  return nodes;
}

MetaOp write_op(std::string path, const std::optional<MetaNode>& node, Bytes value) {
  if (!node) return MetaOp::create(std::move(path), std::move(value));
  return MetaOp::put(std::move(path), std::move(value), node->version);
}

struct ColumnNodes {
  bool has_parent = false;
  std::optional<MetaNode> counter;
  int64_t given = 0;
};

Result<ColumnNodes> read_column_nodes(MetaStore& store, const TablePath& table, int32_t column) {
  ColumnNodes nodes;
  ASSIGN_OR_RETURN(std::optional<MetaNode> parent, store.get(paths::auto_increments(table)));
  nodes.has_parent = parent.has_value();
  std::string path = paths::auto_increment(table, column);
  ASSIGN_OR_RETURN(nodes.counter, store.get(path));
  if (!nodes.counter) return nodes;
  Result<int64_t> given = decode_counter(nodes.counter->value);
  if (!given) return fail(std::move(given).error().with_context("metadata node " + path));
  nodes.given = *given;
  return nodes;
}

// The snapshots whose documents are there.
Result<std::vector<KvSnapshot>> read_whole(ObjectStore& objects,
                                           const TableBucket& bucket,
                                           const std::vector<KvSnapshotRecord>& records) {
  std::vector<KvSnapshot> snapshots;
  for (const KvSnapshotRecord& record : records) {
    Result<KvSnapshot> snapshot = read_kv_snapshot(objects, bucket, record);
    if (snapshot) {
      snapshots.push_back(std::move(*snapshot));
    } else if (snapshot.error().code() == ErrorCode::kKvSnapshotNotExist) {
      LOG_WARN("coordinator", "a snapshot is lost", KV("error", snapshot.error().message()));
    } else {
      return fail(std::move(snapshot).error());
    }
  }
  return snapshots;
}

}  // namespace

Task<Result<KvSnapshotPlace>> Coordinator::next_kv_snapshot(TableBucket bucket) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  if (find_bucket(bucket) == nullptr) co_return unknown_bucket(bucket);
  MetaStore* store = &store_;
  auto read = [store, bucket] { return read_id_nodes(*store, bucket); };
  Result<IdNodes> nodes = co_await run_on_pool(env_.pool, control_, std::move(read));
  if (!nodes) co_return fail(std::move(nodes).error());

  BucketSnapshots& known = snapshots_[bucket];
  KvSnapshotPlace place{KvSnapshotId(nodes->next), known.folder};
  // A counter that is behind would give an id a second time.
  if (!known.registered.empty() && known.registered.rbegin()->first >= place.id) {
    place.id = KvSnapshotId(known.registered.rbegin()->first.value() + 1);
  }
  std::vector<MetaOp> ops;
  if (place.folder.empty()) {
    place.folder =
        remote_kv_folder(remote_root(owner_of(bucket)), *path_of(owner_of(bucket)), bucket);
    ops.push_back(
        write_op(paths::kv_snapshots(bucket), nodes->folder, Bytes::copy_of(place.folder)));
  }
  ops.push_back(write_op(
      paths::kv_snapshot_counter(bucket), nodes->counter, encode_counter(place.id.value() + 1)));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  snapshots_[bucket].folder = place.folder;
  co_return place;
}

// Requires: the table or partition is there.
std::string Coordinator::remote_root(const PhysicalTableId& id) const {
  std::optional<std::string> root = catalog_->find_table(id.table)->remote_data_dir;
  if (id.partition) {
    std::shared_ptr<const PartitionEntry> partition =
        catalog_->find_partition(id.table, *id.partition);
    if (partition->remote_data_dir) root = partition->remote_data_dir;
  }
  return root.value_or(options_.remote_data_dir);
}

bool Coordinator::is_committed(const KvSnapshot& snapshot) const {
  auto known = snapshots_.find(snapshot.bucket);
  if (known == snapshots_.end()) return false;
  auto record = known->second.registered.find(snapshot.id);
  return record != known->second.registered.end() &&
         record->second.metadata_path == remote_kv_metadata(snapshot.location) &&
         record->second.log_offset == snapshot.log_offset;
}

// Requires: it is not committed.
Status Coordinator::check_commit(const KvSnapshotCommit& commit) const {
  const KvSnapshot& snapshot = commit.snapshot;
  const BucketEntry* bucket = find_bucket(snapshot.bucket);
  if (bucket == nullptr) return unknown_bucket(snapshot.bucket);
  auto refuse = [&]<typename... Args>(ErrorCode code,
                                      fmt::format_string<Args...> text,
                                      Args&&... args) -> tl::unexpected<Error> {
    return fail(Error(code, fmt::format(text, std::forward<Args>(args)...))
                    .with_context(fmt::format("snapshot {} of {}", snapshot.id, snapshot.bucket)));
  };
  // Leaders of Fluss may send the bucket epoch, which is never below the leader epoch.
  if (commit.coordinator_epoch > epoch() || commit.leader_epoch.value() > bucket->bucket_epoch) {
    return refuse(ErrorCode::kInvalidCoordinatorException,
                  "coordinator epoch {} and leader epoch {} are newer than those of this "
                  "coordinator, {} and {}; ask the one that is active",
                  commit.coordinator_epoch,
                  commit.leader_epoch,
                  epoch(),
                  bucket->leader_epoch);
  }
  if (commit.leader_epoch < bucket->leader_epoch) {
    return refuse(ErrorCode::kFencedLeaderEpochException,
                  "leader epoch {} is over, the bucket is at {}; discard the snapshot",
                  commit.leader_epoch,
                  bucket->leader_epoch);
  }
  auto known = snapshots_.find(snapshot.bucket);
  std::string folder = known == snapshots_.end() ? "" : known->second.folder;
  if (folder.empty() || snapshot.location != remote_kv_snapshot_folder(folder, snapshot.id)) {
    return refuse(ErrorCode::kKvSnapshotNotExist,
                  "it is at '{}', snapshots of the bucket are in '{}'; upload it to the place that "
                  "comes with its id",
                  snapshot.location,
                  folder);
  }
  if (!known->second.registered.empty() &&
      snapshot.id <= known->second.registered.rbegin()->first) {
    return refuse(ErrorCode::kFencedLeaderEpochException,
                  "there is snapshot {} already; discard this one",
                  known->second.registered.rbegin()->first);
  }
  auto removal = removals_.find(snapshot.bucket);
  if (removal == removals_.end()) return ok();
  for (const KvSnapshotFile& file : snapshot.shared_files) {
    if (!removal->second.files.contains(file.path)) continue;
    return refuse(ErrorCode::kKvSnapshotNotExist,
                  "file {} belongs to a snapshot that is being removed; upload all files anew",
                  file.path);
  }
  return ok();
}

Task<Status> Coordinator::commit_kv_snapshot(KvSnapshotCommit commit) {
  const KvSnapshot& snapshot = commit.snapshot;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    if (is_committed(snapshot)) co_return ok();
    CO_RETURN_IF_ERROR(check_commit(commit));
  }
  // Outside of the event: remote storage may be slow, and the document is nothing without the node.
  ObjectStore* objects = &objects_;
  std::string path = remote_kv_metadata(snapshot.location);
  Bytes document = Bytes::copy_of(to_json(snapshot));
  auto put = [objects, path, document] { return objects->put(path, document); };
  Status written = co_await run_on_pool(env_.pool, control_, std::move(put));
  if (!written) co_return written;

  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  if (is_committed(snapshot)) co_return ok();
  CO_RETURN_IF_ERROR(check_commit(commit));
  CO_RETURN_IF_ERROR(co_await register_snapshot(&snapshot));
  run_removal(snapshot.bucket);
  co_return ok();
}

Task<Status> Coordinator::register_snapshot(const KvSnapshot* snapshot) {
  TableBucket bucket = snapshot->bucket;
  MetaStore* store = &store_;
  auto read = [store, bucket] { return read_id_nodes(*store, bucket); };
  Result<IdNodes> nodes = co_await run_on_pool(env_.pool, control_, std::move(read));
  if (!nodes) co_return fail(std::move(nodes).error());
  if (snapshot->id.value() < 0 || snapshot->id.value() >= nodes->next) {
    co_return make_error(ErrorCode::kKvSnapshotNotExist,
                         "snapshot {} of {}: the id was never given; ask for one",
                         snapshot->id,
                         bucket);
  }
  KvSnapshotRecord record{
      snapshot->id, snapshot->log_offset, remote_kv_metadata(snapshot->location)};
  std::vector<MetaOp> ops;
  ops.push_back(MetaOp::create(paths::kv_snapshot(bucket, snapshot->id), encode(record)));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  BucketSnapshots& known = snapshots_[bucket];
  int64_t expected = known.registered.empty() ? 0 : known.registered.rbegin()->first.value() + 1;
  if (record.id.value() != expected) known.is_tidy = false;
  known.registered.emplace(record.id, std::move(record));
  co_return ok();
}

Task<Result<std::vector<KvSnapshot>>> Coordinator::kv_snapshots(TableBucket bucket) {
  std::vector<KvSnapshotRecord> records;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    if (find_bucket(bucket) == nullptr) co_return unknown_bucket(bucket);
    const auto& registered = snapshots_[bucket].registered;
    for (auto at = registered.rbegin(); at != registered.rend(); ++at) {
      if (records.size() == options_.snapshots_retained) break;
      records.push_back(at->second);
    }
  }
  ObjectStore* objects = &objects_;
  auto read = [objects, bucket, records] { return read_whole(*objects, bucket, records); };
  co_return co_await run_on_pool(env_.pool, control_, std::move(read));
}

Status Coordinator::check_listed(const PhysicalTableId& id) const {
  std::shared_ptr<const TableEntry> table = catalog_->find_table(id.table);
  if (table == nullptr) {
    return make_error(ErrorCode::kTableNotExist, "table {} does not exist", id.table);
  }
  if (table->descriptor.is_partitioned() && !id.partition) {
    return make_error(ErrorCode::kPartitionNotExists,
                      "table {} is partitioned; name a partition of it",
                      table->path);
  }
  if (catalog_->find_buckets(id) == nullptr) {
    return make_error(ErrorCode::kPartitionNotExists, "{} does not exist", id);
  }
  return ok();
}

Task<Result<std::vector<BucketSnapshot>>> Coordinator::list_kv_snapshots(PhysicalTableId id) {
  {
    // What is not there is told without remote storage.
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_RETURN_IF_ERROR(check_listed(id));
  }
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_lease_event());
  CO_RETURN_IF_ERROR(check_listed(id));
  std::vector<BucketSnapshot> listed;
  for (const BucketEntry& entry : *catalog_->find_buckets(id)) {
    TableBucket bucket = bucket_of(id, entry.bucket);
    for (const auto& [snapshot, record] : snapshots_[bucket].registered) {
      if (is_available({bucket, snapshot})) listed.push_back({bucket, snapshot});
    }
  }
  co_return listed;
}

Task<Result<ColumnIds>> Coordinator::reserve_ids(TableId id, int32_t column_id, int64_t count) {
  CHECK(count > 0, "a count of ids to reserve");
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::shared_ptr<const TableEntry> table = catalog_->find_table(id);
  if (table == nullptr) {
    co_return make_error(ErrorCode::kUnknownTableOrBucketException, "table {} does not exist", id);
  }
  MetaStore* store = &store_;
  TablePath path = table->path;
  auto read = [store, path, column_id] { return read_column_nodes(*store, path, column_id); };
  Result<ColumnNodes> nodes = co_await run_on_pool(env_.pool, control_, std::move(read));
  if (!nodes) co_return fail(std::move(nodes).error());
  if (nodes->given < 0 || nodes->given > std::numeric_limits<int64_t>::max() - count) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "column {} of {}: {} values were given, there are no {} more",
                         column_id,
                         path,
                         nodes->given,
                         count);
  }
  std::vector<MetaOp> ops;
  if (!nodes->has_parent) ops.push_back(MetaOp::create(paths::auto_increments(path), {}));
  ops.push_back(write_op(paths::auto_increment(path, column_id),
                         nodes->counter,
                         encode_counter(nodes->given + count)));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  co_return ColumnIds{nodes->given + 1, nodes->given + count};
}

}  // namespace lakestream::coordinator
