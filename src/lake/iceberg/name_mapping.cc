#include "lake/iceberg/name_mapping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace lakestream::iceberg {
namespace {

using Names = std::map<int32_t, std::vector<std::string>>;

// An entry without an id stands for a field that the table has not.
Status read_entries(const JsonValue& json, int depth, Names* names) {
  if (depth > kMaxTypeDepth) return json.error("fields are nested too deep");
  ASSIGN_OR_RETURN(std::vector<JsonValue> entries, json.items());
  for (const JsonValue& entry : entries) {
    ASSIGN_OR_RETURN(std::optional<int32_t> id, entry.optional_int32("field-id"));
    ASSIGN_OR_RETURN(std::vector<std::string> of_field, entry.texts_at("names"));
    if (id) (*names)[*id] = std::move(of_field);
    if (std::optional<JsonValue> fields = entry.find("fields")) {
      RETURN_IF_ERROR(read_entries(*fields, depth + 1, names));
    }
  }
  return ok();
}

void give_names(const Names& names, std::vector<NestedField>* fields) {
  for (NestedField& field : *fields) {
    auto found = names.find(field.id);
    field.names_in_files = found == names.end() ? std::vector<std::string>() : found->second;
    give_names(names, &field.type.fields);
  }
}

}  // namespace

Status map_names(std::string_view mapping, std::vector<IcebergSchema>* schemas) {
  auto read = [&]() -> Result<Names> {
    ASSIGN_OR_RETURN(JsonDocument document,
                     JsonDocument::parse(mapping, ErrorCode::kUnknownServerError));
    Names names;
    RETURN_IF_ERROR(read_entries(document.root(), 0, &names));
    return names;
  };
  Result<Names> names = read();
  if (!names) {
    return make_error(names.error().code(),
                      "property {} of the Iceberg table: {}",
                      kNameMappingProperty,
                      names.error().message());
  }
  for (IcebergSchema& schema : *schemas) give_names(*names, &schema.fields);
  return ok();
}

bool has_own_names(const NestedField& field) {
  const auto& names = field.names_in_files;
  if (names && (names->size() != 1 || names->front() != field.name)) return false;
  // Parts of lists and maps are found by their places.
  bool has_names = field.type.kind == TypeKind::kStruct;
  const std::vector<NestedField>& fields = field.type.fields;
  return std::all_of(fields.begin(), fields.end(), [&](const NestedField& child) {
    if (has_names) return has_own_names(child);
    return std::all_of(child.type.fields.begin(), child.type.fields.end(), has_own_names);
  });
}

}  // namespace lakestream::iceberg
