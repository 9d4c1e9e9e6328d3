#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/manifest.h"
#include "lake/iceberg/metadata_files.h"
#include "lake/iceberg/table_metadata.h"

// Keeps the manifests of a snapshot few: when there are many small ones, the smallest of them
// become one of 1000 files at most, so that a commit takes no longer when the table is large.
//
// Thread rule: pure but for the files of the table; calls block.
//
//   ASSIGN_OR_RETURN(MergedManifests merged, merge_manifests(files, metadata, lines, snapshot));
namespace lakestream::iceberg {

struct MergedManifests {
  std::vector<ManifestFile> lines;
  std::vector<std::string> made;  // new ones among them, which are nobody's until a commit
};

// By the table's options commit.manifest-merge.enabled, commit.manifest.min-count-to-merge and
// commit.manifest.target-size-bytes. `lines`: of the snapshot before; those without
// live files are left out. After an error nothing new is left.
Result<MergedManifests> merge_manifests(const MetadataFiles& files,
                                        const TableMetadata& metadata,
                                        std::vector<ManifestFile> lines,
                                        int64_t snapshot_id,
                                        int64_t sequence);

}  // namespace lakestream::iceberg
