#include "cli/where.h"

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

Schema table() {
  return *SchemaBuilder()
              .column("id", DataType::integer())
              .column("name", DataType::string())
              .column("ok", DataType::boolean())
              .column("price", DataType::decimal(6, 2))
              .column("day", DataType::date())
              .column("at", DataType::timestamp(3))
              .column("tags", DataType::array(DataType::string()))
              .build();
}

// Which of four rows a condition takes; the last one has nulls only.
std::vector<int64_t> rows_of(std::string_view text) {
  Schema schema = table();
  auto condition = parse_condition(text);
  EXPECT_TRUE(condition) << text;
  auto predicate = predicate_of(*condition, schema);
  EXPECT_TRUE(predicate) << text << ": " << predicate.error().message();
  if (!predicate) return {};
  ArrowAppender appender(schema);
  const std::string_view names[] = {"ann", "bob", "anna"};
  for (int64_t i = 0; i < 3; ++i) {
    Value row[] = {Value::integer(i),
                   Value::bytes(names[i]),
                   Value::boolean(i == 1),
                   Value::decimal(150 * (i - 1)),
                   Value::integer(20'000 + i),
                   Value::timestamp(1'000'000 * i, 0),
                   Value::array({})};
    EXPECT_TRUE(appender.append(row));
  }
  std::vector<Value> nulls(schema.size());
  EXPECT_TRUE(appender.append(nulls));
  return *RowFilter::make(*predicate, schema)->matching(*appender.finish());
}

TEST(WhereTest, TakesTheRowsThatSqlWouldTake) {
  using Rows = std::vector<int64_t>;
  EXPECT_EQ(rows_of("id = 1"), (Rows{1}));
  EXPECT_EQ(rows_of("NOT id = 1"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("NOT (id = 1 OR name LIKE 'ann')"), (Rows{2}));
  EXPECT_EQ(rows_of("NOT (id > 0 AND id < 2)"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("id BETWEEN 1 AND 2"), (Rows{1, 2}));
  EXPECT_EQ(rows_of("id NOT BETWEEN 1 AND 2"), (Rows{0}));
  EXPECT_EQ(rows_of("id IN (0, 2, 9)"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("id NOT IN (0, 2, 9)"), (Rows{1}));
  EXPECT_EQ(rows_of("id IS NULL OR id = 0"), (Rows{0, 3}));
  EXPECT_EQ(rows_of("tags IS NOT NULL"), (Rows{0, 1, 2}));
  EXPECT_EQ(rows_of("NOT NOT id <= 1"), (Rows{0, 1}));
  EXPECT_EQ(rows_of("name LIKE 'ann%'"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("name LIKE '%b'"), (Rows{1}));
  EXPECT_EQ(rows_of("name LIKE '%nn%'"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("name NOT LIKE 'ann%'"), (Rows{1}));
  EXPECT_EQ(rows_of("name NOT LIKE '%b'"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("name NOT LIKE '%nn%'"), (Rows{1}));
  EXPECT_EQ(rows_of("name LIKE '%'"), (Rows{0, 1, 2}));
  EXPECT_EQ(rows_of("name NOT LIKE '%'"), (Rows{}));
  EXPECT_EQ(rows_of("ok = TRUE"), (Rows{1}));
  EXPECT_EQ(rows_of("ok <> TRUE"), (Rows{0, 2}));
  EXPECT_EQ(rows_of("price >= -1.50 AND price < 1.5"), (Rows{0, 1}));
  EXPECT_EQ(rows_of("day = DATE '2024-10-04'"), (Rows{0}));
  EXPECT_EQ(rows_of("at > '1970-01-01 00:16:39'"), (Rows{1, 2}));
}

TEST(WhereTest, AnErrorPointsToItsPlace) {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const Case cases[] = {
      {"id = 1 AND nam = 'x'",
       "line 1, column 12: the table has no column 'nam', did you mean "
       "'name'"},
      {"id = 'x'", "line 1, column 6: expected a number for column id of type INT, found 'x'"},
      {"name = 5",
       "line 1, column 8: expected a text in single quotes for column name of type "
       "STRING, found '5'"},
      {"ok = 1",
       "line 1, column 6: expected TRUE or FALSE for column ok of type BOOLEAN, found "
       "'1'"},
      {"id = NULL",
       "line 1, column 6: a comparison with NULL is never true, expected IS NULL or "
       "IS NOT NULL"},
      {"id LIKE 'x%'", "line 1, column 1: LIKE is for texts, column id has type INT"},
      {"name LIKE 'a%b'",
       "line 1, column 11: expected a pattern with % at its ends only: 'x%', "
       "'%x', '%x%'"},
      {"tags = 'x'",
       "line 1, column 8: column tags of type ARRAY<STRING> can only be compared by "
       "IS NULL"},
  };
  for (const Case& c : cases) {
    auto condition = parse_condition(c.text);
    ASSERT_TRUE(condition) << c.text;
    auto predicate = predicate_of(*condition, table());
    ASSERT_FALSE(predicate) << c.text;
    EXPECT_EQ(predicate.error().message(), c.message);
  }
  auto large = predicate_of(*parse_condition("id = 5000000000"), table());
  ASSERT_FALSE(large);
  EXPECT_TRUE(std::string_view(large.error().message())
                  .starts_with("line 1, column 6: '5000000000' is no value of column id, which "
                               "takes "));
}

}  // namespace
}  // namespace lakestream::cli
