#include "table/json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream {
namespace {

constexpr int32_t kVersion = 1;

void write_type(JsonWriter& json, const DataType& type);

void write_row_fields(JsonWriter& json, const std::vector<Field>& fields) {
  json.key("fields").begin_array();
  for (const Field& field : fields) {
    json.begin_object().field("name", field.name).key("field_type");
    write_type(json, field.type);
    json.field("description", field.description).field("field_id", field.id).end_object();
  }
  json.end_array();
}

void write_type(JsonWriter& json, const DataType& type) {
  json.begin_object().field("type", type_root_name(type.root()));
  if (!type.nullable()) json.field("nullable", false);
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
      json.field("length", type.length());
      break;
    case TypeRoot::kDecimal:
      json.field("precision", type.precision()).field("scale", type.scale());
      break;
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      json.field("precision", type.precision());
      break;
    case TypeRoot::kArray:
      write_type(json.key("element_type"), type.element_type());
      break;
    case TypeRoot::kMap:
      write_type(json.key("key_type"), type.key_type());
      write_type(json.key("value_type"), type.value_type());
      break;
    case TypeRoot::kRow:
      write_row_fields(json, type.fields());
      break;
    default:
      break;
  }
  json.end_object();
}

void write_column(JsonWriter& json, const Column& column) {
  json.begin_object().field("name", column.name).key("data_type");
  write_type(json, column.type);
  json.field("comment", column.comment);
  if (column.agg) {
    json.key("agg_function").begin_object().field("type", agg_type_name(column.agg->type));
    if (!column.agg->parameters.empty()) json.key("parameters").text_map(column.agg->parameters);
    json.end_object();
  }
  json.field("id", column.id).end_object();
}

void write_schema(JsonWriter& json, const Schema& schema) {
  json.begin_object().field("version", kVersion).key("columns").begin_array();
  for (const Column& column : schema.columns()) write_column(json, column);
  json.end_array();
  if (schema.has_primary_key()) json.key("primary_key").texts(schema.primary_key());
  if (!schema.auto_increment_columns().empty()) {
    json.key("auto_increment_column").texts(schema.auto_increment_columns());
  }
  json.field("highest_field_id", schema.highest_field_id()).end_object();
}

Result<DataType> read_type(const JsonValue& value, int depth);

