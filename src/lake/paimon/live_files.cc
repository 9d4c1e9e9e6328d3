#include "lake/paimon/live_files.h"

#include <algorithm>

namespace lakestream::paimon {

Result<LiveFiles> live_files(const TableFiles& files, const PaimonSnapshot& snapshot) {
  ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, files.manifests_of(snapshot));
  std::vector<ManifestEntry> entries;
  for (const ManifestFile& file : manifests) {
    ASSIGN_OR_RETURN(Manifest manifest, files.manifest(file.name));
    entries.insert(entries.end(),
                   std::make_move_iterator(manifest.entries.begin()),
                   std::make_move_iterator(manifest.entries.end()));
  }
  LiveFiles live;
  for (ManifestEntry& entry : merge_entries(std::move(entries))) {
    if (entry.kind != EntryKind::kAdd) continue;
    BucketPlace place{entry.partition, entry.bucket};
    live[std::move(place)].push_back(std::move(entry));
  }
  return live;
}

int64_t next_sequence(const LiveFiles& live, const BucketPlace& place) {
  auto found = live.find(place);
  if (found == live.end()) return 0;
  int64_t next = 0;
  for (const ManifestEntry& entry : found->second) {
    next = std::max(next, entry.file.max_sequence + 1);
  }
  return next;
}

}  // namespace lakestream::paimon
