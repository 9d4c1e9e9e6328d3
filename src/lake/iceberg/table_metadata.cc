#include "lake/iceberg/table_metadata.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "lake/iceberg/name_mapping.h"

namespace lakestream::iceberg {
namespace {

// A snapshot is about a kilobyte, and a table may have many.
constexpr size_t kMaxMetadataBytes = 256 << 20;
constexpr int64_t kNoSnapshot = -1;

constexpr std::array<std::string_view, 20> kMembers = {"format-version",
                                                       "table-uuid",
                                                       "location",
                                                       "last-sequence-number",
                                                       "last-updated-ms",
                                                       "last-column-id",
                                                       "current-schema-id",
                                                       "schemas",
                                                       "default-spec-id",
                                                       "partition-specs",
                                                       "last-partition-id",
                                                       "default-sort-order-id",
                                                       "sort-orders",
                                                       "properties",
                                                       "current-snapshot-id",
                                                       "refs",
                                                       "snapshots",
                                                       "snapshot-log",
                                                       "metadata-log",
                                                       // Of the first format version.
                                                       "schema"};
constexpr std::array<std::string_view, 7> kSnapshotMembers = {"snapshot-id",
                                                              "parent-snapshot-id",
                                                              "sequence-number",
                                                              "timestamp-ms",
                                                              "manifest-list",
                                                              "summary",
                                                              "schema-id"};
constexpr std::array<std::string_view, 2> kRefMembers = {"snapshot-id", "type"};

OtherMembers others_of(const JsonValue& json, std::span<const std::string_view> known) {
  OtherMembers others;
  for (std::string& key : json.keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::optional<JsonValue> value = json.find(key);
    if (value) others.emplace_back(std::move(key), value->to_json());
  }
  return others;
}

void write_others(const OtherMembers& others, JsonWriter* json) {
  for (const auto& [name, text] : others) json->key(name).json(text);
}

// Each item of an array; none when there is no such array.
template <typename T, typename Read>
Result<std::vector<T>> list_of(const JsonValue& json, std::string_view key, const Read& read) {
  std::vector<T> list;
  std::optional<JsonValue> array = json.find(key);
  if (!array) return list;
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, array->items());
  list.reserve(items.size());
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(T value, read(item));
    list.push_back(std::move(value));
  }
  return list;
}

template <typename T>
const T* find_by_id(const std::vector<T>& list, int64_t id) {
  auto found =
      std::find_if(list.begin(), list.end(), [id](const T& item) { return item.id == id; });
  return found == list.end() ? nullptr : &*found;
}

Result<SnapshotRef> ref_of(const JsonValue& json) {
  SnapshotRef ref;
  ASSIGN_OR_RETURN(ref.snapshot_id, json.int64_at("snapshot-id"));
  ASSIGN_OR_RETURN(ref.type, json.text_at("type"));
  ref.others = others_of(json, kRefMembers);
  return ref;
}

Result<SnapshotLogEntry> snapshot_log_entry_of(const JsonValue& json) {
  SnapshotLogEntry entry;
  ASSIGN_OR_RETURN(entry.time_ms, json.int64_at("timestamp-ms"));
  ASSIGN_OR_RETURN(entry.snapshot_id, json.int64_at("snapshot-id"));
  return entry;
}

Result<MetadataLogEntry> metadata_log_entry_of(const JsonValue& json) {
  MetadataLogEntry entry;
  ASSIGN_OR_RETURN(entry.time_ms, json.int64_at("timestamp-ms"));
  ASSIGN_OR_RETURN(entry.file, json.text_at("metadata-file"));
  return entry;
}

Status read_columns(const JsonValue& json, TableMetadata* metadata) {
  ASSIGN_OR_RETURN(metadata->last_column_id, json.int32_at("last-column-id"));
  ASSIGN_OR_RETURN(metadata->schemas, list_of<IcebergSchema>(json, "schemas", schema_of));
  ASSIGN_OR_RETURN(metadata->current_schema_id, json.int32_at("current-schema-id"));
  ASSIGN_OR_RETURN(metadata->specs,
                   list_of<IcebergPartitionSpec>(json, "partition-specs", spec_of));
  ASSIGN_OR_RETURN(metadata->default_spec_id, json.int32_at("default-spec-id"));
  ASSIGN_OR_RETURN(metadata->last_partition_id, json.int32_at("last-partition-id"));
  ASSIGN_OR_RETURN(metadata->sort_orders, list_of<SortOrder>(json, "sort-orders", sort_order_of));
  ASSIGN_OR_RETURN(metadata->default_sort_order_id, json.int32_at("default-sort-order-id"));
  if (metadata->find_schema(metadata->current_schema_id) == nullptr) {
    return json.error(fmt::format("there is no schema {}", metadata->current_schema_id));
  }
  if (metadata->find_spec(metadata->default_spec_id) == nullptr) {
    return json.error(fmt::format("there is no partition spec {}", metadata->default_spec_id));
  }
  if (find_by_id(metadata->sort_orders, metadata->default_sort_order_id) == nullptr) {
    return json.error(fmt::format("there is no sort order {}", metadata->default_sort_order_id));
  }
  return ok();
}

