#include "lake/attempts.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace lakestream {
namespace {

using std::chrono::milliseconds;

class CountingClock final : public Clock {
 public:
  TimestampMs now() override { return TimestampMs(0); }
  Duration monotonic() override { return Duration(0); }
  Timer start_timer(Shard&, Duration, UniqueFunction<void()>) override { return {}; }
  void pause(Duration delay) override { pauses.push_back(delay); }
  std::vector<Duration> pauses;
};

TEST(Attempts, WaitLongerEachTime) {
  CountingClock clock;
  size_t made = 0;
  for (Attempts attempts(clock, 12); attempts.next();) EXPECT_EQ(clock.pauses.size(), made++);
  EXPECT_EQ(made, 12U);
  ASSERT_EQ(clock.pauses.size(), 11U);
  // Doubled from 5 to 200 ms, spread by a fifth.
  milliseconds middle(5);
  for (Duration pause : clock.pauses) {
    EXPECT_GE(pause, middle * 4 / 5);
    EXPECT_LE(pause, middle * 6 / 5);
    middle = std::min(2 * middle, milliseconds(200));
  }
}

TEST(Attempts, NoneOfNone) {
  CountingClock clock;
  EXPECT_FALSE(Attempts(clock, 0).next());
}

}  // namespace
}  // namespace lakestream
