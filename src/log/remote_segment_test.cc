#include "log/remote_segment.h"

#include <gtest/gtest.h>

#include "io/sim/sim_object_store.h"
#include "log/log_test_support.h"

// Copies of segments: what is checked before, and reads of them.
namespace lakestream {
namespace {

using log_testing::expect_ok;
using log_testing::LogWorld;
using log_testing::make_batch;

constexpr int64_t kRows = 200;

// A segment of batches of one to three records, with a size to each that is its own.
class RemoteSegmentTest : public testing::Test {
 protected:
  RemoteSegmentTest() : objects_(world_.disk()) {
    world_.open();
    int32_t next = 0;
    while (world_.log().end_offset() < Offset(kRows)) {
      times_.emplace_back(world_.log().end_offset(), world_.world.wall_now());
      int32_t records = 1 + next % 3;
      size_t payload = 10 + static_cast<size_t>(next * 37 % 300);
      world_.append(
          make_batch({.writer = 5, .sequence = next++, .records = records, .payload = payload}));
      world_.world.run_for(std::chrono::milliseconds(3));
    }
    expect_ok(world_.log().roll());
    world_.settle();
    segment_ = world_.log().segments().front();
    place_ = {.path = "file:///copy.log",
              .base_offset = segment_.base_offset,
              .end_offset = segment_.end_offset,
              .size = segment_.size};
    EXPECT_TRUE(objects_.put_file(place_.path, segment_.path));
  }
  ~RemoteSegmentTest() override { world_.close(); }

  // Reads from every offset on, in pieces of all sizes, and compares with the log.
  void expect_all(const RemoteIndex& index) {
    for (int64_t from = 0; from < segment_.end_offset.value(); from += 7) {
      for (size_t bytes : {size_t{1}, size_t{400}, size_t{1} << 20}) {
        ReadRequest request{Offset(from), segment_.end_offset, bytes, true};
        auto here = *world_.log().try_read(request);
        auto there = read_remote_segment(objects_, place_, index, request);
        ASSERT_TRUE(there) << there.error().to_string();
        ASSERT_TRUE(here);
        EXPECT_EQ(there->first_offset, here->first_offset);
        EXPECT_EQ(there->end_offset, here->end_offset);
        EXPECT_EQ(there->records, here->records);
      }
    }
    for (const auto& [offset, time] : times_) {
      auto found = find_remote_time(objects_, place_, index, time);
      ASSERT_TRUE(found);
      EXPECT_EQ(*found, offset);
    }
    TimestampMs later(times_.back().second.value() + 1000);
    EXPECT_EQ(find_remote_time(objects_, place_, index, later).value(), segment_.end_offset);
  }

  LogWorld world_{1};
  SimObjectStore objects_;
  LogSegment segment_;
  RemoteSegment place_;
  std::vector<std::pair<Offset, TimestampMs>> times_;
};

// Proves that a copy is read as the log is, with an index of any density and without one.
TEST_F(RemoteSegmentTest, ReadsAsTheLog) {
  for (uint64_t interval : {1, 500, 1 << 20}) {
    auto extras = check_segment(world_.disk(), segment_, interval);
    ASSERT_TRUE(extras) << extras.error().to_string();
    EXPECT_TRUE(extras->writer_snapshot);
    EXPECT_EQ(extras->index.offsets.size() / 8, extras->index.times.size() / 12);
    expect_all(extras->index);
  }
  expect_all({});
}

// Proves that a segment is not copied with a flipped bit, or when it is shorter or longer than the
// log says.
TEST_F(RemoteSegmentTest, DamageIsFound) {
  LogSegment other = segment_;
  other.end_offset = Offset(other.end_offset.value() + 1);
  EXPECT_FALSE(check_segment(world_.disk(), other, 100));
  other = segment_;
  other.base_offset = Offset(1);
  EXPECT_FALSE(check_segment(world_.disk(), other, 100));
  other = segment_;
  other.size -= 1;
  EXPECT_FALSE(check_segment(world_.disk(), other, 100));
  expect_ok(world_.disk().rot(segment_.path));
  auto damaged = check_segment(world_.disk(), segment_, 100);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code(), ErrorCode::kCorruptRecordException);
}

// Proves that a copy that is gone, cut or damaged is an error and no rows.
TEST_F(RemoteSegmentTest, DamagedCopies) {
  ReadRequest request{Offset(0), segment_.end_offset, 1 << 20, true};
  Bytes whole = objects_.objects().at(place_.path);
  expect_ok(objects_.put(place_.path, whole.slice(0, whole.size() - 30)));
  EXPECT_EQ(read_remote_segment(objects_, place_, {}, request).error().code(),
            ErrorCode::kCorruptRecordException);
  MutableBytes zeros = MutableBytes::allocate(whole.size());
  std::memset(zeros.data(), 0xff, zeros.size());
  expect_ok(objects_.put(place_.path, std::move(zeros).freeze()));
  EXPECT_EQ(read_remote_segment(objects_, place_, {}, request).error().code(),
            ErrorCode::kCorruptRecordException);
  expect_ok(objects_.remove(place_.path));
  EXPECT_EQ(read_remote_segment(objects_, place_, {}, request).error().code(),
            ErrorCode::kStorageException);
}

}  // namespace
}  // namespace lakestream
