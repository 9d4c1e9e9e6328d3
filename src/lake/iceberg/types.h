#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/json_reader.h"
#include "table/json_writer.h"
#include "table/types.h"

// Types of columns as the metadata of Iceberg has them, with the ids of nested fields, and how they
// go with ours.
//
// Thread rule: values, any thread; functions are pure.
//
//   IcebergType type = iceberg_type_of(DataType::decimal(10, 2), &highest_id);
//   write_type(type, &json.key("type"));  // "decimal(10, 2)"
//   std::optional<DataType> ours = data_type_of(type, true);
namespace lakestream::iceberg {

enum class TypeKind : uint8_t {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,         // microseconds, as both timestamps
  kTimestamp,    // without zone
  kTimestampTz,  // in UTC
  kString,
  kBinary,
  kFixed,
  kUuid,
  kOther,  // of a format version that is not known here
  kList,
  kMap,
  kStruct,
};

struct NestedField;

struct IcebergType {
  TypeKind kind = TypeKind::kString;
  int32_t precision = 0;  // of a decimal; the length of a fixed
  int32_t scale = 0;      // of a decimal
  std::string text = {};  // of kOther: as it was read
  // The element of a list; key and value of a map; the fields of a struct.
  std::vector<NestedField> fields;

  bool is_nested() const { return kind >= TypeKind::kList; }
};

struct NestedField {
  int32_t id = 0;
  std::string name;  // "element", "key" and "value" in lists and maps
  bool required = false;
  IcebergType type;
  std::optional<std::string> doc = std::nullopt;
  // In data files without ids, where the table says so (name_mapping.h); else its name. No part of
  // the schema.
  std::optional<std::vector<std::string>> names_in_files = std::nullopt;
};

// With ids and all that metadata has of them.
bool operator==(const IcebergType& a, const IcebergType& b);
bool operator==(const NestedField& a, const NestedField& b);
// But for ids and docs.
bool same_type(const IcebergType& a, const IcebergType& b);
// Names and optionality too.
bool same_field(const NestedField& a, const NestedField& b);

// What a column of ours is there. Nested fields get the ids behind *highest_id, level by level, a
// key and its value next to each other.
IcebergType iceberg_type_of(const DataType& type, int32_t* highest_id);
// The type of ours that rows are read in; nothing for one that we have not. With the ids of the
// fields of rows.
std::optional<DataType> data_type_of(const IcebergType& type, bool nullable);

void write_type(const IcebergType& type, JsonWriter* json);
void write_field(const NestedField& field, JsonWriter* json);
Result<IcebergType> type_of(const JsonValue& json);
Result<NestedField> field_of(const JsonValue& json);
// As it stands in metadata: "decimal(10, 2)"; "list<int>" of a nested one.
std::string to_string(const IcebergType& type);

}  // namespace lakestream::iceberg
