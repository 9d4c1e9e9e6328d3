#include "lake/iceberg/live_files.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lakestream::iceberg {
namespace {

using Buckets = std::map<PartitionTuple, BucketFiles>;

void add(LiveFile file, BucketFiles* bucket) {
  auto& list = file.file->content == FileContent::kData ? bucket->data : bucket->deletes;
  list.push_back(std::move(file));
}

// By rising sequence, in the order of manifests within one.
void sort(BucketFiles* bucket) {
  for (auto* list : {&bucket->data, &bucket->deletes}) {
    std::stable_sort(list->begin(), list->end(), [](const LiveFile& a, const LiveFile& b) {
      return a.sequence < b.sequence;
    });
  }
}

SharedBucket shared(BucketFiles bucket) {
  return std::make_shared<const BucketFiles>(std::move(bucket));
}

// Buckets of different specs can not be told apart by their numbers.
Status check_line(const ManifestFile& line, const TableMetadata& metadata) {
  if (line.spec_id == metadata.default_spec_id) return ok();
  const IcebergPartitionSpec* spec = metadata.find_spec(line.spec_id);
  if (spec != nullptr && spec->fields == metadata.default_spec().fields) return ok();
  return make_error(ErrorCode::kInvalidTableException,
                    "{}: its files have partition spec {}, those of the table {}; rewrite them",
                    line.path,
                    line.spec_id,
                    metadata.default_spec_id);
}

}  // namespace

BucketFiles LiveFiles::files_of(const PartitionTuple& bucket) const {
  BucketFiles files;
  auto found = buckets.find(bucket);
  if (found != buckets.end()) files = *found->second;
  files.sequence = sequence;
  return files;
}

Result<LiveFiles> live_files(const MetadataFiles& files,
                             const TableMetadata& metadata,
                             const IcebergSnapshot& snapshot,
                             std::span<const std::optional<std::string>> partition_values,
                             uint64_t* left_out) {
  ASSIGN_OR_RETURN(std::vector<ManifestFile> lines, files.manifest_list(snapshot.manifest_list));
  Buckets buckets;
  for (const ManifestFile& line : lines) {
    if (line.added_files + line.existing_files == 0) continue;
    RETURN_IF_ERROR(check_line(line, metadata));
    if (!may_contain(line, partition_values)) {
      if (line.content == ManifestContent::kData) {
        *left_out += static_cast<uint64_t>(line.added_files + line.existing_files);
      }
      continue;
    }
    ASSIGN_OR_RETURN(Manifest manifest, files.manifest(line, metadata));
    for (ManifestEntry& entry : manifest.entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      BucketFiles& bucket = buckets[entry.file->partition];
      add({.file = std::move(entry.file),
           .snapshot_id = entry.snapshot_id,
           .sequence = *entry.sequence,
           .file_sequence = *entry.file_sequence,
           .spec_id = line.spec_id},
          &bucket);
    }
  }
  LiveFiles live{.snapshot_id = snapshot.id, .sequence = snapshot.sequence};
  for (auto& [tuple, bucket] : buckets) {
    sort(&bucket);
    live.buckets.emplace(tuple, shared(std::move(bucket)));
  }
  return live;
}

Result<std::shared_ptr<const LiveFiles>> LiveCache::of(const TableMetadata& metadata,
                                                       const IcebergSnapshot* snapshot) {
  std::shared_ptr<const LiveFiles> live = known(snapshot);
  if (live) return live;
  LiveFiles made;
  if (snapshot != nullptr) {
    uint64_t none = 0;
    ASSIGN_OR_RETURN(made, live_files(files_, metadata, *snapshot, {}, &none));
  }
  live = std::make_shared<const LiveFiles>(std::move(made));
  set(live);
  return live;
}

void LiveCache::advance(const IcebergSnapshot* base,
                        const IcebergSnapshot& made,
                        std::span<const LiveFile> added,
                        const std::set<std::string, std::less<>>& removed) {
  std::shared_ptr<const LiveFiles> before = known(base);
  if (!before) return;
  LiveFiles next{.snapshot_id = made.id, .sequence = made.sequence, .buckets = before->buckets};
  Buckets changed;
  if (!removed.empty()) {
    auto is_removed = [&](const LiveFile& file) { return removed.contains(file.file->path); };
    for (const auto& [tuple, bucket] : before->buckets) {
      BucketFiles left = *bucket;
      if (std::erase_if(left.data, is_removed) + std::erase_if(left.deletes, is_removed) > 0) {
        changed[tuple] = std::move(left);
      }
    }
  }
  for (const LiveFile& file : added) {
    auto [place, is_new] = changed.try_emplace(file.file->partition);
    auto there = next.buckets.find(place->first);
    if (is_new && there != next.buckets.end()) place->second = *there->second;
    add(file, &place->second);
  }
  for (auto& [tuple, bucket] : changed) {
    if (bucket.data.empty() && bucket.deletes.empty()) {
      next.buckets.erase(tuple);
      continue;
    }
    sort(&bucket);
    next.buckets[tuple] = shared(std::move(bucket));
  }
  set(std::make_shared<const LiveFiles>(std::move(next)));
}

std::shared_ptr<const LiveFiles> LiveCache::known(const IcebergSnapshot* snapshot) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  std::shared_ptr<const LiveFiles> live = known_;
  busy_.clear(std::memory_order_release);
  int64_t wanted = snapshot != nullptr ? snapshot->id : 0;
  return live && live->snapshot_id == wanted ? live : nullptr;
}

void LiveCache::set(std::shared_ptr<const LiveFiles> known) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  if (!known_ || known_->sequence <= known->sequence) known_.swap(known);
  busy_.clear(std::memory_order_release);
}

}  // namespace lakestream::iceberg
