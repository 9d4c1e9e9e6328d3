#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/partition_spec.h"
#include "lake/iceberg/schema.h"
#include "table/descriptor.h"
#include "table/json_reader.h"
#include "table/json_writer.h"

// The state of an Iceberg table: the content of one metadata JSON file, which is never modified.
// Members that are not known here are kept as they were read.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(TableMetadata metadata, metadata_from_json(text));
//   if (const IcebergSnapshot* current = metadata.current_snapshot()) read(*current);
//   std::string text = to_json(metadata);
namespace lakestream::iceberg {

inline constexpr int32_t kFormatVersion = 2;
inline constexpr std::string_view kMainBranch = "main";

// Members that are not known: name and JSON text of each.
using OtherMembers = std::vector<std::pair<std::string, std::string>>;

struct IcebergSnapshot {
  int64_t id = 0;
  std::optional<int64_t> parent_id = std::nullopt;
  int64_t sequence = 0;
  int64_t time_ms = 0;
  std::string manifest_list;  // path
  Properties summary;         // with "operation"
  std::optional<int32_t> schema_id = std::nullopt;
  OtherMembers others = {};

  friend bool operator==(const IcebergSnapshot&, const IcebergSnapshot&) = default;
};

struct SnapshotRef {
  int64_t snapshot_id = 0;
  std::string type = "branch";  // or "tag"
  OtherMembers others = {};     // how long it is kept

  friend bool operator==(const SnapshotRef&, const SnapshotRef&) = default;
};

struct SnapshotLogEntry {
  int64_t time_ms = 0;
  int64_t snapshot_id = 0;

  friend bool operator==(const SnapshotLogEntry&, const SnapshotLogEntry&) = default;
};

struct MetadataLogEntry {
  int64_t time_ms = 0;
  std::string file;

  friend bool operator==(const MetadataLogEntry&, const MetadataLogEntry&) = default;
};

struct TableMetadata {
  int32_t format_version = kFormatVersion;
  std::string uuid;
  std::string location;  // without a slash at the end; all paths begin with it
  int64_t last_sequence = 0;
  int64_t last_updated_ms = 0;
  int32_t last_column_id = 0;
  std::vector<IcebergSchema> schemas;
  int32_t current_schema_id = 0;
  std::vector<IcebergPartitionSpec> specs;
  int32_t default_spec_id = 0;
  int32_t last_partition_id = kFirstPartitionFieldId - 1;
  std::vector<SortOrder> sort_orders;
  int32_t default_sort_order_id = 0;
  Properties properties;
  std::optional<int64_t> current_snapshot_id = std::nullopt;
  std::vector<IcebergSnapshot> snapshots;
  std::map<std::string, SnapshotRef, std::less<>> refs;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  OtherMembers others = {};

  // Requires: they are there, as metadata_from_json() makes sure.
  const IcebergSchema& current_schema() const;
  const IcebergPartitionSpec& default_spec() const;
  const SortOrder& default_sort_order() const;
  // nullptr when there is none.
  const IcebergSnapshot* current_snapshot() const;
  const IcebergSnapshot* find_snapshot(int64_t id) const;
  // The current snapshot and those before it, the newest first. Where others have removed some in
  // between, it goes on with the newest of those before the gap.
  std::vector<const IcebergSnapshot*> history() const;
  const IcebergSchema* find_schema(int32_t id) const;
  const IcebergPartitionSpec* find_spec(int32_t id) const;

  friend bool operator==(const TableMetadata&, const TableMetadata&) = default;
};

std::string to_json(const TableMetadata& metadata);
// kUnknownServerError when the text is no such document; kInvalidTableException when its format
// version is another one than 2.
Result<TableMetadata> metadata_from_json(std::string_view text);
// The same of a document that is part of another one, such as the answer of a catalog.
Result<TableMetadata> metadata_of(const JsonValue& json);

void write_snapshot(const IcebergSnapshot& snapshot, JsonWriter* json);
Result<IcebergSnapshot> snapshot_of(const JsonValue& json);

}  // namespace lakestream::iceberg
