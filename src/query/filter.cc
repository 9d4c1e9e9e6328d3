#include "query/filter.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "format/value.h"

namespace lakestream::query {
namespace {

using duck::ExpressionType;

constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr int32_t kMicrosDigits = 6;

// Says nothing.
Filter anything() { return {}; }

struct Operator {
  ExpressionType type;
  LeafFunction function;
  LeafFunction mirrored;  // with the sides changed
  LeafFunction negated;
  std::string_view text;
};
constexpr Operator kOperators[] = {
    {ExpressionType::kEqual,
     LeafFunction::kEqual,
     LeafFunction::kEqual,
     LeafFunction::kNotEqual,
     "="},
    {ExpressionType::kNotEqual,
     LeafFunction::kNotEqual,
     LeafFunction::kNotEqual,
     LeafFunction::kEqual,
     "<>"},
    {ExpressionType::kLess,
     LeafFunction::kLess,
     LeafFunction::kGreater,
     LeafFunction::kGreaterOrEqual,
     "<"},
    {ExpressionType::kGreater,
     LeafFunction::kGreater,
     LeafFunction::kLess,
     LeafFunction::kLessOrEqual,
     ">"},
    {ExpressionType::kLessOrEqual,
     LeafFunction::kLessOrEqual,
     LeafFunction::kGreaterOrEqual,
     LeafFunction::kGreater,
     "<="},
    {ExpressionType::kGreaterOrEqual,
     LeafFunction::kGreaterOrEqual,
     LeafFunction::kLessOrEqual,
     LeafFunction::kLess,
     ">="},
};

const Operator* operator_of(ExpressionType type) {
  for (const Operator& candidate : kOperators) {
    if (candidate.type == type) return &candidate;
  }
  return nullptr;
}

const Operator& operator_of(LeafFunction function) {
  for (const Operator& candidate : kOperators) {
    if (candidate.function == function) return candidate;
  }
  return kOperators[0];
}

struct TextFunction {
  std::string_view name;
  LeafFunction function;
  LeafFunction negated;
};
constexpr TextFunction kTextFunctions[] = {
    {"prefix", LeafFunction::kStartsWith, LeafFunction::kNotStartsWith},
    {"starts_with", LeafFunction::kStartsWith, LeafFunction::kNotStartsWith},
    {"suffix", LeafFunction::kEndsWith, LeafFunction::kNotEndsWith},
    {"ends_with", LeafFunction::kEndsWith, LeafFunction::kNotEndsWith},
    {"contains", LeafFunction::kContains, LeafFunction::kNotContains},
};

// A constant, with the memory of its value.
struct Constant {
  lakestream::Value value;
  std::string text;
  std::unique_ptr<std::string> bytes;
};

class Translator {
 public:
  explicit Translator(const ColumnOfReference& column_of) : column_of_(column_of) {}

  Filter translate(duck::Expression expression, bool negate) {
    ExpressionType type = type_of(expression);
    std::vector<duck::Expression> children = children_of(expression);
    if (const Operator* op = operator_of(type)) return comparison(*op, children, negate);
    switch (type) {
      case ExpressionType::kNot:
        return children.size() == 1 ? translate(children[0], !negate) : anything();
      case ExpressionType::kAnd:
        return compound(children, !negate, negate);
      case ExpressionType::kOr:
        return compound(children, negate, negate);
      case ExpressionType::kIsNull:
        return null_test(children, !negate);
      case ExpressionType::kIsNotNull:
        return null_test(children, negate);
      case ExpressionType::kIn:
        return in(children, negate);
      case ExpressionType::kBetween:
        return between(children, negate);
      case ExpressionType::kFunction:
        return text_test(expression, children, negate);
      default:
        return anything();
    }
  }

 private:
  // ---- reading expressions

  ExpressionType type_of(duck::Expression expression) const {
    ExpressionType type{};
    (void)duck::call(&duck::Api::expression_get_type, expression, &type);
    return type;
  }

