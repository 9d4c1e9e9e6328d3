#include "coordinator/remote_dirs.h"

#include <gtest/gtest.h>

namespace lakestream::coordinator {
namespace {

std::string turns(RemoteDirs dirs, int count) {
  std::string names;
  for (int i = 0; i < count; ++i) names += dirs.next().value_or("-");
  return names;
}

// Proves that equal weights take turns, and that others come as often as their weight, spread out.
TEST(RemoteDirsTest, Turns) {
  EXPECT_EQ(turns(RemoteDirs({}), 2), "--");
  EXPECT_EQ(turns(RemoteDirs({{"a", 1}}), 3), "aaa");
  EXPECT_EQ(turns(RemoteDirs({{"a", 1}, {"b", 1}, {"c", 1}}), 7), "abcabca");
  EXPECT_EQ(turns(RemoteDirs({{"a", 3}, {"b", 1}}), 8), "aabaaaba");
  EXPECT_EQ(turns(RemoteDirs({{"a", 0}, {"b", 1}}), 3), "bbb");
  EXPECT_EQ(turns(RemoteDirs({{"a", 0}}), 2), "--");
}

}  // namespace
}  // namespace lakestream::coordinator
