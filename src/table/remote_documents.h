#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "table/path.h"

// JSON documents that lie beside tables in remote storage: which segments of a bucket's log are
// there, up to which offset each bucket of a table is in a lake snapshot, which files a key-value
// snapshot is made of, and which of these a lease holds. They are read by other servers and clients
// of the Fluss protocol.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(RemoteLogManifest manifest, remote_log_manifest_from_json(text));
//   manifest.segments.push_back(segment);
//   store(to_json(manifest));
namespace lakestream {

// A copied segment with the records [start, end). Another copy may hold its head or tail too; the
// logical offsets then tell which part of this one counts.
struct RemoteLogSegment {
  std::string id;  // UUID text
  Offset start_offset;
  Offset end_offset;
  std::optional<Offset> logical_start_offset;
  std::optional<Offset> logical_end_offset;
  TimestampMs max_timestamp;
  int64_t size_bytes = 0;

  friend bool operator==(const RemoteLogSegment&, const RemoteLogSegment&) = default;
};

struct RemoteLogManifest {
  PhysicalTablePath path;
  TableBucket bucket;
  std::optional<Offset> highest_copied_end_offset;
  std::vector<RemoteLogSegment> segments;

  friend bool operator==(const RemoteLogManifest&, const RemoteLogManifest&) = default;
};

// By bucket; kNoLakeOffset where the lake has nothing of a bucket.
using BucketOffsets = std::vector<int64_t>;
inline constexpr int64_t kNoLakeOffset = -1;

struct PartitionOffsets {
  PartitionId partition;
  BucketOffsets bucket_offsets;

  friend bool operator==(const PartitionOffsets&, const PartitionOffsets&) = default;
};

// Offsets of a table, or of each partition of a partitioned one.
struct TableBucketOffsets {
  TableId table;
  std::optional<BucketOffsets> bucket_offsets;
  std::optional<std::vector<PartitionOffsets>> partition_offsets;

  friend bool operator==(const TableBucketOffsets&, const TableBucketOffsets&) = default;
};

// Where a lake snapshot ends: the first offset of each bucket that is not in it. A bucket that it
// has nothing of is missing.
using LakeOffsets = std::map<TableBucket, Offset>;

// What a lake format calls its snapshots; higher is newer only where the format says so.
using LakeSnapshotId = Id<struct LakeSnapshotIdTag, int64_t>;

// Counts the snapshots of one bucket from 0; an id is never given twice.
using KvSnapshotId = Id<struct KvSnapshotIdTag, int64_t>;
inline constexpr KvSnapshotId kNoKvSnapshot{-1};

struct KvSnapshotFile {
  std::string path;  // in remote storage
  int64_t size = 0;
  std::string local_name;  // what the key-value store calls it

  friend bool operator==(const KvSnapshotFile&, const KvSnapshotFile&) = default;
};

// Values of an auto-increment column that were reserved and not used: start, start + 1, … end.
struct AutoIncrementRange {
  int32_t column_id = 0;
  int64_t start = 0;
  int64_t end = 0;  // inclusive

  friend bool operator==(const AutoIncrementRange&, const AutoIncrementRange&) = default;
};

// The state of a primary-key bucket that contains all changes of its log below log_offset.
struct KvSnapshot {
  TableBucket bucket;
  KvSnapshotId id;
  std::string location;  // folder of the private files
  std::vector<KvSnapshotFile> shared_files;
  std::vector<KvSnapshotFile> private_files;
  int64_t incremental_bytes = 0;  // of the files that were uploaded for it
  Offset log_offset;
  std::optional<int64_t> row_count;
  std::vector<AutoIncrementRange> ids;

  friend bool operator==(const KvSnapshot&, const KvSnapshot&) = default;
};

// By bucket; kNoKvSnapshot where a lease holds none.
using LeasedSnapshots = std::vector<KvSnapshotId>;

// The snapshots of one table, or of its partitions, that a lease holds.
struct KvTableLease {
  TableId table;
  std::optional<LeasedSnapshots> buckets;
  std::map<PartitionId, LeasedSnapshots> partitions;

  friend bool operator==(const KvTableLease&, const KvTableLease&) = default;
};

// The same offsets as a document and by bucket. Requires: buckets of the table that have ids from 0
// on, as many as a table may have, all with a partition or none.
TableBucketOffsets to_document(TableId table, const LakeOffsets& offsets);
LakeOffsets to_offsets(const TableBucketOffsets& document);

std::string to_json(const RemoteLogManifest& manifest);
std::string to_json(const TableBucketOffsets& offsets);
std::string to_json(const KvSnapshot& snapshot);
std::string to_json(const KvTableLease& lease);

// kUnknownServerError when the text is no such document: sending it again does not help.
Result<RemoteLogManifest> remote_log_manifest_from_json(std::string_view text);
Result<TableBucketOffsets> table_bucket_offsets_from_json(std::string_view text);
Result<KvSnapshot> kv_snapshot_from_json(std::string_view text);
Result<KvTableLease> kv_table_lease_from_json(std::string_view text);

}  // namespace lakestream
