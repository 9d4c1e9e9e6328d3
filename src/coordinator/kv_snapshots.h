#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/records.h"
#include "table/path.h"
#include "table/remote_documents.h"

// What the coordinator knows of snapshots and of who uses them.
//
// Thread rule: values.
//
//   const BucketSnapshots& known = snapshots.at(bucket);
//   if (!known.registered.empty()) latest = known.registered.rbegin()->second;
namespace lakestream {
class ObjectStore;
}

namespace lakestream::coordinator {

struct BucketSnapshots {
  std::string folder;  // in remote storage; empty until the first id was given
  std::map<KvSnapshotId, KvSnapshotRecord> registered;
  // There is no file of an upload that came to nothing, as far as the ids tell.
  bool is_tidy = false;
};

// Where the next snapshot of a bucket goes.
struct KvSnapshotPlace {
  KvSnapshotId id;
  std::string folder;  // of the bucket
};

struct KvSnapshotCommit {
  KvSnapshot snapshot;
  int32_t coordinator_epoch = 0;  // the highest that the sender knows
  LeaderEpoch leader_epoch;       // of the sender
};

struct BucketSnapshot {
  TableBucket bucket;
  KvSnapshotId id;

  friend bool operator==(const BucketSnapshot&, const BucketSnapshot&) = default;
};

// Snapshots that a reader uses: one of each bucket.
struct KvLease {
  TimestampMs expiration_time;
  std::map<TableBucket, KvSnapshotId> snapshots;
  std::map<TableId, std::string> files;  // where that is written down
  std::set<TableId> unknown;  // the file is missing or damaged: it may hold any snapshot of theirs
  bool is_damaged = false;    // the node: all tables are unknown, and when it expires
};

// Snapshots of a bucket on their way out. The files are removed first, the nodes last, so that a
// removal that was interrupted is found again.
struct KvRemoval {
  bool is_running = false;
  std::set<std::string> files;
};

struct KvRemovalPlan {
  std::vector<std::string> files;    // what no other snapshot has
  std::vector<std::string> folders;  // with the documents: they go after the files
};
// Blocks; on the pool.
Status remove_files(ObjectStore& objects, const KvRemovalPlan& plan);

struct ColumnIds {
  int64_t start = 0;
  int64_t end = 0;  // inclusive
};

}  // namespace lakestream::coordinator
