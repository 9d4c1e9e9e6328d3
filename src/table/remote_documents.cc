#include "table/remote_documents.h"

#include <utility>

#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream {
namespace {

constexpr int32_t kVersion = 1;
constexpr ErrorCode kCode = ErrorCode::kUnknownServerError;

std::optional<int64_t> value_of(const std::optional<Offset>& offset) {
  return offset ? std::optional<int64_t>(offset->value()) : std::nullopt;
}

Result<std::optional<Offset>> read_optional_offset(const JsonValue& value, std::string_view key) {
  ASSIGN_OR_RETURN(std::optional<int64_t> number, value.optional_int64(key));
  return number ? std::optional<Offset>(Offset(*number)) : std::nullopt;
}

Result<Offset> read_offset(const JsonValue& value, std::string_view key) {
  ASSIGN_OR_RETURN(int64_t number, value.int64_at(key));
  return Offset(number);
}

void write_segment(JsonWriter& json, const RemoteLogSegment& segment) {
  json.begin_object()
      .field("segment_id", segment.id)
      .field("start_offset", segment.start_offset.value())
      .field("end_offset", segment.end_offset.value())
      .field("logical_start_offset", value_of(segment.logical_start_offset))
      .field("logical_end_offset", value_of(segment.logical_end_offset))
      .field("max_timestamp", segment.max_timestamp.value())
      .field("size_in_bytes", segment.size_bytes)
      .end_object();
}

Result<RemoteLogSegment> read_segment(const JsonValue& value) {
  RemoteLogSegment segment;
  ASSIGN_OR_RETURN(segment.id, value.text_at("segment_id"));
  ASSIGN_OR_RETURN(segment.start_offset, read_offset(value, "start_offset"));
  ASSIGN_OR_RETURN(segment.end_offset, read_offset(value, "end_offset"));
  ASSIGN_OR_RETURN(segment.logical_start_offset,
                   read_optional_offset(value, "logical_start_offset"));
  ASSIGN_OR_RETURN(segment.logical_end_offset, read_optional_offset(value, "logical_end_offset"));
  ASSIGN_OR_RETURN(int64_t timestamp, value.int64_at("max_timestamp"));
  segment.max_timestamp = TimestampMs(timestamp);
  ASSIGN_OR_RETURN(segment.size_bytes, value.int64_at("size_in_bytes"));
  return segment;
}

void write_offsets(JsonWriter& json, const BucketOffsets& offsets) {
  json.key("bucket_offsets").begin_array();
  for (int64_t offset : offsets) json.integer(offset);
  json.end_array();
}

Result<BucketOffsets> read_offsets(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, value.items());
  BucketOffsets offsets;
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(int64_t offset, item.int64());
    offsets.push_back(offset);
  }
  return offsets;
}

Result<PartitionOffsets> read_partition_offsets(const JsonValue& value) {
  PartitionOffsets offsets;
  ASSIGN_OR_RETURN(int64_t partition, value.int64_at("partition_id"));
  offsets.partition = PartitionId(partition);
  ASSIGN_OR_RETURN(JsonValue list, value.at("bucket_offsets"));
  ASSIGN_OR_RETURN(offsets.bucket_offsets, read_offsets(list));
  return offsets;
}

void write_files(JsonWriter& json,
                 std::string_view name,
                 const std::vector<KvSnapshotFile>& files) {
  json.key(name).begin_array();
  for (const KvSnapshotFile& file : files) {
    json.begin_object().key("kv_file_handle").begin_object();
    json.field("path", file.path).field("size", file.size).end_object();
    json.field("local_path", file.local_name).end_object();
  }
  json.end_array();
}

Result<std::vector<KvSnapshotFile>> read_files(const JsonValue& handle, std::string_view name) {
  ASSIGN_OR_RETURN(JsonValue list, handle.at(name));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  std::vector<KvSnapshotFile> files;
  for (const JsonValue& item : items) {
    KvSnapshotFile file;
    ASSIGN_OR_RETURN(JsonValue place, item.at("kv_file_handle"));
    ASSIGN_OR_RETURN(file.path, place.text_at("path"));
    ASSIGN_OR_RETURN(file.size, place.int64_at("size"));
    ASSIGN_OR_RETURN(file.local_name, item.text_at("local_path"));
    files.push_back(std::move(file));
  }
  return files;
}

Result<AutoIncrementRange> read_range(const JsonValue& value) {
  AutoIncrementRange range;
  ASSIGN_OR_RETURN(range.column_id, value.int32_at("column_id"));
  ASSIGN_OR_RETURN(range.start, value.int64_at("start"));
  ASSIGN_OR_RETURN(range.end, value.int64_at("end"));
  return range;
}

void write_leased(JsonWriter& json, const LeasedSnapshots& leased) {
  json.key("bucket_snapshots").begin_array();
  for (KvSnapshotId id : leased) json.integer(id.value());
  json.end_array();
}