Status read_snapshots(const JsonValue& json, TableMetadata* metadata) {
  ASSIGN_OR_RETURN(metadata->snapshots, list_of<IcebergSnapshot>(json, "snapshots", snapshot_of));
  ASSIGN_OR_RETURN(std::optional<int64_t> current, json.optional_int64("current-snapshot-id"));
  if (current && *current != kNoSnapshot) metadata->current_snapshot_id = *current;
  if (metadata->current_snapshot_id && metadata->current_snapshot() == nullptr) {
    return json.error(fmt::format("there is no snapshot {}", *metadata->current_snapshot_id));
  }
  if (std::optional<JsonValue> refs = json.find("refs")) {
    for (std::string& name : refs->keys()) {
      ASSIGN_OR_RETURN(JsonValue value, refs->at(name));
      ASSIGN_OR_RETURN(SnapshotRef ref, ref_of(value));
      metadata->refs.emplace(std::move(name), std::move(ref));
    }
  }
  // Writers without branches name only the current one.
  if (metadata->current_snapshot_id && !metadata->refs.contains(kMainBranch)) {
    metadata->refs[std::string(kMainBranch)] = {.snapshot_id = *metadata->current_snapshot_id};
  }
  ASSIGN_OR_RETURN(metadata->snapshot_log,
                   list_of<SnapshotLogEntry>(json, "snapshot-log", snapshot_log_entry_of));
  ASSIGN_OR_RETURN(metadata->metadata_log,
                   list_of<MetadataLogEntry>(json, "metadata-log", metadata_log_entry_of));
  return ok();
}

template <typename T, typename Write>
void write_list(std::string_view name,
                const std::vector<T>& list,
                const Write& write,
                JsonWriter* json) {
  json->key(name).begin_array();
  for (const T& item : list) write(item, json);
  json->end_array();
}

void write_snapshots(const TableMetadata& metadata, JsonWriter* json) {
  json->field("current-snapshot-id", metadata.current_snapshot_id.value_or(kNoSnapshot))
      .key("refs")
      .begin_object();
  for (const auto& [name, ref] : metadata.refs) {
    json->key(name).begin_object().field("snapshot-id", ref.snapshot_id).field("type", ref.type);
    write_others(ref.others, json);
    json->end_object();
  }
  json->end_object();
  write_list("snapshots", metadata.snapshots, write_snapshot, json);
  json->key("snapshot-log").begin_array();
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    json->begin_object()
        .field("timestamp-ms", entry.time_ms)
        .field("snapshot-id", entry.snapshot_id)
        .end_object();
  }
  json->end_array().key("metadata-log").begin_array();
  for (const MetadataLogEntry& entry : metadata.metadata_log) {
    json->begin_object()
        .field("timestamp-ms", entry.time_ms)
        .field("metadata-file", entry.file)
        .end_object();
  }
  json->end_array();
}

}  // namespace

const IcebergSchema& TableMetadata::current_schema() const {
  return *find_schema(current_schema_id);
}

const IcebergPartitionSpec& TableMetadata::default_spec() const {
  return *find_spec(default_spec_id);
}

const SortOrder& TableMetadata::default_sort_order() const {
  return *find_by_id(sort_orders, default_sort_order_id);
}

const IcebergSnapshot* TableMetadata::current_snapshot() const {
  return current_snapshot_id ? find_snapshot(*current_snapshot_id) : nullptr;
}

const IcebergSnapshot* TableMetadata::find_snapshot(int64_t id) const {
  return find_by_id(snapshots, id);
}

std::vector<const IcebergSnapshot*> TableMetadata::history() const {
  std::vector<const IcebergSnapshot*> found;
  std::unordered_map<int64_t, const IcebergSnapshot*> by_id;
  for (const IcebergSnapshot& snapshot : snapshots) by_id.emplace(snapshot.id, &snapshot);
  auto newest_before = [this](int64_t sequence) {
    const IcebergSnapshot* newest = nullptr;
    for (const IcebergSnapshot& snapshot : snapshots) {
      if (snapshot.sequence >= sequence) continue;
      if (newest == nullptr || newest->sequence < snapshot.sequence) newest = &snapshot;
    }
    return newest;
  };
  const IcebergSnapshot* snapshot = current_snapshot();
  // A damaged document may go round in circles.
  while (snapshot != nullptr && found.size() < snapshots.size()) {
    found.push_back(snapshot);
    auto parent = snapshot->parent_id ? by_id.find(*snapshot->parent_id) : by_id.end();
    snapshot = parent != by_id.end() ? parent->second : newest_before(snapshot->sequence);
  }
  return found;
}

