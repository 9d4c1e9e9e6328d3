#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/partition_spec.h"
#include "lake/iceberg/schema.h"

// The Avro files that say which files a snapshot has: manifests name data or delete files, a
// manifest list names the manifests. Ids of fields are those of the Iceberg specification; fields
// are read by name, whatever the writer and its order.
//
// Errors: kUnknownServerError for bytes that are damaged; kInvalidTableException for what tables of
// ours do not have, such as a null in the partition.
//
// Thread rule: values, any thread; functions are pure.
//
//   ASSIGN_OR_RETURN(Bytes bytes, encode_manifest(entries, {.schema = schema, .spec = spec}));
//   ASSIGN_OR_RETURN(Manifest manifest, decode_manifest(bytes.view(), line));
namespace lakestream::iceberg {

enum class EntryStatus : uint8_t { kExisting = 0, kAdded = 1, kDeleted = 2 };

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  // Of a deleted entry: the snapshot that deleted it.
  int64_t snapshot_id = 0;
  // Absent: that of the manifest, which got it from its snapshot.
  std::optional<int64_t> sequence = std::nullopt;
  std::optional<int64_t> file_sequence = std::nullopt;
  std::shared_ptr<const DataFile> file;
};

enum class ManifestContent : uint8_t { kData = 0, kDeletes = 1 };

// What a manifest list says of the values of one partition field.
struct PartitionSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan = std::nullopt;
  std::optional<std::string> lower = std::nullopt;  // single values
  std::optional<std::string> upper = std::nullopt;

  friend bool operator==(const PartitionSummary&, const PartitionSummary&) = default;
};

// A line of a manifest list.
struct ManifestFile {
  std::string path;
  int64_t length = 0;
  int32_t spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence = 0;
  int64_t min_sequence = 0;
  int64_t added_snapshot_id = 0;
  int32_t added_files = 0;
  int32_t existing_files = 0;
  int32_t deleted_files = 0;
  int64_t added_rows = 0;
  int64_t existing_rows = 0;
  int64_t deleted_rows = 0;
  std::vector<PartitionSummary> partitions = {};  // none: not known

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

struct ManifestEncoding {
  const IcebergSchema& schema;
  const IcebergPartitionSpec& spec;
  ManifestContent content = ManifestContent::kData;
  std::array<uint8_t, 16> sync = {};  // between Avro blocks
};

struct Manifest {
  std::vector<ManifestEntry> entries;  // their sequence numbers are all there
  // Fields that are not known here have values, which would get lost if it was written anew.
  bool has_unknown_parts = false;
};

Result<Bytes> encode_manifest(std::span<const ManifestEntry> entries,
                              const ManifestEncoding& encoding);
// `line`: of the list that names it. `spec`: of line.spec_id.
Result<Manifest> decode_manifest(std::string_view bytes,
                                 const ManifestFile& line,
                                 const IcebergPartitionSpec& spec);

struct ManifestListEncoding {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_id = std::nullopt;
  int64_t sequence = 0;
  std::array<uint8_t, 16> sync = {};
};

Result<Bytes> encode_manifest_list(std::span<const ManifestFile> files,
                                   const ManifestListEncoding& encoding);
Result<std::vector<ManifestFile>> decode_manifest_list(std::string_view bytes);

// The line of a manifest with these entries, but for path and length. `sequence`: of the snapshot
// that adds it.
ManifestFile describe(std::span<const ManifestEntry> entries,
                      const ManifestEncoding& encoding,
                      int64_t snapshot_id,
                      int64_t sequence);

// Whether files with these values may be in it. Values: by place in the spec, absent for any.
bool may_contain(const ManifestFile& manifest,
                 std::span<const std::optional<std::string>> partition_values);

}  // namespace lakestream::iceberg