Result<DataType> read_row(const JsonValue& value, int depth) {
  ASSIGN_OR_RETURN(JsonValue list, value.at("fields"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  std::vector<Field> fields;
  for (const JsonValue& item : items) {
    Field field;
    ASSIGN_OR_RETURN(field.name, item.text_at("name"));
    ASSIGN_OR_RETURN(JsonValue type, item.at("field_type"));
    ASSIGN_OR_RETURN(field.type, read_type(type, depth + 1));
    ASSIGN_OR_RETURN(field.description, item.optional_text("description"));
    ASSIGN_OR_RETURN(std::optional<int32_t> id, item.optional_int32("field_id"));
    field.id = id.value_or(kUnknownFieldId);
    if (field.id < kUnknownFieldId) return item.error(fmt::format("field_id {} is negative", *id));
    fields.push_back(std::move(field));
  }
  return DataType::row(std::move(fields));
}

Result<DataType> read_nested(const JsonValue& value, TypeRoot root, int depth) {
  if (root == TypeRoot::kRow) return read_row(value, depth);
  if (root == TypeRoot::kArray) {
    ASSIGN_OR_RETURN(JsonValue element, value.at("element_type"));
    ASSIGN_OR_RETURN(DataType element_type, read_type(element, depth + 1));
    return DataType::array(std::move(element_type));
  }
  ASSIGN_OR_RETURN(JsonValue key, value.at("key_type"));
  ASSIGN_OR_RETURN(DataType key_type, read_type(key, depth + 1));
  ASSIGN_OR_RETURN(JsonValue mapped, value.at("value_type"));
  ASSIGN_OR_RETURN(DataType value_type, read_type(mapped, depth + 1));
  return DataType::map(std::move(key_type), std::move(value_type));
}

// A type without fields: its root with the parameters that the root takes.
Result<DataType> read_scalar(const JsonValue& value, TypeRoot root) {
  int32_t parameter = 0;
  int32_t scale = 0;
  if (root == TypeRoot::kChar || root == TypeRoot::kBinary) {
    ASSIGN_OR_RETURN(parameter, value.int32_at("length"));
  }
  if (root >= TypeRoot::kDecimal && root <= TypeRoot::kTimestampLtz && root != TypeRoot::kDate) {
    ASSIGN_OR_RETURN(parameter, value.int32_at("precision"));
  }
  if (root == TypeRoot::kDecimal) {
    ASSIGN_OR_RETURN(scale, value.int32_at("scale"));
  }
  return DataType::scalar(root, parameter, scale);
}

Result<DataType> read_type(const JsonValue& value, int depth) {
  if (depth > kMaxTypeDepth) {
    return value.error(fmt::format("type is nested deeper than {} levels", kMaxTypeDepth));
  }
  ASSIGN_OR_RETURN(std::string name, value.text_at("type"));
  std::optional<TypeRoot> root = type_root_of(name);
  if (!root) return value.error(fmt::format("type '{}' is unknown", name));

  Result<DataType> type =
      *root >= TypeRoot::kArray ? read_nested(value, *root, depth) : read_scalar(value, *root);
  if (!type) return type;
  if (Status valid = type->check(); !valid) return value.error(valid.error().message());
  if (std::optional<JsonValue> nullable = value.find("nullable")) {
    ASSIGN_OR_RETURN(bool allowed, nullable->boolean());
    return type->with_nullable(allowed);
  }
  return type;
}

Result<AggFunction> read_agg_function(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::string name, value.text_at("type"));
  std::optional<AggType> type = agg_type_of(name);
  if (!type) return value.error(fmt::format("aggregate function '{}' is unknown", name));
  AggFunction function{*type, {}};
  if (std::optional<JsonValue> parameters = value.find("parameters")) {
    ASSIGN_OR_RETURN(function.parameters, parameters->text_map());
  }
  return function;
}

Result<Column> read_column(const JsonValue& value) {
  Column column;
  ASSIGN_OR_RETURN(column.name, value.text_at("name"));
  ASSIGN_OR_RETURN(JsonValue type, value.at("data_type"));
  ASSIGN_OR_RETURN(column.type, read_type(type, 0));
  ASSIGN_OR_RETURN(column.comment, value.optional_text("comment"));
  if (std::optional<JsonValue> function = value.find("agg_function")) {
    ASSIGN_OR_RETURN(column.agg, read_agg_function(*function));
  }
  ASSIGN_OR_RETURN(std::optional<int32_t> id, value.optional_int32("id"));
  column.id = id.value_or(kUnknownFieldId);
  return column;
}

Result<std::vector<Column>> read_columns(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, value.items());
  std::vector<Column> columns;
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(Column column, read_column(item));
    columns.push_back(std::move(column));
  }
  auto has_id = [](const Column& column) { return column.id != kUnknownFieldId; };
  if (std::none_of(columns.begin(), columns.end(), has_id)) {
    for (size_t i = 0; i < columns.size(); ++i) columns[i].id = static_cast<int32_t>(i);
  } else if (!std::all_of(columns.begin(), columns.end(), has_id)) {
    return value.error("some columns have an id and some have none, give all or none");
  }
  return columns;
}

