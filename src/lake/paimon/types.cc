#include "lake/paimon/types.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/letter_case.h"

namespace lakestream::paimon {
namespace {

constexpr int32_t kMaxLength = std::numeric_limits<int32_t>::max();
constexpr std::string_view kNotNull = " NOT NULL";

// The words, numbers and brackets of a type's text, words in upper case.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (is_word(text[i])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    tokens.push_back(upper(text.substr(i, end - i)));
    i = end;
  }
  return tokens;
}

// Reads the tokens from left to right.
class ScalarParser {
 public:
  explicit ScalarParser(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  Result<DataType> parse() {
    std::string word = position_ < tokens_.size() ? tokens_[position_++] : "";
    std::optional<DataType> type = of_word(word);
    if (!type || failed_) return refused();
    if (take({"NOT", "NULL"})) {
      type = type->not_null();
    } else {
      take({"NULL"});
    }
    if (position_ != tokens_.size() || !type->check()) return refused();
    return *std::move(type);
  }

 private:
  tl::unexpected<Error> refused() const {
    return make_error(
        ErrorCode::kUnknownServerError, "type '{}': there is no such type here", text_);
  }

  bool take(const std::vector<std::string>& words) {
    if (words.size() > tokens_.size() - position_) return false;
    if (!std::equal(words.begin(), words.end(), tokens_.begin() + static_cast<long>(position_))) {
      return false;
    }
    position_ += words.size();
    return true;
  }

  // The numbers in brackets, `defaults` for those that are not there.
  std::vector<int32_t> numbers(std::vector<int32_t> defaults) {
    if (!take({"("})) return defaults;
    for (size_t i = 0; i < defaults.size(); ++i) {
      if (i > 0 && !take({","})) break;
      defaults[i] = number();
    }
    if (!take({")"})) failed_ = true;
    return defaults;
  }

  int32_t number() {
    int32_t value = 0;
    if (position_ == tokens_.size()) {
      failed_ = true;
      return 0;
    }
    const std::string& token = tokens_[position_++];
    auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size()) failed_ = true;
    return value;
  }

  std::optional<DataType> of_word(const std::string& word) {
    if (word == "BOOLEAN") return DataType::boolean();
    if (word == "TINYINT") return DataType::tinyint();
    if (word == "SMALLINT") return DataType::smallint();
    if (word == "INT" || word == "INTEGER") return DataType::integer();
    if (word == "BIGINT") return DataType::bigint();
    if (word == "FLOAT") return DataType::float_();
    if (word == "DOUBLE") {
      take({"PRECISION"});
      return DataType::double_();
    }
    if (word == "STRING") return DataType::string();
    if (word == "BYTES") return DataType::bytes();
    if (word == "DATE") return DataType::date();
    if (word == "CHAR") return DataType::char_(numbers({1})[0]);
    if (word == "BINARY") return DataType::binary(numbers({1})[0]);
    if (word == "DECIMAL" || word == "NUMERIC" || word == "DEC") {
      std::vector<int32_t> both = numbers({10, 0});
      return DataType::decimal(both[0], both[1]);
    }
    return of_long_word(word);
  }

