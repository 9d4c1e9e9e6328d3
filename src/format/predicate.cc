#include "format/predicate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace lakestream {
namespace {

bool is_text(const DataType& type) {
  return type.is(TypeRoot::kChar) || type.is(TypeRoot::kString);
}

bool takes_text_only(LeafFunction function) {
  switch (function) {
    case LeafFunction::kStartsWith:
    case LeafFunction::kContains:
    case LeafFunction::kEndsWith:
    case LeafFunction::kNotStartsWith:
    case LeafFunction::kNotContains:
    case LeafFunction::kNotEndsWith:
      return true;
    default:
      return false;
  }
}

bool fits(LeafFunction function, const DataType& type, const std::vector<Value>& literals) {
  switch (function) {
    case LeafFunction::kIsNull:
    case LeafFunction::kIsNotNull:
      return true;
    case LeafFunction::kIn:
    case LeafFunction::kNotIn:
      break;
    default:
      if (literals.size() != 1) return false;
  }
  if (type.is_nested() || (takes_text_only(function) && !is_text(type))) return false;
  return std::ranges::all_of(literals, [&](const Value& literal) {
    return literal.is_null() || literal.kind() == value_kind_of(type);
  });
}

bool same_type(const DataType& a, const DataType& b) { return a.not_null() == b.not_null(); }

bool is_nan(const Value& value) {
  if (value.kind() == Value::Kind::kFloat) return std::isnan(value.as_float());
  return value.kind() == Value::Kind::kDouble && std::isnan(value.as_double());
}

bool is_floating(const DataType& type) {
  return type.is(TypeRoot::kFloat) || type.is(TypeRoot::kDouble);
}

// Zero with this sign when the value is a zero, else the value.
Value with_zero(const Value& value, bool negative) {
  if (value.kind() == Value::Kind::kFloat && value.as_float() == 0) {
    return Value::float_(negative ? -0.0F : 0.0F);
  }
  if (value.kind() == Value::Kind::kDouble && value.as_double() == 0) {
    return Value::double_(negative ? -0.0 : 0.0);
  }
  return value;
}

int64_t floor_to(int64_t value, int64_t unit) {
  int64_t rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

// ARROW stores times in the unit of their precision, cut toward zero, while statistics may have
// been gathered before the cut. These are the bounds of what is stored.
Value widened(const DataType& type, const Value& value, bool up) {
  constexpr int64_t kSecond = 1000;
  constexpr int32_t kMicrosecond = 1000;
  if (type.is(TypeRoot::kTime) && type.precision() == 0) {
    int64_t begin = floor_to(value.as_integer(), kSecond);
    return Value::integer(up && begin != value.as_integer() ? begin + kSecond : begin);
  }
  if (value.kind() != Value::Kind::kTimestamp) return value;
  int64_t ms = value.timestamp_ms();
  int32_t ns = value.timestamp_ns();
  if (type.precision() > 6) return value;
  if (type.precision() > 3) {
    ns -= ns % kMicrosecond;
    if (up && ns != value.timestamp_ns()) ns += kMicrosecond;
    return ns < 1'000'000 ? Value::timestamp(ms, ns) : Value::timestamp(ms + 1, 0);
  }
  int64_t unit = type.precision() == 0 ? kSecond : 1;
  constexpr int64_t kFarMs = INT64_MAX - 2 * kSecond;
  if (ms > kFarMs || ms < -kFarMs) return value;
  int64_t begin = floor_to(ms, unit);
  bool cut = begin != ms || ns != 0;
  return Value::timestamp(up && cut ? begin + unit : begin, 0);
}

// What statistics say about one column of a batch.
struct ColumnFacts {
  bool may_be_null = true;
  bool may_have_value = true;
  bool is_bounded = false;
  Value minimum;
  Value maximum;
};

ColumnFacts facts_of(const BatchStatistics& statistics,
                     size_t index,
                     const DataType& type,
                     int64_t rows) {
  ColumnFacts facts;
  int64_t nulls = statistics.null_counts[index];
  const Value& minimum = statistics.minimum[index];
  const Value& maximum = statistics.maximum[index];
  bool has_bounds = !minimum.is_null() && !maximum.is_null();
  // What contradicts itself says nothing.
  bool has_values = !minimum.is_null() || !maximum.is_null();
  if (nulls < 0 || nulls > rows || (nulls == rows && has_values)) return facts;
  if (has_bounds && statistics_less(type, maximum, minimum)) return facts;
  facts.may_be_null = nulls > 0;
  facts.may_have_value = nulls < rows;
  if (has_bounds) {
    facts.is_bounded = true;
    facts.minimum = widened(type, minimum, false);
    facts.maximum = widened(type, maximum, true);
  }
  return facts;
}

ColumnFacts facts_of(const Predicate::Leaf& leaf,
                     const Schema& schema,
                     const std::optional<BatchStatistics>& statistics,
                     int64_t rows) {
  std::optional<size_t> position = schema.index_of_id(leaf.column_id);
  if (!position) {
    ColumnFacts nulls;
    nulls.may_have_value = false;
    return nulls;
  }
  if (!statistics || !same_type(schema.column(*position).type, leaf.type)) return {};
  const std::vector<int32_t>& columns = statistics->columns;
  auto found = std::find(columns.begin(), columns.end(), static_cast<int32_t>(*position));
  if (found == columns.end()) return {};
  return facts_of(*statistics, static_cast<size_t>(found - columns.begin()), leaf.type, rows);
}

// Whether a value between the bounds can be so. Requires: the literal is not null.
class Bounds {
 public:
  Bounds(const DataType& type, const ColumnFacts& facts) : type_(type), facts_(facts) {}

  bool may_equal(const Value& literal) const {
    return is_nan(literal) || (!less(with_zero(literal, false), facts_.minimum) &&
                               !less(facts_.maximum, with_zero(literal, true)));
  }
  // That all values equal the literal is certain only for what has one notion of equality.
  bool may_differ(const Value& literal) const {
    return is_floating(type_) || less(facts_.minimum, literal) || less(literal, facts_.maximum) ||
           less(literal, facts_.minimum) || less(facts_.maximum, literal);
  }
  bool may_be_below(const Value& literal, bool or_equal) const {
    if (is_nan(literal)) return true;
    Value highest = with_zero(literal, false);
    return or_equal ? !less(highest, facts_.minimum) : less(facts_.minimum, highest);
  }
  bool may_be_above(const Value& literal, bool or_equal) const {
    if (is_nan(literal)) return true;
    Value lowest = with_zero(literal, true);
    return or_equal ? !less(facts_.maximum, lowest) : less(lowest, facts_.maximum);
  }
  bool may_start_with(std::string_view prefix) const {
    return facts_.maximum.as_bytes() >= prefix &&
           facts_.minimum.as_bytes().substr(0, prefix.size()) <= prefix;
  }

 private:
  bool less(const Value& a, const Value& b) const { return statistics_less(type_, a, b); }

  const DataType& type_;
  const ColumnFacts& facts_;
};

bool value_may_match(const Predicate::Leaf& leaf, const Bounds& bounds, const Value& literal) {
  if (literal.is_null()) return false;
  switch (leaf.function) {
    case LeafFunction::kEqual:
    case LeafFunction::kIn:
      return bounds.may_equal(literal);
    case LeafFunction::kNotEqual:
    case LeafFunction::kNotIn:
      return bounds.may_differ(literal);
    case LeafFunction::kLess:
    case LeafFunction::kLessOrEqual:
      return bounds.may_be_below(literal, leaf.function == LeafFunction::kLessOrEqual);
    case LeafFunction::kGreater:
    case LeafFunction::kGreaterOrEqual:
      return bounds.may_be_above(literal, leaf.function == LeafFunction::kGreaterOrEqual);
    case LeafFunction::kStartsWith:
      return bounds.may_start_with(literal.as_bytes());
    default:
      return true;
  }
}

bool leaf_may_match(const Predicate::Leaf& leaf, const ColumnFacts& facts) {
  if (leaf.function == LeafFunction::kIsNull) return facts.may_be_null;
  if (!facts.may_have_value) return false;
  if (leaf.function == LeafFunction::kIsNotNull || !facts.is_bounded) return true;
  Bounds bounds(leaf.type, facts);
  auto may = [&](const Value& literal) { return value_may_match(leaf, bounds, literal); };
  if (leaf.function == LeafFunction::kNotIn) return std::ranges::all_of(leaf.literals, may);
  return std::ranges::any_of(leaf.literals, may);
}

bool tree_may_match(const Predicate& predicate,
                    const Schema& schema,
                    const std::optional<BatchStatistics>& statistics,
                    int64_t rows) {
  auto may = [&](const Predicate& child) {
    return tree_may_match(child, schema, statistics, rows);
  };
  switch (predicate.kind()) {
    case Predicate::Kind::kAnything:
      return true;
    case Predicate::Kind::kLeaf: {
      Predicate::Leaf leaf = predicate.leaf();
      return leaf_may_match(leaf, facts_of(leaf, schema, statistics, rows));
    }
    case Predicate::Kind::kAll:
      return std::ranges::all_of(predicate.children(), may);
    case Predicate::Kind::kAny:
      return std::ranges::any_of(predicate.children(), may);
  }
  return true;
}

void add_column_ids(const Predicate& predicate, std::set<int32_t>* ids) {
  if (predicate.kind() == Predicate::Kind::kLeaf) ids->insert(predicate.leaf().column_id);
  for (const Predicate& child : predicate.children()) add_column_ids(child, ids);
}

}  // namespace

struct Predicate::Node {
  Kind kind = Kind::kAnything;
  LeafFunction function = LeafFunction::kEqual;
  int32_t column_id = kUnknownFieldId;
  DataType type;
  std::vector<std::string> texts;  // of the literals
  std::vector<Value> literals;
  std::vector<Predicate> children;
};

Predicate Predicate::leaf(LeafFunction function,
                          const Column& column,
                          const std::vector<Value>& literals) {
  if (column.id == kUnknownFieldId || !fits(function, column.type, literals)) return anything();
  auto node = std::make_shared<Node>();
  node->kind = Kind::kLeaf;
  node->function = function;
  node->column_id = column.id;
  node->type = column.type;
  node->literals = literals;
  node->texts.reserve(literals.size());
  for (Value& literal : node->literals) {
    if (literal.kind() != Value::Kind::kBytes) continue;
    literal = Value::bytes(node->texts.emplace_back(literal.as_bytes()));
  }
  return Predicate(std::move(node));
}

Predicate Predicate::compound(Kind kind, std::vector<Predicate> children) {
  CHECK(!children.empty(), "AND and OR are of something");
  if (children.size() == 1) return std::move(children.front());
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->children = std::move(children);
  return Predicate(std::move(node));
}

Predicate Predicate::all_of(std::vector<Predicate> children) {
  return compound(Kind::kAll, std::move(children));
}

Predicate Predicate::any_of(std::vector<Predicate> children) {
  return compound(Kind::kAny, std::move(children));
}

Predicate::Kind Predicate::kind() const { return node_ ? node_->kind : Kind::kAnything; }

Predicate::Leaf Predicate::leaf() const {
  DCHECK(kind() == Kind::kLeaf, "a leaf");
  return {node_->function, node_->column_id, node_->type, node_->literals};
}

std::span<const Predicate> Predicate::children() const {
  if (node_ == nullptr) return {};
  return node_->children;
}

std::vector<int32_t> Predicate::column_ids() const {
  std::set<int32_t> ids;
  add_column_ids(*this, &ids);
  return {ids.begin(), ids.end()};
}

bool BatchFilter::may_match(const Schema& schema,
                            SchemaId id,
                            int32_t record_count,
                            std::span<const uint8_t> statistics) {
  if (record_count <= 0) return false;
  std::optional<BatchStatistics> read;
  if (!statistics.empty()) {
    arena_.clear();
    read = readers_.try_emplace(id, schema).first->second.read(statistics, &arena_);
  }
  return tree_may_match(predicate_, schema, read, record_count);
}

}  // namespace lakestream
