#include "tablet/api/filter.h"

#include "format/literal_types.h"

namespace lakestream {
namespace {

// Leaves and literals together.
constexpr size_t kPartsMax = 4096;

bool is_of(const wire::PbLiteralValue& literal, const DataType& type) {
  if (literal.literal_type < 0 ||
      literal.literal_type >= static_cast<int32_t>(kLiteralTypes.size())) {
    return false;
  }
  TypeRoot root = kLiteralTypes[static_cast<size_t>(literal.literal_type)];
  auto is_text = [](TypeRoot of) { return of == TypeRoot::kChar || of == TypeRoot::kString; };
  auto is_bytes = [](TypeRoot of) { return of == TypeRoot::kBinary || of == TypeRoot::kBytes; };
  return root == type.root() || (is_text(root) && is_text(type.root())) ||
         (is_bytes(root) && is_bytes(type.root()));
}

// The unscaled integer in two's complement, the highest byte first.
std::optional<Value> decimal_of(std::span<const uint8_t> bytes) {
  if (bytes.empty() || bytes.size() > sizeof(Int128)) return std::nullopt;
  auto value = static_cast<unsigned __int128>(bytes[0] < 0x80 ? 0 : -1);
  for (uint8_t byte : bytes) value = value << 8 | byte;
  return Value::decimal(static_cast<Int128>(value));
}

template <typename T, typename Make>
std::optional<Value> made(const std::optional<T>& field, Make make) {
  if (!field) return std::nullopt;
  return make(*field);
}

// Empty when the field of the column's type is not set. Texts point into the literal.
std::optional<Value> value_of(const wire::PbLiteralValue& literal, const DataType& type) {
  if (literal.is_null) return Value();
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return made(literal.boolean_value, Value::boolean);
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kTime:
      return made(literal.int_value, Value::integer);
    case TypeRoot::kBigint:
    case TypeRoot::kDate:
      return made(literal.bigint_value, Value::integer);
    case TypeRoot::kFloat:
      return made(literal.float_value, Value::float_);
    case TypeRoot::kDouble:
      return made(literal.double_value, Value::double_);
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return made(literal.string_value, [](std::string_view text) { return Value::bytes(text); });
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      return made(literal.binary_value,
                  [](const Bytes& bytes) { return Value::bytes(bytes.span()); });
    case TypeRoot::kDecimal:
      if (literal.decimal_bytes) return decimal_of(literal.decimal_bytes->span());
      return made(literal.decimal_value, Value::decimal);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return made(literal.timestamp_millis_value, [&](int64_t ms) {
        return Value::timestamp(ms, literal.timestamp_nano_of_millis_value.value_or(0));
      });
    default:
      return std::nullopt;
  }
}

class Reader {
 public:
  explicit Reader(const Schema& schema) : schema_(schema) {}

  Predicate read(const wire::PbPredicate& wanted) {
    constexpr int32_t kLeaf = 0;
    constexpr int32_t kCompound = 1;
    if (wanted.type == kLeaf && wanted.leaf) return read(*wanted.leaf);
    if (wanted.type == kCompound && wanted.compound) return read(*wanted.compound);
    return Predicate::anything();
  }
  bool is_too_much() const { return parts_ > kPartsMax; }

 private:
  Predicate read(const wire::PbLeafPredicate& wanted) {
    parts_ += 1 + wanted.literals.size();
    std::optional<size_t> position = schema_.index_of_id(wanted.field_id);
    bool is_known = wanted.function >= 0 && wanted.function <= static_cast<int>(kLeafFunctionMax);
    if (!position || !is_known || is_too_much()) return Predicate::anything();
    const Column& column = schema_.column(*position);
    std::vector<Value> literals;
    for (const wire::PbLiteralValue& literal : wanted.literals) {
      std::optional<Value> value = value_of(literal, column.type);
      if (!value || !is_of(literal, column.type)) return Predicate::anything();
      literals.push_back(*value);
    }
    return Predicate::leaf(static_cast<LeafFunction>(wanted.function), column, literals);
  }

  Predicate read(const wire::PbCompoundPredicate& wanted) {
    constexpr int32_t kAnd = 0;
    constexpr int32_t kOr = 1;
    ++parts_;
    if (wanted.children.empty()) return Predicate::anything();
    std::vector<Predicate> children;
    for (const wire::PbPredicate& child : wanted.children) children.push_back(read(child));
    if (wanted.function == kAnd) return Predicate::all_of(std::move(children));
    if (wanted.function == kOr) return Predicate::any_of(std::move(children));
    return Predicate::anything();
  }

  const Schema& schema_;
  size_t parts_ = 0;
};

}  // namespace

Predicate predicate_of(const wire::PbPredicate& wanted, const Schema& schema) {
  Reader reader(schema);
  Predicate predicate = reader.read(wanted);
  return reader.is_too_much() ? Predicate::anything() : predicate;
}

}  // namespace lakestream