const IcebergSchema* TableMetadata::find_schema(int32_t id) const {
  return find_by_id(schemas, id);
}

const IcebergPartitionSpec* TableMetadata::find_spec(int32_t id) const {
  return find_by_id(specs, id);
}

void write_snapshot(const IcebergSnapshot& snapshot, JsonWriter* json) {
  json->begin_object()
      .field("sequence-number", snapshot.sequence)
      .field("snapshot-id", snapshot.id)
      .field("parent-snapshot-id", snapshot.parent_id)
      .field("timestamp-ms", snapshot.time_ms)
      .key("summary")
      .text_map(snapshot.summary)
      .field("manifest-list", snapshot.manifest_list)
      .field("schema-id", snapshot.schema_id);
  write_others(snapshot.others, json);
  json->end_object();
}

Result<IcebergSnapshot> snapshot_of(const JsonValue& json) {
  IcebergSnapshot snapshot;
  ASSIGN_OR_RETURN(snapshot.id, json.int64_at("snapshot-id"));
  ASSIGN_OR_RETURN(snapshot.parent_id, json.optional_int64("parent-snapshot-id"));
  // Snapshots of a time when the table had format version 1 have none.
  ASSIGN_OR_RETURN(std::optional<int64_t> sequence, json.optional_int64("sequence-number"));
  snapshot.sequence = sequence.value_or(0);
  ASSIGN_OR_RETURN(snapshot.time_ms, json.int64_at("timestamp-ms"));
  ASSIGN_OR_RETURN(snapshot.manifest_list, json.text_at("manifest-list"));
  if (std::optional<JsonValue> summary = json.find("summary")) {
    ASSIGN_OR_RETURN(snapshot.summary, summary->text_map());
  }
  ASSIGN_OR_RETURN(snapshot.schema_id, json.optional_int32("schema-id"));
  snapshot.others = others_of(json, kSnapshotMembers);
  return snapshot;
}

std::string to_json(const TableMetadata& metadata) {
  JsonWriter json;
  json.begin_object()
      .field("format-version", metadata.format_version)
      .field("table-uuid", metadata.uuid)
      .field("location", metadata.location)
      .field("last-sequence-number", metadata.last_sequence)
      .field("last-updated-ms", metadata.last_updated_ms)
      .field("last-column-id", metadata.last_column_id)
      .field("current-schema-id", metadata.current_schema_id);
  write_list("schemas", metadata.schemas, write_schema, &json);
  json.field("default-spec-id", metadata.default_spec_id);
  write_list("partition-specs", metadata.specs, write_spec, &json);
  json.field("last-partition-id", metadata.last_partition_id)
      .field("default-sort-order-id", metadata.default_sort_order_id);
  write_list("sort-orders", metadata.sort_orders, write_sort_order, &json);
  json.key("properties").text_map(metadata.properties);
  write_snapshots(metadata, &json);
  write_others(metadata.others, &json);
  json.end_object();
  return std::move(json).finish();
}

Result<TableMetadata> metadata_of(const JsonValue& json) {
  TableMetadata metadata;
  ASSIGN_OR_RETURN(metadata.format_version, json.int32_at("format-version"));
  if (metadata.format_version != kFormatVersion) {
    return make_error(ErrorCode::kInvalidTableException,
                      "format version {} of the Iceberg table is not supported, only {} is",
                      metadata.format_version,
                      kFormatVersion);
  }
  ASSIGN_OR_RETURN(metadata.uuid, json.text_at("table-uuid"));
  ASSIGN_OR_RETURN(metadata.location, json.text_at("location"));
  while (metadata.location.size() > 1 && metadata.location.ends_with('/')) {
    metadata.location.pop_back();
  }
  ASSIGN_OR_RETURN(metadata.last_sequence, json.int64_at("last-sequence-number"));
  ASSIGN_OR_RETURN(metadata.last_updated_ms, json.int64_at("last-updated-ms"));
  RETURN_IF_ERROR(read_columns(json, &metadata));
  if (std::optional<JsonValue> properties = json.find("properties")) {
    ASSIGN_OR_RETURN(metadata.properties, properties->text_map());
  }
  auto mapping = metadata.properties.find(kNameMappingProperty);
  if (mapping != metadata.properties.end()) {
    RETURN_IF_ERROR(map_names(mapping->second, &metadata.schemas));
  }
  RETURN_IF_ERROR(read_snapshots(json, &metadata));
  metadata.others = others_of(json, kMembers);
  return metadata;
}

Result<TableMetadata> metadata_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kUnknownServerError, kMaxMetadataBytes));
  return metadata_of(document.root());
}

}  // namespace lakestream::iceberg
