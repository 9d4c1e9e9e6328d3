#include <array>
#include <optional>
#include <utility>

#include "table/condition.h"
#include "table/ddl/token_reader.h"

namespace lakestream {
namespace {

using Kind = SqlCondition::Kind;

constexpr int kNestingMax = 100;
constexpr std::string_view kAnyOperator =
    "=, <>, <, <=, >, >=, IS, [NOT] IN, [NOT] BETWEEN or [NOT] LIKE";

struct Operator {
  std::string_view text;
  Kind kind;
};
// Longer ones first.
constexpr std::array<Operator, 7> kOperators = {{
    {"<>", Kind::kNotEqual},
    {"!=", Kind::kNotEqual},
    {"<=", Kind::kLessOrEqual},
    {">=", Kind::kGreaterOrEqual},
    {"=", Kind::kEqual},
    {"<", Kind::kLess},
    {">", Kind::kGreater},
}};

SqlPlace place_of(const Token& token) { return {token.line, token.column}; }

SqlCondition negated(SqlCondition condition) {
  SqlCondition outer;
  outer.kind = Kind::kNot;
  outer.children.push_back(std::move(condition));
  return outer;
}

class ConditionParser {
 public:
  explicit ConditionParser(std::vector<Token> tokens) : reader_(std::move(tokens)) {}

  Result<SqlCondition> parse() {
    ASSIGN_OR_RETURN(SqlCondition condition, parse_or(0));
    if (reader_.peek().kind != TokenKind::kEnd) {
      return reader_.expected("AND, OR or the end of the condition");
    }
    return condition;
  }

 private:
  Result<SqlCondition> parse_or(int depth) {
    SqlCondition any;
    any.kind = Kind::kOr;
    do {
      ASSIGN_OR_RETURN(SqlCondition child, parse_and(depth));
      any.children.push_back(std::move(child));
    } while (reader_.take_word("OR"));
    return any.children.size() == 1 ? std::move(any.children.front()) : std::move(any);
  }

  Result<SqlCondition> parse_and(int depth) {
    SqlCondition all;
    all.kind = Kind::kAnd;
    do {
      ASSIGN_OR_RETURN(SqlCondition child, parse_not(depth));
      all.children.push_back(std::move(child));
    } while (reader_.take_word("AND"));
    return all.children.size() == 1 ? std::move(all.children.front()) : std::move(all);
  }

  Result<SqlCondition> parse_not(int depth) {
    if (depth == kNestingMax) {
      return error_at(reader_.peek(), fmt::format("nested deeper than {} levels", kNestingMax));
    }
    if (reader_.take_word("NOT")) {
      ASSIGN_OR_RETURN(SqlCondition inner, parse_not(depth + 1));
      return negated(std::move(inner));
    }
    if (!reader_.take_symbol('(')) return parse_comparison();
    ASSIGN_OR_RETURN(SqlCondition inner, parse_or(depth + 1));
    if (!reader_.take_symbol(')')) return reader_.expected("AND, OR or ')'");
    return inner;
  }

  Result<SqlCondition> parse_comparison() {
    SqlCondition condition;
    condition.place = place_of(reader_.peek());
    for (std::string_view keyword : {"AND", "OR", "IN", "IS", "LIKE", "BETWEEN"}) {
      if (reader_.at_word(keyword)) return reader_.expected("a column name, NOT or '('");
    }
    ASSIGN_OR_RETURN(condition.column, reader_.expect_name("a column name, NOT or '('"));
    if (reader_.take_word("IS")) return parse_is_null(std::move(condition));
    if (std::optional<Kind> kind = take_operator()) {
      condition.kind = *kind;
      RETURN_IF_ERROR(parse_literal(&condition));
      return condition;
    }
    bool is_negated = reader_.take_word("NOT");
    ASSIGN_OR_RETURN(condition, parse_word_operator(std::move(condition), is_negated));
    return is_negated ? negated(std::move(condition)) : std::move(condition);
  }

