#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/avro/avro_codec.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/table_files.h"
#include "table/types.h"

// Keeps the manifests of a snapshot few: many small ones become one, and when much is small or says
// what was removed, all of them are written anew.
//
// Thread rule: pure but for the files of the table; calls block.
//
//   ManifestSettings settings = manifest_settings(schema);
//   ASSIGN_OR_RETURN(MergedManifests merged, merge_manifests(files, base, settings, types));
namespace lakestream::paimon {

// Of the table's options.
struct ManifestSettings {
  avro::AvroCodec codec = avro::AvroCodec::kZstandard;
  int64_t target_bytes = int64_t{8} << 20;
  int64_t rewrite_bytes = int64_t{16} << 20;  // small ones and removals of more are written anew
  int64_t merge_count_min = 30;
};

// A value that is none counts as not given: it must not stop a commit.
ManifestSettings manifest_settings(const PaimonSchema& schema);

struct MergedManifests {
  std::vector<ManifestFile> files;
  std::vector<std::string> made;  // new ones among them, which are nobody's until a commit
};

// The files of the same content, in order. After an error nothing new is left.
Result<MergedManifests> merge_manifests(const TableFiles& files,
                                        std::vector<ManifestFile> manifests,
                                        const ManifestSettings& settings,
                                        std::span<const DataType> partition_types);

}  // namespace lakestream::paimon
