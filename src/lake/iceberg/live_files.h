#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/metadata_files.h"
#include "lake/iceberg/table_metadata.h"

// The files that a snapshot has, by partition and bucket: what its manifests say. A LiveCache holds
// those of the newest snapshot, so that writers, commits and plans of a round read its manifests
// once, and those of a commit of its own not at all.
//
// Thread rule: LiveFiles is a value; a LiveCache is for any thread, many at a time.
//
//   LiveCache cache(files);
//   ASSIGN_OR_RETURN(auto live, cache.of(metadata, metadata.current_snapshot()));
//   BucketFiles bucket = live->files_of({.values = {"2026"}, .bucket = 3});
namespace lakestream::iceberg {

// Buckets that a commit does not touch are the same in both snapshots.
using SharedBucket = std::shared_ptr<const BucketFiles>;

struct LiveFiles {
  int64_t snapshot_id = 0;  // 0: before the first
  int64_t sequence = 0;
  std::map<PartitionTuple, SharedBucket> buckets = {};

  // With the sequence of the snapshot; empty for a bucket that has none.
  BucketFiles files_of(const PartitionTuple& bucket) const;
};

// Only of partitions that may have these values, by place in the spec; all for none.
// `left_out` counts the files of other manifests.
Result<LiveFiles> live_files(const MetadataFiles& files,
                             const TableMetadata& metadata,
                             const IcebergSnapshot& snapshot,
                             std::span<const std::optional<std::string>> partition_values,
                             uint64_t* left_out);

class LiveCache {
 public:
  // Outlives it.
  explicit LiveCache(const MetadataFiles& files) : files_(files) {}

  // Of all partitions; no files for nullptr.
  Result<std::shared_ptr<const LiveFiles>> of(const TableMetadata& metadata,
                                              const IcebergSnapshot* snapshot);
  // nullptr when another one is known.
  std::shared_ptr<const LiveFiles> known(const IcebergSnapshot* snapshot);
  // `made` is what came of `base` by these changes.
  void advance(const IcebergSnapshot* base,
               const IcebergSnapshot& made,
               std::span<const LiveFile> added,
               const std::set<std::string, std::less<>>& removed);

 private:
  // Unless a newer one is known.
  void set(std::shared_ptr<const LiveFiles> known);

  const MetadataFiles& files_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // held while the pointer is copied
  std::shared_ptr<const LiveFiles> known_;
};

}  // namespace lakestream::iceberg