Result<LeasedSnapshots> read_leased(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, value.items());
  LeasedSnapshots leased;
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(int64_t id, item.int64());
    leased.emplace_back(id);
  }
  return leased;
}

}  // namespace

TableBucketOffsets to_document(TableId table, const LakeOffsets& offsets) {
  TableBucketOffsets document{.table = table, .bucket_offsets = {}, .partition_offsets = {}};
  // Of a map they come in the order of partitions and buckets.
  for (const auto& [bucket, offset] : offsets) {
    BucketOffsets* list = nullptr;
    if (bucket.partition) {
      if (!document.partition_offsets) document.partition_offsets.emplace();
      std::vector<PartitionOffsets>& partitions = *document.partition_offsets;
      if (partitions.empty() || partitions.back().partition != *bucket.partition) {
        partitions.push_back({*bucket.partition, {}});
      }
      list = &partitions.back().bucket_offsets;
    } else {
      if (!document.bucket_offsets) document.bucket_offsets.emplace();
      list = &*document.bucket_offsets;
    }
    list->resize(static_cast<size_t>(bucket.bucket.value()), kNoLakeOffset);
    list->push_back(offset.value());
  }
  return document;
}

LakeOffsets to_offsets(const TableBucketOffsets& document) {
  LakeOffsets offsets;
  auto add = [&](std::optional<PartitionId> partition, const BucketOffsets& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i] < 0) continue;
      BucketId bucket(static_cast<int32_t>(i));
      offsets[{document.table, partition, bucket}] = Offset(list[i]);
    }
  };
  if (document.bucket_offsets) add(std::nullopt, *document.bucket_offsets);
  if (!document.partition_offsets) return offsets;
  for (const PartitionOffsets& partition : *document.partition_offsets) {
    add(partition.partition, partition.bucket_offsets);
  }
  return offsets;
}

std::string to_json(const RemoteLogManifest& manifest) {
  const std::optional<PartitionId>& partition = manifest.bucket.partition;
  JsonWriter json;
  json.begin_object()
      .field("version", kVersion)
      .field("database", manifest.path.table.database)
      .field("table", manifest.path.table.table)
      .field("partition_name", manifest.path.partition)
      .field("table_id", manifest.bucket.table.value());
  if (partition) json.field("partition_id", partition->value());
  json.field("bucket_id", manifest.bucket.bucket.value())
      .field("highest_copied_end_offset", value_of(manifest.highest_copied_end_offset))
      .key("remote_log_segments")
      .begin_array();
  for (const RemoteLogSegment& segment : manifest.segments) write_segment(json, segment);
  json.end_array().end_object();
  return std::move(json).finish();
}

std::string to_json(const TableBucketOffsets& offsets) {
  JsonWriter json;
  json.begin_object().field("version", kVersion).field("table_id", offsets.table.value());
  if (offsets.bucket_offsets) write_offsets(json, *offsets.bucket_offsets);
  if (offsets.partition_offsets) {
    json.key("partition_offsets").begin_array();
    for (const PartitionOffsets& partition : *offsets.partition_offsets) {
      json.begin_object().field("partition_id", partition.partition.value());
      write_offsets(json, partition.bucket_offsets);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return std::move(json).finish();
}

Result<RemoteLogManifest> remote_log_manifest_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(text, kCode));
  JsonValue root = document.root();
  RemoteLogManifest manifest;
  ASSIGN_OR_RETURN(manifest.path.table.database, root.text_at("database"));
  ASSIGN_OR_RETURN(manifest.path.table.table, root.text_at("table"));
  ASSIGN_OR_RETURN(manifest.path.partition, root.optional_text("partition_name"));
  ASSIGN_OR_RETURN(int64_t table, root.int64_at("table_id"));
  ASSIGN_OR_RETURN(std::optional<int64_t> partition, root.optional_int64("partition_id"));
  ASSIGN_OR_RETURN(int32_t bucket, root.int32_at("bucket_id"));
  manifest.bucket.table = TableId(table);
  if (partition) manifest.bucket.partition = PartitionId(*partition);
  manifest.bucket.bucket = BucketId(bucket);
  ASSIGN_OR_RETURN(manifest.highest_copied_end_offset,
                   read_optional_offset(root, "highest_copied_end_offset"));
  ASSIGN_OR_RETURN(JsonValue list, root.at("remote_log_segments"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(RemoteLogSegment segment, read_segment(item));
    manifest.segments.push_back(std::move(segment));
  }
  return manifest;
}

Result<TableBucketOffsets> table_bucket_offsets_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(text, kCode));
  JsonValue root = document.root();
  TableBucketOffsets offsets;
  ASSIGN_OR_RETURN(int64_t table, root.int64_at("table_id"));
  offsets.table = TableId(table);
  if (std::optional<JsonValue> list = root.find("bucket_offsets")) {
    ASSIGN_OR_RETURN(offsets.bucket_offsets, read_offsets(*list));
  }
  if (std::optional<JsonValue> list = root.find("partition_offsets")) {
    ASSIGN_OR_RETURN(std::vector<JsonValue> items, list->items());
    offsets.partition_offsets.emplace();
    for (const JsonValue& item : items) {
      ASSIGN_OR_RETURN(PartitionOffsets partition, read_partition_offsets(item));
      offsets.partition_offsets->push_back(std::move(partition));
    }
  }
  return offsets;
}

