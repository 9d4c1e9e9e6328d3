#include "catalog/lake_snapshots.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/failpoint.h"
#include "base/logging.h"
#include "coordinator/coordinator.h"
#include "io/object_store.h"
#include "table/remote_paths.h"

// A snapshot of a lake becomes known so: a document says where the rows of a round end, laid over
// those of the rounds before; the worker commits them to the lake together with the path of the
// document; the path is added to what is known of the table, which is the moment from which readers
// may find the snapshot, and the servers of the buckets hear how far it goes. Documents that are
// not named any more are removed last. A document that no snapshot ever named stays until its table
// is dropped: the lake may have it already, and the next worker asks for it.

namespace lakestream::coordinator {
namespace {

Result<LakeOffsets> latest_offsets(ObjectStore& objects,
                                   TableId table,
                                   const LakeTableRecord& record) {
  if (record.single) return record.single->offsets;
  if (record.snapshots.empty()) return LakeOffsets();
  return read_lake_offsets(objects, table, record.snapshots.back().tiered_path);
}

// Nothing when no snapshot can be read.
const LakeSnapshotRecord* last_readable(const LakeTableRecord& record) {
  auto found =
      std::find_if(record.snapshots.rbegin(), record.snapshots.rend(), [](const auto& snapshot) {
        return snapshot.readable_path.has_value();
      });
  return found == record.snapshots.rend() ? nullptr : &*found;
}

Result<LakeOffsets> readable_offsets(ObjectStore& objects,
                                     TableId table,
                                     const LakeTableRecord& record) {
  if (record.single) return record.single->offsets;
  const LakeSnapshotRecord* snapshot = last_readable(record);
  if (snapshot == nullptr) return LakeOffsets();
  return read_lake_offsets(objects, table, *snapshot->readable_path);
}

LakeSnapshotRecord record_of(const LakeSnapshotCommit& commit) {
  return {commit.id, commit.tiered_path, commit.readable_path};
}

bool is_known(const LakeTableRecord& record, const LakeSnapshotCommit& commit) {
  return std::find(record.snapshots.begin(), record.snapshots.end(), record_of(commit)) !=
         record.snapshots.end();
}

// The ids of some formats are in no order, so places in the list count.
LakeTableRecord with_commit(LakeTableRecord record, const LakeSnapshotCommit& commit) {
  std::vector<LakeSnapshotRecord>& kept = record.snapshots;
  if (commit.keep_from) {
    auto first = std::find_if(kept.begin(), kept.end(), [&](const auto& snapshot) {
      return snapshot.id == *commit.keep_from;
    });
    if (first != kept.end()) kept.erase(kept.begin(), first);
  } else {
    kept.clear();
  }
  std::erase_if(kept, [&](const auto& snapshot) { return snapshot.id == commit.id; });
  kept.push_back(record_of(commit));
  record.single.reset();
  return record;
}

std::set<std::string> documents_of(const LakeTableRecord& record) {
  std::set<std::string> paths;
  for (const LakeSnapshotRecord& snapshot : record.snapshots) {
    paths.insert(snapshot.tiered_path);
    if (snapshot.readable_path) paths.insert(*snapshot.readable_path);
  }
  return paths;
}

LakeOffsets laid_over(LakeOffsets below, const LakeOffsets& above) {
  for (const auto& [bucket, offset] : above) below[bucket] = offset;
  return below;
}

// The first bucket whose offset goes back.
const TableBucket* behind(const LakeOffsets& before, const LakeOffsets& after) {
  for (const auto& [bucket, offset] : before) {
    auto found = after.find(bucket);
    if (found == after.end() || found->second < offset) return &bucket;
  }
  return nullptr;
}

}  // namespace

// Whether the offsets can be those of the table.
Status Coordinator::check_offsets(TableId id, const LakeOffsets& offsets) const {
  std::shared_ptr<const TableEntry> table = catalog_->find_table(id);
  if (table == nullptr) {
    return make_error(ErrorCode::kTableNotExist, "table {} does not exist; forget its offsets", id);
  }
  for (const auto& [bucket, offset] : offsets) {
    bool is_sound = bucket.table == id && bucket.bucket.value() >= 0 && offset.value() >= 0 &&
                    bucket.bucket.value() < *table->descriptor.bucket_count() &&
                    bucket.partition.has_value() == table->descriptor.is_partitioned();
    if (is_sound) continue;
    return make_error(ErrorCode::kUnknownTableOrBucketException,
                      "{} of {} at offset {}: there can be no such place",
                      bucket,
                      table->path,
                      offset);
  }
  return ok();
}

Task<Result<std::string>> Coordinator::prepare_lake_snapshot(LakeRound round,
                                                             LakeOffsetsBase base) {
  LakeTableRecord before;
  std::string path;
  std::set<PartitionId> partitions;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_RETURN_IF_ERROR(check_offsets(round.table, round.offsets));
    std::shared_ptr<const TableEntry> table = catalog_->find_table(round.table);
    if (table->path != round.path) {
      co_return make_error(ErrorCode::kTableNotExist,
                           "table {} is {} and not {}; drop the round",
                           round.table,
                           table->path,
                           round.path);
    }
    if (LakeTable* known = find_lake(round.table); known != nullptr) before = known->record;
    for (const auto& partition : catalog_->partitions(round.table).by_name()) {
      partitions.insert(partition->id);
    }
    std::string folder =
        remote_lake_folder(remote_root({round.table, std::nullopt}), table->path, round.table);
    uint64_t high = random_.next();
    path = remote_lake_offsets(folder, uuid_text(high, random_.next()));
  }
  ObjectStore* objects = &objects_;
  bool merges = base == LakeOffsetsBase::kLatest;
  auto write = [objects, round = std::move(round), before, partitions, path, merges]() -> Status {
    LakeOffsets offsets = round.offsets;
    if (merges) {
      ASSIGN_OR_RETURN(LakeOffsets below, latest_offsets(*objects, round.table, before));
      offsets = laid_over(std::move(below), offsets);
    }
    // Partitions that were dropped do not come back.
    std::erase_if(offsets, [&](const auto& entry) {
      return entry.first.partition && !partitions.contains(*entry.first.partition);
    });
    return objects->put(path, Bytes::copy_of(to_json(to_document(round.table, offsets))));
  };
  CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, control_, std::move(write)));
  CO_RETURN_IF_ERROR(failpoint("coordinator.after_lake_document"));
  co_return path;
}

