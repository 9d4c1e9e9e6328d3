#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lake/paimon/manifest.h"
#include "lake/paimon/snapshot.h"
#include "lake/paimon/table_files.h"

// The data files that a snapshot has, by partition and bucket: what is left of its manifests.
//
// Thread rule: a value, any thread.
//
//   ASSIGN_OR_RETURN(LiveFiles live, live_files(files, snapshot));
//   for (const auto& [place, entries] : live) read(place.first, place.second, entries);
namespace lakestream::paimon {

// Serialized partition and bucket.
using BucketPlace = std::pair<std::string, int32_t>;
using LiveFiles = std::map<BucketPlace, std::vector<ManifestEntry>, std::less<>>;

Result<LiveFiles> live_files(const TableFiles& files, const PaimonSnapshot& snapshot);

// The number behind the largest of a bucket's files; 0 without files.
int64_t next_sequence(const LiveFiles& live, const BucketPlace& place);

}  // namespace lakestream::paimon
