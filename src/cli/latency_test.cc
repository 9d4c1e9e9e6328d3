#include "cli/latency.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "io/random.h"

namespace lakestream::cli {
namespace {

// Percentiles are at most 1/32 above those of the sorted durations, over ten powers of ten.
TEST(LatencyTest, LikeSorting) {
  Random random(1);
  Latency all;
  Latency part;
  std::vector<int64_t> sorted;
  for (int i = 0; i < 20'000; ++i) {
    uint64_t limit = 10;
    for (uint64_t power = random.below(10); power > 0; --power) limit *= 10;
    auto nanos = static_cast<int64_t>(random.below(limit));
    sorted.push_back(nanos);
    (i % 2 == 0 ? all : part).add(Duration(nanos));
  }
  all.merge(part);
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(all.count(), sorted.size());
  EXPECT_EQ(all.max().count(), sorted.back());
  for (size_t i = 1; i <= sorted.size(); i += 7) {
    double share = (static_cast<double>(i) - 0.5) / static_cast<double>(sorted.size());
    int64_t exact = sorted[i - 1];
    int64_t told = all.percentile(share).count();
    ASSERT_GE(told, exact) << share;
    ASSERT_LE(told, exact + exact / 32 + 1) << share;
  }
}

// Without durations there is nothing to tell.
TEST(LatencyTest, Empty) {
  Latency latency;
  EXPECT_EQ(latency.percentile(0.5).count(), 0);
  EXPECT_EQ(latency.max().count(), 0);
}

}  // namespace
}  // namespace lakestream::cli
