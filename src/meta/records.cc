#include "meta/records.h"

#include <charconv>
#include <limits>
#include <utility>

#include "base/endian.h"
#include "table/json_reader.h"
#include "table/json_writer.h"
#include "table/remote_paths.h"

namespace lakestream {
namespace {

// Damage inside the store is no fault of a client and no client can mend it by trying again.
constexpr ErrorCode kDamaged = ErrorCode::kUnknownServerError;

Bytes to_bytes(JsonWriter json) { return Bytes::copy_of(std::move(json).finish()); }

JsonWriter& server_ids(JsonWriter& json, std::string_view name, const std::vector<ServerId>& ids) {
  json.key(name).begin_array();
  for (ServerId id : ids) json.integer(id.value());
  return json.end_array();
}

Result<std::vector<ServerId>> server_ids_of(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, value.items());
  std::vector<ServerId> ids;
  ids.reserve(items.size());
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(int32_t id, item.int32());
    ids.emplace_back(id);
  }
  return ids;
}

Result<std::vector<ServerId>> server_ids_at(const JsonValue& root, std::string_view key) {
  ASSIGN_OR_RETURN(JsonValue value, root.at(key));
  return server_ids_of(value);
}

Result<Properties> properties_at(const JsonValue& root, std::string_view key) {
  ASSIGN_OR_RETURN(JsonValue value, root.at(key));
  return value.text_map();
}

Result<std::vector<std::string>> optional_texts(const JsonValue& root, std::string_view key) {
  std::optional<JsonValue> value = root.find(key);
  if (!value) return std::vector<std::string>();
  return value->texts();
}

Result<TimestampMs> time_at(const JsonValue& root, std::string_view key) {
  ASSIGN_OR_RETURN(int64_t value, root.int64_at(key));
  return TimestampMs(value);
}

// Documents of tables that are kept until some time; `path_key` is what their paths are called.
constexpr std::string_view kLeasePath = "lease_metadata_path";
constexpr std::string_view kOffsetsPath = "offsets_path";

template <typename Record>
Bytes encode_expiring(const Record& record, std::string_view path_key) {
  JsonWriter json;
  json.begin_object().field("version", 1);
  json.field("expiration_time", record.expiration_time.value()).key("tables").begin_array();
  for (const auto& [table, path] : record.files) {
    json.begin_object().field("table_id", table.value()).field(path_key, path).end_object();
  }
  json.end_array().end_object();
  return to_bytes(std::move(json));
}

template <typename Record>
Result<Record> decode_expiring(const Bytes& value, std::string_view path_key) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  Record record;
  ASSIGN_OR_RETURN(record.expiration_time, time_at(root, "expiration_time"));
  ASSIGN_OR_RETURN(JsonValue tables, root.at("tables"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, tables.items());
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(int64_t table, item.int64_at("table_id"));
    ASSIGN_OR_RETURN(record.files[TableId(table)], item.text_at(path_key));
  }
  return record;
}

void write_single(JsonWriter& json, const LakeInlineRecord& single) {
  json.begin_object().field("version", 1).field("snapshot_id", single.id.value());
  if (!single.offsets.empty()) {
    json.field("table_id", single.offsets.begin()->first.table.value());
  }
  json.key("buckets").begin_array();
  for (const auto& [bucket, offset] : single.offsets) {
    json.begin_object();
    if (bucket.partition) json.field("partition_id", bucket.partition->value());
    json.field("bucket_id", bucket.bucket.value());
    json.field("log_end_offset", offset.value()).end_object();
  }
  json.end_array().end_object();
}

Result<LakeInlineRecord> read_single(const JsonValue& root) {
  LakeInlineRecord single;
  ASSIGN_OR_RETURN(int64_t id, root.int64_at("snapshot_id"));
  single.id = LakeSnapshotId(id);
  ASSIGN_OR_RETURN(std::optional<int64_t> table, root.optional_int64("table_id"));
  ASSIGN_OR_RETURN(JsonValue buckets, root.at("buckets"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, buckets.items());
  if (!items.empty() && !table) return make_error(kDamaged, "field 'table_id' is missing");
  for (const JsonValue& item : items) {
    TableBucket bucket{TableId(*table), std::nullopt, {}};
    ASSIGN_OR_RETURN(std::optional<int64_t> partition, item.optional_int64("partition_id"));
    if (partition) bucket.partition = PartitionId(*partition);
    ASSIGN_OR_RETURN(int32_t number, item.int32_at("bucket_id"));
    bucket.bucket = BucketId(number);
    ASSIGN_OR_RETURN(std::optional<int64_t> offset, item.optional_int64("log_end_offset"));
    if (offset) single.offsets[bucket] = Offset(*offset);
  }
  return single;
}

}  // namespace

