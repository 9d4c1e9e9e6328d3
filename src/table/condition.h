#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// A condition on rows as SQL writes it behind WHERE: comparisons of a column with literals, IN,
// BETWEEN, LIKE, IS NULL, under AND, OR, NOT and parentheses. What it says is not checked against
// any table: names and literals keep their places, so that whoever does so can point to them.
//
// Errors are kUnknownServerError with the place and what was expected: "line 1, column 6: expected
// a literal, found the end".
//
// Thread rule: pure functions and values, any thread.
//
//   ASSIGN_OR_RETURN(SqlCondition condition, parse_condition("id > 7 AND name LIKE 'a%'"));
namespace lakestream {

struct SqlPlace {
  int line = 1;
  int column = 1;
};

struct SqlLiteral {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText };
  Kind kind = Kind::kNull;
  std::string text;  // without quotes; "true" and "false"
  SqlPlace place;
};

struct SqlCondition {
  enum class Kind : uint8_t {
    kAnd,  // of the children, as are kOr and kNot
    kOr,
    kNot,
    kEqual,  // of the column, as is what follows
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kIn,
    kLike,
    kIsNull,
  };
  Kind kind = Kind::kAnd;
  std::vector<SqlCondition> children;
  std::string column;
  SqlPlace place;  // of its name
  std::vector<SqlLiteral> literals;
};

Result<SqlCondition> parse_condition(std::string_view text);

}  // namespace lakestream
