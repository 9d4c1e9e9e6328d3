#include "coordinator/lake_tiering.h"

#include <gtest/gtest.h>

namespace lakestream::coordinator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr TableId kOne(1);
constexpr TableId kTwo(2);
const TablePath kPath{"d", "t"};

class LakeTieringTest : public testing::Test {
 protected:
  // The tables that are handed out now, one after the other, with their epochs.
  std::vector<std::pair<TableId, int64_t>> take_all() {
    std::vector<std::pair<TableId, int64_t>> taken;
    while (auto task = tiering_.next(now_)) taken.emplace_back(task->table, task->epoch);
    return taken;
  }
  using Taken = std::vector<std::pair<TableId, int64_t>>;

  LakeTiering tiering_;
  Duration now_ = minutes(100);
};

ErrorCode code(const Status& status) { return status ? ErrorCode::kNone : status.error().code(); }

// Proves that a table is due when its freshness has passed since it came, under the epoch 1.
TEST_F(LakeTieringTest, FirstRound) {
  EXPECT_EQ(take_all(), Taken());
  tiering_.follow(kOne, kPath, minutes(3), now_);
  EXPECT_EQ(take_all(), Taken());
  now_ += minutes(3) - seconds(1);
  EXPECT_EQ(take_all(), Taken());
  now_ += seconds(1);
  auto task = tiering_.next(now_);
  ASSERT_TRUE(task.has_value());
  EXPECT_EQ(task->path, kPath);
  EXPECT_EQ(task->epoch, 1);
  EXPECT_EQ(take_all(), Taken());
}

// Proves that tables are handed out in the order in which they became due, whoever asks first.
TEST_F(LakeTieringTest, InOrder) {
  tiering_.follow(kOne, kPath, minutes(5), now_);
  tiering_.follow(kTwo, kPath, minutes(3), now_);
  now_ += minutes(10);
  EXPECT_EQ(take_all(), (Taken{{kTwo, 1}, {kOne, 1}}));
  ASSERT_TRUE(tiering_.fail(kTwo, 1, now_));
  ASSERT_TRUE(tiering_.fail(kOne, 1, now_));
  EXPECT_EQ(take_all(), (Taken{{kTwo, 2}, {kOne, 2}}));
}

// Proves that a finished table waits for its freshness, and that one that ran out of time is due at
// once under a new epoch.
TEST_F(LakeTieringTest, Finish) {
  tiering_.follow(kOne, kPath, minutes(3), now_);
  now_ += minutes(4);
  EXPECT_EQ(take_all(), (Taken{{kOne, 1}}));
  now_ += minutes(1);
  ASSERT_TRUE(tiering_.finish(kOne, 1, TieringEnd::kDone, now_));
  ASSERT_TRUE(tiering_.finish(kOne, 1, TieringEnd::kDone, now_)) << "the answer may be lost";
  now_ += minutes(3) - seconds(1);
  EXPECT_EQ(take_all(), Taken());
  now_ += seconds(1);
  EXPECT_EQ(take_all(), (Taken{{kOne, 2}}));
  ASSERT_TRUE(tiering_.finish(kOne, 2, TieringEnd::kOutOfTime, now_));
  EXPECT_EQ(take_all(), (Taken{{kOne, 3}}));
  EXPECT_EQ(code(tiering_.finish(kOne, 2, TieringEnd::kOutOfTime, now_)),
            ErrorCode::kFencedTieringEpochException);
}

// Proves that a table with freshness 0 is always due, and never twice.
TEST_F(LakeTieringTest, NoFreshness) {
  tiering_.follow(kOne, kPath, Duration::zero(), now_);
  EXPECT_EQ(take_all(), (Taken{{kOne, 1}}));
  ASSERT_TRUE(tiering_.finish(kOne, 1, TieringEnd::kDone, now_));
  EXPECT_EQ(take_all(), (Taken{{kOne, 2}}));
}

