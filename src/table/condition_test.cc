#include "table/condition.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

using Kind = SqlCondition::Kind;

std::string show(const SqlCondition& condition);

std::string show_children(const SqlCondition& condition, std::string_view name) {
  std::string text = fmt::format("{}(", name);
  for (const SqlCondition& child : condition.children) {
    if (text.back() != '(') text += " ";
    text += show(child);
  }
  return text + ")";
}

// A form without precedence.
std::string show(const SqlCondition& condition) {
  constexpr std::string_view kNames[] = {
      "and", "or", "not", "=", "<>", "<", "<=", ">", ">=", "in", "like", "null"};
  auto name = kNames[static_cast<size_t>(condition.kind)];
  if (condition.kind <= Kind::kNot) return show_children(condition, name);
  std::string text = fmt::format("{}{}", condition.column, name);
  for (const SqlLiteral& literal : condition.literals) {
    constexpr std::string_view kMarks[] = {"N", "?", "~", "'"};
    text += fmt::format(" {}{}", kMarks[static_cast<size_t>(literal.kind)], literal.text);
  }
  return text;
}

TEST(ConditionTest, ReadsWhatSqlSays) {
  // Precedence, every operator and every kind of literal.
  struct Case {
    std::string_view text;
    std::string_view shown;
  };
  const Case cases[] = {
      {"a = 1", "a= ~1"},
      {"a=1 or b<>2 AND c != 3", "or(a= ~1 and(b<> ~2 c<> ~3))"},
      {"(a < 1 OR b <= 2) AND c > 3", "and(or(a< ~1 b<= ~2) c> ~3)"},
      {"NOT a >= 1 AND b = 2", "and(not(a>= ~1) b= ~2)"},
      {"NOT (a = 1 OR NOT b = 2)", "not(or(a= ~1 not(b= ~2)))"},
      {"a = -1.5e-3", "a= ~-1.5e-3"},
      {"a = +.5", "a= ~+.5"},
      {"a = 1E5", "a= ~1E5"},
      {"a = 12 -- all\n", "a= ~12"},
      {"a = 'it''s'", "a= 'it's"},
      {"a = DATE '2026-01-31'", "a= '2026-01-31"},
      {"a = TRUE OR a = false", "or(a= ?true a= ?false)"},
      {"a = NULL", "a= N"},
      {"a IS NULL", "anull"},
      {"a is not null", "not(anull)"},
      {"a IN (1, 'x', NULL)", "ain ~1 'x N"},
      {"a NOT IN (1)", "not(ain ~1)"},
      {"a BETWEEN 1 AND 2 AND b = 3", "and(and(a>= ~1 a<= ~2) b= ~3)"},
      {"a NOT BETWEEN 1 AND 2", "not(and(a>= ~1 a<= ~2))"},
      {"a LIKE 'x%'", "alike 'x%"},
      {"a NOT LIKE '%x'", "not(alike '%x)"},
      {"`order` = 1 AND \"a b\" = 2", "and(order= ~1 a b= ~2)"},
      {"date = 1", "date= ~1"},
  };
  for (const Case& c : cases) {
    auto condition = parse_condition(c.text);
    ASSERT_TRUE(condition) << c.text << ": " << condition.error().message();
    EXPECT_EQ(show(*condition), c.shown) << c.text;
  }
}

TEST(ConditionTest, KeepsPlaces) {
  auto condition = parse_condition("a = 1 AND\n  bc IN ('x', 2)");
  ASSERT_TRUE(condition);
  const SqlCondition& second = condition->children[1];
  EXPECT_EQ(second.place.line, 2);
  EXPECT_EQ(second.place.column, 3);
  EXPECT_EQ(second.literals[1].place.column, 15);
}

TEST(ConditionTest, AnErrorSaysWhereAndWhatWasExpected) {
  struct Case {
    std::string text;
    std::string_view message;
  };
  const std::string_view literal =
      "expected a literal: a number, a text in single quotes, TRUE, FALSE or NULL, found ";
  const Case cases[] = {
      {"", "line 1, column 1: expected a column name, NOT or '(', found the end"},
      {"a",
       "line 1, column 2: expected =, <>, <, <=, >, >=, IS, [NOT] IN, [NOT] BETWEEN or [NOT] "
       "LIKE, found the end"},
      {"a NOT 5", "line 1, column 7: expected IN, BETWEEN or LIKE, found '5'"},
      {"a = 1 b = 2", "line 1, column 7: expected AND, OR or the end of the condition, found 'b'"},
      {"a = 1 AND", "line 1, column 10: expected a column name, NOT or '(', found the end"},
      {"(a = 1", "line 1, column 7: expected AND, OR or ')', found the end"},
      {"a IN 1", "line 1, column 6: expected '(', found '1'"},
      {"a IN (1 2)", "line 1, column 9: expected ',' or ')', found '2'"},
      {"a BETWEEN 1, 2", "line 1, column 12: expected AND, found ','"},
      {"a IS 5", "line 1, column 6: expected NULL or NOT, found '5'"},
      {"a LIKE 5", "line 1, column 8: expected a pattern in single quotes, found '5'"},
      {"AND = 5", "line 1, column 1: expected a column name, NOT or '(', found 'AND'"},
      {"5 = a", "line 1, column 1: expected a column name, NOT or '(', found '5'"},
  };
  for (const Case& c : cases) {
    auto condition = parse_condition(c.text);
    ASSERT_FALSE(condition) << c.text;
    EXPECT_EQ(condition.error().message(), c.message) << c.text;
  }
  for (std::string_view text : {"a = b", "a = -", "a = .", "a = - 5", "a = "}) {
    auto condition = parse_condition(text);
    ASSERT_FALSE(condition) << text;
    EXPECT_NE(condition.error().message().find(literal), std::string::npos) << text;
  }
  EXPECT_FALSE(parse_condition(std::string(5000, '(') + "a = 1"));
  std::string nots;
  for (int i = 0; i < 5000; ++i) nots += "NOT ";
  EXPECT_FALSE(parse_condition(nots + "a = 1"));
}

}  // namespace
}  // namespace lakestream
