#pragma once

#include <cstdint>
#include <span>

#include "format/byte_writer.h"
#include "format/value.h"
#include "table/types.h"

// What the encoders and decoders of rows share: which types are compact, how wide elements are, and
// the unscaled bytes of decimals.
//
// Thread rule: pure functions.
//
//   size_t width = element_width(type);
namespace lakestream {

// Fits an i64.
inline bool is_compact_decimal(const DataType& type) { return type.precision() <= 18; }
// Milliseconds only.
inline bool is_compact_timestamp(const DataType& type) { return type.precision() <= 3; }

inline bool is_timestamp(const DataType& type) {
  return type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz);
}

// Width of an element in an array.
inline size_t element_width(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
      return 1;
    case TypeRoot::kSmallint:
      return 2;
    case TypeRoot::kInteger:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kFloat:
      return 4;
    default:
      return 8;
  }
}

// Has an entry in the length list of an indexed row.
inline bool is_variable_in_indexed(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kString:
    case TypeRoot::kBytes:
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return true;
    case TypeRoot::kDecimal:
      return !is_compact_decimal(type);
    default:
      return false;
  }
}

// Big-endian two's complement, the fewest bytes that keep the sign, at the end of the buffer.
struct UnscaledBytes {
  uint8_t bytes[16];
  uint8_t first;
  std::span<const uint8_t> span() const { return {bytes + first, size_t{16} - first}; }
};

inline UnscaledBytes unscaled_bytes(Int128 value) {
  UnscaledBytes result;
  for (int i = 15; i >= 0; --i) {
    result.bytes[i] = static_cast<uint8_t>(value & 0xff);
    value >>= 8;
  }
  uint8_t first = 0;
  while (first < 15) {
    uint8_t head = result.bytes[first];
    bool sign = (result.bytes[first + 1] & 0x80) != 0;
    if (!(head == 0 && !sign) && !(head == 0xff && sign)) break;
    ++first;
  }
  result.first = first;
  return result;
}

// Requires: 1 to 16 bytes.
inline Int128 unscaled_of(std::span<const uint8_t> bytes) {
  auto value = static_cast<Int128>(static_cast<int8_t>(bytes[0]));
  for (size_t i = 1; i < bytes.size(); ++i) value = value * 256 + bytes[i];
  return value;
}

}  // namespace lakestream