  std::optional<DataType> of_long_word(const std::string& word) {
    // With the greatest length they are STRING and BYTES.
    if (word == "VARCHAR" && numbers({1})[0] == kMaxLength) return DataType::string();
    if (word == "VARBINARY" && numbers({1})[0] == kMaxLength) return DataType::bytes();
    if (word == "TIMESTAMP_LTZ") return DataType::timestamp_ltz(numbers({6})[0]);
    if (word == "TIME") {
      int32_t precision = numbers({0})[0];
      take({"WITHOUT", "TIME", "ZONE"});
      return DataType::time(precision);
    }
    if (word == "TIMESTAMP") {
      int32_t precision = numbers({6})[0];
      if (take({"WITH", "LOCAL", "TIME", "ZONE"})) return DataType::timestamp_ltz(precision);
      take({"WITHOUT", "TIME", "ZONE"});
      return DataType::timestamp(precision);
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::vector<std::string> tokens_;
  size_t position_ = 0;
  bool failed_ = false;
};

std::string scalar_text(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTimestampLtz:
      return fmt::format("TIMESTAMP({}) WITH LOCAL TIME ZONE{}",
                         type.precision(),
                         type.nullable() ? "" : kNotNull);
    default:
      return type.to_string();
  }
}

void write_field(const Field& field, JsonWriter* json) {
  json->begin_object().field("id", field.id).field("name", field.name).key("type");
  write_type(field.type, json);
  json->field("description", field.description).end_object();
}

Result<DataType> row_type_of(const JsonValue& json) {
  ASSIGN_OR_RETURN(JsonValue list, json.at("fields"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  std::vector<Field> fields;
  for (const JsonValue& item : items) {
    Field field;
    ASSIGN_OR_RETURN(field.id, item.int32_at("id"));
    ASSIGN_OR_RETURN(field.name, item.text_at("name"));
    ASSIGN_OR_RETURN(JsonValue type, item.at("type"));
    ASSIGN_OR_RETURN(field.type, type_of(type));
    ASSIGN_OR_RETURN(field.description, item.optional_text("description"));
    fields.push_back(std::move(field));
  }
  return DataType::row(std::move(fields));
}

Result<DataType> part_of(const JsonValue& json, std::string_view name) {
  ASSIGN_OR_RETURN(JsonValue part, json.at(name));
  return type_of(part);
}

Result<DataType> nested_type_of(const JsonValue& json, std::string_view kind) {
  if (kind == "ROW") return row_type_of(json);
  if (kind == "ARRAY") {
    ASSIGN_OR_RETURN(DataType element, part_of(json, "element"));
    return DataType::array(std::move(element));
  }
  if (kind == "MAP") {
    ASSIGN_OR_RETURN(DataType key, part_of(json, "key"));
    ASSIGN_OR_RETURN(DataType value, part_of(json, "value"));
    return DataType::map(std::move(key), std::move(value));
  }
  return json.error(fmt::format("there is no nested type '{}' here", kind));
}

}  // namespace

void write_type(const DataType& type, JsonWriter* json) {
  if (!type.is_nested()) {
    json->text(scalar_text(type));
    return;
  }
  std::string_view null = type.nullable() ? "" : kNotNull;
  json->begin_object();
  switch (type.root()) {
    case TypeRoot::kArray:
      json->field("type", fmt::format("ARRAY{}", null)).key("element");
      write_type(type.element_type(), json);
      break;
    case TypeRoot::kMap:
      json->field("type", fmt::format("MAP{}", null)).key("key");
      write_type(type.key_type(), json);
      json->key("value");
      write_type(type.value_type(), json);
      break;
    default:
      json->field("type", fmt::format("ROW{}", null)).key("fields").begin_array();
      for (const Field& field : type.fields()) write_field(field, json);
      json->end_array();
  }
  json->end_object();
}

Result<DataType> scalar_type_of(std::string_view text) { return ScalarParser(text).parse(); }

Result<DataType> type_of(const JsonValue& json) {
  if (json.is_text()) {
    ASSIGN_OR_RETURN(std::string text, json.text());
    return scalar_type_of(text);
  }
  ASSIGN_OR_RETURN(std::string kind, json.text_at("type"));
  bool not_null = kind.ends_with(kNotNull);
  if (not_null) kind.resize(kind.size() - kNotNull.size());
  ASSIGN_OR_RETURN(DataType type, nested_type_of(json, kind));
  return not_null ? type.not_null() : type;
}

DataType paimon_type_of(const DataType& type) {
  auto finish = [&](DataType result) { return result.with_nullable(type.nullable()); };
  switch (type.root()) {
    case TypeRoot::kTime:
      return finish(DataType::time(0));
    case TypeRoot::kArray:
      return finish(DataType::array(paimon_type_of(type.element_type())));
    case TypeRoot::kMap:
      return finish(
          DataType::map(paimon_type_of(type.key_type()), paimon_type_of(type.value_type())));
    case TypeRoot::kRow: {
      std::vector<Field> fields = type.fields();
      for (Field& field : fields) field.type = paimon_type_of(field.type);
      return finish(DataType::row(std::move(fields)));
    }
    default:
      return type;
  }
}

}  // namespace lakestream::paimon
