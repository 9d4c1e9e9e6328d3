#include "lake/iceberg/types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace lakestream::iceberg {
namespace {

constexpr std::array<std::pair<std::string_view, TypeKind>, 12> kNames = {
    {{"boolean", TypeKind::kBoolean},
     {"int", TypeKind::kInt},
     {"long", TypeKind::kLong},
     {"float", TypeKind::kFloat},
     {"double", TypeKind::kDouble},
     {"date", TypeKind::kDate},
     {"time", TypeKind::kTime},
     {"timestamp", TypeKind::kTimestamp},
     {"timestamptz", TypeKind::kTimestampTz},
     {"string", TypeKind::kString},
     {"binary", TypeKind::kBinary},
     {"uuid", TypeKind::kUuid}}};

IcebergType scalar(TypeKind kind, int32_t precision = 0, int32_t scale = 0) {
  IcebergType type;
  type.kind = kind;
  type.precision = precision;
  type.scale = scale;
  return type;
}

IcebergType nested(TypeKind kind, std::vector<NestedField> fields) {
  IcebergType type;
  type.kind = kind;
  type.fields = std::move(fields);
  return type;
}

// The numbers of "decimal(10, 2)" or "fixed[16]".
std::optional<std::vector<int32_t>> numbers_in(std::string_view text,
                                               std::string_view begin,
                                               char end) {
  if (!text.starts_with(begin) || !text.ends_with(end)) return std::nullopt;
  text.remove_prefix(begin.size());
  text.remove_suffix(1);
  std::vector<int32_t> numbers;
  while (true) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    int32_t number = 0;
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) return numbers;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

IcebergType scalar_of(std::string_view text) {
  for (const auto& [name, kind] : kNames) {
    if (text == name) return scalar(kind);
  }
  if (auto numbers = numbers_in(text, "decimal(", ')'); numbers && numbers->size() == 2) {
    return scalar(TypeKind::kDecimal, (*numbers)[0], (*numbers)[1]);
  }
  if (auto numbers = numbers_in(text, "fixed[", ']'); numbers && numbers->size() == 1) {
    return scalar(TypeKind::kFixed, (*numbers)[0]);
  }
  IcebergType type = scalar(TypeKind::kOther);
  type.text = text;
  return type;
}

std::vector<NestedField> fields_of_row(const DataType& type, int32_t* highest_id) {
  std::vector<NestedField> fields(type.fields().size());
  for (NestedField& field : fields) field.id = ++*highest_id;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Field& ours = type.fields()[i];
    fields[i].name = ours.name;
    fields[i].required = !ours.type.nullable();
    fields[i].type = iceberg_type_of(ours.type, highest_id);
    fields[i].doc = ours.description;
  }
  return fields;
}

NestedField part(std::string name, bool required, int32_t id) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.required = required;
  return field;
}

IcebergType list_of(const DataType& type, int32_t* highest_id) {
  NestedField element = part("element", !type.element_type().nullable(), ++*highest_id);
  element.type = iceberg_type_of(type.element_type(), highest_id);
  return nested(TypeKind::kList, {std::move(element)});
}

IcebergType map_of(const DataType& type, int32_t* highest_id) {
  NestedField key = part("key", true, ++*highest_id);
  NestedField value = part("value", !type.value_type().nullable(), ++*highest_id);
  key.type = iceberg_type_of(type.key_type(), highest_id);
  value.type = iceberg_type_of(type.value_type(), highest_id);
  return nested(TypeKind::kMap, {std::move(key), std::move(value)});
}

Result<IcebergType> type_of(const JsonValue& json, int depth);

Result<NestedField> part_of(const JsonValue& json,
                            const std::string& name,
                            bool required,
                            int depth) {
  NestedField field = part(name, required, 0);
  ASSIGN_OR_RETURN(field.id, json.int32_at(name + "-id"));
  ASSIGN_OR_RETURN(JsonValue type, json.at(name));
  ASSIGN_OR_RETURN(field.type, type_of(type, depth));
  return field;
}

Result<bool> required_of(const JsonValue& json, std::string_view key) {
  ASSIGN_OR_RETURN(JsonValue value, json.at(key));
  return value.boolean();
}

