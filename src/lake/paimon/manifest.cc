#include "lake/paimon/manifest.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "lake/avro/avro_file.h"
#include "lake/paimon/manifest_schema.h"
#include "lake/paimon/partitions.h"

namespace lakestream::paimon {
namespace {

using avro::AvroReader;
using avro::AvroSchema;
using avro::AvroValue;
using avro::AvroWriter;

constexpr int32_t kRecordVersion = 2;
// A row without fields: their number and the null bits.
constexpr std::string_view kEmptyRow("\0\0\0\0\0\0\0\0\0\0\0\0", 12);

AvroValue row_value(const std::string& row) {
  return AvroValue::bytes(row.empty() ? kEmptyRow : std::string_view(row));
}

std::string row_of(std::string_view bytes) {
  return bytes == kEmptyRow ? std::string() : std::string(bytes);
}

AvroValue texts_value(const std::vector<std::string>& texts) {
  std::vector<AvroValue> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(AvroValue::bytes(text));
  return AvroValue::array(std::move(items));
}

AvroValue texts_value(const std::optional<std::vector<std::string>>& texts) {
  return texts ? texts_value(*texts) : AvroValue::null();
}

AvroValue integer_value(const std::optional<int32_t>& value) {
  return value ? AvroValue::integer(*value) : AvroValue::null();
}

AvroValue stats_value(const SimpleStats& stats) {
  std::vector<AvroValue> counts;
  counts.reserve(stats.null_counts.size());
  for (const std::optional<int64_t>& count : stats.null_counts) {
    counts.push_back(AvroValue::of(count));
  }
  return AvroValue::record({row_value(stats.min_values),
                            row_value(stats.max_values),
                            AvroValue::array(std::move(counts))});
}

// In the order of kManifestEntrySchema.
AvroValue file_value(const ManifestEntry& entry) {
  const DataFile& file = entry.file;
  const ForeignParts& foreign = entry.foreign;
  return AvroValue::record({
      AvroValue::bytes(file.name),
      AvroValue::integer(file.size),
      AvroValue::integer(file.rows),
      row_value(file.min_key),
      row_value(file.max_key),
      stats_value(file.key_stats),
      stats_value(file.value_stats),
      AvroValue::integer(file.min_sequence),
      AvroValue::integer(file.max_sequence),
      AvroValue::integer(file.schema_id),
      AvroValue::integer(file.level),
      texts_value(foreign.extra_files),
      AvroValue::integer(file.created_ms),
      file.delete_rows < 0 ? AvroValue::null() : AvroValue::integer(file.delete_rows),
      AvroValue::of(foreign.embedded_index),
      AvroValue::integer(file.compacted ? 1 : 0),
      texts_value(file.value_stats_columns),
      AvroValue::of(foreign.external_path),
      AvroValue::of(foreign.first_row_id),
      texts_value(foreign.write_columns),
  });
}

AvroValue entry_value(const ManifestEntry& entry) {
  return AvroValue::record({
      AvroValue::integer(kRecordVersion),
      AvroValue::integer(static_cast<int64_t>(entry.kind)),
      row_value(entry.partition),
      AvroValue::integer(entry.bucket),
      AvroValue::integer(entry.total_buckets),
      file_value(entry),
  });
}

AvroValue list_value(const ManifestFile& file) {
  return AvroValue::record({
      AvroValue::integer(kRecordVersion),
      AvroValue::bytes(file.name),
      AvroValue::integer(file.size),
      AvroValue::integer(file.added_files),
      AvroValue::integer(file.deleted_files),
      stats_value(file.partition_stats),
      AvroValue::integer(file.schema_id),
      integer_value(file.min_bucket),
      integer_value(file.max_bucket),
      integer_value(file.min_level),
      integer_value(file.max_level),
      AvroValue::of(file.min_row_id),
      AvroValue::of(file.max_row_id),
  });
}

Result<std::optional<std::vector<std::string>>> texts_of(const AvroValue& record,
                                                         std::string_view field) {
  if (record.find(field) == nullptr) return std::optional<std::vector<std::string>>();
  ASSIGN_OR_RETURN(const AvroValue* array, record.at(field, AvroValue::Kind::kArray));
  std::vector<std::string> texts;
  for (const AvroValue& item : array->items()) {
    if (item.kind() != AvroValue::Kind::kBytes) {
      return make_error(
          ErrorCode::kUnknownServerError, "field {} holds something that is no text", field);
    }
    texts.emplace_back(item.as_bytes());
  }
  return std::optional(std::move(texts));
}

Result<std::optional<std::string>> text_of(const AvroValue& record, std::string_view field) {
  ASSIGN_OR_RETURN(std::optional<std::string_view> text, record.optional_bytes_at(field));
  if (!text) return std::optional<std::string>();
  return std::optional<std::string>(*text);
}

Result<std::string> row_at(const AvroValue& record, std::string_view field) {
  ASSIGN_OR_RETURN(std::string_view row, record.bytes_at(field));
  return row_of(row);
}

Result<SimpleStats> stats_of(const AvroValue& record, std::string_view field) {
  ASSIGN_OR_RETURN(const AvroValue* value, record.at(field, AvroValue::Kind::kRecord));
  SimpleStats stats;
  ASSIGN_OR_RETURN(stats.min_values, row_at(*value, "_MIN_VALUES"));
  ASSIGN_OR_RETURN(stats.max_values, row_at(*value, "_MAX_VALUES"));
  const AvroValue* counts = value->find("_NULL_COUNTS");
  if (counts == nullptr) return stats;
  for (const AvroValue& count : counts->items()) {
    using Kind = AvroValue::Kind;
    if (count.kind() != Kind::kInteger && count.kind() != Kind::kNull) {
      return make_error(ErrorCode::kUnknownServerError, "a count of nulls is no number");
    }
    stats.null_counts.push_back(count.is_null() ? std::nullopt : std::optional(count.as_integer()));
  }
  return stats;
}

Result<DataFile> data_file_of(const AvroValue& record) {
  DataFile file;
  ASSIGN_OR_RETURN(file.name, record.bytes_at("_FILE_NAME"));
  ASSIGN_OR_RETURN(file.size, record.integer_at("_FILE_SIZE"));
  ASSIGN_OR_RETURN(file.rows, record.integer_at("_ROW_COUNT"));
  ASSIGN_OR_RETURN(file.min_key, row_at(record, "_MIN_KEY"));
  ASSIGN_OR_RETURN(file.max_key, row_at(record, "_MAX_KEY"));
  ASSIGN_OR_RETURN(file.key_stats, stats_of(record, "_KEY_STATS"));
  ASSIGN_OR_RETURN(file.value_stats, stats_of(record, "_VALUE_STATS"));
  ASSIGN_OR_RETURN(file.value_stats_columns, texts_of(record, "_VALUE_STATS_COLS"));
  ASSIGN_OR_RETURN(file.min_sequence, record.integer_at("_MIN_SEQUENCE_NUMBER"));
  ASSIGN_OR_RETURN(file.max_sequence, record.integer_at("_MAX_SEQUENCE_NUMBER"));
  ASSIGN_OR_RETURN(file.schema_id, record.integer_at("_SCHEMA_ID"));
  ASSIGN_OR_RETURN(file.level, record.int32_at("_LEVEL"));
  ASSIGN_OR_RETURN(std::optional<int64_t> created, record.optional_integer_at("_CREATION_TIME"));
  ASSIGN_OR_RETURN(std::optional<int64_t> deletes, record.optional_integer_at("_DELETE_ROW_COUNT"));
  ASSIGN_OR_RETURN(std::optional<int64_t> source, record.optional_integer_at("_FILE_SOURCE"));
  file.created_ms = created.value_or(0);
  file.delete_rows = deletes.value_or(-1);
  file.compacted = source == 1;
  if (file.name.empty() || file.name.find('/') != std::string::npos || file.rows < 0) {
    return make_error(ErrorCode::kUnknownServerError, "'{}' is no data file", file.name);
  }
  return file;
}

Result<ForeignParts> foreign_of(const AvroValue& record) {
  ForeignParts foreign;
  ASSIGN_OR_RETURN(auto extra, texts_of(record, "_EXTRA_FILES"));
  if (extra) foreign.extra_files = *std::move(extra);
  ASSIGN_OR_RETURN(foreign.embedded_index, text_of(record, "_EMBEDDED_FILE_INDEX"));
  ASSIGN_OR_RETURN(foreign.external_path, text_of(record, "_EXTERNAL_PATH"));
  ASSIGN_OR_RETURN(foreign.first_row_id, record.optional_integer_at("_FIRST_ROW_ID"));
  ASSIGN_OR_RETURN(foreign.write_columns, texts_of(record, "_WRITE_COLS"));
  return foreign;
}

Result<ManifestEntry> entry_of(const AvroValue& record) {
  ManifestEntry entry;
  ASSIGN_OR_RETURN(int32_t kind, record.int32_at("_KIND"));
  if (kind != 0 && kind != 1) {
    return make_error(ErrorCode::kUnknownServerError, "{} is no kind of an entry", kind);
  }
  entry.kind = static_cast<EntryKind>(kind);
  ASSIGN_OR_RETURN(entry.partition, record.bytes_at("_PARTITION"));
  ASSIGN_OR_RETURN(entry.bucket, record.int32_at("_BUCKET"));
  ASSIGN_OR_RETURN(entry.total_buckets, record.int32_at("_TOTAL_BUCKETS"));
  ASSIGN_OR_RETURN(const AvroValue* file, record.at("_FILE", AvroValue::Kind::kRecord));
  ASSIGN_OR_RETURN(entry.file, data_file_of(*file));
  ASSIGN_OR_RETURN(entry.foreign, foreign_of(*file));
  return entry;
}

// A field that our schema has not is there and has a value.
bool has_unknown_parts(const AvroValue& record, const avro::AvroType& known) {
  for (size_t i = 0; i < record.items().size(); ++i) {
    const AvroValue& value = record.items()[i];
    if (value.is_null()) continue;
    auto field = std::find_if(known.fields.begin(), known.fields.end(), [&](const auto& ours) {
      return ours.name == record.type()->fields[i].name;
    });
    if (field == known.fields.end()) return true;
    if (value.kind() == AvroValue::Kind::kRecord && field->name == "_FILE" &&
        has_unknown_parts(value, *field->type)) {
      return true;
    }
  }
  return false;
}

Result<ManifestFile> manifest_file_of(const AvroValue& record) {
  ManifestFile file;
  ASSIGN_OR_RETURN(file.name, record.bytes_at("_FILE_NAME"));
  ASSIGN_OR_RETURN(file.size, record.integer_at("_FILE_SIZE"));
  ASSIGN_OR_RETURN(file.added_files, record.integer_at("_NUM_ADDED_FILES"));
  ASSIGN_OR_RETURN(file.deleted_files, record.integer_at("_NUM_DELETED_FILES"));
  ASSIGN_OR_RETURN(file.partition_stats, stats_of(record, "_PARTITION_STATS"));
  ASSIGN_OR_RETURN(file.schema_id, record.integer_at("_SCHEMA_ID"));
  ASSIGN_OR_RETURN(file.min_bucket, record.optional_int32_at("_MIN_BUCKET"));
  ASSIGN_OR_RETURN(file.max_bucket, record.optional_int32_at("_MAX_BUCKET"));
  ASSIGN_OR_RETURN(file.min_level, record.optional_int32_at("_MIN_LEVEL"));
  ASSIGN_OR_RETURN(file.max_level, record.optional_int32_at("_MAX_LEVEL"));
  ASSIGN_OR_RETURN(file.min_row_id, record.optional_integer_at("_MIN_ROW_ID"));
  ASSIGN_OR_RETURN(file.max_row_id, record.optional_integer_at("_MAX_ROW_ID"));
  if (file.name.empty() || file.name.find('/') != std::string::npos) {
    return make_error(ErrorCode::kUnknownServerError, "'{}' is no manifest", file.name);
  }
  return file;
}

AvroSchema parsed(std::string_view text) {
  Result<AvroSchema> schema = AvroSchema::parse(text);
  CHECK(schema.has_value(), schema ? "" : schema.error().message());
  return *std::move(schema);
}

const AvroSchema& entry_schema() {
  static const AvroSchema schema = parsed(kManifestEntrySchema);
  return schema;
}

const AvroSchema& list_schema() {
  static const AvroSchema schema = parsed(kManifestFileSchema);
  return schema;
}

}  // namespace

Result<Bytes> encode_manifest(std::span<const ManifestEntry> entries,
                              const ManifestEncoding& encoding) {
  AvroWriter writer(entry_schema(), {.codec = encoding.codec, .sync = encoding.sync});
  for (const ManifestEntry& entry : entries) RETURN_IF_ERROR(writer.append(entry_value(entry)));
  return std::move(writer).finish();
}

Result<Bytes> encode_manifest_list(std::span<const ManifestFile> files,
                                   const ManifestEncoding& encoding) {
  AvroWriter writer(list_schema(), {.codec = encoding.codec, .sync = encoding.sync});
  for (const ManifestFile& file : files) RETURN_IF_ERROR(writer.append(list_value(file)));
  return std::move(writer).finish();
}

Result<Manifest> decode_manifest(std::string_view bytes) {
  ASSIGN_OR_RETURN(AvroReader reader, AvroReader::open(bytes));
  Manifest manifest;
  RETURN_IF_ERROR(reader.each([&](const AvroValue& record) -> Status {
    ASSIGN_OR_RETURN(ManifestEntry entry, entry_of(record));
    manifest.entries.push_back(std::move(entry));
    if (!manifest.has_unknown_parts) {
      manifest.has_unknown_parts = has_unknown_parts(record, entry_schema().root());
    }
    return ok();
  }));
  return manifest;
}

Result<std::vector<ManifestFile>> decode_manifest_list(std::string_view bytes) {
  ASSIGN_OR_RETURN(AvroReader reader, AvroReader::open(bytes));
  std::vector<ManifestFile> files;
  RETURN_IF_ERROR(reader.each([&](const AvroValue& record) -> Status {
    ASSIGN_OR_RETURN(ManifestFile file, manifest_file_of(record));
    files.push_back(std::move(file));
    return ok();
  }));
  return files;
}

ManifestFile describe(std::span<const ManifestEntry> entries,
                      std::span<const DataType> partition_types) {
  ManifestFile file;
  auto widen = [](std::optional<int32_t>* min, std::optional<int32_t>* max, int32_t value) {
    *min = std::min(min->value_or(value), value);
    *max = std::max(max->value_or(value), value);
  };
  std::set<std::string_view> partitions;
  for (const ManifestEntry& entry : entries) {
    ++(entry.kind == EntryKind::kAdd ? file.added_files : file.deleted_files);
    file.schema_id = std::max(file.schema_id, entry.file.schema_id);
    widen(&file.min_bucket, &file.max_bucket, entry.bucket);
    widen(&file.min_level, &file.max_level, entry.file.level);
    partitions.insert(entry.partition);
  }
  std::vector<std::string_view> rows(partitions.begin(), partitions.end());
  file.partition_stats = partition_stats(partition_types, rows);
  return file;
}

std::vector<ManifestEntry> merge_entries(std::vector<ManifestEntry> entries) {
  using Key = std::tuple<std::string_view, int32_t, int32_t, std::string_view>;
  std::map<Key, size_t> added;  // positions
  std::vector<bool> gone(entries.size(), false);
  for (size_t i = 0; i < entries.size(); ++i) {
    const ManifestEntry& entry = entries[i];
    Key key{entry.partition, entry.bucket, entry.file.level, entry.file.name};
    if (entry.kind == EntryKind::kAdd) {
      added[key] = i;
      continue;
    }
    auto before = added.find(key);
    if (before == added.end()) continue;
    gone[before->second] = true;
    gone[i] = true;
    added.erase(before);
  }
  std::vector<ManifestEntry> left;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!gone[i]) left.push_back(std::move(entries[i]));
  }
  return left;
}

}  // namespace lakestream::paimon
