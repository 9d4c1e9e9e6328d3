#include "lake/paimon/live_files.h"

#include <algorithm>
#include <iterator>

namespace lakestream::paimon {
namespace {

BucketFiles shared(std::vector<ManifestEntry> entries) {
  return std::make_shared<const std::vector<ManifestEntry>>(std::move(entries));
}

}  // namespace

Result<LiveFiles> live_files(const TableFiles& files, const PaimonSnapshot& snapshot) {
  ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, files.manifests_of(snapshot));
  std::vector<ManifestEntry> entries;
  for (const ManifestFile& file : manifests) {
    ASSIGN_OR_RETURN(Manifest manifest, files.manifest(file.name));
    entries.insert(entries.end(),
                   std::make_move_iterator(manifest.entries.begin()),
                   std::make_move_iterator(manifest.entries.end()));
  }
  entries = merge_entries(std::move(entries));
  std::map<BucketPlace, std::vector<ManifestEntry>> buckets;
  for (ManifestEntry& entry : entries) {
    if (entry.kind != EntryKind::kAdd) continue;
    BucketPlace place{entry.partition, entry.bucket};
    buckets[std::move(place)].push_back(std::move(entry));
  }
  LiveFiles live;
  for (auto& [place, files_of] : buckets) live.emplace(place, shared(std::move(files_of)));
  return live;
}

int64_t next_sequence(const LiveFiles& live, const BucketPlace& place) {
  auto found = live.find(place);
  if (found == live.end()) return 0;
  int64_t next = 0;
  for (const ManifestEntry& entry : *found->second) {
    next = std::max(next, entry.file.max_sequence + 1);
  }
  return next;
}

Result<std::shared_ptr<const KnownLive>> LiveCache::of(
    const std::optional<PaimonSnapshot>& snapshot) {
  std::shared_ptr<const KnownLive> known = get(snapshot);
  if (known) return known;
  KnownLive made;
  if (snapshot) {
    made.snapshot_id = snapshot->id;
    made.delta_list = snapshot->delta_manifest_list;
    ASSIGN_OR_RETURN(made.files, live_files(files_, *snapshot));
  }
  known = std::make_shared<const KnownLive>(std::move(made));
  set(known);
  return known;
}

void LiveCache::advance(const std::optional<PaimonSnapshot>& base,
                        const PaimonSnapshot& made,
                        std::span<const ManifestEntry> changes) {
  std::shared_ptr<const KnownLive> known = get(base);
  if (!known) return;
  KnownLive next{
      .snapshot_id = made.id, .delta_list = made.delta_manifest_list, .files = known->files};
  std::map<BucketPlace, std::vector<ManifestEntry>> changed;
  for (const ManifestEntry& change : changes) {
    auto [bucket, is_first] = changed.try_emplace({change.partition, change.bucket});
    std::vector<ManifestEntry>& entries = bucket->second;
    auto before = next.files.find(bucket->first);
    if (is_first && before != next.files.end()) entries = *before->second;
    if (change.kind == EntryKind::kAdd) {
      entries.push_back(change);
      continue;
    }
    std::erase_if(entries, [&](const ManifestEntry& entry) {
      return entry.file.name == change.file.name && entry.file.level == change.file.level;
    });
  }
  for (auto& [place, entries] : changed) {
    if (entries.empty()) {
      next.files.erase(place);
    } else {
      next.files[place] = shared(std::move(entries));
    }
  }
  set(std::make_shared<const KnownLive>(std::move(next)));
}

std::shared_ptr<const KnownLive> LiveCache::get(const std::optional<PaimonSnapshot>& snapshot) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  std::shared_ptr<const KnownLive> known = known_;
  busy_.clear(std::memory_order_release);
  if (!known) return nullptr;
  bool same = snapshot ? known->snapshot_id == snapshot->id &&
                             known->delta_list == snapshot->delta_manifest_list
                       : known->snapshot_id == 0;
  return same ? known : nullptr;
}

void LiveCache::set(std::shared_ptr<const KnownLive> known) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  if (!known_ || known_->snapshot_id < known->snapshot_id) known_.swap(known);
  busy_.clear(std::memory_order_release);
}

}  // namespace lakestream::paimon
