#include "lake/text_bounds.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(TextBounds, AreCutOffAtCharacters) {
  // The least that begins so, and one that none that begins so is above.
  EXPECT_EQ(truncated_min("abcdef", 3), "abc");
  EXPECT_EQ(truncated_min("\xC3\xA9\xE2\x82\xAC"
                          "x",
                          2),
            "\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(truncated_max("abc", 3), "abc");
  EXPECT_EQ(truncated_max("abcdef", 3), "abd");
  EXPECT_EQ(truncated_max("ab\x7F"
                          "x",
                          3),
            "ab\xC2\x80");
  EXPECT_EQ(truncated_max("ab\xED\x9F\xBF"
                          "x",
                          3),
            "ab\xEE\x80\x80");  // over the surrogates
  EXPECT_EQ(truncated_max("a\xF4\x8F\xBF\xBF"
                          "x",
                          2),
            "b");  // the last character
  EXPECT_EQ(truncated_max("\xF4\x8F\xBF\xBF"
                          "x",
                          1),
            std::nullopt);
  EXPECT_EQ(truncated_max("ab\xFF\xFF"
                          "xyz",
                          3),
            std::nullopt);  // no UTF-8
}

}  // namespace
}  // namespace lakestream