std::string to_json(const KvSnapshot& snapshot) {
  JsonWriter json;
  json.begin_object().field("version", kVersion).field("table_id", snapshot.bucket.table.value());
  if (snapshot.bucket.partition) json.field("partition_id", snapshot.bucket.partition->value());
  json.field("bucket_id", snapshot.bucket.bucket.value())
      .field("snapshot_id", snapshot.id.value())
      .field("snapshot_location", snapshot.location)
      .key("kv_snapshot_handle")
      .begin_object();
  write_files(json, "shared_file_handles", snapshot.shared_files);
  write_files(json, "private_file_handles", snapshot.private_files);
  json.field("snapshot_incremental_size", snapshot.incremental_bytes).end_object();
  json.field("log_offset", snapshot.log_offset.value()).field("row_count", snapshot.row_count);
  if (!snapshot.ids.empty()) {
    json.key("auto_inc_id_range").begin_array();
    for (const AutoIncrementRange& range : snapshot.ids) {
      json.begin_object()
          .field("column_id", range.column_id)
          .field("start", range.start)
          .field("end", range.end)
          .end_object();
    }
    json.end_array();
  }
  json.end_object();
  return std::move(json).finish();
}

std::string to_json(const KvTableLease& lease) {
  JsonWriter json;
  json.begin_object().field("version", kVersion).field("table_id", lease.table.value());
  if (lease.buckets) write_leased(json, *lease.buckets);
  if (!lease.partitions.empty()) {
    json.key("partition_snapshots").begin_array();
    for (const auto& [partition, leased] : lease.partitions) {
      json.begin_object().field("partition_id", partition.value());
      write_leased(json, leased);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return std::move(json).finish();
}

Result<KvSnapshot> kv_snapshot_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(text, kCode));
  JsonValue root = document.root();
  KvSnapshot snapshot;
  ASSIGN_OR_RETURN(int64_t table, root.int64_at("table_id"));
  ASSIGN_OR_RETURN(std::optional<int64_t> partition, root.optional_int64("partition_id"));
  ASSIGN_OR_RETURN(int32_t bucket, root.int32_at("bucket_id"));
  snapshot.bucket.table = TableId(table);
  if (partition) snapshot.bucket.partition = PartitionId(*partition);
  snapshot.bucket.bucket = BucketId(bucket);
  ASSIGN_OR_RETURN(int64_t id, root.int64_at("snapshot_id"));
  snapshot.id = KvSnapshotId(id);
  ASSIGN_OR_RETURN(snapshot.location, root.text_at("snapshot_location"));
  ASSIGN_OR_RETURN(JsonValue handle, root.at("kv_snapshot_handle"));
  ASSIGN_OR_RETURN(snapshot.shared_files, read_files(handle, "shared_file_handles"));
  ASSIGN_OR_RETURN(snapshot.private_files, read_files(handle, "private_file_handles"));
  ASSIGN_OR_RETURN(snapshot.incremental_bytes, handle.int64_at("snapshot_incremental_size"));
  ASSIGN_OR_RETURN(snapshot.log_offset, read_offset(root, "log_offset"));
  ASSIGN_OR_RETURN(snapshot.row_count, root.optional_int64("row_count"));
  if (std::optional<JsonValue> list = root.find("auto_inc_id_range")) {
    ASSIGN_OR_RETURN(std::vector<JsonValue> items, list->items());
    for (const JsonValue& item : items) {
      ASSIGN_OR_RETURN(AutoIncrementRange range, read_range(item));
      snapshot.ids.push_back(range);
    }
  }
  return snapshot;
}

Result<KvTableLease> kv_table_lease_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parse(text, kCode));
  JsonValue root = document.root();
  KvTableLease lease;
  ASSIGN_OR_RETURN(int64_t table, root.int64_at("table_id"));
  lease.table = TableId(table);
  if (std::optional<JsonValue> list = root.find("bucket_snapshots")) {
    ASSIGN_OR_RETURN(lease.buckets, read_leased(*list));
  }
  if (std::optional<JsonValue> list = root.find("partition_snapshots")) {
    ASSIGN_OR_RETURN(std::vector<JsonValue> items, list->items());
    for (const JsonValue& item : items) {
      ASSIGN_OR_RETURN(int64_t partition, item.int64_at("partition_id"));
      ASSIGN_OR_RETURN(JsonValue leased, item.at("bucket_snapshots"));
      ASSIGN_OR_RETURN(lease.partitions[PartitionId(partition)], read_leased(leased));
    }
  }
  return lease;
}

}  // namespace lakestream
