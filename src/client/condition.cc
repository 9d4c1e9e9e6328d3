#include "client/condition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "format/literal_types.h"

namespace lakestream::client {
namespace {

constexpr int32_t kLeaf = 0;
constexpr int32_t kCompound = 1;
constexpr int32_t kAnd = 0;
constexpr int32_t kOr = 1;
// Servers refuse messages that are nested without end.
constexpr int kNestingMax = 100;

int32_t literal_type_of(const DataType& type) {
  auto found = std::find(kLiteralTypes.begin(), kLiteralTypes.end(), type.root());
  return static_cast<int32_t>(found - kLiteralTypes.begin());
}

// Two's complement, the highest byte first, the fewest bytes that keep the sign.
Bytes unscaled_bytes(Int128 value) {
  std::array<uint8_t, sizeof(Int128)> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[bytes.size() - 1 - i] = static_cast<uint8_t>(value >> (8 * i));
  }
  size_t begin = 0;
  uint8_t filler = value < 0 ? 0xff : 0;
  while (begin + 1 < bytes.size() && bytes[begin] == filler &&
         ((bytes[begin + 1] ^ filler) & 0x80) == 0) {
    ++begin;
  }
  return Bytes::copy_of(bytes.data() + begin, bytes.size() - begin);
}

wire::PbLiteralValue literal_of(const DataType& type, const Value& value) {
  constexpr int32_t kCompactPrecisionMax = 18;
  wire::PbLiteralValue literal;
  literal.literal_type = literal_type_of(type);
  literal.is_null = value.is_null();
  switch (value.kind()) {
    case Value::Kind::kBoolean:
      literal.boolean_value = value.as_boolean();
      break;
    case Value::Kind::kInteger:
      if (type.is(TypeRoot::kBigint) || type.is(TypeRoot::kDate)) {
        literal.bigint_value = value.as_integer();
      } else {
        literal.int_value = static_cast<int32_t>(value.as_integer());
      }
      break;
    case Value::Kind::kFloat:
      literal.float_value = value.as_float();
      break;
    case Value::Kind::kDouble:
      literal.double_value = value.as_double();
      break;
    case Value::Kind::kBytes:
      if (type.is(TypeRoot::kChar) || type.is(TypeRoot::kString)) {
        literal.string_value = std::string(value.as_bytes());
      } else {
        literal.binary_value = Bytes::copy_of(value.as_bytes());
      }
      break;
    case Value::Kind::kDecimal:
      if (type.precision() <= kCompactPrecisionMax) {
        literal.decimal_value = static_cast<int64_t>(value.as_decimal());
      } else {
        literal.decimal_bytes = unscaled_bytes(value.as_decimal());
      }
      break;
    case Value::Kind::kTimestamp:
      literal.timestamp_millis_value = value.timestamp_ms();
      literal.timestamp_nano_of_millis_value = value.timestamp_ns();
      break;
    default:
      break;
  }
  return literal;
}

std::optional<double> floating(const Value& value) {
  if (value.kind() == Value::Kind::kFloat) return value.as_float();
  if (value.kind() == Value::Kind::kDouble) return value.as_double();
  return std::nullopt;
}

Value zero_like(const Value& value, bool negative) {
  double zero = negative ? -0.0 : 0.0;
  return value.kind() == Value::Kind::kFloat ? Value::float_(static_cast<float>(zero))
                                             : Value::double_(zero);
}

std::optional<wire::PbPredicate> leaf_of(const Predicate::Leaf& leaf) {
  if (leaf.function > kLeafFunctionMax) return std::nullopt;
  LeafFunction function = leaf.function;
  std::vector<Value> literals(leaf.literals.begin(), leaf.literals.end());
  for (const Value& value : leaf.literals) {
    std::optional<double> number = floating(value);
    if (!number) continue;
    if (std::isnan(*number)) return std::nullopt;
    if (*number != 0) continue;
    // A superset under either order of the zeros. "Not equal" is one as it is.
    if (function == LeafFunction::kEqual || function == LeafFunction::kIn) {
      function = LeafFunction::kIn;
      literals.push_back(zero_like(value, !std::signbit(*number)));
    } else if (function >= LeafFunction::kLess && function <= LeafFunction::kGreaterOrEqual) {
      literals = {zero_like(value, function >= LeafFunction::kGreater)};
    }
  }
  wire::PbPredicate told;
  told.type = kLeaf;
  wire::PbLeafPredicate& inner = told.leaf.emplace();
  inner.function = static_cast<int32_t>(function);
  inner.field_id = leaf.column_id;
  for (const Value& value : literals) inner.literals.push_back(literal_of(leaf.type, value));
  return told;
}

std::optional<wire::PbPredicate> told_of(const Predicate& predicate, int depth) {
  if (predicate.kind() == Predicate::Kind::kAnything || depth > kNestingMax) return std::nullopt;
  if (predicate.kind() == Predicate::Kind::kLeaf) return leaf_of(predicate.leaf());
  bool is_all = predicate.kind() == Predicate::Kind::kAll;
  wire::PbCompoundPredicate inner;
  inner.function = is_all ? kAnd : kOr;
  for (const Predicate& child : predicate.children()) {
    std::optional<wire::PbPredicate> told = told_of(child, depth + 1);
    if (!told && !is_all) return std::nullopt;
    if (told) inner.children.push_back(*std::move(told));
  }
  if (inner.children.empty()) return std::nullopt;
  if (inner.children.size() == 1) return std::move(inner.children.front());
  wire::PbPredicate told;
  told.type = kCompound;
  told.compound = std::move(inner);
  return told;
}

}  // namespace

std::optional<wire::PbPredicate> condition_of(const Predicate& predicate) {
  return told_of(predicate, 0);
}

}  // namespace lakestream::client
