#include "base/failpoint.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lakestream {
namespace {

class FailpointTest : public testing::Test {
 protected:
  ~FailpointTest() override { (void)arm_failpoints(""); }
  static bool passes() { return failpoint("tiering.after_plan").has_value(); }
};

// Proves that what is not armed, or disarmed again, does nothing.
TEST_F(FailpointTest, Off) {
  EXPECT_TRUE(passes());
  ASSERT_TRUE(arm_failpoints("tiering.after_open=error"));
  EXPECT_TRUE(passes());
  ASSERT_TRUE(arm_failpoints("tiering.after_plan=error"));
  EXPECT_FALSE(passes());
  ASSERT_TRUE(arm_failpoints(""));
  EXPECT_TRUE(passes());
}

// Proves that an error comes the time that was asked for, or each time, and names its place.
TEST_F(FailpointTest, Errors) {
  ASSERT_TRUE(arm_failpoints("tiering.after_plan=error@2;tiering.after_open=error"));
  EXPECT_TRUE(passes());
  Status second = failpoint("tiering.after_plan");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kStorageException);
  EXPECT_NE(second.error().message().find("tiering.after_plan"), std::string::npos);
  EXPECT_TRUE(passes());
  EXPECT_FALSE(failpoint("tiering.after_open"));
  EXPECT_FALSE(failpoint("tiering.after_open"));
}

// Proves that the process ends as by kill -9.
TEST_F(FailpointTest, Kills) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto reach = [] {
    (void)arm_failpoints("tiering.after_plan=kill@2");
    (void)passes();
    (void)passes();
  };
  EXPECT_EXIT(reach(), testing::KilledBySignal(SIGKILL), "tiering.after_plan");
}

// Proves that a wrong text is refused with what is wrong in it, and arms nothing.
TEST_F(FailpointTest, Refused) {
  for (const char* text : {"nothing=kill",
                           "tiering.after_plan",
                           "tiering.after_plan=",
                           "tiering.after_plan=sleep",
                           "tiering.after_plan=kill@0",
                           "tiering.after_plan=kill@x",
                           "tiering.after_plan=error;tiering=kill"}) {
    Status armed = arm_failpoints(text);
    ASSERT_FALSE(armed) << text;
    EXPECT_EQ(armed.error().code(), ErrorCode::kInvalidConfigException) << text;
  }
  EXPECT_TRUE(passes());
}

// Proves that a name means one place.
TEST_F(FailpointTest, Names) {
  std::set<std::string_view> names;
  for (const FailpointInfo& info : kFailpoints) EXPECT_TRUE(names.insert(info.name).second);
}

}  // namespace
}  // namespace lakestream
