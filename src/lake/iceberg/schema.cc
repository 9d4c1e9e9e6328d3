#include "lake/iceberg/schema.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "format/arrow_schema.h"
#include "lake/lake.h"

namespace lakestream::iceberg {
namespace {

int32_t highest_id_of(const std::vector<NestedField>& fields) {
  int32_t highest = 0;
  for (const NestedField& field : fields) {
    highest = std::max({highest, field.id, highest_id_of(field.type.fields)});
  }
  return highest;
}

std::shared_ptr<arrow::DataType> arrow_data_type_of(const IcebergType& type) {
  switch (type.kind) {
    case TypeKind::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeKind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeKind::kTimestampTz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeKind::kList:
      return arrow::list(arrow_field_of(type.fields[0]));
    case TypeKind::kMap:
      return std::make_shared<arrow::MapType>(arrow_field_of(type.fields[0]),
                                              arrow_field_of(type.fields[1]));
    case TypeKind::kStruct: {
      arrow::FieldVector fields;
      for (const NestedField& field : type.fields) fields.push_back(arrow_field_of(field));
      return arrow::struct_(fields);
    }
    default:
      return arrow_type_of(*data_type_of(type, true));
  }
}

}  // namespace

std::optional<size_t> IcebergSchema::index_of(std::string_view name) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return std::nullopt;
}

const NestedField* IcebergSchema::find(std::string_view name) const {
  std::optional<size_t> index = index_of(name);
  return index ? &fields[*index] : nullptr;
}

const NestedField* IcebergSchema::find(int32_t id_of_field) const {
  for (const NestedField& field : fields) {
    if (field.id == id_of_field) return &field;
  }
  return nullptr;
}

bool IcebergSchema::has_system_columns() const {
  if (fields.size() < 3) return false;
  const NestedField* last = &fields[fields.size() - 3];
  return last[0].name == kLakeBucketColumn && last[1].name == kLakeOffsetColumn &&
         last[2].name == kLakeTimestampColumn;
}

int32_t IcebergSchema::highest_id() const { return highest_id_of(fields); }

bool operator==(const IcebergSchema& a, const IcebergSchema& b) {
  return a.id == b.id && same_columns(a, b);
}

bool same_columns(const IcebergSchema& a, const IcebergSchema& b) {
  return a.fields == b.fields && a.identifier_ids == b.identifier_ids;
}

std::shared_ptr<arrow::Field> arrow_field_of(const NestedField& field) {
  return arrow::field(
      field.name,
      arrow_data_type_of(field.type),
      !field.required,
      arrow::key_value_metadata({std::string(kFieldIdKey)}, {std::to_string(field.id)}));
}

std::shared_ptr<arrow::Schema> arrow_schema_of(const IcebergSchema& schema) {
  arrow::FieldVector fields;
  for (const NestedField& field : schema.fields) {
    if (data_type_of(field.type, true)) fields.push_back(arrow_field_of(field));
  }
  return arrow::schema(std::move(fields));
}

void write_schema(const IcebergSchema& schema, JsonWriter* json) {
  json->begin_object().field("type", "struct").field("schema-id", schema.id);
  if (schema.has_primary_key()) {
    json->key("identifier-field-ids").begin_array();
    for (int32_t id : schema.identifier_ids) json->integer(id);
    json->end_array();
  }
  json->key("fields").begin_array();
  for (const NestedField& field : schema.fields) write_field(field, json);
  json->end_array().end_object();
}

Result<IcebergSchema> schema_of(const JsonValue& json) {
  IcebergSchema schema;
  ASSIGN_OR_RETURN(std::optional<int32_t> id, json.optional_int32("schema-id"));
  schema.id = id.value_or(0);
  ASSIGN_OR_RETURN(IcebergType columns, type_of(json));
  if (columns.kind != TypeKind::kStruct) return json.error("is no struct of columns");
  schema.fields = std::move(columns.fields);
  if (std::optional<JsonValue> ids = json.find("identifier-field-ids")) {
    ASSIGN_OR_RETURN(std::vector<JsonValue> items, ids->items());
    for (const JsonValue& item : items) {
      ASSIGN_OR_RETURN(int32_t identifier, item.int32());
      schema.identifier_ids.push_back(identifier);
    }
  }
  return schema;
}

}  // namespace lakestream::iceberg
