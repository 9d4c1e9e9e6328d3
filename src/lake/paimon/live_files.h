#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lake/paimon/manifest.h"
#include "lake/paimon/snapshot.h"
#include "lake/paimon/table_files.h"

// The data files that a snapshot has, by partition and bucket: what is left of its manifests. A
// LiveCache holds those of the newest snapshot, so that writers, commits and plans of a round read
// its manifests once, and those of a commit of its own not at all.
//
// Thread rule: LiveFiles is a value; a LiveCache is for any thread, many at a time.
//
//   LiveCache cache(files);
//   ASSIGN_OR_RETURN(std::shared_ptr<const KnownLive> live, cache.of(latest));
//   int64_t sequence = next_sequence(live->files, {partition, bucket});
namespace lakestream::paimon {

// Serialized partition and bucket.
using BucketPlace = std::pair<std::string, int32_t>;
// Buckets that a commit does not touch are the same in both snapshots.
using BucketFiles = std::shared_ptr<const std::vector<ManifestEntry>>;
using LiveFiles = std::map<BucketPlace, BucketFiles>;

Result<LiveFiles> live_files(const TableFiles& files, const PaimonSnapshot& snapshot);

// The number behind the largest of a bucket's files; 0 without files.
int64_t next_sequence(const LiveFiles& live, const BucketPlace& place);

struct KnownLive {
  int64_t snapshot_id = 0;  // 0: before the first
  // Of the snapshot: its id may come again when snapshots are rolled back.
  std::string delta_list = {};
  LiveFiles files = {};
};

class LiveCache {
 public:
  // Outlives it.
  explicit LiveCache(const TableFiles& files) : files_(files) {}

  // Without a snapshot: no files.
  Result<std::shared_ptr<const KnownLive>> of(const std::optional<PaimonSnapshot>& snapshot);
  // `made` is what came of `base` by these changes.
  void advance(const std::optional<PaimonSnapshot>& base,
               const PaimonSnapshot& made,
               std::span<const ManifestEntry> changes);

 private:
  // Nothing when another snapshot is known.
  std::shared_ptr<const KnownLive> get(const std::optional<PaimonSnapshot>& snapshot);
  // Unless a newer one is known.
  void set(std::shared_ptr<const KnownLive> known);

  const TableFiles& files_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // held while the pointer is copied
  std::shared_ptr<const KnownLive> known_;
};

}  // namespace lakestream::paimon
