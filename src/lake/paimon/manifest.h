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
#include "lake/avro/avro_codec.h"
#include "lake/paimon/data_file.h"
#include "table/types.h"

// The two kinds of Avro files between a snapshot and its data files: a manifest says which files
// were added and removed, a manifest list names manifests. The files of a snapshot are what is left
// when all entries of its manifests are merged in order.
//
// Thread rule: pure functions and values, any thread.
//
//   ASSIGN_OR_RETURN(Bytes file, encode_manifest(entries, options));
//   ASSIGN_OR_RETURN(Manifest manifest, decode_manifest(file.view()));
//   std::vector<ManifestEntry> live = merge_entries(std::move(manifest.entries));
namespace lakestream::paimon {

enum class EntryKind : uint8_t { kAdd = 0, kDelete = 1 };

// Of files that other writers made; what we make has none of it.
struct ForeignParts {
  std::vector<std::string> extra_files = {};  // indexes, beside the file
  std::optional<std::string> embedded_index = std::nullopt;
  std::optional<std::string> external_path = std::nullopt;  // the file lies there
  std::optional<int64_t> first_row_id = std::nullopt;
  std::optional<std::vector<std::string>> write_columns = std::nullopt;

  friend bool operator==(const ForeignParts&, const ForeignParts&) = default;
};

struct ManifestEntry {
  EntryKind kind = EntryKind::kAdd;
  std::string partition;  // serialized BinaryRow
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  DataFile file;
  ForeignParts foreign = {};

  friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

struct Manifest {
  std::vector<ManifestEntry> entries;
  // The file says more than an entry holds, so it must not be written anew.
  bool has_unknown_parts = false;
};

// A line of a manifest list.
struct ManifestFile {
  std::string name;
  int64_t size = 0;
  int64_t added_files = 0;
  int64_t deleted_files = 0;
  SimpleStats partition_stats = {};
  int64_t schema_id = 0;
  std::optional<int32_t> min_bucket = std::nullopt;
  std::optional<int32_t> max_bucket = std::nullopt;
  std::optional<int32_t> min_level = std::nullopt;
  std::optional<int32_t> max_level = std::nullopt;
  std::optional<int64_t> min_row_id = std::nullopt;
  std::optional<int64_t> max_row_id = std::nullopt;

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

struct ManifestEncoding {
  avro::AvroCodec codec = avro::AvroCodec::kZstandard;
  std::array<uint8_t, 16> sync = {};
};

Result<Bytes> encode_manifest(std::span<const ManifestEntry> entries,
                              const ManifestEncoding& encoding);
Result<Bytes> encode_manifest_list(std::span<const ManifestFile> files,
                                   const ManifestEncoding& encoding);
// kUnknownServerError of both when the file is damaged.
Result<Manifest> decode_manifest(std::string_view bytes);
Result<std::vector<ManifestFile>> decode_manifest_list(std::string_view bytes);

// Counts, ranges and statistics of the partitions; name and size are the caller's. Partitions that
// are no rows of the types have no statistics.
ManifestFile describe(std::span<const ManifestEntry> entries,
                      std::span<const DataType> partition_types);

// The entries that are left: an entry that deletes takes the one before that adds the same file,
// and stays when there is none.
std::vector<ManifestEntry> merge_entries(std::vector<ManifestEntry> entries);

}  // namespace lakestream::paimon