Result<NestedField> field_of(const JsonValue& json, int depth) {
  NestedField field;
  ASSIGN_OR_RETURN(field.id, json.int32_at("id"));
  ASSIGN_OR_RETURN(field.name, json.text_at("name"));
  ASSIGN_OR_RETURN(field.required, required_of(json, "required"));
  ASSIGN_OR_RETURN(JsonValue type, json.at("type"));
  ASSIGN_OR_RETURN(field.type, type_of(type, depth));
  ASSIGN_OR_RETURN(field.doc, json.optional_text("doc"));
  return field;
}

Result<IcebergType> struct_of(const JsonValue& json, int depth) {
  ASSIGN_OR_RETURN(JsonValue list, json.at("fields"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  std::vector<NestedField> fields;
  for (const JsonValue& item : items) {
    ASSIGN_OR_RETURN(NestedField field, field_of(item, depth));
    fields.push_back(std::move(field));
  }
  return nested(TypeKind::kStruct, std::move(fields));
}

Result<IcebergType> type_of(const JsonValue& json, int depth) {
  if (depth > kMaxTypeDepth) return json.error("types are nested too deep");
  if (json.is_text()) {
    ASSIGN_OR_RETURN(std::string text, json.text());
    return scalar_of(text);
  }
  ASSIGN_OR_RETURN(std::string kind, json.text_at("type"));
  if (kind == "list") {
    ASSIGN_OR_RETURN(bool required, required_of(json, "element-required"));
    ASSIGN_OR_RETURN(NestedField element, part_of(json, "element", required, depth + 1));
    return nested(TypeKind::kList, {std::move(element)});
  }
  if (kind == "map") {
    ASSIGN_OR_RETURN(bool required, required_of(json, "value-required"));
    ASSIGN_OR_RETURN(NestedField key, part_of(json, "key", true, depth + 1));
    ASSIGN_OR_RETURN(NestedField value, part_of(json, "value", required, depth + 1));
    return nested(TypeKind::kMap, {std::move(key), std::move(value)});
  }
  if (kind == "struct") return struct_of(json, depth + 1);
  return json.error(fmt::format("there is no type '{}' here", kind));
}

}  // namespace

bool operator==(const IcebergType& a, const IcebergType& b) {
  return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale && a.text == b.text &&
         a.fields == b.fields;
}

bool operator==(const NestedField& a, const NestedField& b) {
  return a.id == b.id && a.name == b.name && a.required == b.required && a.type == b.type &&
         a.doc == b.doc;
}

bool same_type(const IcebergType& a, const IcebergType& b) {
  return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale && a.text == b.text &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same_field);
}

bool same_field(const NestedField& a, const NestedField& b) {
  return a.name == b.name && a.required == b.required && same_type(a.type, b.type);
}

IcebergType iceberg_type_of(const DataType& type, int32_t* highest_id) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return scalar(TypeKind::kBoolean);
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
      return scalar(TypeKind::kInt);
    case TypeRoot::kBigint:
      return scalar(TypeKind::kLong);
    case TypeRoot::kFloat:
      return scalar(TypeKind::kFloat);
    case TypeRoot::kDouble:
      return scalar(TypeKind::kDouble);
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return scalar(TypeKind::kString);
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      return scalar(TypeKind::kBinary);
    case TypeRoot::kDecimal:
      return scalar(TypeKind::kDecimal, type.precision(), type.scale());
    case TypeRoot::kDate:
      return scalar(TypeKind::kDate);
    case TypeRoot::kTime:
      return scalar(TypeKind::kTime);
    case TypeRoot::kTimestamp:
      return scalar(TypeKind::kTimestamp);
    case TypeRoot::kTimestampLtz:
      return scalar(TypeKind::kTimestampTz);
    case TypeRoot::kArray:
      return list_of(type, highest_id);
    case TypeRoot::kMap:
      return map_of(type, highest_id);
    case TypeRoot::kRow:
      break;
  }
  return nested(TypeKind::kStruct, fields_of_row(type, highest_id));
}

