#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lake/avro/avro_schema.h"

// One datum of an Avro file. A union is the value of its branch: a nullable field is null or the
// value itself. The fields of a record stand in the order of its schema; a record that was read
// knows its type, so that fields can be asked for by name, whatever the writer's order.
//
// Thread rule: values over foreign memory (texts and types are not owned); any thread.
//
//   writer.append(AvroValue::record({AvroValue::bytes(name), AvroValue::integer(size)}));
//   ASSIGN_OR_RETURN(int64_t size, record.integer_at("_FILE_SIZE"));
namespace lakestream::avro {

class AvroValue {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInteger,  // int, long
    kNumber,   // float, double
    kBytes,    // bytes, string, fixed, the symbol of an enum
    kArray,
    kMap,  // key, value, key, value, …
    kRecord,
  };

  AvroValue() = default;
  static AvroValue null() { return {}; }
  static AvroValue boolean(bool value) {
    AvroValue v(Kind::kBoolean);
    v.integer_ = value ? 1 : 0;
    return v;
  }
  static AvroValue integer(int64_t value) {
    AvroValue v(Kind::kInteger);
    v.integer_ = value;
    return v;
  }
  static AvroValue number(double value) {
    AvroValue v(Kind::kNumber);
    v.number_ = value;
    return v;
  }
  static AvroValue bytes(std::string_view value) {
    AvroValue v(Kind::kBytes);
    v.bytes_ = value;
    return v;
  }
  static AvroValue array(std::vector<AvroValue> items) { return items_of(Kind::kArray, items); }
  static AvroValue map(std::vector<AvroValue> items) { return items_of(Kind::kMap, items); }
  static AvroValue record(std::vector<AvroValue> fields, const AvroType* type = nullptr) {
    AvroValue v = items_of(Kind::kRecord, fields);
    v.type_ = type;
    return v;
  }
  // Null for nothing.
  static AvroValue of(const std::optional<int64_t>& value) {
    return value ? integer(*value) : null();
  }
  static AvroValue of(const std::optional<std::string>& value) {
    return value ? bytes(*value) : null();
  }

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  // Requires of each: the kind.
  bool as_boolean() const { return integer_ != 0; }
  int64_t as_integer() const { return integer_; }
  double as_number() const { return number_; }
  std::string_view as_bytes() const { return bytes_; }
  std::span<const AvroValue> items() const { return items_; }
  const AvroType* type() const { return type_; }

  // Of a record that was read: the field, or nullptr when it is not there or null.
  const AvroValue* find(std::string_view field) const;
  // The field as what it has to be. kUnknownServerError when it is not there, null, or another
  // kind; of the second ones only when it is another kind.
  Result<const AvroValue*> at(std::string_view field, Kind kind) const;
  Result<int64_t> integer_at(std::string_view field) const;
  Result<int32_t> int32_at(std::string_view field) const;
  Result<std::string_view> bytes_at(std::string_view field) const;
  Result<std::optional<int64_t>> optional_integer_at(std::string_view field) const;
  Result<std::optional<int32_t>> optional_int32_at(std::string_view field) const;
  Result<std::optional<std::string_view>> optional_bytes_at(std::string_view field) const;

 private:
  explicit AvroValue(Kind kind) : kind_(kind) {}
  static AvroValue items_of(Kind kind, std::vector<AvroValue>& items) {
    AvroValue v(kind);
    v.items_ = std::move(items);
    return v;
  }

  Kind kind_ = Kind::kNull;
  union {
    int64_t integer_ = 0;
    double number_;
  };
  std::string_view bytes_;
  std::vector<AvroValue> items_;
  const AvroType* type_ = nullptr;
};

}  // namespace lakestream::avro