TableRecord TableRecord::of(TableId id, const TableDescriptor& descriptor, TimestampMs now) {
  CHECK(descriptor.bucket_count().has_value(), "a table that is stored has a bucket count");
  TableRecord record;
  record.id = id;
  record.comment = descriptor.comment;
  record.partition_keys = descriptor.partition_keys;
  record.bucket_keys = descriptor.bucket_keys();
  record.bucket_count = *descriptor.bucket_count();
  record.properties = descriptor.properties;
  record.custom_properties = descriptor.custom_properties;
  record.created_time = now;
  record.modified_time = now;
  return record;
}

TableDescriptor TableRecord::descriptor(Schema schema) const {
  TableDescriptor descriptor;
  descriptor.schema = std::move(schema);
  descriptor.comment = comment;
  descriptor.partition_keys = partition_keys;
  descriptor.distribution = Distribution{.bucket_count = bucket_count, .bucket_keys = bucket_keys};
  descriptor.properties = properties;
  descriptor.custom_properties = custom_properties;
  return descriptor;
}

Bytes encode(const DatabaseRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).field("comment", record.descriptor.comment);
  json.key("custom_properties").text_map(record.descriptor.custom_properties);
  json.field("created_time", record.created_time.value());
  json.field("modified_time", record.modified_time.value()).end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const TableRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).field("table_id", record.id.value());
  json.field("comment", record.comment);
  if (!record.partition_keys.empty()) json.key("partition_key").texts(record.partition_keys);
  if (!record.bucket_keys.empty()) json.key("bucket_key").texts(record.bucket_keys);
  json.field("bucket_count", record.bucket_count);
  json.key("properties").text_map(record.properties);
  json.key("custom_properties").text_map(record.custom_properties);
  json.field("remote_data_dir", record.remote_data_dir);
  if (record.bucket_count_epoch > 0) json.field("bucket_count_epoch", record.bucket_count_epoch);
  json.field("created_time", record.created_time.value());
  json.field("modified_time", record.modified_time.value()).end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const PartitionRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).field("table_id", record.table.value());
  json.field("partition_id", record.id.value());
  json.field("remote_data_dir", record.remote_data_dir).end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const AssignmentRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1);
  if (record.table) json.field("table_id", record.table->value());
  json.key("buckets").begin_object();
  for (const auto& [bucket, servers] : record.buckets) {
    server_ids(json, fmt::format("{}", bucket), servers);
  }
  json.end_object().end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const LeaderIsrRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 2).field("leader", record.leader.value());
  json.field("leader_epoch", record.leader_epoch.value());
  server_ids(json, "isr", record.isr);
  json.field("coordinator_epoch", record.coordinator_epoch);
  json.field("bucket_epoch", record.bucket_epoch);
  server_ids(json, "standby_replicas", record.standby_replicas).end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const KvSnapshotRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).field("snapshot_id", record.id.value());
  json.field("log_offset", record.log_offset.value());
  json.field("metadata_path", record.metadata_path).end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const RemoteLogRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1);
  json.field("remote_log_manifest_path", record.manifest_path);
  json.field("remote_log_end_offset", record.end_offset.value());
  json.field("remote_log_dir", record.folder).end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const KvLeaseRecord& record) { return encode_expiring(record, kLeasePath); }
Bytes encode(const ProducerRecord& record) { return encode_expiring(record, kOffsetsPath); }

