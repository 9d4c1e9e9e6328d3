#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "lake/file_names.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/manifest.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/snapshot.h"

// The metadata files of one table of a filesystem catalog: schema/schema-N, snapshot/snapshot-N
// with the hints LATEST and EARLIEST, and manifest/. Documents of a number are made exclusively and
// never change, so that two who write at once see each other. Hints may be behind, and are looked
// behind.
//
// Errors: kStorageException for the store, kUnknownServerError for a file that is damaged or that
// another one names and that is not there; both name the file.
//
// Thread rule: calls block; any thread, many at a time.
//
//   TableFiles files(objects, names, "file:///lake/db.db/orders");
//   ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> latest, files.latest_snapshot());
//   ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, files.manifests_of(*latest));
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::paimon {

// A file of metadata that was written under a name of its own.
struct NamedFile {
  std::string name;
  int64_t size = 0;
};

class TableFiles {
 public:
  // Both outlive it.
  TableFiles(ObjectStore& objects, FileNames& names, std::string root)
      : objects_(objects), names_(names), root_(std::move(root)) {}

  ObjectStore& objects() const { return objects_; }
  FileNames& names() const { return names_; }
  const std::string& root() const { return root_; }

  // Nothing when there is no table.
  Result<std::optional<PaimonSchema>> latest_schema() const;
  Result<PaimonSchema> schema(int64_t id) const;
  // False when there is one of this id already.
  Result<bool> add_schema(const PaimonSchema& schema) const;

  Result<std::optional<PaimonSnapshot>> latest_snapshot() const;
  Result<std::optional<PaimonSnapshot>> snapshot(int64_t id) const;
  // The newest of this user, from `latest` back.
  Result<std::optional<PaimonSnapshot>> newest_of(std::optional<PaimonSnapshot> latest,
                                                  std::string_view user) const;
  // Of all snapshots that are there, in order.
  Result<std::vector<int64_t>> snapshot_ids() const;
  // The smallest id that is there.
  Result<std::optional<int64_t>> earliest_snapshot_id() const;
  // The snapshots that tags hold.
  Result<std::vector<PaimonSnapshot>> tags() const;
  // False when another one has this id already. An error leaves open whether it is there.
  Result<bool> add_snapshot(const PaimonSnapshot& snapshot) const;
  void set_latest_hint(int64_t id) const;
  void set_earliest_hint(int64_t id) const;
  Status remove_snapshot(int64_t id) const;

  Result<std::vector<ManifestFile>> manifest_list(std::string_view name) const;
  Result<Manifest> manifest(std::string_view name) const;
  // Of the base list and the delta list, in their order.
  Result<std::vector<ManifestFile>> manifests_of(const PaimonSnapshot& snapshot) const;
  Result<NamedFile> write_manifest_list(std::span<const ManifestFile> files,
                                        avro::AvroCodec codec) const;
  Result<NamedFile> write_manifest(std::span<const ManifestEntry> entries,
                                   avro::AvroCodec codec) const;
  Status remove_manifest(std::string_view name) const;

  // "file:///lake/db.db/orders/dt=2026/bucket-0/data-1.parquet"
  std::string data_path(const FilePlace& place, std::string_view name) const;
  // "snapshot" or another folder of the table.
  std::string folder(std::string_view name) const;

 private:
  Result<std::optional<std::string>> read(const std::string& path) const;
  // Numbers of the files "<prefix>N" in a folder.
  Result<std::vector<int64_t>> numbers(std::string_view name, std::string_view prefix) const;
  Result<std::optional<int64_t>> hint(std::string_view name) const;
  std::string snapshot_path(int64_t id) const;
  std::string manifest_path(std::string_view name) const;

  ObjectStore& objects_;
  FileNames& names_;
  std::string root_;
};

}  // namespace lakestream::paimon
