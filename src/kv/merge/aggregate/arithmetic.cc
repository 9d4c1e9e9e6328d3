// sum and product. Integers wrap around at the width of the column, decimals are rounded to its
// scale and null when they do not fit.

#include <array>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "kv/merge/aggregate/aggregate.h"

namespace lakestream {
namespace {

__extension__ using UInt128 = unsigned __int128;

UInt128 magnitude_of(Int128 value) {
  auto bits = static_cast<UInt128>(value);
  return value < 0 ? 0 - bits : bits;
}

// An unsigned integer of 256 bits, the low ones first.
using UInt256 = std::array<uint64_t, 4>;

UInt256 multiply(UInt128 a, UInt128 b) {
  std::array<uint64_t, 2> left = {static_cast<uint64_t>(a), static_cast<uint64_t>(a >> 64)};
  std::array<uint64_t, 2> right = {static_cast<uint64_t>(b), static_cast<uint64_t>(b >> 64)};
  UInt256 product = {};
  for (size_t i = 0; i < 2; ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < 2; ++j) {
      UInt128 sum = static_cast<UInt128>(left[i]) * right[j] + product[i + j] + carry;
      product[i + j] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    product[i + 2] = carry;
  }
  return product;
}

void add(UInt256* number, UInt128 addend) {
  UInt128 carry = addend;
  for (uint64_t& limb : *number) {
    UInt128 sum = static_cast<UInt128>(limb) + static_cast<uint64_t>(carry);
    limb = static_cast<uint64_t>(sum);
    carry = (carry >> 64) + (sum >> 64);
  }
}

void divide(UInt256* number, uint64_t divisor) {
  UInt128 remainder = 0;
  for (size_t i = number->size(); i-- > 0;) {
    UInt128 part = remainder << 64 | (*number)[i];
    (*number)[i] = static_cast<uint64_t>(part / divisor);
    remainder = part % divisor;
  }
}

struct Sum {
  static uint64_t integers(uint64_t a, uint64_t b) { return a + b; }
  template <typename T>
  static T floats(T a, T b) {
    return a + b;
  }
  static std::optional<Int128> decimals(Int128 a, Int128 b, int32_t /*scale*/) {
    Int128 sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
  }
};

struct Product {
  static uint64_t integers(uint64_t a, uint64_t b) { return a * b; }
  template <typename T>
  static T floats(T a, T b) {
    return a * b;
  }
  // The exact product has twice the scale; halves are rounded away from zero.
  static std::optional<Int128> decimals(Int128 a, Int128 b, int32_t scale) {
    UInt256 product = multiply(magnitude_of(a), magnitude_of(b));
    if (scale > 0) add(&product, static_cast<UInt128>(power_of_ten(scale)) / 2);
    constexpr int32_t kStep = 19;  // the largest power of ten of 64 bits
    for (int32_t left = scale; left > 0; left -= kStep) {
      divide(&product, static_cast<uint64_t>(power_of_ten(left < kStep ? left : kStep)));
    }
    if (product[2] != 0 || product[3] != 0 || product[1] >> 63 != 0) return std::nullopt;
    auto result = static_cast<Int128>(static_cast<UInt128>(product[1]) << 64 | product[0]);
    return (a < 0) == (b < 0) ? result : -result;
  }
};

template <typename Operation, typename T>
Result<Value> integers(const Aggregate& /*self*/,
                       const Value& old,
                       const Value& update,
                       Arena* /*arena*/) {
  uint64_t result = Operation::integers(static_cast<uint64_t>(old.as_integer()),
                                        static_cast<uint64_t>(update.as_integer()));
  return Value::integer(static_cast<T>(result));
}

template <typename Operation>
Result<Value> floats(const Aggregate& /*self*/,
                     const Value& old,
                     const Value& update,
                     Arena* /*arena*/) {
  return Value::float_(Operation::floats(old.as_float(), update.as_float()));
}

template <typename Operation>
Result<Value> doubles(const Aggregate& /*self*/,
                      const Value& old,
                      const Value& update,
                      Arena* /*arena*/) {
  return Value::double_(Operation::floats(old.as_double(), update.as_double()));
}

template <typename Operation>
Result<Value> decimals(const Aggregate& self,
                       const Value& old,
                       const Value& update,
                       Arena* /*arena*/) {
  auto result = Operation::decimals(old.as_decimal(), update.as_decimal(), self.scale);
  if (!result || !fits_precision(*result, self.precision)) return Value::null();
  return Value::decimal(*result);
}

template <typename Operation>
Aggregate make_arithmetic(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return {.combine = integers<Operation, int8_t>};
    case TypeRoot::kSmallint:
      return {.combine = integers<Operation, int16_t>};
    case TypeRoot::kInteger:
      return {.combine = integers<Operation, int32_t>};
    case TypeRoot::kBigint:
      return {.combine = integers<Operation, int64_t>};
    case TypeRoot::kFloat:
      return {.combine = floats<Operation>};
    case TypeRoot::kDouble:
      return {.combine = doubles<Operation>};
    default:
      CHECK(type.is(TypeRoot::kDecimal), "a numeric type");
      return {.combine = decimals<Operation>, .precision = type.precision(), .scale = type.scale()};
  }
}

}  // namespace

Aggregate make_sum(const AggFunction& /*function*/, const DataType& type) {
  return make_arithmetic<Sum>(type);
}

Aggregate make_product(const AggFunction& /*function*/, const DataType& type) {
  return make_arithmetic<Product>(type);
}

}  // namespace lakestream