Coordinator::LakeTable* Coordinator::find_lake(TableId table) {
  auto found = lake_tables_.find(table);
  return found == lake_tables_.end() ? nullptr : &found->second;
}

// Documents are read and removed by path: none but those of the table. A commit that comes again
// may name one that is on its way out.
Status Coordinator::check_documents(const LakeSnapshotCommit& commit) const {
  const TablePath& path = catalog_->find_table(commit.table)->path;
  for (const std::string* document :
       {&commit.tiered_path, commit.readable_path ? &*commit.readable_path : nullptr}) {
    if (document == nullptr) continue;
    bool is_ours = is_remote_lake_offsets(*document, path, commit.table);
    if (is_ours && !leaving_.contains(*document)) continue;
    return make_error(
        ErrorCode::kLakeSnapshotNotExist,
        "snapshot {} of {}: '{}' is no document of the table; use the path that comes "
        "when a snapshot is prepared",
        commit.id,
        path,
        *document);
  }
  return ok();
}

Task<Status> Coordinator::commit_lake_snapshot(LakeSnapshotCommit wanted) {
  auto commit = std::make_shared<const LakeSnapshotCommit>(std::move(wanted));
  for (;;) {
    CO_ASSIGN_OR_RETURN(bool done, co_await register_lake_snapshot(commit));
    if (done) co_return ok();
  }
}

// False when another commit came in between.
Task<Result<bool>> Coordinator::register_lake_snapshot(
    std::shared_ptr<const LakeSnapshotCommit> commit) {
  LakeTable before;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_RETURN_IF_ERROR(check_offsets(commit->table, {}));
    CO_RETURN_IF_ERROR(check_documents(*commit));
    if (LakeTable* known = find_lake(commit->table); known != nullptr) before = *known;
    if (is_known(before.record, *commit)) co_return true;
  }
  // Outside of the event: remote storage may be slow.
  CO_ASSIGN_OR_RETURN(LakeDocuments documents, co_await read_documents(commit, before));
  LakeTableRecord was = before.record;
  CO_ASSIGN_OR_RETURN(bool added,
                      co_await add_lake_snapshot(commit, std::move(before), std::move(documents)));
  if (!added) co_return false;
  CO_RETURN_IF_ERROR(failpoint("coordinator.after_lake_store"));
  std::set<std::string> unused = documents_of(was);
  for (const std::string& path : documents_of(with_commit(was, *commit))) unused.erase(path);
  std::vector<std::string> paths(unused.begin(), unused.end());
  co_await remove_unused(std::move(paths));
  CO_RETURN_IF_ERROR(failpoint("coordinator.after_lake_documents"));
  co_return true;
}

