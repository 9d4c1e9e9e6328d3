#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "table/types.h"

// Value is one cell between the encodings: 32 bytes, trivially copyable, not owning. Text and bytes
// point into the source, the parts of nested values into an Arena. A row is a span of Values in the
// order of the columns. The paths of whole columns (Arrow) never go through Values.
//
// Thread rule: values over foreign memory; they may not outlive it. An Arena belongs to one thread.
//
//   Arena arena;
//   std::span<Value> row = arena.values(2);
//   row[0] = Value::integer(7);
//   row[1] = Value::bytes("seven");
namespace lakestream {

__extension__ using Int128 = __int128;

class Value {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInteger,  // TINYINT to BIGINT, DATE in days, TIME in milliseconds
    kFloat,
    kDouble,
    kBytes,  // CHAR, STRING, BINARY, BYTES
    kDecimal,
    kTimestamp,
    kArray,
    kMap,  // key, value, key, value, …
    kRow,
  };

  Value() : kind_(Kind::kNull), integer_(0) {}
  static Value null() { return {}; }
  static Value boolean(bool value) {
    Value v(Kind::kBoolean);
    v.integer_ = value ? 1 : 0;
    return v;
  }
  static Value integer(int64_t value) {
    Value v(Kind::kInteger);
    v.integer_ = value;
    return v;
  }
  static Value float_(float value) {
    Value v(Kind::kFloat);
    v.float_value_ = value;
    return v;
  }
  static Value double_(double value) {
    Value v(Kind::kDouble);
    v.double_value_ = value;
    return v;
  }
  static Value bytes(std::string_view value) {
    Value v(Kind::kBytes);
    v.bytes_ = {value.data(), value.size()};
    return v;
  }
  static Value bytes(std::span<const uint8_t> value) {
    return bytes(std::string_view(reinterpret_cast<const char*>(value.data()), value.size()));
  }
  // The unscaled integer.
  static Value decimal(Int128 unscaled) {
    Value v(Kind::kDecimal);
    v.decimal_ = unscaled;
    return v;
  }
  // Milliseconds since 1970-01-01 and nanoseconds of that millisecond, 0..999999.
  static Value timestamp(int64_t ms, int32_t ns) {
    Value v(Kind::kTimestamp);
    v.timestamp_ = {ms, ns};
    return v;
  }
  static Value array(std::span<const Value> elements) { return items(Kind::kArray, elements); }
  static Value map(std::span<const Value> entries) { return items(Kind::kMap, entries); }
  static Value row(std::span<const Value> fields) { return items(Kind::kRow, fields); }

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  // Requires of each: the kind.
  bool as_boolean() const { return checked(Kind::kBoolean).integer_ != 0; }
  int64_t as_integer() const { return checked(Kind::kInteger).integer_; }
  float as_float() const { return checked(Kind::kFloat).float_value_; }
  double as_double() const { return checked(Kind::kDouble).double_value_; }
  std::string_view as_bytes() const {
    checked(Kind::kBytes);
    return {bytes_.data, bytes_.size};
  }
  Int128 as_decimal() const { return checked(Kind::kDecimal).decimal_; }
  int64_t timestamp_ms() const { return checked(Kind::kTimestamp).timestamp_.ms; }
  int32_t timestamp_ns() const { return checked(Kind::kTimestamp).timestamp_.ns; }
  // Elements, entries or fields.
  std::span<const Value> items() const {
    DCHECK(kind_ >= Kind::kArray);
    return {items_.data, items_.size};
  }

  // Deep; floats by their bits, so NaN equals NaN and 0.0 differs from -0.0.
  friend bool operator==(const Value& a, const Value& b);

 private:
  explicit Value(Kind kind) : kind_(kind), integer_(0) {}
  static Value items(Kind kind, std::span<const Value> values) {
    Value v(kind);
    v.items_ = {values.data(), values.size()};
    return v;
  }
  const Value& checked([[maybe_unused]] Kind kind) const {
    DCHECK(kind_ == kind, "kind of a value");
    return *this;
  }

  struct Text {
    const char* data;
    size_t size;
  };
  struct Time {
    int64_t ms;
    int32_t ns;
  };
  struct Items {
    const Value* data;
    size_t size;
  };
  Kind kind_;
  union {
    int64_t integer_;
    float float_value_;
    double double_value_;
    Int128 decimal_;
    Text bytes_;
    Time timestamp_;
    Items items_;
  };
};

// The kind that values of a type have when they are not null.
Value::Kind value_kind_of(const DataType& type);

// 10^digits. Requires: 0 <= digits <= 38.
Int128 power_of_ten(int32_t digits);
inline bool fits_precision(Int128 unscaled, int32_t precision) {
  Int128 limit = power_of_ten(precision);
  return unscaled < limit && unscaled > -limit;
}

// Memory for the parts of nested values and for texts, given back all at once.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Nulls.
  std::span<Value> values(size_t count);
  std::string_view copy(std::string_view text);
  // Everything that was handed out becomes invalid; one block is kept.
  void clear();

 private:
  std::byte* take(size_t size);

  struct Block {
    std::unique_ptr<std::byte[]> memory;
    size_t size;
  };
  std::vector<Block> blocks_;
  size_t used_ = 0;  // of the last block
};

}  // namespace lakestream