Bytes encode(const LakeTableRecord& record) {
  JsonWriter json;
  if (record.single) {
    write_single(json, *record.single);
    return to_bytes(std::move(json));
  }
  json.begin_object().field("version", 2).key("lake_snapshots").begin_array();
  for (const LakeSnapshotRecord& snapshot : record.snapshots) {
    json.begin_object().field("snapshot_id", snapshot.id.value());
    json.field("tiered_offsets", snapshot.tiered_path);
    json.field("readable_offsets", snapshot.readable_path).end_object();
  }
  json.end_array().end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const ClusterConfigRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).key("configs").begin_object();
  for (const auto& [key, value] : record.configs) {
    json.key(key);
    if (value) {
      json.text(*value);
    } else {
      json.null();
    }
  }
  json.end_object().end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const ServerTagsRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).key("server_tags").begin_object();
  for (const auto& [server, tag] : record.tags) {
    json.field(fmt::format("{}", server), static_cast<int32_t>(tag));
  }
  json.end_object().end_object();
  return to_bytes(std::move(json));
}

Bytes encode(const RebalanceRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).field("rebalance_id", record.id);
  json.field("rebalance_status", static_cast<int32_t>(record.status));
  json.key("rebalance_plan").begin_array().end_array().end_object();
  return to_bytes(std::move(json));
}

Bytes encode_counter(int64_t value) {
  uint8_t bytes[sizeof(value)];
  store_be(bytes, value);
  return Bytes::copy_of(bytes, sizeof(bytes));
}

Bytes encode_epoch(int32_t epoch) { return Bytes::copy_of(std::to_string(epoch)); }

Result<ClusterConfigRecord> decode_cluster_config(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  ASSIGN_OR_RETURN(JsonValue configs, document.root().at("configs"));
  ClusterConfigRecord record;
  for (const std::string& key : configs.keys()) {
    ASSIGN_OR_RETURN(record.configs[key], configs.optional_text(key));
  }
  return record;
}

Result<ServerTagsRecord> decode_server_tags(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  ASSIGN_OR_RETURN(JsonValue tags, document.root().at("server_tags"));
  ServerTagsRecord record;
  for (const std::string& key : tags.keys()) {
    ASSIGN_OR_RETURN(int64_t server, decode_number(key, std::numeric_limits<int32_t>::max()));
    ASSIGN_OR_RETURN(int32_t tag, tags.int32_at(key));
    if (tag < 0 || tag > static_cast<int32_t>(ServerTag::kTemporaryOffline)) {
      return tags.error(fmt::format("there is no server tag {}", tag));
    }
    record.tags[ServerId(static_cast<int32_t>(server))] = static_cast<ServerTag>(tag);
  }
  return record;
}

Result<RebalanceRecord> decode_rebalance(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  RebalanceRecord record;
  ASSIGN_OR_RETURN(record.id, root.text_at("rebalance_id"));
  ASSIGN_OR_RETURN(int32_t status, root.int32_at("rebalance_status"));
  if (status < 0 || status > static_cast<int32_t>(RebalanceStatus::kTimeout)) {
    return root.error(fmt::format("there is no rebalance status {}", status));
  }
  record.status = static_cast<RebalanceStatus>(status);
  return record;
}

Result<DatabaseRecord> decode_database(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  DatabaseRecord record;
  ASSIGN_OR_RETURN(record.descriptor.comment, root.optional_text("comment"));
  ASSIGN_OR_RETURN(record.descriptor.custom_properties, properties_at(root, "custom_properties"));
  ASSIGN_OR_RETURN(record.created_time, time_at(root, "created_time"));
  ASSIGN_OR_RETURN(record.modified_time, time_at(root, "modified_time"));
  return record;
}

Result<TableRecord> decode_table(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  TableRecord record;
  ASSIGN_OR_RETURN(int64_t id, root.int64_at("table_id"));
  record.id = TableId(id);
  ASSIGN_OR_RETURN(record.comment, root.optional_text("comment"));
  ASSIGN_OR_RETURN(record.partition_keys, optional_texts(root, "partition_key"));
  ASSIGN_OR_RETURN(record.bucket_keys, optional_texts(root, "bucket_key"));
  ASSIGN_OR_RETURN(record.bucket_count, root.int32_at("bucket_count"));
  ASSIGN_OR_RETURN(record.properties, properties_at(root, "properties"));
  ASSIGN_OR_RETURN(record.custom_properties, properties_at(root, "custom_properties"));
  ASSIGN_OR_RETURN(record.remote_data_dir, root.optional_text("remote_data_dir"));
  ASSIGN_OR_RETURN(auto epoch, root.optional_int32("bucket_count_epoch"));
  record.bucket_count_epoch = epoch.value_or(0);
  ASSIGN_OR_RETURN(record.created_time, time_at(root, "created_time"));
  ASSIGN_OR_RETURN(record.modified_time, time_at(root, "modified_time"));
  return record;
}

