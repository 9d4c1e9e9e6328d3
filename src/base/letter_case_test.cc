#include "base/letter_case.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(LetterCaseTest, ChangesOnlyLettersOfAscii) {
  EXPECT_EQ(lower("@AZ[ \xc3\x84 09"), "@az[ \xc3\x84 09");
  EXPECT_EQ(upper("`az{ \xc3\xa4 09"), "`AZ{ \xc3\xa4 09");
}

TEST(LetterCaseTest, Compares) {
  EXPECT_TRUE(same_letters("Plain-1", "pLAIN-1"));
  EXPECT_FALSE(same_letters("plain", "plai"));
  EXPECT_FALSE(same_letters("@", "`"));  // the bytes beside the letters
  EXPECT_FALSE(same_letters("[", "{"));
}

}  // namespace
}  // namespace lakestream