  std::vector<duck::Expression> children_of(duck::Expression expression) const {
    uint64_t count = 0;
    (void)duck::call(&duck::Api::expression_get_child_count, expression, &count);
    std::vector<duck::Expression> children;
    for (uint64_t i = 0; i < count; ++i) {
      duck::Expression child = nullptr;
      (void)duck::call(&duck::Api::expression_get_child, expression, i, &child);
      children.push_back(child);
    }
    return children;
  }

  const Column* column(duck::Expression expression) const {
    if (type_of(expression) != ExpressionType::kColumn) return nullptr;
    uint64_t index = 0;
    Status read = duck::call(&duck::Api::expression_column_ref_get_index, expression, &index);
    return read ? column_of_(index) : nullptr;
  }

  // The value of a constant for a column; nothing for NULL and what the column can not have.
  std::optional<Constant> constant(duck::Expression expression, const Column& column) const {
    if (type_of(expression) != ExpressionType::kConstant) return std::nullopt;
    duck::Owned<duck::Value> value(&duck::Api::value_destroy);
    Status read = duck::call(&duck::Api::expression_constant_get_value, expression, value.out());
    bool is_null = true;
    if (read) read = duck::call(&duck::Api::value_is_null, value.get(), &is_null);
    if (!read || is_null) return std::nullopt;
    std::optional<Constant> found = typed(value.get(), column.type);
    if (found) found->text = fmt::format("'{}'", shown(value.get()));
    return found;
  }

  std::string shown(duck::Value value) const {
    uint64_t length = 0;
    if (!duck::call(&duck::Api::value_to_string, value, nullptr, uint64_t{0}, &length)) return "";
    std::string text(length + 1, '\0');
    (void)duck::call(
        &duck::Api::value_to_string, value, text.data(), uint64_t{length + 1}, &length);
    text.resize(length);
    return text;
  }

  bool has_type(duck::Value value, duck::TypeId wanted) const {
    duck::Owned<duck::LogicalType> type(&duck::Api::logical_type_destroy);
    duck::TypeId id{};
    return duck::call(&duck::Api::value_get_logical_type, value, type.out()) &&
           duck::call(&duck::Api::logical_type_get_id, type.get(), &id) && id == wanted;
  }

  template <typename T>
  std::optional<T> read(duck::Value value,
                        duck::TypeId type,
                        duck::Code (*duck::Api::*getter)(duck::Value, T*, duck::ErrorInfo*)) const {
    T result{};
    if (!has_type(value, type) || !duck::call(getter, value, &result)) return std::nullopt;
    return result;
  }

  // The column and the constant have one type when the engine compares them without a cast.
  std::optional<Constant> typed(duck::Value value, const DataType& type) const {
    using duck::TypeId;
    switch (type.root()) {
      case TypeRoot::kBoolean: {
        auto read_value = read(value, TypeId::kBoolean, &duck::Api::value_get_bool);
        if (!read_value) return std::nullopt;
        return Constant{lakestream::Value::boolean(*read_value), "", nullptr};
      }
      case TypeRoot::kTinyint:
        return integer(value, TypeId::kTinyint);
      case TypeRoot::kSmallint:
        return integer(value, TypeId::kSmallint);
      case TypeRoot::kInteger:
        return integer(value, TypeId::kInteger);
      case TypeRoot::kBigint:
        return integer(value, TypeId::kBigint);
      case TypeRoot::kFloat: {
        auto read_value = read(value, TypeId::kFloat, &duck::Api::value_get_float);
        if (!read_value) return std::nullopt;
        return Constant{lakestream::Value::float_(*read_value), "", nullptr};
      }
      case TypeRoot::kDouble: {
        auto read_value = read(value, TypeId::kDouble, &duck::Api::value_get_double);
        if (!read_value) return std::nullopt;
        return Constant{lakestream::Value::double_(*read_value), "", nullptr};
      }
      case TypeRoot::kChar:
      case TypeRoot::kString:
        return bytes(read(value, TypeId::kVarchar, &duck::Api::value_get_varchar));
      case TypeRoot::kBinary:
      case TypeRoot::kBytes:
        return bytes(read(value, TypeId::kBlob, &duck::Api::value_get_blob));
      case TypeRoot::kDecimal:
        return decimal(value, type);
      case TypeRoot::kDate: {
        auto days = read(value, TypeId::kDate, &duck::Api::value_get_date);
        if (!days || is_infinite(*days)) return std::nullopt;
        return Constant{lakestream::Value::integer(*days), "", nullptr};
      }
      case TypeRoot::kTime: {
        auto micros = read(value, TypeId::kTime, &duck::Api::value_get_time);
        if (!micros || *micros % kMicrosPerMilli != 0) return std::nullopt;
        return Constant{lakestream::Value::integer(*micros / kMicrosPerMilli), "", nullptr};
      }
      case TypeRoot::kTimestamp:
        if (type.precision() <= kMicrosDigits) {
          return timestamp(read(value, TypeId::kTimestamp, &duck::Api::value_get_timestamp), 1000);
        }
        return timestamp(read(value, TypeId::kTimestampNs, &duck::Api::value_get_timestamp_ns), 1);
      case TypeRoot::kTimestampLtz:
        if (type.precision() > kMicrosDigits) return std::nullopt;
        return timestamp(read(value, TypeId::kTimestampTz, &duck::Api::value_get_timestamp_tz),
                         1000);
      default:
        return std::nullopt;
    }
  }

