#include "lake/avro/avro_schema.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "table/json_reader.h"

namespace lakestream::avro {
namespace {

constexpr std::array<std::pair<std::string_view, AvroKind>, 8> kPrimitives = {{
    {"null", AvroKind::kNull},
    {"boolean", AvroKind::kBoolean},
    {"int", AvroKind::kInt},
    {"long", AvroKind::kLong},
    {"float", AvroKind::kFloat},
    {"double", AvroKind::kDouble},
    {"bytes", AvroKind::kBytes},
    {"string", AvroKind::kString},
}};

std::optional<AvroKind> primitive_of(std::string_view name) {
  for (const auto& [text, kind] : kPrimitives) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

}  // namespace

class SchemaParser {
 public:
  Result<AvroSchema> parse(std::string_view json) {
    ASSIGN_OR_RETURN(JsonDocument document,
                     JsonDocument::parse(json, ErrorCode::kUnknownServerError));
    ASSIGN_OR_RETURN(const AvroType* root, type_of(document.root(), "", 0));
    AvroSchema schema;
    schema.text_ = std::make_shared<const std::string>(json);
    schema.types_ =
        std::make_shared<const std::vector<std::unique_ptr<AvroType>>>(std::move(types_));
    schema.root_ = root;
    return schema;
  }

 private:
  AvroType* add(AvroKind kind) {
    types_.push_back(std::make_unique<AvroType>(AvroType{.kind = kind}));
    return types_.back().get();
  }

  // `space` is the namespace of names without one.
  Result<const AvroType*> type_of(const JsonValue& json, const std::string& space, int depth) {
    if (depth > kMaxAvroDepth) return json.error("types are nested too deep");
    if (json.is_text()) return named_type_of(json, space);
    if (json.is_array()) return union_of(json, space, depth);
    ASSIGN_OR_RETURN(JsonValue type, json.at("type"));
    // A type within an object that only adds attributes.
    if (!type.is_text()) return type_of(type, space, depth + 1);
    ASSIGN_OR_RETURN(std::string kind, type.text());
    if (kind == "record" || kind == "error") return record_of(json, space, depth);
    if (kind == "array") return container_of(AvroKind::kArray, json, "items", space, depth);
    if (kind == "map") return container_of(AvroKind::kMap, json, "values", space, depth);
    if (kind == "enum") return enum_of(json, space);
    if (kind == "fixed") return fixed_of(json, space);
    return named_type_of(type, space);
  }

  Result<const AvroType*> named_type_of(const JsonValue& json, const std::string& space) {
    ASSIGN_OR_RETURN(std::string name, json.text());
    if (std::optional<AvroKind> kind = primitive_of(name)) return add(*kind);
    auto known = names_.find(space.empty() ? name : space + "." + name);
    if (known == names_.end()) known = names_.find(name);
    if (known == names_.end()) return json.error(fmt::format("'{}' is no type", name));
    return known->second;
  }

  Result<const AvroType*> union_of(const JsonValue& json, const std::string& space, int depth) {
    ASSIGN_OR_RETURN(std::vector<JsonValue> branches, json.items());
    AvroType* type = add(AvroKind::kUnion);
    for (const JsonValue& branch : branches) {
      ASSIGN_OR_RETURN(const AvroType* part, type_of(branch, space, depth + 1));
      if (part->kind == AvroKind::kUnion) return branch.error("a union holds no union");
      type->parts.push_back(part);
    }
    return type;
  }

  Result<const AvroType*> container_of(AvroKind kind,
                                       const JsonValue& json,
                                       std::string_view part_name,
                                       const std::string& space,
                                       int depth) {
    ASSIGN_OR_RETURN(JsonValue part, json.at(part_name));
    AvroType* type = add(kind);
    ASSIGN_OR_RETURN(const AvroType* element, type_of(part, space, depth + 1));
    type->parts.push_back(element);
    return type;
  }

  Result<const AvroType*> record_of(const JsonValue& json, const std::string& space, int depth) {
    ASSIGN_OR_RETURN(AvroType * type, named(AvroKind::kRecord, json, space));
    ASSIGN_OR_RETURN(JsonValue list, json.at("fields"));
    ASSIGN_OR_RETURN(std::vector<JsonValue> fields, list.items());
    size_t dot = type->name.rfind('.');
    std::string inner = dot == std::string::npos ? "" : type->name.substr(0, dot);
    for (const JsonValue& field : fields) {
      ASSIGN_OR_RETURN(std::string name, field.text_at("name"));
      ASSIGN_OR_RETURN(JsonValue text, field.at("type"));
      ASSIGN_OR_RETURN(const AvroType* part, type_of(text, inner, depth + 1));
      type->fields.push_back({std::move(name), part});
    }
    return type;
  }

  Result<const AvroType*> enum_of(const JsonValue& json, const std::string& space) {
    ASSIGN_OR_RETURN(AvroType * type, named(AvroKind::kEnum, json, space));
    ASSIGN_OR_RETURN(type->symbols, json.texts_at("symbols"));
    return type;
  }

  Result<const AvroType*> fixed_of(const JsonValue& json, const std::string& space) {
    ASSIGN_OR_RETURN(AvroType * type, named(AvroKind::kFixed, json, space));
    ASSIGN_OR_RETURN(int64_t size, json.int64_at("size"));
    if (size < 0 || size > kMaxAvroFixedBytes) {
      return json.error(fmt::format("a fixed of {} bytes", size));
    }
    type->size = static_cast<uint32_t>(size);
    return type;
  }

  // A type with a name, which may be used from here on, also inside itself.
  Result<AvroType*> named(AvroKind kind, const JsonValue& json, const std::string& space) {
    ASSIGN_OR_RETURN(std::string name, json.text_at("name"));
    if (name.find('.') == std::string::npos) {
      ASSIGN_OR_RETURN(std::optional<std::string> own, json.optional_text("namespace"));
      const std::string& prefix = own ? *own : space;
      if (!prefix.empty()) name = prefix + "." + name;
    }
    AvroType* type = add(kind);
    type->name = name;
    if (!names_.emplace(name, type).second) {
      return json.error(fmt::format("the name '{}' is given twice", name));
    }
    return type;
  }

  std::vector<std::unique_ptr<AvroType>> types_;
  std::map<std::string, const AvroType*, std::less<>> names_;
};

Result<AvroSchema> AvroSchema::parse(std::string_view json) {
  Result<AvroSchema> schema = SchemaParser().parse(json);
  if (schema) return schema;
  return fail(std::move(schema).error().with_context("avro schema"));
}

}  // namespace lakestream::avro
