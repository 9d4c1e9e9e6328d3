#include "golden_values.h"

#include <cstdlib>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "table/json.h"

namespace lakestream::golden {
namespace {

std::vector<Json> read_vectors() {
  const char* folder = std::getenv("LAKESTREAM_VECTORS");
  std::string path = folder != nullptr ? folder : LAKESTREAM_SOURCE_DIR "/tests/golden/vectors";
  std::ifstream file(path + "/index.json");
  return Json::parse(file)["vectors"].get<std::vector<Json>>();
}

std::string from_hex(std::string_view hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes(hex.size() / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  }
  return bytes;
}

// Plain decimal text; the digits after the point are as many as the scale.
Int128 unscaled_of(std::string_view text) {
  Int128 value = 0;
  for (char c : text) {
    if (c >= '0' && c <= '9') value = value * 10 + (c - '0');
  }
  return text.starts_with('-') ? -value : value;
}

double double_of(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  std::string text = json.get<std::string>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double infinity = std::numeric_limits<double>::infinity();
  return text == "-Infinity" ? -infinity : infinity;
}

Value items_of(const DataType& type, const Json& json, Arena* arena) {
  if (type.is(TypeRoot::kMap)) {
    std::span<Value> entries = arena->values(2 * json.size());
    for (size_t i = 0; i < json.size(); ++i) {
      entries[2 * i] = value_of(type.key_type(), json[i][0], arena);
      entries[2 * i + 1] = value_of(type.value_type(), json[i][1], arena);
    }
    return Value::map(entries);
  }
  std::span<Value> items = arena->values(json.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const DataType& item = type.is(TypeRoot::kRow) ? type.fields()[i].type : type.element_type();
    items[i] = value_of(item, json[i], arena);
  }
  return type.is(TypeRoot::kRow) ? Value::row(items) : Value::array(items);
}

}  // namespace

const std::vector<Json>& all_vectors() {
  static const std::vector<Json> vectors = read_vectors();
  return vectors;
}

std::vector<Json> vectors_of(std::string_view kind) {
  std::vector<Json> found;
  for (const Json& vector : all_vectors()) {
    if (vector["kind"] == kind) found.push_back(vector);
  }
  EXPECT_GT(found.size(), 0U) << kind;
  return found;
}

Bytes bytes_of(const Json& vector, const char* field) {
  return Bytes::copy_of(from_hex(vector[field].get<std::string>()));
}

Schema schema_of(const Json& vector) {
  auto schema = schema_from_json(vector["schema"].dump());
  EXPECT_TRUE(schema) << vector["id"];
  return schema ? *schema : Schema();
}

Schema sub_schema(const Schema& schema, const std::vector<int32_t>& columns) {
  SchemaBuilder builder;
  for (int32_t index : columns) builder.column_with_ids(schema.column(static_cast<size_t>(index)));
  return *builder.build();
}

Value value_of(const DataType& type, const Json& json, Arena* arena) {
  if (json.is_null()) return Value::null();
  switch (value_kind_of(type)) {
    case Value::Kind::kBoolean:
      return Value::boolean(json.get<bool>());
    case Value::Kind::kInteger:
      return Value::integer(json.get<int64_t>());
    case Value::Kind::kFloat:
      return Value::float_(static_cast<float>(double_of(json)));
    case Value::Kind::kDouble:
      return Value::double_(double_of(json));
    case Value::Kind::kBytes: {
      std::string text = json.get<std::string>();
      bool is_text = type.is(TypeRoot::kChar) || type.is(TypeRoot::kString);
      return Value::bytes(arena->copy(is_text ? text : from_hex(text)));
    }
    case Value::Kind::kDecimal:
      return Value::decimal(unscaled_of(json.get<std::string>()));
    case Value::Kind::kTimestamp:
      return Value::timestamp(json["ms"].get<int64_t>(), json["ns"].get<int32_t>());
    default:
      return items_of(type, json, arena);
  }
}

std::span<const Value> row_of(const Schema& schema, const Json& json, Arena* arena) {
  std::span<Value> row = arena->values(schema.size());
  for (size_t i = 0; i < row.size(); ++i) row[i] = value_of(schema.column(i).type, json[i], arena);
  return row;
}

}  // namespace lakestream::golden