  std::optional<Constant> integer(duck::Value value, duck::TypeId type) const {
    auto number = read(value, type, &duck::Api::value_get_bigint);
    if (!number) return std::nullopt;
    return Constant{lakestream::Value::integer(*number), "", nullptr};
  }

  static std::optional<Constant> bytes(std::optional<duck::Text> text) {
    if (!text) return std::nullopt;
    auto memory = std::make_unique<std::string>(duck::view_of(*text));
    lakestream::Value value = lakestream::Value::bytes(std::string_view(*memory));
    return Constant{value, "", std::move(memory)};
  }

  std::optional<Constant> decimal(duck::Value value, const DataType& type) const {
    duck::HugeInt number{};
    uint8_t width = 0;
    uint8_t scale = 0;
    if (!has_type(value, duck::TypeId::kDecimal)) return std::nullopt;
    if (!duck::call(&duck::Api::value_get_decimal, value, &number, &width, &scale)) {
      return std::nullopt;
    }
    if (scale != type.scale()) return std::nullopt;
    auto unscaled =
        static_cast<Int128>((static_cast<unsigned __int128>(number.upper) << 64) | number.lower);
    return Constant{lakestream::Value::decimal(unscaled), "", nullptr};
  }

  template <typename T>
  static bool is_infinite(T value) {
    return value == std::numeric_limits<T>::max() || value <= -std::numeric_limits<T>::max();
  }

  static std::optional<Constant> timestamp(std::optional<int64_t> value, int64_t nanos_each) {
    if (!value || is_infinite(*value)) return std::nullopt;
    int64_t per_milli = kNanosPerMilli / nanos_each;
    int64_t rest = *value % per_milli;
    if (rest < 0) rest += per_milli;
    int64_t ms = (*value - rest) / per_milli;
    auto ns = static_cast<int32_t>(rest * nanos_each);
    return Constant{lakestream::Value::timestamp(ms, ns), "", nullptr};
  }

  // ---- translating them

  Filter leaf(LeafFunction function,
              const Column& column,
              const std::vector<lakestream::Value>& literals,
              std::string text) const {
    Filter filter;
    filter.predicate = Predicate::leaf(function, column, literals);
    filter.is_exact = filter.predicate.kind() != Predicate::Kind::kAnything;
    if (filter.is_exact) filter.text = std::move(text);
    return filter;
  }

  Filter comparison(const Operator& op,
                    const std::vector<duck::Expression>& sides,
                    bool negate) const {
    if (sides.size() != 2) return anything();
    LeafFunction function = op.function;
    const Column* named = column(sides[0]);
    duck::Expression other = sides[1];
    if (named == nullptr) {
      named = column(sides[1]);
      other = sides[0];
      function = op.mirrored;
    }
    if (named == nullptr) return anything();
    std::optional<Constant> value = constant(other, *named);
    if (!value) return anything();
    if (negate) function = operator_of(function).negated;
    std::string text =
        fmt::format("{} {} {}", named->name, operator_of(function).text, value->text);
    return leaf(function, *named, {value->value}, std::move(text));
  }