Result<PartitionRecord> decode_partition(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  PartitionRecord record;
  ASSIGN_OR_RETURN(int64_t table, root.int64_at("table_id"));
  ASSIGN_OR_RETURN(int64_t id, root.int64_at("partition_id"));
  record.table = TableId(table);
  record.id = PartitionId(id);
  ASSIGN_OR_RETURN(record.remote_data_dir, root.optional_text("remote_data_dir"));
  return record;
}

Result<AssignmentRecord> decode_assignment(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  AssignmentRecord record;
  ASSIGN_OR_RETURN(std::optional<int64_t> table, root.optional_int64("table_id"));
  if (table) record.table = TableId(*table);
  ASSIGN_OR_RETURN(JsonValue buckets, root.at("buckets"));
  // Buckets are numbered from 0 without gaps.
  for (int32_t number = 0;; ++number) {
    std::optional<JsonValue> servers = buckets.find(std::to_string(number));
    if (!servers) break;
    ASSIGN_OR_RETURN(std::vector<ServerId> ids, server_ids_of(*servers));
    record.buckets.emplace(number, std::move(ids));
  }
  return record;
}

Result<LeaderIsrRecord> decode_leader_isr(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  LeaderIsrRecord record;
  ASSIGN_OR_RETURN(int32_t leader, root.int32_at("leader"));
  ASSIGN_OR_RETURN(int32_t leader_epoch, root.int32_at("leader_epoch"));
  record.leader = ServerId(leader);
  record.leader_epoch = LeaderEpoch(leader_epoch);
  ASSIGN_OR_RETURN(record.isr, server_ids_at(root, "isr"));
  ASSIGN_OR_RETURN(record.coordinator_epoch, root.int32_at("coordinator_epoch"));
  ASSIGN_OR_RETURN(record.bucket_epoch, root.int32_at("bucket_epoch"));
  // Version 1 had none.
  std::optional<JsonValue> standby = root.find("standby_replicas");
  if (standby) {
    ASSIGN_OR_RETURN(record.standby_replicas, server_ids_of(*standby));
  }
  return record;
}

Result<KvSnapshotRecord> decode_kv_snapshot(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  KvSnapshotRecord record;
  ASSIGN_OR_RETURN(int64_t id, root.int64_at("snapshot_id"));
  ASSIGN_OR_RETURN(int64_t log_offset, root.int64_at("log_offset"));
  record.id = KvSnapshotId(id);
  record.log_offset = Offset(log_offset);
  ASSIGN_OR_RETURN(record.metadata_path, root.text_at("metadata_path"));
  return record;
}

Result<RemoteLogRecord> decode_remote_log(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  RemoteLogRecord record;
  ASSIGN_OR_RETURN(record.manifest_path, root.optional_text("remote_log_manifest_path"));
  ASSIGN_OR_RETURN(int64_t end, root.int64_at("remote_log_end_offset"));
  record.end_offset = Offset(end);
  ASSIGN_OR_RETURN(std::optional<std::string> folder, root.optional_text("remote_log_dir"));
  // A Fluss coordinator writes the manifest alone.
  if (!folder && record.manifest_path) folder = remote_log_folder_of(*record.manifest_path);
  if (!folder) return make_error(kDamaged, "a remote log has neither a folder nor a manifest");
  record.folder = std::move(*folder);
  return record;
}

Result<KvLeaseRecord> decode_kv_lease(const Bytes& value) {
  return decode_expiring<KvLeaseRecord>(value, kLeasePath);
}

Result<ProducerRecord> decode_producer(const Bytes& value) {
  return decode_expiring<ProducerRecord>(value, kOffsetsPath);
}

