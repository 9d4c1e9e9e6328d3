#include <limits>
#include <optional>
#include <utility>

#include "base/logging.h"
#include "catalog/kv_snapshots.h"
#include "coordinator/coordinator.h"
#include "io/object_store.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {

// Files of uploads that came to nothing: their leader died before the commit, or could not remove
// them. They are looked for after a commit, once in the life of a coordinator and whenever the ids
// have a gap. What is found and not named by a registered snapshot is nobody's as long as no id
// above that of the last one was given: an upload with a smaller one is refused when it ends, and a
// later one writes files of other names.

namespace {

constexpr std::string_view kSnapshotFolder = "snap-";

// The snapshot whose folder it is in; `folder`, of the bucket, ends with a slash.
std::optional<KvSnapshotId> snapshot_of(std::string_view path, std::string_view folder) {
  path.remove_prefix(folder.size());
  if (!path.starts_with(kSnapshotFolder)) return std::nullopt;
  path.remove_prefix(kSnapshotFolder.size());
  std::string_view number = path.substr(0, path.find('/'));
  if (number.size() == path.size()) return std::nullopt;
  Result<int64_t> id = decode_number(number, std::numeric_limits<int64_t>::max());
  return id ? std::optional(KvSnapshotId(*id)) : std::nullopt;
}

bool has_below(const std::set<std::string>& paths, const std::string& folder) {
  auto first = paths.lower_bound(folder + "/");
  return first != paths.end() && first->starts_with(folder + "/");
}

// An error when it is not known what is needed. Requires: a snapshot is registered.
Result<KvRemovalPlan> plan_orphans(ObjectStore& objects,
                                   const TableBucket& bucket,
                                   const BucketSnapshots& known) {
  std::set<std::string> needed;
  for (const auto& [id, record] : known.registered) {
    ASSIGN_OR_RETURN(KvSnapshot snapshot, read_kv_snapshot(objects, bucket, record));
    needed.insert(record.metadata_path);
    for (const auto* files : {&snapshot.shared_files, &snapshot.private_files}) {
      for (const KvSnapshotFile& file : *files) needed.insert(file.path);
    }
  }
  std::string folder = known.folder + "/";
  for (const std::string& path : needed) {
    // Written in another way it would not be known again.
    if (!path.starts_with(folder)) return KvRemovalPlan{};
  }
  ASSIGN_OR_RETURN(std::vector<std::string> found,
                   objects.list_stale(known.folder, TimestampMs(INT64_MAX)));
  std::string shared = remote_kv_shared_folder(known.folder) + "/";
  std::set<std::string> folders;
  KvRemovalPlan plan;
  for (std::string& path : found) {
    if (!path.starts_with(folder) || needed.contains(path)) continue;
    if (path.starts_with(shared)) {
      plan.files.push_back(std::move(path));
      continue;
    }
    std::optional<KvSnapshotId> id = snapshot_of(path, folder);
    if (!id || *id >= known.registered.rbegin()->first || known.registered.contains(*id)) continue;
    std::string whole = remote_kv_snapshot_folder(known.folder, *id);
    if (path.starts_with(whole + "/") && !has_below(needed, whole)) {
      folders.insert(std::move(whole));
    }
  }
  plan.folders.assign(folders.begin(), folders.end());
  return plan;
}

// How many ids were given; the next one is the same number.
Result<int64_t> given_ids(MetaStore& store, const TableBucket& bucket) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(paths::kv_snapshot_counter(bucket)));
  return node ? decode_counter(node->value) : Result<int64_t>(0);
}

}  // namespace

bool Coordinator::may_have_orphans(const TableBucket& bucket) const {
  auto known = snapshots_.find(bucket);
  return known != snapshots_.end() && !known->second.is_tidy && !known->second.folder.empty() &&
         !known->second.registered.empty();
}

// Requires: nothing else removes files of the bucket's snapshots.
Task<Status> Coordinator::remove_orphans(TableBucket bucket) {
  BucketSnapshots seen;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    if (find_bucket(bucket) == nullptr || !may_have_orphans(bucket)) co_return ok();
    seen = snapshots_.at(bucket);
  }
  ObjectStore* objects = &objects_;
  auto plan = [objects, bucket, seen] { return plan_orphans(*objects, bucket, seen); };
  Result<KvRemovalPlan> planned = co_await run_on_pool(env_.pool, control_, std::move(plan));
  if (!planned) {
    // What a lost document needs is not known until it is superseded.
    if (planned.error().code() == ErrorCode::kKvSnapshotNotExist) co_return ok();
    co_return fail(std::move(planned).error());
  }
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    MetaStore* store = &store_;
    auto count = [store, bucket] { return given_ids(*store, bucket); };
    CO_ASSIGN_OR_RETURN(int64_t given, co_await run_on_pool(env_.pool, control_, std::move(count)));
    if (find_bucket(bucket) == nullptr) co_return ok();
    BucketSnapshots& known = snapshots_[bucket];
    // Else an upload may be on its way: after its commit there is another look.
    bool at_rest = known.registered == seen.registered && known.folder == seen.folder &&
                   given == seen.registered.rbegin()->first.value() + 1;
    if (!at_rest) co_return ok();
    known.is_tidy = true;
    removals_[bucket].files.insert(planned->files.begin(), planned->files.end());
  }
  size_t count = planned->files.size() + planned->folders.size();
  if (count == 0) co_return ok();
  LOG_INFO("coordinator",
           "removing what snapshots that never came to be have left",
           KV("bucket", bucket),
           KV("count", count));
  auto remove = [objects, work = std::move(*planned)] { return remove_files(*objects, work); };
  Status removed = co_await run_on_pool(env_.pool, control_, std::move(remove));
  auto known = snapshots_.find(bucket);
  if (!removed && known != snapshots_.end()) known->second.is_tidy = false;
  co_return removed;
}

}  // namespace lakestream::coordinator