namespace {

std::optional<DataType> scalar_data_type_of(const IcebergType& type) {
  constexpr int32_t kMicros = 6;
  switch (type.kind) {
    case TypeKind::kBoolean:
      return DataType::boolean();
    case TypeKind::kInt:
      return DataType::integer();
    case TypeKind::kLong:
      return DataType::bigint();
    case TypeKind::kFloat:
      return DataType::float_();
    case TypeKind::kDouble:
      return DataType::double_();
    case TypeKind::kDecimal:
      return DataType::decimal(type.precision, type.scale);
    case TypeKind::kDate:
      return DataType::date();
    case TypeKind::kTime:
      return DataType::time(kMicros);
    case TypeKind::kTimestamp:
      return DataType::timestamp(kMicros);
    case TypeKind::kTimestampTz:
      return DataType::timestamp_ltz(kMicros);
    case TypeKind::kString:
      return DataType::string();
    case TypeKind::kBinary:
      return DataType::bytes();
    case TypeKind::kFixed:
      return DataType::binary(type.precision);
    default:
      return std::nullopt;
  }
}

std::optional<DataType> nested_data_type_of(const IcebergType& type) {
  std::vector<Field> fields;
  for (const NestedField& field : type.fields) {
    std::optional<DataType> ours = data_type_of(field.type, !field.required);
    if (!ours) return std::nullopt;
    fields.push_back(Field{field.name, *std::move(ours), field.doc, field.id});
  }
  if (type.kind == TypeKind::kList) return DataType::array(std::move(fields[0].type));
  if (type.kind == TypeKind::kMap) {
    return DataType::map(std::move(fields[0].type), std::move(fields[1].type));
  }
  return DataType::row(std::move(fields));
}

}  // namespace

std::optional<DataType> data_type_of(const IcebergType& type, bool nullable) {
  std::optional<DataType> ours =
      type.is_nested() ? nested_data_type_of(type) : scalar_data_type_of(type);
  if (!ours || !ours->check()) return std::nullopt;
  return ours->with_nullable(nullable);
}

void write_type(const IcebergType& type, JsonWriter* json) {
  switch (type.kind) {
    case TypeKind::kList: {
      const NestedField& element = type.fields[0];
      json->begin_object().field("type", "list").field("element-id", element.id).key("element");
      write_type(element.type, json);
      json->field("element-required", element.required).end_object();
      return;
    }
    case TypeKind::kMap: {
      const NestedField& key = type.fields[0];
      const NestedField& value = type.fields[1];
      json->begin_object().field("type", "map").field("key-id", key.id).key("key");
      write_type(key.type, json);
      json->field("value-id", value.id).key("value");
      write_type(value.type, json);
      json->field("value-required", value.required).end_object();
      return;
    }
    case TypeKind::kStruct:
      json->begin_object().field("type", "struct").key("fields").begin_array();
      for (const NestedField& field : type.fields) write_field(field, json);
      json->end_array().end_object();
      return;
    default:
      json->text(to_string(type));
  }
}

void write_field(const NestedField& field, JsonWriter* json) {
  json->begin_object()
      .field("id", field.id)
      .field("name", field.name)
      .field("required", field.required)
      .key("type");
  write_type(field.type, json);
  json->field("doc", field.doc).end_object();
}

Result<IcebergType> type_of(const JsonValue& json) { return type_of(json, 0); }

Result<NestedField> field_of(const JsonValue& json) { return field_of(json, 0); }

std::string to_string(const IcebergType& type) {
  switch (type.kind) {
    case TypeKind::kDecimal:
      return fmt::format("decimal({}, {})", type.precision, type.scale);
    case TypeKind::kFixed:
      return fmt::format("fixed[{}]", type.precision);
    case TypeKind::kOther:
      return type.text;
    case TypeKind::kList:
      return fmt::format("list<{}>", to_string(type.fields[0].type));
    case TypeKind::kMap:
      return fmt::format(
          "map<{}, {}>", to_string(type.fields[0].type), to_string(type.fields[1].type));
    case TypeKind::kStruct: {
      std::vector<std::string> parts;
      for (const NestedField& field : type.fields) {
        parts.push_back(fmt::format("{}: {}", field.name, to_string(field.type)));
      }
      return fmt::format("struct<{}>", fmt::join(parts, ", "));
    }
    default:
      break;
  }
  auto name = std::find_if(kNames.begin(), kNames.end(), [&](const auto& candidate) {
    return candidate.second == type.kind;
  });
  return std::string(name->first);
}

}  // namespace lakestream::iceberg