Result<LakeTableRecord> decode_lake_table(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(value.view(), kDamaged));
  JsonValue root = document.root();
  LakeTableRecord record;
  ASSIGN_OR_RETURN(int32_t version, root.int32_at("version"));
  if (version == 1) {
    ASSIGN_OR_RETURN(record.single, read_single(root));
    return record;
  }
  if (version != 2) return make_error(kDamaged, "version {}: versions are 1 and 2", version);
  ASSIGN_OR_RETURN(JsonValue list, root.at("lake_snapshots"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  for (const JsonValue& item : items) {
    LakeSnapshotRecord snapshot;
    ASSIGN_OR_RETURN(int64_t id, item.int64_at("snapshot_id"));
    snapshot.id = LakeSnapshotId(id);
    ASSIGN_OR_RETURN(snapshot.tiered_path, item.text_at("tiered_offsets"));
    ASSIGN_OR_RETURN(snapshot.readable_path, item.optional_text("readable_offsets"));
    record.snapshots.push_back(std::move(snapshot));
  }
  return record;
}

Result<int64_t> decode_counter(const Bytes& value) {
  if (value.empty()) return 0;
  if (value.size() != sizeof(int64_t)) {
    return make_error(
        kDamaged, "counter of {} bytes: a counter has {}", value.size(), sizeof(int64_t));
  }
  return load_be<int64_t>(value.data());
}

Result<int32_t> decode_epoch(const Bytes& value) {
  int32_t epoch = 0;
  std::string_view text = value.view();
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), epoch);
  if (status != std::errc() || end != text.data() + text.size()) {
    return make_error(kDamaged, "coordinator epoch '{}' is no number", text);
  }
  return epoch;
}

Result<int64_t> decode_number(std::string_view name, int64_t max) {
  int64_t number = 0;
  auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status != std::errc() || end != name.data() + name.size() || number < 0 || number > max) {
    return make_error(kDamaged, "name '{}' in the metadata is no number from 0 to {}", name, max);
  }
  return number;
}

namespace paths {

std::string database(std::string_view database) {
  return fmt::format("{}/{}", kDatabases, database);
}

std::string tables(std::string_view database) {
  return fmt::format("{}/{}/tables", kDatabases, database);
}

std::string table(const TablePath& path) {
  return fmt::format("{}/{}/tables/{}", kDatabases, path.database, path.table);
}

std::string schemas(const TablePath& path) { return table(path) + "/schemas"; }

std::string schema(const TablePath& path, SchemaId id) {
  return fmt::format("{}/schemas/{}", table(path), id);
}

std::string partitions(const TablePath& path) { return table(path) + "/partitions"; }

std::string partition(const TablePath& path, std::string_view name) {
  return fmt::format("{}/{}", partitions(path), name);
}

std::string auto_increments(const TablePath& path) { return table(path) + "/auto_inc"; }

std::string auto_increment(const TablePath& path, int32_t column_id) {
  return fmt::format("{}/col_{}", auto_increments(path), column_id);
}

std::string assignment(const PhysicalTableId& id) {
  if (!id.partition) return fmt::format("{}/{}", kTableAssignments, id.table);
  return fmt::format("{}/{}", kPartitionAssignments, *id.partition);
}

std::string buckets(const PhysicalTableId& id) { return assignment(id) + "/buckets"; }

std::string bucket(const TableBucket& bucket) {
  return fmt::format("{}/{}", buckets(owner_of(bucket)), bucket.bucket);
}

std::string leader_isr(const TableBucket& bucket) { return paths::bucket(bucket) + "/leader_isr"; }

std::string kv_snapshots(const TableBucket& bucket) { return paths::bucket(bucket) + "/snapshots"; }

std::string kv_snapshot(const TableBucket& bucket, KvSnapshotId id) {
  return fmt::format("{}/{}", kv_snapshots(bucket), id);
}

std::string kv_snapshot_counter(const TableBucket& bucket) {
  return paths::bucket(bucket) + "/snapshot_seqid";
}

std::string remote_log(const TableBucket& bucket) { return paths::bucket(bucket) + "/remote_logs"; }

std::string kv_lease(std::string_view lease_id) {
  return fmt::format("{}/{}", kKvLeases, lease_id);
}

std::string producer(std::string_view producer_id) {
  return fmt::format("{}/{}", kProducers, producer_id);
}

std::string lake_table(TableId table) { return assignment({table, std::nullopt}) + "/laketable"; }

}  // namespace paths
}  // namespace lakestream
