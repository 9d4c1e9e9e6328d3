#include "query/names.h"

#include <gtest/gtest.h>

namespace lakestream::query {
namespace {

// Proves that lines are counted from the user's first, and the mark stays below what it marks.
TEST(NamesTest, CountsLinesFromTheUsersFirst) {
  std::string message = "Binder Error: no x\n\nLINE 2: FROM x\n             ^";
  EXPECT_EQ(with_user_lines(message, 1), message);
  EXPECT_EQ(with_user_lines(message, 3), "Binder Error: no x\n\nLINE 4: FROM x\n             ^");
  EXPECT_EQ(with_user_lines(message, 99),
            "Binder Error: no x\n\nLINE 100: FROM x\n               ^");
  for (std::string other : {"", "no line", "x\nLINE ", "x\nLINE 2", "x\nLINE two: y\n  ^"}) {
    EXPECT_EQ(with_user_lines(other, 5), other);
  }
  EXPECT_EQ(with_user_lines("x\nLINE 1: y", 5), "x\nLINE 5: y");
}

// Proves that quotes inside are doubled.
TEST(NamesTest, Quotes) {
  EXPECT_EQ(quoted_name("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quoted_literal("it's"), "'it''s'");
}

}  // namespace
}  // namespace lakestream::query
