#include <algorithm>
#include <cmath>

#include <arrow/record_batch.h>

#include "format/arrow_schema.h"
#include "format/predicate.h"

namespace lakestream {
namespace {

// NaN equals NaN and is above all numbers, 0.0 equals -0.0.
template <typename Float>
int compare_floats(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  }
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

// Requires: two values of the type, not null.
int compare(const DataType& type, const Value& a, const Value& b) {
  if (a.kind() == Value::Kind::kFloat) return compare_floats(a.as_float(), b.as_float());
  if (a.kind() == Value::Kind::kDouble) return compare_floats(a.as_double(), b.as_double());
  return static_cast<int>(statistics_less(type, b, a)) -
         static_cast<int>(statistics_less(type, a, b));
}

bool contains_value(const Predicate::Leaf& leaf, const Value& cell) {
  return std::ranges::any_of(leaf.literals, [&](const Value& literal) {
    return !literal.is_null() && compare(leaf.type, cell, literal) == 0;
  });
}

bool text_matches(LeafFunction function, std::string_view text, std::string_view part) {
  switch (function) {
    case LeafFunction::kStartsWith:
      return text.starts_with(part);
    case LeafFunction::kNotStartsWith:
      return !text.starts_with(part);
    case LeafFunction::kContains:
      return text.find(part) != std::string_view::npos;
    case LeafFunction::kNotContains:
      return text.find(part) == std::string_view::npos;
    case LeafFunction::kEndsWith:
      return text.ends_with(part);
    default:
      return !text.ends_with(part);
  }
}

bool cell_matches(const Predicate::Leaf& leaf, const Value& cell) {
  if (leaf.function == LeafFunction::kIsNull) return cell.is_null();
  if (cell.is_null()) return false;
  if (leaf.function == LeafFunction::kIsNotNull) return true;
  if (leaf.function == LeafFunction::kIn) return contains_value(leaf, cell);
  if (leaf.function == LeafFunction::kNotIn) {
    bool has_null =
        std::ranges::any_of(leaf.literals, [](const Value& literal) { return literal.is_null(); });
    return !has_null && !contains_value(leaf, cell);
  }
  const Value& literal = leaf.literals.front();
  if (literal.is_null()) return false;
  switch (leaf.function) {
    case LeafFunction::kEqual:
      return compare(leaf.type, cell, literal) == 0;
    case LeafFunction::kNotEqual:
      return compare(leaf.type, cell, literal) != 0;
    case LeafFunction::kLess:
      return compare(leaf.type, cell, literal) < 0;
    case LeafFunction::kLessOrEqual:
      return compare(leaf.type, cell, literal) <= 0;
    case LeafFunction::kGreater:
      return compare(leaf.type, cell, literal) > 0;
    case LeafFunction::kGreaterOrEqual:
      return compare(leaf.type, cell, literal) >= 0;
    default:
      return text_matches(leaf.function, cell.as_bytes(), literal.as_bytes());
  }
}

}  // namespace

struct RowFilter::Node {
  Predicate predicate;
  std::optional<size_t> column;  // of a leaf; empty when the rows lack it
  std::vector<Node> children;

  Result<bool> matches(const ArrowRows& rows, int64_t row, Arena* arena) const {
    switch (predicate.kind()) {
      case Predicate::Kind::kAnything:
        return true;
      case Predicate::Kind::kLeaf: {
        if (!column) return cell_matches(predicate.leaf(), Value());
        ASSIGN_OR_RETURN(Value cell, rows.cell(*column, row, arena));
        return cell_matches(predicate.leaf(), cell);
      }
      case Predicate::Kind::kAll:
      case Predicate::Kind::kAny:
        break;
    }
    bool decisive = predicate.kind() == Predicate::Kind::kAny;
    for (const Node& child : children) {
      ASSIGN_OR_RETURN(bool matched, child.matches(rows, row, arena));
      if (matched == decisive) return decisive;
    }
    return !decisive;
  }
};

Result<RowFilter::Node> RowFilter::prepare(const Predicate& predicate, const Schema& schema) {
  Node node{predicate, {}, {}};
  if (predicate.kind() == Predicate::Kind::kLeaf) {
    Predicate::Leaf leaf = predicate.leaf();
    node.column = schema.index_of_id(leaf.column_id);
    if (node.column && schema.column(*node.column).type.not_null() != leaf.type.not_null()) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} has type {}, its condition is for {}",
                        schema.column(*node.column).name,
                        schema.column(*node.column).type,
                        leaf.type);
    }
  }
  for (const Predicate& child : predicate.children()) {
    ASSIGN_OR_RETURN(Node prepared, prepare(child, schema));
    node.children.push_back(std::move(prepared));
  }
  return node;
}

Result<RowFilter> RowFilter::make(const Predicate& predicate, const Schema& schema) {
  ASSIGN_OR_RETURN(Node root, prepare(predicate, schema));
  return RowFilter(std::make_shared<const Node>(std::move(root)), schema);
}

Result<std::vector<int64_t>> RowFilter::matching(
    const std::shared_ptr<arrow::RecordBatch>& rows) const {
  ASSIGN_OR_RETURN(ArrowRows cells, ArrowRows::make(rows, schema_));
  std::vector<int64_t> positions;
  Arena arena;
  for (int64_t row = 0; row < cells.size(); ++row) {
    arena.clear();
    ASSIGN_OR_RETURN(bool matched, root_->matches(cells, row, &arena));
    if (matched) positions.push_back(row);
  }
  return positions;
}

}  // namespace lakestream