Result<Schema> read_schema(const JsonValue& value) {
  ASSIGN_OR_RETURN(JsonValue list, value.at("columns"));
  ASSIGN_OR_RETURN(std::vector<Column> columns, read_columns(list));
  ASSIGN_OR_RETURN(std::optional<int32_t> highest, value.optional_int32("highest_field_id"));
  SchemaBuilder builder;
  for (Column& column : columns) builder.column_with_ids(std::move(column));
  int32_t highest_used = builder.highest_field_id();
  if (highest && *highest < highest_used) {
    return value.error(
        fmt::format("highest_field_id {} is below the id {} of a field", *highest, highest_used));
  }
  builder.raise_highest_field_id(highest.value_or(highest_used));
  if (std::optional<JsonValue> key = value.find("primary_key")) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, key->texts());
    if (names.empty()) return key->error("is empty, leave it out for a table without one");
    builder.primary_key(std::move(names));
  }
  if (std::optional<JsonValue> increment = value.find("auto_increment_column")) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, increment->texts());
    for (std::string& name : names) builder.auto_increment(std::move(name));
  }
  Result<Schema> schema = builder.build();
  if (!schema) return value.error(schema.error().message());
  return schema;
}

Result<std::optional<Distribution>> read_distribution(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::optional<int32_t> count, value.optional_int32("bucket_count"));
  std::optional<JsonValue> keys = value.find("bucket_key");
  if (!keys && !count) return std::optional<Distribution>();
  Distribution distribution{count, {}};
  if (keys) {
    ASSIGN_OR_RETURN(distribution.bucket_keys, keys->texts());
  }
  return std::optional<Distribution>(std::move(distribution));
}

Result<Properties> read_properties(const JsonValue& value, std::string_view key) {
  std::optional<JsonValue> map = value.find(key);
  if (!map) return Properties();
  return map->text_map();
}

}  // namespace

std::string to_json(const DataType& type) {
  JsonWriter json;
  write_type(json, type);
  return std::move(json).finish();
}

std::string to_json(const Schema& schema) {
  JsonWriter json;
  write_schema(json, schema);
  return std::move(json).finish();
}

std::string to_json(const TableDescriptor& table) {
  JsonWriter json;
  json.begin_object().field("version", kVersion);
  write_schema(json.key("schema"), table.schema);
  json.field("comment", table.comment);
  json.key("partition_key").texts(table.partition_keys);
  if (table.distribution) {
    json.key("bucket_key").texts(table.distribution->bucket_keys);
    json.field("bucket_count", table.distribution->bucket_count);
  }
  json.key("properties").text_map(table.properties);
  json.key("custom_properties").text_map(table.custom_properties);
  json.end_object();
  return std::move(json).finish();
}

std::string to_json(const DatabaseDescriptor& database) {
  JsonWriter json;
  json.begin_object().field("version", kVersion).field("comment", database.comment);
  json.key("custom_properties").text_map(database.custom_properties).end_object();
  return std::move(json).finish();
}

Result<DataType> data_type_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kInvalidTableException));
  return read_type(document.root(), 0);
}

Result<Schema> schema_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kInvalidTableException));
  return read_schema(document.root());
}

Result<TableDescriptor> table_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kInvalidTableException));
  JsonValue root = document.root();
  TableDescriptor table;
  ASSIGN_OR_RETURN(JsonValue schema, root.at("schema"));
  ASSIGN_OR_RETURN(table.schema, read_schema(schema));
  ASSIGN_OR_RETURN(table.comment, root.optional_text("comment"));
  if (std::optional<JsonValue> keys = root.find("partition_key")) {
    ASSIGN_OR_RETURN(table.partition_keys, keys->texts());
  }
  ASSIGN_OR_RETURN(table.distribution, read_distribution(root));
  ASSIGN_OR_RETURN(table.properties, read_properties(root, "properties"));
  ASSIGN_OR_RETURN(table.custom_properties, read_properties(root, "custom_properties"));
  return normalize(std::move(table));
}

Result<DatabaseDescriptor> database_from_json(std::string_view text) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(text, ErrorCode::kInvalidDatabaseException));
  JsonValue root = document.root();
  DatabaseDescriptor database;
  ASSIGN_OR_RETURN(database.comment, root.optional_text("comment"));
  ASSIGN_OR_RETURN(database.custom_properties, read_properties(root, "custom_properties"));
  return database;
}

}  // namespace lakestream
