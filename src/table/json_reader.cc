#include "table/json_reader.h"

#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace lakestream {
namespace {

using Json = nlohmann::json;

const Json& json_of(const void* value) { return *static_cast<const Json*>(value); }

std::string child_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

struct JsonDocument::Content {
  Json json;
  ErrorCode code;
};

JsonDocument::JsonDocument(std::unique_ptr<Content> content) : content_(std::move(content)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::parse(std::string_view text, ErrorCode code, size_t max_bytes) {
  if (text.size() > max_bytes) {
    return make_error(code, "JSON text has {} bytes, at most {} are read", text.size(), max_bytes);
  }
  auto content = std::make_unique<Content>();
  content->code = code;
  try {
    content->json = Json::parse(text);
  } catch (const Json::exception& exception) {
    return make_error(code, "text is no JSON: {}", exception.what());
  }
  return JsonDocument(std::move(content));
}

JsonValue JsonDocument::root() const { return JsonValue(&content_->json, "", content_->code); }

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  const Json& json = json_of(value_);
  if (!json.is_object()) return std::nullopt;
  auto field = json.find(key);
  if (field == json.end() || field->is_null()) return std::nullopt;
  return JsonValue(&*field, child_path(path_, key), code_);
}

Result<JsonValue> JsonValue::at(std::string_view key) const {
  if (!json_of(value_).is_object()) return error("is no object");
  std::optional<JsonValue> field = find(key);
  if (!field) return make_error(code_, "{}: is missing", child_path(path_, key));
  return *std::move(field);
}

bool JsonValue::is_text() const { return json_of(value_).is_string(); }
bool JsonValue::is_array() const { return json_of(value_).is_array(); }
bool JsonValue::is_object() const { return json_of(value_).is_object(); }

std::vector<std::string> JsonValue::keys() const {
  std::vector<std::string> result;
  const Json& json = json_of(value_);
  if (!json.is_object()) return result;
  for (const auto& [key, value] : json.items()) result.push_back(key);
  return result;
}

std::string JsonValue::to_json() const { return json_of(value_).dump(); }

Result<std::vector<JsonValue>> JsonValue::items() const {
  const Json& json = json_of(value_);
  if (!json.is_array()) return error("is no array");
  std::vector<JsonValue> result;
  result.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    result.push_back(JsonValue(&json[i], fmt::format("{}[{}]", path_, i), code_));
  }
  return result;
}

Result<std::vector<std::string>> JsonValue::texts() const {
  ASSIGN_OR_RETURN(std::vector<JsonValue> values, items());
  std::vector<std::string> result;
  for (const JsonValue& value : values) {
    ASSIGN_OR_RETURN(std::string text, value.text());
    result.push_back(std::move(text));
  }
  return result;
}

Result<std::string> JsonValue::text() const {
  const Json& json = json_of(value_);
  if (!json.is_string()) return error("is no text");
  return json.get<std::string>();
}

Result<int32_t> JsonValue::int32() const {
  ASSIGN_OR_RETURN(int64_t value, int64());
  using Limits = std::numeric_limits<int32_t>;
  if (value < Limits::min() || value > Limits::max()) {
    return error(fmt::format("{} does not fit 32 bits", value));
  }
  return static_cast<int32_t>(value);
}

Result<int64_t> JsonValue::int64() const {
  const Json& json = json_of(value_);
  if (!json.is_number_integer()) return error("is no integer");
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return error("does not fit 64 bits");
  }
  return json.get<int64_t>();
}

Result<bool> JsonValue::boolean() const {
  const Json& json = json_of(value_);
  if (!json.is_boolean()) return error("is neither true nor false");
  return json.get<bool>();
}

Result<std::map<std::string, std::string, std::less<>>> JsonValue::text_map() const {
  const Json& json = json_of(value_);
  if (!json.is_object()) return error("is no object");
  std::map<std::string, std::string, std::less<>> result;
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured() || value.is_null()) {
      return make_error(code_, "{}: is no text", child_path(path_, key));
    }
    result[key] = scalar_text(value);
  }
  return result;
}

Result<std::string> JsonValue::text_at(std::string_view key) const {
  ASSIGN_OR_RETURN(JsonValue value, at(key));
  return value.text();
}

Result<int32_t> JsonValue::int32_at(std::string_view key) const {
  ASSIGN_OR_RETURN(JsonValue value, at(key));
  return value.int32();
}

Result<int64_t> JsonValue::int64_at(std::string_view key) const {
  ASSIGN_OR_RETURN(JsonValue value, at(key));
  return value.int64();
}

Result<std::vector<std::string>> JsonValue::texts_at(std::string_view key) const {
  ASSIGN_OR_RETURN(JsonValue value, at(key));
  return value.texts();
}

Result<std::optional<std::string>> JsonValue::optional_text(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  if (!value) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::string text, value->text());
  return std::optional<std::string>(std::move(text));
}

Result<std::optional<int32_t>> JsonValue::optional_int32(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  if (!value) return std::optional<int32_t>();
  ASSIGN_OR_RETURN(int32_t number, value->int32());
  return std::optional<int32_t>(number);
}

Result<std::optional<int64_t>> JsonValue::optional_int64(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  if (!value) return std::optional<int64_t>();
  ASSIGN_OR_RETURN(int64_t number, value->int64());
  return std::optional<int64_t>(number);
}

tl::unexpected<Error> JsonValue::error(std::string_view message) const {
  if (path_.empty()) return make_error(code_, "the document {}", message);
  return make_error(code_, "{}: {}", path_, message);
}

}  // namespace lakestream
