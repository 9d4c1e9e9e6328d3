#include "table/ddl/type_parser.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lakestream {
namespace {

constexpr int32_t kDefaultDecimalPrecision = 10;
constexpr int32_t kDefaultTimestampPrecision = 6;
constexpr std::string_view kAnyType =
    "a type (BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL, CHAR, STRING, "
    "BINARY, "
    "BYTES, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, ARRAY, MAP, ROW)";

// Types that are a word and no more.
struct PlainType {
  std::string_view word;
  TypeRoot root;
};
constexpr std::array<PlainType, 10> kPlainTypes = {{
    {"BOOLEAN", TypeRoot::kBoolean},
    {"TINYINT", TypeRoot::kTinyint},
    {"SMALLINT", TypeRoot::kSmallint},
    {"INT", TypeRoot::kInteger},
    {"INTEGER", TypeRoot::kInteger},
    {"BIGINT", TypeRoot::kBigint},
    {"FLOAT", TypeRoot::kFloat},
    {"STRING", TypeRoot::kString},
    {"BYTES", TypeRoot::kBytes},
    {"DATE", TypeRoot::kDate},
}};

// "(n)", or nothing.
Result<std::optional<int32_t>> take_parameter(TokenReader& reader) {
  if (!reader.take_symbol('(')) return std::optional<int32_t>();
  ASSIGN_OR_RETURN(int32_t value, reader.expect_int32("a number"));
  RETURN_IF_ERROR(reader.expect_symbol(')'));
  return std::optional<int32_t>(value);
}

Result<DataType> parse_decimal(TokenReader& reader) {
  if (!reader.take_symbol('(')) return DataType::decimal(kDefaultDecimalPrecision, 0);
  ASSIGN_OR_RETURN(int32_t precision, reader.expect_int32("the precision"));
  int32_t scale = 0;
  if (reader.take_symbol(',')) {
    ASSIGN_OR_RETURN(scale, reader.expect_int32("the scale"));
  }
  RETURN_IF_ERROR(reader.expect_symbol(')'));
  return DataType::decimal(precision, scale);
}

// STRING and BYTES under their standard names, which must leave the length open.
Result<DataType> parse_unbounded(TokenReader& reader, DataType type, std::string_view name) {
  constexpr int32_t kUnbounded = std::numeric_limits<int32_t>::max();
  Token place = reader.peek();
  ASSIGN_OR_RETURN(std::optional<int32_t> length, take_parameter(reader));
  if (length == kUnbounded) return type;
  return error_at(place, fmt::format("a limit of length is not kept, use {}", name));
}

Result<DataType> parse_time(TokenReader& reader) {
  ASSIGN_OR_RETURN(std::optional<int32_t> precision, take_parameter(reader));
  reader.take_words({"WITHOUT", "TIME", "ZONE"});
  return DataType::time(precision.value_or(0));
}

Result<DataType> parse_timestamp(TokenReader& reader) {
  ASSIGN_OR_RETURN(std::optional<int32_t> given, take_parameter(reader));
  int32_t precision = given.value_or(kDefaultTimestampPrecision);
  if (reader.take_word("WITH")) {
    RETURN_IF_ERROR(reader.expect_words({"LOCAL", "TIME", "ZONE"}));
    return DataType::timestamp_ltz(precision);
  }
  if (reader.take_word("WITHOUT")) RETURN_IF_ERROR(reader.expect_words({"TIME", "ZONE"}));
  return DataType::timestamp(precision);
}

Result<DataType> parse_type_at(TokenReader& reader, int depth);

Result<DataType> parse_row(TokenReader& reader, int depth) {
  // ROW<…> or ROW(…)
  char close = reader.at_symbol('(') ? ')' : '>';
  if (!reader.take_symbol('(')) RETURN_IF_ERROR(reader.expect_symbol('<'));
  std::vector<Field> fields;
  if (reader.take_symbol(close)) return DataType::row({});
  do {
    Field field;
    ASSIGN_OR_RETURN(field.name, reader.expect_name("a field name"));
    ASSIGN_OR_RETURN(field.type, parse_type_at(reader, depth + 1));
    if (reader.take_word("COMMENT")) {
      ASSIGN_OR_RETURN(field.description, reader.expect_literal("a comment"));
    } else if (reader.peek().kind == TokenKind::kLiteral) {
      ASSIGN_OR_RETURN(field.description, reader.expect_literal("a comment"));
    }
    fields.push_back(std::move(field));
  } while (reader.take_symbol(','));
  RETURN_IF_ERROR(reader.expect_symbol(close));
  return DataType::row(std::move(fields));
}

Result<DataType> parse_map(TokenReader& reader, int depth) {
  RETURN_IF_ERROR(reader.expect_symbol('<'));
  ASSIGN_OR_RETURN(DataType key, parse_type_at(reader, depth + 1));
  RETURN_IF_ERROR(reader.expect_symbol(','));
  ASSIGN_OR_RETURN(DataType value, parse_type_at(reader, depth + 1));
  RETURN_IF_ERROR(reader.expect_symbol('>'));
  return DataType::map(std::move(key), std::move(value));
}

Result<DataType> parse_array(TokenReader& reader, int depth) {
  RETURN_IF_ERROR(reader.expect_symbol('<'));
  ASSIGN_OR_RETURN(DataType element, parse_type_at(reader, depth + 1));
  RETURN_IF_ERROR(reader.expect_symbol('>'));
  return DataType::array(std::move(element));
}

Result<DataType> parse_bare_type(TokenReader& reader, int depth) {
  for (const PlainType& plain : kPlainTypes) {
    if (reader.take_word(plain.word)) return DataType::scalar(plain.root, 0, 0);
  }
  if (reader.take_word("DOUBLE")) {
    reader.take_word("PRECISION");
    return DataType::double_();
  }
  if (reader.take_word("DECIMAL") || reader.take_word("DEC") || reader.take_word("NUMERIC")) {
    return parse_decimal(reader);
  }
  if (reader.take_word("CHAR")) {
    ASSIGN_OR_RETURN(std::optional<int32_t> length, take_parameter(reader));
    return DataType::char_(length.value_or(1));
  }
  if (reader.take_word("BINARY")) {
    ASSIGN_OR_RETURN(std::optional<int32_t> length, take_parameter(reader));
    return DataType::binary(length.value_or(1));
  }
  if (reader.take_word("VARCHAR")) return parse_unbounded(reader, DataType::string(), "STRING");
  if (reader.take_word("VARBINARY")) return parse_unbounded(reader, DataType::bytes(), "BYTES");
  if (reader.take_word("TIME")) return parse_time(reader);
  if (reader.take_word("TIMESTAMP")) return parse_timestamp(reader);
  if (reader.take_word("TIMESTAMP_LTZ")) {
    ASSIGN_OR_RETURN(std::optional<int32_t> precision, take_parameter(reader));
    return DataType::timestamp_ltz(precision.value_or(kDefaultTimestampPrecision));
  }
  if (reader.take_word("ARRAY")) return parse_array(reader, depth);
  if (reader.take_word("MAP")) return parse_map(reader, depth);
  if (reader.take_word("ROW")) return parse_row(reader, depth);
  return reader.expected(kAnyType);
}

Result<DataType> parse_type_at(TokenReader& reader, int depth) {
  Token place = reader.peek();
  if (depth > kMaxTypeDepth) {
    return error_at(place, fmt::format("type is nested deeper than {} levels", kMaxTypeDepth));
  }
  ASSIGN_OR_RETURN(DataType type, parse_bare_type(reader, depth));
  if (Status valid = type.check(); !valid) return error_at(place, valid.error().message());
  if (reader.take_words({"NOT", "NULL"})) return type.not_null();
  reader.take_word("NULL");
  return type;
}

}  // namespace

Result<DataType> parse_type(TokenReader& reader) { return parse_type_at(reader, 0); }

}  // namespace lakestream
