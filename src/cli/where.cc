#include "cli/where.h"

#include <optional>

#include <fmt/format.h>

#include "cli/columns.h"
#include "cli/text/json_value.h"
#include "cli/text/parse_value.h"

namespace lakestream::cli {
namespace {

using Kind = SqlCondition::Kind;

tl::unexpected<Error> error_at(SqlPlace place, std::string_view message) {
  return make_error(
      ErrorCode::kUnknownServerError, "line {}, column {}: {}", place.line, place.column, message);
}

SqlLiteral::Kind literal_kind_of(const DataType& type) {
  if (is_number_type(type)) return SqlLiteral::Kind::kNumber;
  return type.is(TypeRoot::kBoolean) ? SqlLiteral::Kind::kBoolean : SqlLiteral::Kind::kText;
}

std::string_view literal_name(SqlLiteral::Kind kind) {
  switch (kind) {
    case SqlLiteral::Kind::kNull:
      return "NULL";
    case SqlLiteral::Kind::kBoolean:
      return "TRUE or FALSE";
    case SqlLiteral::Kind::kNumber:
      return "a number";
    case SqlLiteral::Kind::kText:
      return "a text in single quotes";
  }
  return "";
}

Result<Value> value_of(const SqlLiteral& literal, const Column& column, Arena* arena) {
  if (literal.kind == SqlLiteral::Kind::kNull) {
    return error_at(literal.place,
                    "a comparison with NULL is never true, expected IS NULL or IS NOT NULL");
  }
  if (column.type.is_nested()) {
    return error_at(
        literal.place,
        fmt::format(
            "column {} of type {} can only be compared by IS NULL", column.name, column.type));
  }
  SqlLiteral::Kind wanted = literal_kind_of(column.type);
  if (literal.kind != wanted) {
    return error_at(literal.place,
                    fmt::format("expected {} for column {} of type {}, found '{}'",
                                literal_name(wanted),
                                column.name,
                                column.type.with_nullable(true),
                                literal.text));
  }
  std::optional<Value> value = parse_value(column.type, literal.text, arena);
  if (!value) {
    return error_at(literal.place,
                    fmt::format("'{}' is no value of column {}, which takes {}",
                                literal.text,
                                column.name,
                                rule_of(column.type)));
  }
  return *value;
}

LeafFunction function_of(Kind kind, bool negate) {
  switch (kind) {
    case Kind::kEqual:
      return negate ? LeafFunction::kNotEqual : LeafFunction::kEqual;
    case Kind::kNotEqual:
      return negate ? LeafFunction::kEqual : LeafFunction::kNotEqual;
    case Kind::kLess:
      return negate ? LeafFunction::kGreaterOrEqual : LeafFunction::kLess;
    case Kind::kLessOrEqual:
      return negate ? LeafFunction::kGreater : LeafFunction::kLessOrEqual;
    case Kind::kGreater:
      return negate ? LeafFunction::kLessOrEqual : LeafFunction::kGreater;
    case Kind::kGreaterOrEqual:
      return negate ? LeafFunction::kLess : LeafFunction::kGreaterOrEqual;
    case Kind::kIsNull:
      return negate ? LeafFunction::kIsNotNull : LeafFunction::kIsNull;
    default:
      return negate ? LeafFunction::kNotIn : LeafFunction::kIn;
  }
}

Result<Predicate> like(const SqlCondition& condition, const Column& column, bool negate) {
  const SqlLiteral& pattern = condition.literals.front();
  if (!column.type.is(TypeRoot::kString) && !column.type.is(TypeRoot::kChar)) {
    return error_at(
        condition.place,
        fmt::format("LIKE is for texts, column {} has type {}", column.name, column.type));
  }
  std::string_view text = pattern.text;
  bool open_begin = text.starts_with('%');
  while (text.starts_with('%')) text.remove_prefix(1);
  bool open_end = text.ends_with('%');
  while (text.ends_with('%')) text.remove_suffix(1);
  if (text.find_first_of("%_") != std::string_view::npos) {
    return error_at(pattern.place, "expected a pattern with % at its ends only: 'x%', '%x', '%x%'");
  }
  if (text.empty() && open_begin) {
    // Every text, but NULL; and nothing.
    return negate ? Predicate::leaf(LeafFunction::kIn, column, {})
                  : Predicate::leaf(LeafFunction::kIsNotNull, column, {});
  }
  LeafFunction function = LeafFunction::kEqual;
  if (open_begin && open_end) {
    function = negate ? LeafFunction::kNotContains : LeafFunction::kContains;
  } else if (open_end) {
    function = negate ? LeafFunction::kNotStartsWith : LeafFunction::kStartsWith;
  } else if (open_begin) {
    function = negate ? LeafFunction::kNotEndsWith : LeafFunction::kEndsWith;
  } else {
    function = negate ? LeafFunction::kNotEqual : LeafFunction::kEqual;
  }
  return Predicate::leaf(function, column, {Value::bytes(text)});
}

Result<Predicate> bind(const SqlCondition& condition, const Schema& schema, bool negate) {
  if (condition.kind == Kind::kNot) return bind(condition.children.front(), schema, !negate);
  if (condition.kind == Kind::kAnd || condition.kind == Kind::kOr) {
    std::vector<Predicate> children;
    for (const SqlCondition& child : condition.children) {
      ASSIGN_OR_RETURN(Predicate bound, bind(child, schema, negate));
      children.push_back(std::move(bound));
    }
    bool is_all = (condition.kind == Kind::kAnd) != negate;
    return is_all ? Predicate::all_of(std::move(children)) : Predicate::any_of(std::move(children));
  }
  const Column* column = schema.find(condition.column);
  if (column == nullptr) {
    return make_error(ErrorCode::kInvalidColumnProjection,
                      "line {}, column {}: {}",
                      condition.place.line,
                      condition.place.column,
                      why_no_column(condition.column, schema));
  }
  if (condition.kind == Kind::kLike) return like(condition, *column, negate);
  std::vector<Value> literals;
  Arena arena;
  for (const SqlLiteral& literal : condition.literals) {
    ASSIGN_OR_RETURN(Value value, value_of(literal, *column, &arena));
    literals.push_back(value);
  }
  return Predicate::leaf(function_of(condition.kind, negate), *column, literals);
}

}  // namespace

Result<Predicate> predicate_of(const SqlCondition& condition, const Schema& schema) {
  return bind(condition, schema, false);
}

}  // namespace lakestream::cli