Task<Result<bool>> Coordinator::add_lake_snapshot(std::shared_ptr<const LakeSnapshotCommit> commit,
                                                  LakeTable before,
                                                  LakeDocuments documents) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(check_offsets(commit->table, documents.tiered));
  LakeTable* known = find_lake(commit->table);
  LakeTableRecord now = known == nullptr ? LakeTableRecord() : known->record;
  if (now != before.record) co_return false;
  // Of partitions that were dropped nothing counts.
  std::erase_if(documents.before,
                [this](const auto& entry) { return find_bucket(entry.first) == nullptr; });
  const TableBucket* back = behind(documents.before, documents.tiered);
  // A worker that was taken for dead must not take others' rows out of sight. Who says what to keep
  // may register an older snapshot.
  if (back != nullptr && !commit->keep_from) {
    co_return make_error(ErrorCode::kFencedTieringEpochException,
                         "snapshot {} of table {}: {} is tiered further than it says, by a later "
                         "round; drop this one",
                         commit->id,
                         commit->table,
                         *back);
  }
  LakeTable next;
  next.record = with_commit(now, *commit);
  next.tiered = documents.tiered;
  next.readable = documents.readable;
  const LakeSnapshotRecord* readable = last_readable(next.record);
  const LakeSnapshotRecord* was_readable = last_readable(now);
  bool is_same = readable != nullptr && was_readable != nullptr && *readable == *was_readable;
  if (!next.readable && is_same) next.readable = before.readable;
  CO_RETURN_IF_ERROR(co_await write_lake_table(commit->table, std::move(next)));
  if (!documents.readable) co_return true;
  auto ends = std::make_shared<LakeNotice>();
  for (const auto& [bucket, offset] : *documents.readable) {
    LakeNotice::Bucket end{bucket, commit->id, offset, std::nullopt};
    auto time = commit->max_timestamps.find(bucket);
    if (time != commit->max_timestamps.end()) end.max_timestamp = time->second;
    ends->buckets.push_back(std::move(end));
  }
  co_await tell_lake_ends(std::move(ends));
  co_return true;
}

Task<Result<Coordinator::LakeDocuments>> Coordinator::read_documents(
    std::shared_ptr<const LakeSnapshotCommit> commit, LakeTable before) {
  ObjectStore* objects = &objects_;
  auto read = [objects, commit, before]() -> Result<LakeDocuments> {
    LakeDocuments documents;
    TableId table = commit->table;
    ASSIGN_OR_RETURN(documents.tiered, read_lake_offsets(*objects, table, commit->tiered_path));
    if (commit->readable_path == commit->tiered_path) {
      documents.readable = documents.tiered;
    } else if (commit->readable_path) {
      ASSIGN_OR_RETURN(documents.readable,
                       read_lake_offsets(*objects, table, *commit->readable_path));
    }
    if (before.tiered) {
      documents.before = *before.tiered;
      return documents;
    }
    Result<LakeOffsets> last = latest_offsets(*objects, table, before.record);
    // One that is lost is no reason to lose the next one.
    if (last) documents.before = std::move(*last);
    if (last || last.error().code() == ErrorCode::kLakeSnapshotNotExist) return documents;
    return fail(std::move(last).error());
  };
  co_return co_await run_on_pool(env_.pool, control_, std::move(read));
}

// Requires: in an event.
Task<Status> Coordinator::write_lake_table(TableId table, LakeTable next) {
  MetaStore* store = &store_;
  std::string parent = paths::assignment({table, std::nullopt});
  std::string path = paths::lake_table(table);
  auto read = [store, parent, path]() -> Result<std::pair<bool, bool>> {
    ASSIGN_OR_RETURN(std::optional<MetaNode> above, store->get(parent));
    ASSIGN_OR_RETURN(std::optional<MetaNode> node, store->get(path));
    return std::pair(above.has_value(), node.has_value());
  };
  Result<std::pair<bool, bool>> nodes = co_await run_on_pool(env_.pool, control_, std::move(read));
  if (!nodes) co_return fail(std::move(nodes).error());
  auto [has_parent, has_node] = *nodes;
  std::vector<MetaOp> ops;
  // A partitioned table has no buckets itself.
  if (!has_parent) ops.push_back(MetaOp::create(parent, encode(AssignmentRecord())));
  Bytes value = encode(next.record);
  ops.push_back(has_node ? MetaOp::put(path, std::move(value), kAnyVersion)
                         : MetaOp::create(path, std::move(value)));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  lake_tables_[table] = std::move(next);
  co_return ok();
}

