#include "lake/paimon/schema.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/config.h"
#include "lake/lake.h"
#include "lake/paimon/types.h"
#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream::paimon {
namespace {

constexpr int32_t kSchemaVersion = 3;
// Older versions leave out what was another default in their time.
constexpr int32_t kLastVersionWithOneBucket = 1;
constexpr int32_t kLastVersionWithOrc = 2;

Result<PaimonField> field_of(const JsonValue& json) {
  PaimonField field;
  ASSIGN_OR_RETURN(field.id, json.int32_at("id"));
  ASSIGN_OR_RETURN(field.name, json.text_at("name"));
  ASSIGN_OR_RETURN(JsonValue type, json.at("type"));
  ASSIGN_OR_RETURN(field.type, type_of(type));
  ASSIGN_OR_RETURN(field.description, json.optional_text("description"));
  return field;
}

Result<PaimonSchema> schema_of(const JsonValue& json) {
  PaimonSchema schema;
  ASSIGN_OR_RETURN(std::optional<int32_t> version, json.optional_int32("version"));
  ASSIGN_OR_RETURN(schema.id, json.int64_at("id"));
  ASSIGN_OR_RETURN(JsonValue list, json.at("fields"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> fields, list.items());
  for (const JsonValue& item : fields) {
    ASSIGN_OR_RETURN(PaimonField field, field_of(item));
    schema.fields.push_back(std::move(field));
  }
  ASSIGN_OR_RETURN(schema.highest_field_id, json.int32_at("highestFieldId"));
  ASSIGN_OR_RETURN(schema.partition_keys, json.texts_at("partitionKeys"));
  ASSIGN_OR_RETURN(schema.primary_keys, json.texts_at("primaryKeys"));
  ASSIGN_OR_RETURN(JsonValue options, json.at("options"));
  ASSIGN_OR_RETURN(schema.options, options.text_map());
  ASSIGN_OR_RETURN(schema.comment, json.optional_text("comment"));
  ASSIGN_OR_RETURN(std::optional<int64_t> time, json.optional_int64("timeMillis"));
  schema.time_ms = time.value_or(0);
  if (version.value_or(1) <= kLastVersionWithOneBucket) schema.options.emplace("bucket", "1");
  if (version.value_or(1) <= kLastVersionWithOrc) schema.options.emplace("file.format", "orc");

  for (const auto* keys : {&schema.partition_keys, &schema.primary_keys}) {
    for (const std::string& key : *keys) {
      if (!schema.index_of(key)) return json.error(fmt::format("key '{}' is no field", key));
    }
  }
  return schema;
}

}  // namespace

std::vector<std::string> PaimonSchema::trimmed_primary_key() const {
  std::vector<std::string> trimmed;
  for (const std::string& key : primary_keys) {
    bool partitions =
        std::find(partition_keys.begin(), partition_keys.end(), key) != partition_keys.end();
    if (!partitions) trimmed.push_back(key);
  }
  return trimmed;
}

std::optional<size_t> PaimonSchema::index_of(std::string_view name) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return std::nullopt;
}

int32_t PaimonSchema::bucket_count() const {
  auto option = options.find("bucket");
  if (option == options.end()) return -1;
  Result<int64_t> count = parse_integer(option->second);
  return count && *count > 0 && *count <= INT32_MAX ? static_cast<int32_t>(*count) : -1;
}

bool PaimonSchema::has_system_columns() const {
  constexpr std::array<std::string_view, 3> kNames = {
      kLakeBucketColumn, kLakeOffsetColumn, kLakeTimestampColumn};
  if (fields.size() < kNames.size()) return false;
  return std::equal(
      kNames.begin(),
      kNames.end(),
      fields.end() - kNames.size(),
      [](std::string_view name, const PaimonField& field) { return name == field.name; });
}

std::string to_json(const PaimonSchema& schema) {
  JsonWriter json;
  json.begin_object().field("version", kSchemaVersion).field("id", schema.id);
  json.key("fields").begin_array();
  for (const PaimonField& field : schema.fields) {
    json.begin_object().field("id", field.id).field("name", field.name).key("type");
    write_type(field.type, &json);
    json.field("description", field.description).end_object();
  }
  json.end_array().field("highestFieldId", schema.highest_field_id);
  json.key("partitionKeys").texts(schema.partition_keys);
  json.key("primaryKeys").texts(schema.primary_keys);
  json.key("options").text_map(schema.options);
  json.field("comment", schema.comment).field("timeMillis", schema.time_ms).end_object();
  return std::move(json).finish();
}

Result<PaimonSchema> paimon_schema_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kUnknownServerError));
  return schema_of(document.root());
}

}  // namespace lakestream::paimon