  Result<SqlCondition> parse_is_null(SqlCondition condition) {
    bool is_negated = reader_.take_word("NOT");
    if (!reader_.take_word("NULL")) return reader_.expected(is_negated ? "NULL" : "NULL or NOT");
    condition.kind = Kind::kIsNull;
    return is_negated ? negated(std::move(condition)) : std::move(condition);
  }

  Result<SqlCondition> parse_word_operator(SqlCondition condition, bool is_negated) {
    if (reader_.take_word("IN")) {
      condition.kind = Kind::kIn;
      RETURN_IF_ERROR(reader_.expect_symbol('('));
      do {
        RETURN_IF_ERROR(parse_literal(&condition));
      } while (reader_.take_symbol(','));
      if (!reader_.take_symbol(')')) return reader_.expected("',' or ')'");
      return condition;
    }
    if (reader_.take_word("BETWEEN")) {
      SqlCondition from = condition;
      from.kind = Kind::kGreaterOrEqual;
      RETURN_IF_ERROR(parse_literal(&from));
      RETURN_IF_ERROR(reader_.expect_words({"AND"}));
      SqlCondition to = std::move(condition);
      to.kind = Kind::kLessOrEqual;
      RETURN_IF_ERROR(parse_literal(&to));
      SqlCondition both;
      both.kind = Kind::kAnd;
      both.children.push_back(std::move(from));
      both.children.push_back(std::move(to));
      return both;
    }
    if (reader_.take_word("LIKE")) {
      condition.kind = Kind::kLike;
      SqlLiteral pattern;
      pattern.kind = SqlLiteral::Kind::kText;
      pattern.place = place_of(reader_.peek());
      ASSIGN_OR_RETURN(pattern.text, reader_.expect_literal("a pattern"));
      condition.literals.push_back(std::move(pattern));
      return condition;
    }
    return reader_.expected(is_negated ? "IN, BETWEEN or LIKE" : kAnyOperator);
  }

  // One or two symbols without space between them.
  std::optional<Kind> take_operator() {
    if (reader_.peek().kind != TokenKind::kSymbol) return std::nullopt;
    std::string text = reader_.peek().text;
    const Token& second = reader_.peek(1);
    if (second.kind == TokenKind::kSymbol && second.begin == reader_.peek().end) {
      text += second.text;
    }
    for (const Operator& known : kOperators) {
      if (!text.starts_with(known.text)) continue;
      for (char symbol : known.text) reader_.take_symbol(symbol);
      return known.kind;
    }
    return std::nullopt;
  }

  Status parse_literal(SqlCondition* condition) {
    SqlLiteral literal;
    // DATE '2026-01-31': the type is the column's anyway.
    for (std::string_view type : {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"}) {
      if (reader_.peek(1).kind == TokenKind::kLiteral && reader_.take_word(type)) break;
    }
    literal.place = place_of(reader_.peek());
    if (reader_.peek().kind == TokenKind::kLiteral) {
      literal.kind = SqlLiteral::Kind::kText;
      ASSIGN_OR_RETURN(literal.text, reader_.expect_literal("a text"));
    } else if (reader_.take_word("TRUE")) {
      literal = {SqlLiteral::Kind::kBoolean, "true", literal.place};
    } else if (reader_.take_word("FALSE")) {
      literal = {SqlLiteral::Kind::kBoolean, "false", literal.place};
    } else if (!reader_.take_word("NULL")) {
      literal.kind = SqlLiteral::Kind::kNumber;
      ASSIGN_OR_RETURN(literal.text,
                       reader_.expect_decimal("a literal: a number, a text in single quotes, TRUE, "
                                              "FALSE or NULL"));
    }
    condition->literals.push_back(std::move(literal));
    return ok();
  }

  TokenReader reader_;
};

}  // namespace

Result<SqlCondition> parse_condition(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize({text}));
  return ConditionParser(std::move(tokens)).parse();
}

}  // namespace lakestream
