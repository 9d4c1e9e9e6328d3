#include "catalog/kv_snapshots.h"

#include <algorithm>

#include "io/object_store.h"
#include "meta/meta.h"

namespace lakestream {
namespace {

Result<std::optional<KvSnapshotRecord>> read_record(MetaStore& store, const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
  if (!node) return std::optional<KvSnapshotRecord>();
  Result<KvSnapshotRecord> record = decode_kv_snapshot(node->value);
  if (!record) return fail(std::move(record).error().with_context("metadata node " + path));
  return std::optional<KvSnapshotRecord>(std::move(*record));
}

}  // namespace

Result<std::vector<KvSnapshotRecord>> load_kv_snapshots(MetaStore& store,
                                                        const TableBucket& bucket) {
  std::string folder = paths::kv_snapshots(bucket);
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(folder));
  std::vector<KvSnapshotRecord> records;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::optional<KvSnapshotRecord> record,
                     read_record(store, fmt::format("{}/{}", folder, name)));
    if (record) records.push_back(std::move(*record));  // else it was removed meanwhile
  }
  // The store gives names in the order of texts.
  std::sort(
      records.begin(), records.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return records;
}

Result<std::optional<KvSnapshotRecord>> find_kv_snapshot(MetaStore& store,
                                                         const TableBucket& bucket,
                                                         KvSnapshotId id) {
  return read_record(store, paths::kv_snapshot(bucket, id));
}

Result<KvSnapshot> read_kv_snapshot(ObjectStore& objects,
                                    const TableBucket& bucket,
                                    const KvSnapshotRecord& record) {
  ASSIGN_OR_RETURN(std::optional<Bytes> text, objects.get(record.metadata_path));
  if (!text) {
    return make_error(ErrorCode::kKvSnapshotNotExist,
                      "snapshot {} of {}: {} is missing; use a newer snapshot",
                      record.id,
                      bucket,
                      record.metadata_path);
  }
  Result<KvSnapshot> snapshot = kv_snapshot_from_json(text->view());
  if (!snapshot) {
    return make_error(ErrorCode::kKvSnapshotNotExist,
                      "snapshot {} of {}: {} is damaged: {}; use another snapshot",
                      record.id,
                      bucket,
                      record.metadata_path,
                      snapshot.error().message());
  }
  if (snapshot->id != record.id || snapshot->bucket != bucket) {
    return make_error(ErrorCode::kKvSnapshotNotExist,
                      "snapshot {} of {}: {} is about snapshot {} of {}",
                      record.id,
                      bucket,
                      record.metadata_path,
                      snapshot->id,
                      snapshot->bucket);
  }
  return snapshot;
}

}  // namespace lakestream
