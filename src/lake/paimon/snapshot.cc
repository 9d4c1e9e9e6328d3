#include "lake/paimon/snapshot.h"

#include <utility>

#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream::paimon {
namespace {

constexpr int32_t kSnapshotVersion = 3;

Result<PaimonSnapshot> snapshot_of(const JsonValue& json) {
  PaimonSnapshot snapshot;
  ASSIGN_OR_RETURN(snapshot.id, json.int64_at("id"));
  ASSIGN_OR_RETURN(snapshot.schema_id, json.int64_at("schemaId"));
  ASSIGN_OR_RETURN(snapshot.base_manifest_list, json.text_at("baseManifestList"));
  ASSIGN_OR_RETURN(snapshot.base_manifest_list_size, json.optional_int64("baseManifestListSize"));
  ASSIGN_OR_RETURN(snapshot.delta_manifest_list, json.text_at("deltaManifestList"));
  ASSIGN_OR_RETURN(snapshot.delta_manifest_list_size, json.optional_int64("deltaManifestListSize"));
  ASSIGN_OR_RETURN(snapshot.changelog_manifest_list, json.optional_text("changelogManifestList"));
  ASSIGN_OR_RETURN(snapshot.changelog_manifest_list_size,
                   json.optional_int64("changelogManifestListSize"));
  ASSIGN_OR_RETURN(snapshot.index_manifest, json.optional_text("indexManifest"));
  ASSIGN_OR_RETURN(snapshot.commit_user, json.text_at("commitUser"));
  ASSIGN_OR_RETURN(snapshot.commit_identifier, json.int64_at("commitIdentifier"));
  ASSIGN_OR_RETURN(snapshot.commit_kind, json.text_at("commitKind"));
  ASSIGN_OR_RETURN(snapshot.time_ms, json.int64_at("timeMillis"));
  ASSIGN_OR_RETURN(std::optional<int64_t> total, json.optional_int64("totalRecordCount"));
  ASSIGN_OR_RETURN(std::optional<int64_t> delta, json.optional_int64("deltaRecordCount"));
  snapshot.total_records = total.value_or(0);
  snapshot.delta_records = delta.value_or(0);
  ASSIGN_OR_RETURN(snapshot.changelog_records, json.optional_int64("changelogRecordCount"));
  ASSIGN_OR_RETURN(snapshot.watermark, json.optional_int64("watermark"));
  ASSIGN_OR_RETURN(snapshot.statistics, json.optional_text("statistics"));
  if (std::optional<JsonValue> properties = json.find("properties")) {
    ASSIGN_OR_RETURN(snapshot.properties, properties->text_map());
  }
  ASSIGN_OR_RETURN(snapshot.next_row_id, json.optional_int64("nextRowId"));
  return snapshot;
}

}  // namespace

std::string to_json(const PaimonSnapshot& snapshot) {
  JsonWriter json;
  json.begin_object().field("version", kSnapshotVersion).field("id", snapshot.id);
  json.field("schemaId", snapshot.schema_id);
  json.field("baseManifestList", snapshot.base_manifest_list);
  json.field("baseManifestListSize", snapshot.base_manifest_list_size);
  json.field("deltaManifestList", snapshot.delta_manifest_list);
  json.field("deltaManifestListSize", snapshot.delta_manifest_list_size);
  // Readers of older versions want the key, though it is null.
  json.key("changelogManifestList");
  if (snapshot.changelog_manifest_list) {
    json.text(*snapshot.changelog_manifest_list);
  } else {
    json.null();
  }
  json.field("changelogManifestListSize", snapshot.changelog_manifest_list_size);
  json.field("indexManifest", snapshot.index_manifest);
  json.field("commitUser", snapshot.commit_user);
  json.field("commitIdentifier", snapshot.commit_identifier);
  json.field("commitKind", snapshot.commit_kind);
  json.field("timeMillis", snapshot.time_ms);
  json.field("totalRecordCount", snapshot.total_records);
  json.field("deltaRecordCount", snapshot.delta_records);
  json.field("changelogRecordCount", snapshot.changelog_records);
  json.field("watermark", snapshot.watermark);
  json.field("statistics", snapshot.statistics);
  if (!snapshot.properties.empty()) json.key("properties").text_map(snapshot.properties);
  json.field("nextRowId", snapshot.next_row_id).end_object();
  return std::move(json).finish();
}

Result<PaimonSnapshot> paimon_snapshot_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kUnknownServerError));
  return snapshot_of(document.root());
}

}  // namespace lakestream::paimon
