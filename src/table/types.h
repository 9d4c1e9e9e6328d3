#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"

// DataType is the type of a column or of a nested field: a root, whether null is allowed, the
// parameters of the root (length, precision, scale) and the fields of ARRAY, MAP and ROW. It is a
// plain value: equality is structural, and to_string() gives the SQL text. The factories do not
// judge their parameters; what comes from outside is judged by check().
//
// Thread rule: values, any thread.
//
//   DataType amount = DataType::decimal(10, 2).not_null();
//   DataType tags = DataType::array(DataType::string());
//   RETURN_IF_ERROR(tags.check());
//   fmt::format("{} {}", amount, tags);  // "DECIMAL(10, 2) NOT NULL ARRAY<STRING>"
namespace lakestream {

enum class TypeRoot : uint8_t {
  kBoolean,
  kTinyint,
  kSmallint,
  kInteger,
  kBigint,
  kFloat,
  kDouble,
  kChar,
  kString,
  kBinary,
  kBytes,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,     // without time zone
  kTimestampLtz,  // with local time zone
  kArray,
  kMap,
  kRow,
};

// The name in JSON documents: "INTEGER", "TIMESTAMP_WITHOUT_TIME_ZONE".
std::string_view type_root_name(TypeRoot root);
std::optional<TypeRoot> type_root_of(std::string_view name);

inline constexpr int32_t kMaxDecimalPrecision = 38;
inline constexpr int32_t kMaxTimePrecision = 9;  // of TIME and both timestamps
inline constexpr int kMaxTypeDepth = 64;         // levels of ARRAY, MAP and ROW
inline constexpr int32_t kUnknownFieldId = -1;

struct Field;

class DataType {
 public:
  // A nullable STRING.
  DataType();
  ~DataType();
  DataType(const DataType&);
  DataType(DataType&&) noexcept;
  DataType& operator=(const DataType&);
  DataType& operator=(DataType&&) noexcept;

  static DataType boolean() { return DataType(TypeRoot::kBoolean); }
  static DataType tinyint() { return DataType(TypeRoot::kTinyint); }
  static DataType smallint() { return DataType(TypeRoot::kSmallint); }
  static DataType integer() { return DataType(TypeRoot::kInteger); }
  static DataType bigint() { return DataType(TypeRoot::kBigint); }
  static DataType float_() { return DataType(TypeRoot::kFloat); }
  static DataType double_() { return DataType(TypeRoot::kDouble); }
  static DataType char_(int32_t length) { return DataType(TypeRoot::kChar, length); }
  static DataType string() { return DataType(TypeRoot::kString); }
  static DataType binary(int32_t length) { return DataType(TypeRoot::kBinary, length); }
  static DataType bytes() { return DataType(TypeRoot::kBytes); }
  static DataType decimal(int32_t precision, int32_t scale) {
    return DataType(TypeRoot::kDecimal, precision, scale);
  }
  static DataType date() { return DataType(TypeRoot::kDate); }
  static DataType time(int32_t precision) { return DataType(TypeRoot::kTime, precision); }
  static DataType timestamp(int32_t precision) { return DataType(TypeRoot::kTimestamp, precision); }
  static DataType timestamp_ltz(int32_t precision) {
    return DataType(TypeRoot::kTimestampLtz, precision);
  }
  static DataType array(DataType element);
  static DataType map(DataType key, DataType value);
  static DataType row(std::vector<Field> fields);
  // A root that is not nested, with its length, or its precision and scale, when it takes them.
  static DataType scalar(TypeRoot root, int32_t parameter, int32_t scale) {
    return DataType(root, parameter, scale);
  }

  TypeRoot root() const { return root_; }
  bool nullable() const { return nullable_; }
  bool is(TypeRoot root) const { return root_ == root; }
  bool is_nested() const { return root_ >= TypeRoot::kArray; }
  DataType with_nullable(bool nullable) const;
  DataType not_null() const { return with_nullable(false); }

  // Requires: CHAR or BINARY.
  int32_t length() const { return parameter_; }
  // Requires: DECIMAL, TIME or a timestamp.
  int32_t precision() const { return parameter_; }
  // Requires: DECIMAL.
  int32_t scale() const { return scale_; }
  // Requires: ARRAY.
  const DataType& element_type() const;
  // Requires: MAP.
  const DataType& key_type() const;
  const DataType& value_type() const;
  // The fields of a ROW; the element of an ARRAY; key and value of a MAP; else none.
  const std::vector<Field>& fields() const { return fields_; }

  // Gives the fields of every ROW below this type the ids after *highest_id, depth first, and
  // moves *highest_id. With `only_unknown` those that have an id keep it.
  void assign_field_ids(int32_t* highest_id, bool only_unknown);

  // Parameters in range, field names unique and not blank, not nested too deep; else
  // kInvalidTableException with what is wrong.
  Status check() const;

  // SQL text, "INT NOT NULL".
  std::string to_string() const;

  friend bool operator==(const DataType& a, const DataType& b);

 private:
  explicit DataType(TypeRoot root, int32_t parameter = 0, int32_t scale = 0);
  Status check(int depth) const;
  Status check_parameters() const;
  Status check_field_names() const;
  void append_to(std::string* text) const;

  TypeRoot root_ = TypeRoot::kString;
  bool nullable_ = true;
  int32_t parameter_ = 0;  // length or precision
  int32_t scale_ = 0;
  std::vector<Field> fields_;
};

// A field of a ROW. The element of an ARRAY and key and value of a MAP are fields without id.
struct Field {
  std::string name;
  DataType type;
  std::optional<std::string> description;
  int32_t id = kUnknownFieldId;

  friend bool operator==(const Field&, const Field&) = default;
};

// `name` in backticks, a backtick inside doubled.
std::string quote_identifier(std::string_view name);
// 'text' in single quotes, a quote inside doubled.
std::string quote_literal(std::string_view text);

}  // namespace lakestream

template <>
struct fmt::formatter<lakestream::DataType> : fmt::formatter<std::string> {
  template <typename Context>
  auto format(const lakestream::DataType& type, Context& context) const {
    return fmt::formatter<std::string>::format(type.to_string(), context);
  }
};
