#include "lake/iceberg/manifest.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/endian.h"
#include "lake/avro/avro_file.h"
#include "lake/iceberg/manifest_schema.h"

namespace lakestream::iceberg {
namespace {

using avro::AvroCodec;
using avro::AvroReader;
using avro::AvroSchema;
using avro::AvroValue;
using avro::AvroWriter;

// What of FieldMetrics each map of a manifest holds.
struct CountMap {
  std::string_view name;
  std::optional<int64_t> FieldMetrics::*value;
};
constexpr CountMap kCountMaps[] = {{"column_sizes", &FieldMetrics::bytes},
                                   {"value_counts", &FieldMetrics::values},
                                   {"null_value_counts", &FieldMetrics::nulls},
                                   {"nan_value_counts", &FieldMetrics::nans}};
struct BoundMap {
  std::string_view name;
  std::optional<std::string> FieldMetrics::*value;
};
constexpr BoundMap kBoundMaps[] = {{"lower_bounds", &FieldMetrics::lower},
                                   {"upper_bounds", &FieldMetrics::upper}};

AvroValue value_of(int64_t value) { return AvroValue::integer(value); }
AvroValue value_of(const std::string& value) { return AvroValue::bytes(value); }

// Null when no column has one.
template <typename T>
AvroValue map_value(const std::vector<FieldMetrics>& metrics,
                    std::optional<T> FieldMetrics::*member) {
  std::vector<AvroValue> items;
  for (const FieldMetrics& column : metrics) {
    const std::optional<T>& value = column.*member;
    if (!value) continue;
    items.push_back(AvroValue::record({AvroValue::integer(column.id), value_of(*value)}));
  }
  return items.empty() ? AvroValue::null() : AvroValue::array(std::move(items));
}

template <typename T>
AvroValue list_value(const std::vector<T>& list) {
  if (list.empty()) return AvroValue::null();
  std::vector<AvroValue> items;
  for (T item : list) items.push_back(AvroValue::integer(item));
  return AvroValue::array(std::move(items));
}

AvroValue partition_value(const PartitionTuple& tuple) {
  std::vector<AvroValue> fields;
  for (const std::string& value : tuple.values) fields.push_back(AvroValue::bytes(value));
  fields.push_back(AvroValue::integer(tuple.bucket));
  return AvroValue::record(std::move(fields));
}

AvroValue file_value(const DataFile& file) {
  return AvroValue::record({AvroValue::integer(static_cast<int64_t>(file.content)),
                            AvroValue::bytes(file.path),
                            AvroValue::bytes(file.format),
                            partition_value(file.partition),
                            AvroValue::integer(file.rows),
                            AvroValue::integer(file.bytes),
                            map_value(file.metrics, &FieldMetrics::bytes),
                            map_value(file.metrics, &FieldMetrics::values),
                            map_value(file.metrics, &FieldMetrics::nulls),
                            map_value(file.metrics, &FieldMetrics::nans),
                            map_value(file.metrics, &FieldMetrics::lower),
                            map_value(file.metrics, &FieldMetrics::upper),
                            list_value(file.split_offsets),
                            list_value(file.equality_ids),
                            AvroValue::of(file.sort_order_id),
                            AvroValue::of(file.referenced_file)});
}

AvroValue entry_value(const ManifestEntry& entry) {
  return AvroValue::record({AvroValue::integer(static_cast<int64_t>(entry.status)),
                            AvroValue::integer(entry.snapshot_id),
                            AvroValue::of(entry.sequence),
                            AvroValue::of(entry.file_sequence),
                            file_value(*entry.file)});
}

AvroValue line_value(const ManifestFile& file) {
  std::vector<AvroValue> summaries;
  for (const PartitionSummary& summary : file.partitions) {
    summaries.push_back(AvroValue::record(
        {AvroValue::boolean(summary.contains_null),
         summary.contains_nan ? AvroValue::boolean(*summary.contains_nan) : AvroValue::null(),
         AvroValue::of(summary.lower),
         AvroValue::of(summary.upper)}));
  }
  return AvroValue::record(
      {AvroValue::bytes(file.path),
       AvroValue::integer(file.length),
       AvroValue::integer(file.spec_id),
       AvroValue::integer(static_cast<int64_t>(file.content)),
       AvroValue::integer(file.sequence),
       AvroValue::integer(file.min_sequence),
       AvroValue::integer(file.added_snapshot_id),
       AvroValue::integer(file.added_files),
       AvroValue::integer(file.existing_files),
       AvroValue::integer(file.deleted_files),
       AvroValue::integer(file.added_rows),
       AvroValue::integer(file.existing_rows),
       AvroValue::integer(file.deleted_rows),
       summaries.empty() ? AvroValue::null() : AvroValue::array(std::move(summaries))});
}

tl::unexpected<Error> damaged(std::string_view what) {
  return make_error(ErrorCode::kUnknownServerError, "{}", what);
}

// The metrics of a column, which are found or made in the order of the ids.
FieldMetrics& metrics_of(std::vector<FieldMetrics>* metrics, int32_t id) {
  if (metrics->empty() || metrics->back().id < id) {
    metrics->push_back({.id = id});
    return metrics->back();
  }
  auto place = std::lower_bound(
      metrics->begin(), metrics->end(), id, [](const FieldMetrics& column, int32_t wanted) {
        return column.id < wanted;
      });
  if (place->id != id) place = metrics->insert(place, {.id = id});
  return *place;
}

template <typename Take>
Status each_pair(const AvroValue& file,
                 std::string_view name,
                 AvroValue::Kind kind,
                 const Take& take) {
  const AvroValue* map = file.find(name);
  if (map == nullptr) return ok();
  if (map->kind() != AvroValue::Kind::kArray) return damaged(fmt::format("{} is no map", name));
  for (const AvroValue& pair : map->items()) {
    if (pair.kind() != AvroValue::Kind::kRecord) return damaged(fmt::format("{} is no map", name));
    ASSIGN_OR_RETURN(int32_t id, pair.int32_at("key"));
    ASSIGN_OR_RETURN(const AvroValue* value, pair.at("value", kind));
    take(id, *value);
  }
  return ok();
}

Status read_metrics(const AvroValue& record, DataFile* file) {
  for (const CountMap& map : kCountMaps) {
    RETURN_IF_ERROR(each_pair(
        record, map.name, AvroValue::Kind::kInteger, [&](int32_t id, const AvroValue& value) {
          metrics_of(&file->metrics, id).*map.value = value.as_integer();
        }));
  }
  for (const BoundMap& map : kBoundMaps) {
    RETURN_IF_ERROR(each_pair(
        record, map.name, AvroValue::Kind::kBytes, [&](int32_t id, const AvroValue& value) {
          metrics_of(&file->metrics, id).*map.value = std::string(value.as_bytes());
        }));
  }
  return ok();
}

template <typename T>
Status read_list(const AvroValue& record, std::string_view name, std::vector<T>* list) {
  const AvroValue* array = record.find(name);
  if (array == nullptr) return ok();
  if (array->kind() != AvroValue::Kind::kArray) return damaged(fmt::format("{} is no list", name));
  for (const AvroValue& item : array->items()) {
    if (item.kind() != AvroValue::Kind::kInteger) {
      return damaged(fmt::format("{} is no list of integers", name));
    }
    list->push_back(static_cast<T>(item.as_integer()));
  }
  return ok();
}

// By place: the writer has the fields in the order of the spec.
Result<PartitionTuple> partition_of(const AvroValue& record, const IcebergPartitionSpec& spec) {
  ASSIGN_OR_RETURN(const AvroValue* partition, record.at("partition", AvroValue::Kind::kRecord));
  size_t count = spec.fields.size();
  if (partition->items().size() != count || count == 0) {
    return damaged(
        fmt::format("the partition has {} fields, the spec {}", partition->items().size(), count));
  }
  PartitionTuple tuple;
  for (size_t i = 0; i < count; ++i) {
    const AvroValue& value = partition->items()[i];
    bool is_bucket = i + 1 == count;
    auto wanted = is_bucket ? AvroValue::Kind::kInteger : AvroValue::Kind::kBytes;
    if (value.kind() != wanted) {
      return make_error(ErrorCode::kInvalidTableException,
                        "{} of the partition is {}, which files of a table of ours do not have",
                        spec.fields[i].name,
                        value.is_null() ? "null" : "of another type");
    }
    if (is_bucket) {
      tuple.bucket = static_cast<int32_t>(value.as_integer());
    } else {
      tuple.values.emplace_back(value.as_bytes());
    }
  }
  return tuple;
}

Result<std::shared_ptr<const DataFile>> file_of(const AvroValue& record,
                                                const IcebergPartitionSpec& spec) {
  auto file = std::make_shared<DataFile>();
  ASSIGN_OR_RETURN(std::optional<int32_t> content, record.optional_int32_at("content"));
  if (content.value_or(0) < 0 || content.value_or(0) > 2) {
    return damaged(fmt::format("there is no content {}", *content));
  }
  file->content = static_cast<FileContent>(content.value_or(0));
  ASSIGN_OR_RETURN(file->path, record.bytes_at("file_path"));
  ASSIGN_OR_RETURN(file->format, record.bytes_at("file_format"));
  ASSIGN_OR_RETURN(file->partition, partition_of(record, spec));
  ASSIGN_OR_RETURN(file->rows, record.integer_at("record_count"));
  ASSIGN_OR_RETURN(file->bytes, record.integer_at("file_size_in_bytes"));
  RETURN_IF_ERROR(read_metrics(record, file.get()));
  RETURN_IF_ERROR(read_list(record, "split_offsets", &file->split_offsets));
  RETURN_IF_ERROR(read_list(record, "equality_ids", &file->equality_ids));
  ASSIGN_OR_RETURN(file->sort_order_id, record.optional_int32_at("sort_order_id"));
  ASSIGN_OR_RETURN(file->referenced_file, record.optional_bytes_at("referenced_data_file"));
  return std::shared_ptr<const DataFile>(std::move(file));
}

Result<ManifestEntry> entry_of(const AvroValue& record,
                               const ManifestFile& line,
                               const IcebergPartitionSpec& spec) {
  ManifestEntry entry;
  ASSIGN_OR_RETURN(int32_t status, record.int32_at("status"));
  if (status < 0 || status > 2) return damaged(fmt::format("there is no status {}", status));
  entry.status = static_cast<EntryStatus>(status);
  ASSIGN_OR_RETURN(std::optional<int64_t> snapshot, record.optional_integer_at("snapshot_id"));
  entry.snapshot_id = snapshot.value_or(line.added_snapshot_id);
  ASSIGN_OR_RETURN(entry.sequence, record.optional_integer_at("sequence_number"));
  ASSIGN_OR_RETURN(entry.file_sequence, record.optional_integer_at("file_sequence_number"));
  // Files of a table that had format version 1 count as the oldest.
  int64_t inherited = entry.status == EntryStatus::kAdded ? line.sequence : 0;
  if (!entry.sequence) entry.sequence = inherited;
  if (!entry.file_sequence) entry.file_sequence = inherited;
  ASSIGN_OR_RETURN(const AvroValue* file, record.at("data_file", AvroValue::Kind::kRecord));
  ASSIGN_OR_RETURN(entry.file, file_of(*file, spec));
  return entry;
}

// The places of the fields of a record that are not known here.
std::vector<size_t> unknown_fields(const avro::AvroType& type, const avro::AvroType& known) {
  std::vector<size_t> places;
  for (size_t i = 0; i < type.fields.size(); ++i) {
    bool is_known = std::any_of(known.fields.begin(), known.fields.end(), [&](const auto& field) {
      return field.name == type.fields[i].name;
    });
    if (!is_known) places.push_back(i);
  }
  return places;
}

std::optional<int32_t> count_at(const AvroValue& record,
                                std::string_view name,
                                std::string_view old) {
  for (std::string_view key : {name, old}) {
    Result<std::optional<int32_t>> count = record.optional_int32_at(key);
    if (count && *count) return *count;
  }
  return std::nullopt;
}

Result<PartitionSummary> summary_of(const AvroValue& record) {
  PartitionSummary summary;
  if (record.kind() != AvroValue::Kind::kRecord) return damaged("a partition summary is none");
  ASSIGN_OR_RETURN(const AvroValue* null, record.at("contains_null", AvroValue::Kind::kBoolean));
  summary.contains_null = null->as_boolean();
  const AvroValue* nan = record.find("contains_nan");
  if (nan != nullptr && nan->kind() == AvroValue::Kind::kBoolean) {
    summary.contains_nan = nan->as_boolean();
  }
  ASSIGN_OR_RETURN(summary.lower, record.optional_bytes_at("lower_bound"));
  ASSIGN_OR_RETURN(summary.upper, record.optional_bytes_at("upper_bound"));
  return summary;
}

Result<ManifestFile> line_of(const AvroValue& record) {
  ManifestFile file;
  ASSIGN_OR_RETURN(file.path, record.bytes_at("manifest_path"));
  ASSIGN_OR_RETURN(file.length, record.integer_at("manifest_length"));
  ASSIGN_OR_RETURN(file.spec_id, record.int32_at("partition_spec_id"));
  ASSIGN_OR_RETURN(std::optional<int32_t> content, record.optional_int32_at("content"));
  file.content = content.value_or(0) == 1 ? ManifestContent::kDeletes : ManifestContent::kData;
  ASSIGN_OR_RETURN(std::optional<int64_t> sequence, record.optional_integer_at("sequence_number"));
  file.sequence = sequence.value_or(0);
  ASSIGN_OR_RETURN(sequence, record.optional_integer_at("min_sequence_number"));
  file.min_sequence = sequence.value_or(0);
  ASSIGN_OR_RETURN(file.added_snapshot_id, record.integer_at("added_snapshot_id"));
  // Writers of the first format version name them otherwise, or leave them out: then some are said.
  file.added_files = count_at(record, "added_files_count", "added_data_files_count").value_or(1);
  file.existing_files =
      count_at(record, "existing_files_count", "existing_data_files_count").value_or(1);
  file.deleted_files =
      count_at(record, "deleted_files_count", "deleted_data_files_count").value_or(1);
  ASSIGN_OR_RETURN(std::optional<int64_t> rows, record.optional_integer_at("added_rows_count"));
  file.added_rows = rows.value_or(0);
  ASSIGN_OR_RETURN(rows, record.optional_integer_at("existing_rows_count"));
  file.existing_rows = rows.value_or(0);
  ASSIGN_OR_RETURN(rows, record.optional_integer_at("deleted_rows_count"));
  file.deleted_rows = rows.value_or(0);
  if (const AvroValue* summaries = record.find("partitions")) {
    if (summaries->kind() != AvroValue::Kind::kArray) return damaged("partitions is no list");
    for (const AvroValue& item : summaries->items()) {
      ASSIGN_OR_RETURN(PartitionSummary summary, summary_of(item));
      file.partitions.push_back(std::move(summary));
    }
  }
  if (record.find("key_metadata") != nullptr) {
    return make_error(
        ErrorCode::kInvalidTableException, "{}: encrypted tables are not read", file.path);
  }
  return file;
}

std::string int_value(int32_t value) {
  std::string bytes(4, '\0');
  store_le<int32_t>(reinterpret_cast<uint8_t*>(bytes.data()), value);
  return bytes;
}

}  // namespace

Result<Bytes> encode_manifest(std::span<const ManifestEntry> entries,
                              const ManifestEncoding& encoding) {
  ASSIGN_OR_RETURN(AvroSchema schema, manifest_entry_schema(encoding.spec));
  JsonWriter columns;
  write_schema(encoding.schema, &columns);
  JsonWriter fields;
  write_partition_fields(encoding.spec, &fields);
  AvroWriter writer(
      std::move(schema),
      {.codec = AvroCodec::kDeflate,
       .metadata = {{"schema", std::move(columns).finish()},
                    {"schema-id", std::to_string(encoding.schema.id)},
                    {"partition-spec", std::move(fields).finish()},
                    {"partition-spec-id", std::to_string(encoding.spec.id)},
                    {"format-version", "2"},
                    {"content", encoding.content == ManifestContent::kData ? "data" : "deletes"}},
       .sync = encoding.sync});
  for (const ManifestEntry& entry : entries) RETURN_IF_ERROR(writer.append(entry_value(entry)));
  return std::move(writer).finish();
}

Result<Manifest> decode_manifest(std::string_view bytes,
                                 const ManifestFile& line,
                                 const IcebergPartitionSpec& spec) {
  ASSIGN_OR_RETURN(AvroReader reader, AvroReader::open(bytes));
  ASSIGN_OR_RETURN(AvroSchema known, manifest_entry_schema(spec));
  const avro::AvroType* known_file = known.root().fields.back().type;
  Manifest manifest;
  std::optional<std::vector<size_t>> unknown;  // of data files
  RETURN_IF_ERROR(reader.each([&](const AvroValue& record) -> Status {
    ASSIGN_OR_RETURN(ManifestEntry entry, entry_of(record, line, spec));
    const AvroValue* file = record.find("data_file");
    if (!unknown) unknown = unknown_fields(*file->type(), *known_file);
    for (size_t place : *unknown) {
      if (!file->items()[place].is_null()) manifest.has_unknown_parts = true;
    }
    manifest.entries.push_back(std::move(entry));
    return ok();
  }));
  return manifest;
}

Result<Bytes> encode_manifest_list(std::span<const ManifestFile> files,
                                   const ManifestListEncoding& encoding) {
  AvroWriter writer(
      manifest_list_schema(),
      {.codec = AvroCodec::kDeflate,
       .metadata = {{"snapshot-id", std::to_string(encoding.snapshot_id)},
                    {"parent-snapshot-id",
                     encoding.parent_id ? std::to_string(*encoding.parent_id) : "null"},
                    {"sequence-number", std::to_string(encoding.sequence)},
                    {"format-version", "2"}},
       .sync = encoding.sync});
  for (const ManifestFile& file : files) RETURN_IF_ERROR(writer.append(line_value(file)));
  return std::move(writer).finish();
}

Result<std::vector<ManifestFile>> decode_manifest_list(std::string_view bytes) {
  ASSIGN_OR_RETURN(AvroReader reader, AvroReader::open(bytes));
  std::vector<ManifestFile> files;
  RETURN_IF_ERROR(reader.each([&](const AvroValue& record) -> Status {
    ASSIGN_OR_RETURN(ManifestFile file, line_of(record));
    files.push_back(std::move(file));
    return ok();
  }));
  return files;
}

ManifestFile describe(std::span<const ManifestEntry> entries,
                      const ManifestEncoding& encoding,
                      int64_t snapshot_id,
                      int64_t sequence) {
  ManifestFile file;
  file.spec_id = encoding.spec.id;
  file.content = encoding.content;
  file.sequence = sequence;
  file.added_snapshot_id = snapshot_id;
  std::optional<int64_t> min_sequence;
  std::vector<std::pair<std::string_view, std::string_view>> texts;  // lower and upper
  std::optional<std::pair<int32_t, int32_t>> buckets;
  for (const ManifestEntry& entry : entries) {
    const DataFile& data = *entry.file;
    bool added = entry.status == EntryStatus::kAdded;
    bool deleted = entry.status == EntryStatus::kDeleted;
    ++(added ? file.added_files : deleted ? file.deleted_files : file.existing_files);
    (added ? file.added_rows : deleted ? file.deleted_rows : file.existing_rows) += data.rows;
    int64_t of_entry = entry.sequence.value_or(sequence);
    if (!deleted) min_sequence = std::min(min_sequence.value_or(of_entry), of_entry);
    if (!buckets) {
      for (const std::string& value : data.partition.values) texts.emplace_back(value, value);
      buckets.emplace(data.partition.bucket, data.partition.bucket);
    }
    for (size_t i = 0; i < texts.size(); ++i) {
      std::string_view value = data.partition.values[i];
      texts[i] = {std::min(texts[i].first, value), std::max(texts[i].second, value)};
    }
    buckets = std::pair(std::min(buckets->first, data.partition.bucket),
                        std::max(buckets->second, data.partition.bucket));
  }
  file.min_sequence = min_sequence.value_or(sequence);
  for (const auto& [lower, upper] : texts) {
    file.partitions.push_back({.lower = std::string(lower), .upper = std::string(upper)});
  }
  if (buckets) {
    file.partitions.push_back(
        {.lower = int_value(buckets->first), .upper = int_value(buckets->second)});
  }
  return file;
}

bool may_contain(const ManifestFile& manifest,
                 std::span<const std::optional<std::string>> partition_values) {
  for (size_t i = 0; i < partition_values.size() && i < manifest.partitions.size(); ++i) {
    const std::optional<std::string>& wanted = partition_values[i];
    const PartitionSummary& summary = manifest.partitions[i];
    if (!wanted || !summary.lower || !summary.upper) continue;
    // Texts are ordered by their bytes, and upper bounds may be cut off.
    if (*wanted < *summary.lower) return false;
    if (*wanted > *summary.upper && !wanted->starts_with(*summary.upper)) return false;
  }
  return true;
}

}  // namespace lakestream::iceberg
