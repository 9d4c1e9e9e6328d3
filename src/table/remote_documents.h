#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "table/path.h"

// JSON documents that lie beside tables in remote storage: which segments of a bucket's log are
// there, and up to which offset each bucket of a table is in a lake snapshot. They are read by
// other servers and clients of the Fluss protocol.
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

std::string to_json(const RemoteLogManifest& manifest);
std::string to_json(const TableBucketOffsets& offsets);

// kUnknownServerError when the text is no such document: sending it again does not help.
Result<RemoteLogManifest> remote_log_manifest_from_json(std::string_view text);
Result<TableBucketOffsets> table_bucket_offsets_from_json(std::string_view text);

}  // namespace lakestream
