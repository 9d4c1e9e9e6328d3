#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "meta/records.h"
#include "table/remote_documents.h"

// The snapshots of a primary-key bucket as the metadata store and remote storage have them.
//
// Thread rule: calls block; on the pool.
//
//   ASSIGN_OR_RETURN(std::vector<KvSnapshotRecord> records, load_kv_snapshots(store, bucket));
//   if (records.empty()) return nothing();
//   ASSIGN_OR_RETURN(KvSnapshot latest, read_kv_snapshot(objects, bucket, records.back()));
namespace lakestream {

class MetaStore;
class ObjectStore;

// In the order of their ids; none for an unknown bucket. An error names the node that is damaged.
Result<std::vector<KvSnapshotRecord>> load_kv_snapshots(MetaStore& store,
                                                        const TableBucket& bucket);
// Empty when there is none.
Result<std::optional<KvSnapshotRecord>> find_kv_snapshot(MetaStore& store,
                                                         const TableBucket& bucket,
                                                         KvSnapshotId id);
// The document of a snapshot. kKvSnapshotNotExist when it is missing, damaged or the one of another
// snapshot.
Result<KvSnapshot> read_kv_snapshot(ObjectStore& objects,
                                    const TableBucket& bucket,
                                    const KvSnapshotRecord& record);

}  // namespace lakestream
