#include "table/insert.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

std::string error_of(std::string_view sql) {
  auto insert = parse_insert({sql});
  return insert ? "" : insert.error().message();
}

// Proves that wrong heads are refused at their place.
TEST(InsertTest, RefusesWrongHeads) {
  EXPECT_EQ(error_of("INSERT t VALUES (1)"), "line 1, column 8: expected INTO, found 't'");
  EXPECT_EQ(error_of("INSERT INTO"), "line 1, column 12: expected a table name, found the end");
  EXPECT_EQ(error_of("INSERT INTO t"),
            "line 1, column 14: expected VALUES or a query, found the end");
  EXPECT_EQ(error_of("INSERT INTO t (a,) VALUES (1)"),
            "line 1, column 18: expected a column name, found ')'");
  EXPECT_EQ(error_of("INSERT INTO t (a VALUES (1)"),
            "line 1, column 18: expected ')', found 'VALUES'");
}

// Proves that name, columns and query are found, and where the query begins.
TEST(InsertTest, FindsTheParts) {
  auto insert = parse_insert({"insert into table d.`t` (a, \"b c\")\n  SELECT 1, 2 -- end", 4, 1});
  ASSERT_TRUE(insert) << insert.error().message();
  EXPECT_EQ(insert->name, (TableName{"d", "t"}));
  EXPECT_EQ(insert->columns, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(insert->place.text, "d");
  EXPECT_EQ(insert->source.text, "SELECT 1, 2 -- end");
  EXPECT_EQ(insert->source.line, 5);
  EXPECT_EQ(insert->source.column, 3);
}

// Proves that a query in parentheses is not taken for a list of columns.
TEST(InsertTest, TellsQueriesFromColumns) {
  for (std::string_view query : {"(SELECT 1)", "(WITH x AS (SELECT 1) FROM x)", "(VALUES (1))"}) {
    std::string text = "INSERT INTO t " + std::string(query);
    auto insert = parse_insert({text});
    ASSERT_TRUE(insert) << insert.error().message();
    EXPECT_TRUE(insert->columns.empty());
    EXPECT_EQ(insert->source.text, query);
  }
}

// Proves that only names in backticks are changed.
TEST(InsertTest, ChangesTheQuotesOfNames) {
  auto changed = with_double_quotes({"SELECT `a b`, `c\"d`, '`x`', \"e`f\" -- `g`\nFROM `t`"});
  ASSERT_TRUE(changed);
  EXPECT_EQ(*changed, "SELECT \"a b\", \"c\"\"d\", '`x`', \"e`f\" -- `g`\nFROM \"t\"");
  EXPECT_EQ(*with_double_quotes({"SELECT 1"}), "SELECT 1");
}

// Proves that first words are compared without regard to case, and comments are passed over.
TEST(InsertTest, SeesTheFirstWords) {
  EXPECT_TRUE(begins_with({"/* x */ explain Analyze SELECT 1"}, {"EXPLAIN", "ANALYZE"}));
  EXPECT_FALSE(begins_with({"EXPLAIN SELECT 1"}, {"EXPLAIN", "ANALYZE"}));
  EXPECT_FALSE(begins_with({""}, {"SELECT"}));
}

}  // namespace
}  // namespace lakestream