  Filter null_test(const std::vector<duck::Expression>& children, bool is_null) const {
    const Column* named = children.size() == 1 ? column(children[0]) : nullptr;
    if (named == nullptr) return anything();
    LeafFunction function = is_null ? LeafFunction::kIsNull : LeafFunction::kIsNotNull;
    std::string_view text = is_null ? "IS NULL" : "IS NOT NULL";
    return leaf(function, *named, {}, fmt::format("{} {}", named->name, text));
  }

  Filter in(const std::vector<duck::Expression>& children, bool negate) const {
    const Column* named = children.empty() ? nullptr : column(children[0]);
    if (named == nullptr) return anything();
    std::vector<Constant> constants;
    for (size_t i = 1; i < children.size(); ++i) {
      std::optional<Constant> value = constant(children[i], *named);
      if (!value) return anything();
      constants.push_back(*std::move(value));
    }
    std::vector<lakestream::Value> literals;
    std::vector<std::string_view> texts;
    for (const Constant& value : constants) {
      literals.push_back(value.value);
      texts.push_back(value.text);
    }
    std::string text =
        fmt::format("{} {}IN ({})", named->name, negate ? "NOT " : "", fmt::join(texts, ", "));
    return leaf(negate ? LeafFunction::kNotIn : LeafFunction::kIn, *named, literals, text);
  }

  // Both bounds are taken as belonging to it, which may be more than is wanted.
  Filter between(const std::vector<duck::Expression>& children, bool negate) const {
    const Column* named = children.size() == 3 ? column(children[0]) : nullptr;
    if (named == nullptr || negate) return anything();
    std::optional<Constant> low = constant(children[1], *named);
    std::optional<Constant> high = constant(children[2], *named);
    if (!low || !high) return anything();
    Filter filter;
    filter.predicate =
        Predicate::all_of({Predicate::leaf(LeafFunction::kGreaterOrEqual, *named, {low->value}),
                           Predicate::leaf(LeafFunction::kLessOrEqual, *named, {high->value})});
    filter.text = fmt::format("{} BETWEEN {} AND {}", named->name, low->text, high->text);
    return filter;
  }

  Filter text_test(duck::Expression expression,
                   const std::vector<duck::Expression>& children,
                   bool negate) const {
    duck::Text name{};
    if (!duck::call(&duck::Api::expression_function_get_name, expression, &name)) return anything();
    const Column* named = children.size() == 2 ? column(children[0]) : nullptr;
    if (named == nullptr) return anything();
    for (const TextFunction& function : kTextFunctions) {
      if (function.name != duck::view_of(name)) continue;
      std::optional<Constant> value = constant(children[1], *named);
      if (!value) return anything();
      std::string text = fmt::format(
          "{}{}({}, {})", negate ? "NOT " : "", function.name, named->name, value->text);
      return leaf(
          negate ? function.negated : function.function, *named, {value->value}, std::move(text));
    }
    return anything();
  }

  Filter compound(const std::vector<duck::Expression>& children, bool is_all, bool negate) {
    std::vector<Predicate> parts;
    std::vector<std::string> texts;
    bool is_exact = true;
    for (duck::Expression child : children) {
      Filter part = translate(child, negate);
      is_exact = is_exact && part.is_exact;
      if (part.text.empty()) {
        // Of a part that says nothing every row may be wanted.
        if (!is_all) return anything();
        continue;
      }
      parts.push_back(std::move(part.predicate));
      texts.push_back(std::move(part.text));
    }
    if (parts.empty()) return anything();
    Filter filter;
    filter.predicate =
        is_all ? Predicate::all_of(std::move(parts)) : Predicate::any_of(std::move(parts));
    filter.is_exact = is_exact;
    filter.text = fmt::format("({})", fmt::join(texts, is_all ? " AND " : " OR "));
    return filter;
  }

  const ColumnOfReference& column_of_;
};

}  // namespace

Filter filter_of(duck::Expression expression, const ColumnOfReference& column_of) {
  return Translator(column_of).translate(expression, false);
}

}  // namespace lakestream::query