// Proves that a silent worker loses its table to another one, and that one that speaks keeps it.
TEST_F(LakeTieringTest, Silence) {
  tiering_.follow(kOne, kPath, minutes(3), now_);
  now_ += minutes(3);
  EXPECT_EQ(take_all(), (Taken{{kOne, 1}}));
  for (int i = 0; i < 5; ++i) {
    now_ += minutes(1);
    EXPECT_TRUE(tiering_.renew(kOne, 1, now_));
  }
  now_ += minutes(2) - seconds(1);
  EXPECT_EQ(take_all(), Taken());
  EXPECT_TRUE(tiering_.renew(kOne, 1, now_));
  now_ += minutes(2);
  EXPECT_EQ(code(tiering_.renew(kOne, 1, now_)), ErrorCode::kFencedTieringEpochException);
  EXPECT_EQ(take_all(), (Taken{{kOne, 2}}));
  for (int64_t old : {0, 1, 3}) {
    EXPECT_EQ(code(tiering_.finish(kOne, old, TieringEnd::kDone, now_)),
              ErrorCode::kFencedTieringEpochException);
    EXPECT_EQ(code(tiering_.fail(kOne, old, now_)), ErrorCode::kFencedTieringEpochException);
  }
  EXPECT_EQ(tiering_.find(kOne, now_)->failures, 1U);
  EXPECT_TRUE(tiering_.renew(kOne, 2, now_));
}

// Proves that nobody can renew what nobody has.
TEST_F(LakeTieringTest, RenewWithoutARound) {
  tiering_.follow(kOne, kPath, minutes(3), now_);
  EXPECT_EQ(code(tiering_.renew(kOne, 0, now_)), ErrorCode::kUnknownServerError);
  now_ += minutes(3);
  EXPECT_EQ(code(tiering_.renew(kOne, 1, now_)), ErrorCode::kUnknownServerError);
  EXPECT_EQ(take_all(), (Taken{{kOne, 1}}));
}

// Proves that a new freshness counts from the last round on, and does not disturb a round.
TEST_F(LakeTieringTest, NewFreshness) {
  tiering_.follow(kOne, kPath, minutes(30), now_);
  now_ += minutes(10);
  tiering_.follow(kOne, kPath, minutes(15), now_);
  now_ += minutes(4);
  EXPECT_EQ(take_all(), Taken());
  tiering_.follow(kOne, kPath, minutes(5), now_);
  EXPECT_EQ(take_all(), (Taken{{kOne, 1}}));
  tiering_.follow(kOne, kPath, minutes(50), now_);
  EXPECT_TRUE(tiering_.finish(kOne, 1, TieringEnd::kDone, now_));
  now_ += minutes(49);
  EXPECT_EQ(take_all(), Taken());
}

// Proves that a table that is gone is not handed out, and that its worker hears of it; one that
// comes back begins anew.
TEST_F(LakeTieringTest, Forget) {
  tiering_.follow(kOne, kPath, minutes(3), now_);
  tiering_.follow(kTwo, kPath, minutes(3), now_);
  now_ += minutes(3);
  EXPECT_EQ(tiering_.next(now_)->table, kOne);
  tiering_.forget(kOne);
  tiering_.forget(kTwo);
  EXPECT_EQ(take_all(), Taken());
  EXPECT_EQ(code(tiering_.renew(kOne, 1, now_)), ErrorCode::kTableNotExist);
  EXPECT_EQ(code(tiering_.finish(kOne, 1, TieringEnd::kDone, now_)), ErrorCode::kTableNotExist);
  EXPECT_EQ(code(tiering_.fail(kOne, 1, now_)), ErrorCode::kTableNotExist);
  tiering_.follow(kOne, kPath, minutes(3), now_);
  EXPECT_EQ(take_all(), Taken());
  now_ += minutes(3);
  EXPECT_EQ(take_all(), (Taken{{kOne, 1}}));
  tiering_.forget_unless([](TableId) { return false; });
  EXPECT_EQ(tiering_.size(), 0U);
}

}  // namespace
}  // namespace lakestream::coordinator
