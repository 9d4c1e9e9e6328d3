#include "cli/text/json_value.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/text/parse_value.h"

namespace lakestream::cli {
bool is_number_type(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
    case TypeRoot::kDecimal:
      return true;
    default:
      return false;
  }
}

namespace {

using Kind = JsonNode::Kind;

std::optional<Value> fail_at(const JsonNode& node, const DataType& type, Misfit* misfit) {
  misfit->path.clear();
  misfit->value = short_text(node);
  misfit->type = type;
  return std::nullopt;
}

bool is_timestamp_type(const DataType& type) {
  return type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz);
}

std::optional<Value> scalar_of(const JsonNode& node, const DataType& type, Arena* arena) {
  switch (node.kind) {
    case Kind::kBoolean:
      if (type.is(TypeRoot::kBoolean)) return Value::boolean(node.boolean);
      return std::nullopt;
    case Kind::kInteger:
      if (type.is(TypeRoot::kBigint)) return Value::integer(node.integer);
      if (is_timestamp_type(type)) return timestamp_of_ms(type, node.integer);
      if (!is_number_type(type)) return std::nullopt;
      return parse_value(type, arena->copy(std::to_string(node.integer)), arena);
    case Kind::kNumber:
      if (!is_number_type(type)) return std::nullopt;
      return parse_value(type, node.text, arena);
    case Kind::kText:
      return parse_value(type, node.text, arena);
    default:
      return std::nullopt;
  }
}

std::optional<Value> array_of(const JsonNode& node,
                              const DataType& type,
                              const JsonRules& rules,
                              Arena* arena,
                              Misfit* misfit) {
  if (node.kind != Kind::kArray) return fail_at(node, type, misfit);
  std::span<Value> elements = arena->values(node.items.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    auto element = value_of_json(node.items[i], type.element_type(), rules, arena, misfit);
    if (!element) {
      misfit->path.insert(0, fmt::format("[{}]", i));
      return std::nullopt;
    }
    elements[i] = *element;
  }
  return Value::array(elements);
}

std::optional<Value> map_of(const JsonNode& node,
                            const DataType& type,
                            const JsonRules& rules,
                            Arena* arena,
                            Misfit* misfit) {
  if (node.kind != Kind::kObject) return fail_at(node, type, misfit);
  std::span<Value> entries = arena->values(node.items.size() * 2);
  for (size_t i = 0; i < node.items.size(); ++i) {
    JsonNode name{.kind = Kind::kText, .text = node.names[i]};
    auto key = value_of_json(name, type.key_type(), rules, arena, misfit);
    if (!key) {
      misfit->path.insert(0, " key");
      return std::nullopt;
    }
    auto value = value_of_json(node.items[i], type.value_type(), rules, arena, misfit);
    if (!value) {
      misfit->path.insert(0, fmt::format("[{}]", node.names[i]));
      return std::nullopt;
    }
    entries[2 * i] = *key;
    entries[2 * i + 1] = *value;
  }
  return Value::map(entries);
}

std::optional<Value> row_of(const JsonNode& node,
                            const DataType& type,
                            const JsonRules& rules,
                            Arena* arena,
                            Misfit* misfit) {
  if (node.kind != Kind::kObject) return fail_at(node, type, misfit);
  const std::vector<Field>& fields = type.fields();
  std::span<Value> values = arena->values(fields.size());
  for (size_t i = 0; i < node.items.size(); ++i) {
    auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& candidate) {
      return candidate.name == node.names[i];
    });
    if (field == fields.end()) {
      if (rules.skip_unknown_fields) continue;
      return fail_at(node, type, misfit);
    }
    auto value = value_of_json(node.items[i], field->type, rules, arena, misfit);
    if (!value) {
      misfit->path.insert(0, fmt::format(".{}", field->name));
      return std::nullopt;
    }
    values[static_cast<size_t>(field - fields.begin())] = *value;
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!values[i].is_null() || fields[i].type.nullable()) continue;
    fail_at(JsonNode{}, fields[i].type, misfit);
    misfit->path = fmt::format(".{}", fields[i].name);
    return std::nullopt;
  }
  return Value::row(values);
}

}  // namespace

std::string Misfit::to_string() const {
  if (value == "null" && !type.nullable()) return fmt::format("NULL where {} is wanted", type);
  return fmt::format("{} is no {} ({})", value, type.with_nullable(true), rule_of(type));
}

std::optional<Value> value_of_json(const JsonNode& node,
                                   const DataType& type,
                                   const JsonRules& rules,
                                   Arena* arena,
                                   Misfit* misfit) {
  if (node.kind == Kind::kNull) {
    return type.nullable() ? std::optional(Value::null()) : fail_at(node, type, misfit);
  }
  if (type.is(TypeRoot::kArray)) return array_of(node, type, rules, arena, misfit);
  if (type.is(TypeRoot::kMap)) return map_of(node, type, rules, arena, misfit);
  if (type.is(TypeRoot::kRow)) return row_of(node, type, rules, arena, misfit);
  std::optional<Value> value = scalar_of(node, type, arena);
  return value ? value : fail_at(node, type, misfit);
}

}  // namespace lakestream::cli