// Of a lake that was made anew: rows come to it from the start of the logs on. Gives the documents
// that are to be removed once the event has ended. Requires: in an event that removed the node.
Task<std::vector<std::string>> Coordinator::forget_snapshots(TableId table) {
  std::set<std::string> unused = documents_of(lake_tables_.at(table).record);
  lake_tables_.erase(table);
  auto ends = std::make_shared<LakeNotice>();
  catalog_->visit_buckets([&](const PhysicalTableId& id, const std::vector<BucketEntry>& buckets) {
    if (id.table != table) return;
    for (const BucketEntry& entry : buckets) {
      ends->buckets.push_back(
          {bucket_of(id, entry.bucket), LakeSnapshotId(-1), Offset(0), std::nullopt});
    }
  });
  co_await tell_lake_ends(std::move(ends));
  co_return std::vector<std::string>(unused.begin(), unused.end());
}

// Requires: in an event.
Task<void> Coordinator::tell_lake_ends(std::shared_ptr<const LakeNotice> ends) {
  std::map<ServerId, LakeNotice> notices;
  for (const LakeNotice::Bucket& end : ends->buckets) {
    const BucketEntry* entry = find_bucket(end.bucket);
    if (entry == nullptr) continue;
    for (ServerId replica : entry->replicas) {
      if (is_live(replica)) notices[replica].buckets.push_back(end);
    }
  }
  for (auto& [server, notice] : notices) {
    notice.coordinator_epoch = epoch();
    Status told = co_await tablets_.notify_lake_offsets(server, std::move(notice));
    if (told) continue;
    LOG_WARN("coordinator",
             "a server was not told how far the lake is",
             KV("server", server),
             KV("error", told.error().to_string()));
  }
}

Task<Status> Coordinator::commit_lake_offsets(LakeOffsetsCommit wanted) {
  auto commit = std::make_shared<const LakeOffsetsCommit>(std::move(wanted));
  for (;;) {
    CO_ASSIGN_OR_RETURN(bool done, co_await register_lake_offsets(commit));
    if (done) co_return ok();
  }
}

// False when another commit came in between.
Task<Result<bool>> Coordinator::register_lake_offsets(
    std::shared_ptr<const LakeOffsetsCommit> commit) {
  LakeTableRecord before;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_RETURN_IF_ERROR(check_offsets(commit->table, commit->offsets));
    if (LakeTable* known = find_lake(commit->table); known != nullptr) before = known->record;
  }
  // Outside of the event: remote storage may be slow.
  ObjectStore* objects = &objects_;
  auto read = [objects, table = commit->table, before] {
    return latest_offsets(*objects, table, before);
  };
  Result<LakeOffsets> latest = co_await run_on_pool(env_.pool, control_, std::move(read));
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_RETURN_IF_ERROR(check_offsets(commit->table, commit->offsets));
    LakeTable* known = find_lake(commit->table);
    LakeTableRecord now = known == nullptr ? LakeTableRecord() : known->record;
    if (now != before) co_return false;
    if (!latest) co_return fail(std::move(latest).error());
    LakeOffsets offsets = laid_over(std::move(*latest), commit->offsets);
    LakeTable next;
    next.record.single = LakeInlineRecord{commit->id, offsets};
    next.tiered = offsets;
    next.readable = offsets;
    CO_RETURN_IF_ERROR(co_await write_lake_table(commit->table, std::move(next)));
    auto ends = std::make_shared<LakeNotice>();
    for (const auto& [bucket, offset] : offsets) {
      ends->buckets.push_back({bucket, commit->id, offset, std::nullopt});
    }
    co_await tell_lake_ends(std::move(ends));
  }
  std::set<std::string> unused = documents_of(before);
  std::vector<std::string> paths(unused.begin(), unused.end());
  co_await remove_unused(std::move(paths));
  co_return true;
}

Task<Result<Offset>> Coordinator::lake_end(TableBucket bucket) {
  for (;;) {
    if (find_bucket(bucket) == nullptr) {
      co_return make_error(ErrorCode::kUnknownTableOrBucketException, "{} does not exist", bucket);
    }
    LakeTable* known = find_lake(bucket.table);
    if (known == nullptr) co_return Offset(0);
    if (known->readable) {
      auto found = known->readable->find(bucket);
      co_return found == known->readable->end() ? Offset(0) : found->second;
    }
    LakeTableRecord record = known->record;
    ObjectStore* objects = &objects_;
    auto read = [objects, table = bucket.table, record] {
      return readable_offsets(*objects, table, record);
    };
    Result<LakeOffsets> offsets = co_await run_on_pool(env_.pool, control_, std::move(read));
    // Another snapshot may have come meanwhile, and its documents gone with it.
    known = find_lake(bucket.table);
    if (known == nullptr || known->record != record) continue;
    if (!offsets) co_return fail(std::move(offsets).error());
    known->readable = std::move(*offsets);
  }
}

}  // namespace lakestream::coordinator
