#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lake/file_names.h"
#include "lake/iceberg/manifest.h"
#include "lake/iceberg/table_metadata.h"

// The manifests and manifest lists of one table, below its folder metadata/.
//
// Errors: kStorageException for the store, kUnknownServerError for a file that is damaged or that
// another one names and that is not there; both name the file.
//
// Thread rule: calls block; any thread, many at a time.
//
//   MetadataFiles files(objects, names, metadata.location);
//   ASSIGN_OR_RETURN(std::vector<ManifestFile> lines, files.manifest_list(snapshot.manifest_list));
//   ASSIGN_OR_RETURN(Manifest manifest, files.manifest(lines[0], spec));
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

class MetadataFiles {
 public:
  // Both outlive it. `location`: of the table, as its metadata spells it.
  MetadataFiles(ObjectStore& objects, FileNames& names, std::string location)
      : objects_(objects), names_(names), location_(std::move(location)) {}

  ObjectStore& objects() const { return objects_; }
  FileNames& names() const { return names_; }
  const std::string& location() const { return location_; }

  Result<std::vector<ManifestFile>> manifest_list(const std::string& path) const;
  // `metadata`: has the spec of the line.
  Result<Manifest> manifest(const ManifestFile& line, const TableMetadata& metadata) const;
  // Its path.
  Result<std::string> write_manifest_list(std::span<const ManifestFile> lines,
                                          const ManifestListEncoding& encoding) const;
  // Its line, as of a snapshot with this sequence number. `encoding.sync` is not looked at.
  Result<ManifestFile> write_manifest(std::span<const ManifestEntry> entries,
                                      ManifestEncoding encoding,
                                      int64_t snapshot_id,
                                      int64_t sequence) const;
  // As far as it is there; a failure is logged.
  void remove(const std::string& path) const;
  std::string path_of(std::string_view name) const;  // in metadata/

 private:
  Result<Bytes> read(const std::string& path) const;

  ObjectStore& objects_;
  FileNames& names_;
  std::string location_;
};

}  // namespace lakestream::iceberg
