#include <gmock/gmock.h>

#include "log/log_test_support.h"

// Rolling, retention, truncation, epochs, and the store that holds the logs.
namespace lakestream {
namespace {

using log_testing::expect_ok;
using log_testing::kPath;
using log_testing::LogWorld;
using log_testing::make_batch;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int64_t> bases_of(const LogTablet& log) {
  std::vector<int64_t> bases;
  for (const LogSegment& segment : log.segments()) bases.push_back(segment.base_offset.value());
  return bases;
}

TEST(LogRoll, BySizeAndAge) {
  // A segment ends before the append that would make it too large or too old.
  LogOptions options;
  options.segment_bytes_max = 2 * make_batch({}).size();
  options.segment_age_max = std::chrono::seconds(10);
  LogWorld world(1, options);
  world.open();
  for (int i = 0; i < 3; ++i) world.append(make_batch({}));
  EXPECT_THAT(bases_of(world.log()), ElementsAre(0, 2));
  world.world.run_for(std::chrono::seconds(11));
  world.append(make_batch({}));
  EXPECT_THAT(bases_of(world.log()), ElementsAre(0, 2, 3));
  world.reopen();
  world.world.run_for(std::chrono::seconds(11));
  world.append(make_batch({}));
  EXPECT_THAT(bases_of(world.log()), ElementsAre(0, 2, 3, 4));
  auto segments = world.log().segments();
  EXPECT_TRUE(segments[2].sealed);
  EXPECT_FALSE(segments[3].sealed);
  EXPECT_EQ(segments[1].end_offset, Offset(3));
  world.close();
}

TEST(LogRetention, ExpiredSegmentsGoFromTheStart) {
  // By the time of their newest record, never above the limit, never the active one unless asked.
  LogWorld world(1);
  world.open();
  world.log().set_table_options({.ttl = std::chrono::seconds(60)});
  for (int i = 0; i < 4; ++i) {
    world.append(make_batch({}));
    expect_ok(world.log().roll());
    world.append(make_batch({}));
    world.world.run_for(std::chrono::seconds(20));
  }
  ASSERT_THAT(bases_of(world.log()), ElementsAre(0, 1, 3, 5, 7));
  auto expire = [&](Offset limit) {
    return *world.run(world.log().delete_expired(world.world.wall_now(), limit));
  };
  EXPECT_EQ(expire(Offset(0)), 0U);
  EXPECT_EQ(expire(Offset(8)), 1U);  // 0: 80 s old; 1: holds a record of 60 s
  world.world.run_for(std::chrono::seconds(1));
  EXPECT_EQ(expire(Offset(2)), 0U);
  EXPECT_EQ(expire(Offset(3)), 1U);
  EXPECT_EQ(world.log().start_offset(), Offset(3));
  EXPECT_THAT(world.files(), testing::Not(testing::Contains(HasSubstr("00000001."))));

  auto below = world.log().try_read({.from = Offset(0), .limit = Offset(8)});
  ASSERT_TRUE(below && !*below);
  EXPECT_EQ(below->error().code(), ErrorCode::kLogOffsetOutOfRangeException);
  EXPECT_THAT(below->error().message(), HasSubstr("3..8"));

  world.world.run_for(std::chrono::hours(1));
  EXPECT_EQ(expire(Offset(8)), 2U);
  EXPECT_THAT(bases_of(world.log()), ElementsAre(7));
  world.log().set_table_options({.ttl = std::chrono::seconds(60), .expire_active_segment = true});
  EXPECT_EQ(expire(Offset(8)), 1U);
  EXPECT_EQ(world.log().start_offset(), Offset(8));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.log().end_offset(), Offset(8));
    EXPECT_EQ(world.log().size_bytes(), 0U);
    if (i == 0) world.lose_power();
    if (i == 0) world.open();
  }
  world.log().set_table_options({.ttl = Duration::zero()});
  EXPECT_EQ(world.append(make_batch({})).base_offset, Offset(8));
  world.close();
}

TEST(LogRetention, DeletesWhatHasACopyElsewhere) {
  LogWorld world(1);
  world.open();
  for (int i = 0; i < 4; ++i) {
    world.append(make_batch({.records = 2}));
    expect_ok(world.log().roll());
  }
  EXPECT_EQ(*world.run(world.log().delete_before(Offset(8))), 0U);  // not durable yet
  world.settle();
  EXPECT_EQ(*world.run(world.log().delete_before(Offset(5))), 2U);
  EXPECT_EQ(world.log().start_offset(), Offset(4));
  world.kill();
  world.open();
  EXPECT_EQ(world.log().start_offset(), Offset(4));
  EXPECT_EQ(world.log().end_offset(), Offset(8));
  world.close();
}

void fill(LogWorld& world) {
  for (int32_t i = 0; i < 20; ++i) {
    world.append(make_batch({.writer = i % 3, .sequence = i / 3, .records = 1 + i % 3}));
    if (i % 6 == 5) expect_ok(world.log().roll());
  }
  world.settle();
}

TEST(LogTruncate, ToEveryOffset) {
  // What remains are the batches that end at or below it, and the writers that they make; restarts
  // after it find the same and no stale file.
  LogWorld whole(1);
  whole.open();
  fill(whole);
  std::vector<BatchView> model = whole.read_all();
  for (int64_t target = 0; target <= model.back().next_offset().value(); ++target) {
    LogWorld world(1);
    world.open();
    fill(world);
    if (target % 2 == 0) expect_ok(world.run(world.store().checkpoint()));
    expect_ok(world.run(world.log().truncate_to(Offset(target))));
    size_t kept = 0;
    while (kept < model.size() && model[kept].next_offset() <= Offset(target)) ++kept;
    Offset end = kept == 0 ? Offset(0) : model[kept - 1].next_offset();
    for (int life = 0; life < 3; ++life) {
      ASSERT_EQ(world.log().end_offset(), end) << target;
      std::vector<BatchView> left = world.read_all();
      ASSERT_EQ(left.size(), kept);
      for (size_t i = 0; i < kept; ++i) ASSERT_EQ(left[i].bytes(), model[i].bytes());
      for (int32_t writer = 0; writer < 3; ++writer) {
        int32_t last = -1;
        for (const BatchView& batch : left) {
          if (batch.writer_id() == WriterId(writer)) last = batch.batch_sequence();
        }
        for (int32_t known = last; known >= 0 && known > last - 5; --known) {
          ASSERT_TRUE(world.log().find_duplicate(WriterId(writer), known)) << target;
        }
        ASSERT_FALSE(world.log().find_duplicate(WriterId(writer), last + 1));
      }
      if (life == 0) world.lose_power();
      if (life == 1) world.close();
      if (life < 2) world.open();
    }
    EXPECT_EQ(world.append(make_batch({})).base_offset, end);
    world.close();
  }
  whole.close();
}

TEST(LogTruncate, FullyToAnyOffset) {
  // Above, inside and below the log; the next batch gets the offset, also after a restart.
  for (int64_t start : {0, 5, 17, 39, 40, 100}) {
    for (bool power : {false, true}) {
      LogWorld world(1);
      world.open();
      fill(world);
      expect_ok(world.run(world.store().checkpoint()));
      expect_ok(world.run(world.log().truncate_fully_and_start_at(Offset(start))));
      for (int life = 0; life < 3; ++life) {
        EXPECT_EQ(world.log().start_offset(), Offset(start));
        EXPECT_EQ(world.log().end_offset(), Offset(start));
        EXPECT_EQ(world.log().writer_count(), 0U);
        EXPECT_EQ(world.log().size_bytes(), 0U);
        if (life == 0 && power) world.lose_power();
        if (life == 0 && !power) world.kill();
        if (life == 1) world.close();
        if (life < 2) world.open();
      }
      EXPECT_EQ(world.append(make_batch({})).base_offset, Offset(start));
      world.reopen();
      EXPECT_EQ(world.log().end_offset(), Offset(start + 1));
      world.close();
    }
  }
}

TEST(LogTruncate, WhatWasWrittenAgainIsNotTakenForTheOld) {
  // A recovery point from before a truncation does not vouch for what came after it.
  LogOptions options;
  options.durability = Durability::kOs;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    LogWorld world(seed, options);
    world.open();
    for (int i = 0; i < 20; ++i) world.append(make_batch({.fill = 1}));
    expect_ok(world.run(world.store().checkpoint()));
    expect_ok(world.run(world.log().truncate_to(Offset(5))));
    for (int i = 0; i < 20; ++i) world.append(make_batch({.fill = 2}));
    world.settle();
    world.lose_power();
    world.open();
    ASSERT_GE(world.log().end_offset(), Offset(5));
    for (const BatchView& batch : world.read_all()) {
      ASSERT_TRUE(batch.validate());
      ASSERT_EQ(batch.records()[0], batch.base_offset() < Offset(5) ? 1 : 2);
    }
    world.close();
  }
}

TEST(LogTruncate, AppendsAreRefusedMeanwhile) {
  LogWorld world(1);
  world.open();
  fill(world);
  bool done = false;
  struct Run {
    static Task<void> truncate(LogTablet* log, bool* ended) {
      Status truncated = co_await log->truncate_to(Offset(3));
      expect_ok(truncated);
      *ended = true;
    }
  };
  world.node.shard(0).spawn(Run::truncate(&world.log(), &done));
  world.world.run_until([&] { return !world.try_append(make_batch({})).has_value(); },
                        std::chrono::seconds(1));
  EXPECT_FALSE(done);
  EXPECT_TRUE(is_retriable(world.try_append(make_batch({})).error().code()));
  world.settle();
  EXPECT_TRUE(done);
  EXPECT_EQ(world.append(make_batch({})).base_offset, Offset(3));
  world.close();
}

TEST(LogEpochs, AreKeptAndAnswerWhereTheyEnd) {
  LogWorld world(1);
  world.open();
  auto end_of = [&](int32_t epoch) {
    EpochEnd end = world.log().end_offset_for_epoch(LeaderEpoch(epoch));
    return std::pair(end.epoch.value(), end.end_offset.value());
  };
  EXPECT_EQ(end_of(5), std::pair(-1, int64_t{0}));
  expect_ok(world.log().assign_epoch(LeaderEpoch(1)));
  world.append(make_batch({.records = 10}));
  expect_ok(world.log().assign_epoch(LeaderEpoch(3)));
  expect_ok(world.log().assign_epoch(LeaderEpoch(4)));  // 3 wrote nothing
  world.append(make_batch({.records = 5}));
  world.settle();
  EXPECT_FALSE(world.log().assign_epoch(LeaderEpoch(2)));
  for (int life = 0; life < 3; ++life) {
    EXPECT_EQ(end_of(0), std::pair(-1, int64_t{0}));
    EXPECT_EQ(end_of(1), std::pair(1, int64_t{10}));
    EXPECT_EQ(end_of(3), std::pair(1, int64_t{10}));
    EXPECT_EQ(end_of(4), std::pair(4, int64_t{15}));
    EXPECT_EQ(end_of(9), std::pair(4, int64_t{15}));
    EXPECT_EQ(world.log().latest_epoch(), LeaderEpoch(4));
    if (life == 0) world.lose_power();
    if (life == 1) world.close();
    if (life < 2) world.open();
  }
  expect_ok(world.run(world.log().truncate_to(Offset(10))));
  EXPECT_EQ(world.log().latest_epoch(), LeaderEpoch(1));
  world.lose_power();
  world.open();
  EXPECT_EQ(end_of(4), std::pair(1, int64_t{10}));
  world.close();
}

LogPath path_of(int64_t table, int32_t bucket, std::optional<std::string> partition = {}) {
  LogPath path = kPath;
  path.bucket.table = TableId(table);
  path.bucket.bucket = BucketId(bucket);
  if (partition) path.bucket.partition = PartitionId(table * 10);
  path.table.partition = std::move(partition);
  return path;
}

TEST(LogStorePaths, RoundTrip) {
  EXPECT_EQ(log_directory(path_of(7, 3)), "db/t-7/log-3");
  EXPECT_EQ(log_directory(path_of(7, 3, "2024-p1-p2")), "db/t-7/2024-p1-p2-p70/log-3");
  for (const LogPath& path : {path_of(7, 3), path_of(7, 3, "2024-p1-p2")}) {
    EXPECT_EQ(parse_log_directory(log_directory(path)), path);
  }
  for (std::string_view other : {"db/t-1/kv-0",
                                 "db/t-1",
                                 "db/t-1/x/log-0",
                                 "db/t/log-0",
                                 "",
                                 "db/t-1/log-x",
                                 "db/t-1/log-99999999999",
                                 "a/b-1/c-p1/d/log-0"}) {
    EXPECT_FALSE(parse_log_directory(other)) << other;
  }
}

TEST(LogStoreDirectory, FindsRemovesAndReopens) {
  // Logs of dropped tables are reported and can be removed; a log is open once at a time.
  LogWorld world(1);
  world.open_store();
  std::vector<LogPath> paths = {path_of(1, 0), path_of(1, 1), path_of(3, 0), path_of(2, 0, "p")};
  std::vector<std::unique_ptr<LogTablet>> logs;
  for (const LogPath& path : paths) {
    logs.push_back(*world.run(world.store().open_log(path, world.node.shard(0))));
    ASSERT_TRUE(logs.back()->append(make_batch({}), world.rules()));
  }
  EXPECT_FALSE(world.run(world.store().open_log(paths[0], world.node.shard(0))));
  EXPECT_FALSE(world.run(world.store().remove(paths[0])));
  for (auto& log : logs) expect_ok(world.run(log->close()));
  logs.clear();
  expect_ok(world.run(world.store().close()));
  world.live.reset();

  // A crash may leave directories without a log.
  ASSERT_TRUE(world.disk().create_directories("/data/db/t-8/p-p21").has_value());
  ASSERT_TRUE(world.disk().create_directories("/data/db/t-2/p-p22").has_value());
  world.open_store();
  EXPECT_EQ(world.store().found(), paths);
  EXPECT_FALSE(*world.disk().exists("/data/db/t-8"));
  EXPECT_FALSE(*world.disk().exists("/data/db/t-2/p-p22"));
  expect_ok(world.run(world.store().remove(paths[1])));
  expect_ok(world.run(world.store().remove(paths[3])));
  EXPECT_TRUE(*world.disk().exists("/data/db/t-1"));
  EXPECT_FALSE(*world.disk().exists("/data/db/t-2/p-p20"));
  // A log that nobody opened is still clean after the next stop.
  expect_ok(world.run(world.store().close()));
  world.live.reset();
  world.open_store();
  EXPECT_THAT(world.store().found(), ElementsAre(paths[0], paths[2]));
  auto log = *world.run(world.store().open_log(paths[0], world.node.shard(0)));
  EXPECT_EQ(log->end_offset(), Offset(1));
  log.reset();
  world.settle();
  EXPECT_FALSE(world.run(world.store().open_log(paths[0], world.node.shard(0)))->get() == nullptr);
}

TEST(LogStoreDirectory, BucketsOfATableGoTogether) {
  // Removals and an open of one table at once wait for each other.
  LogWorld world(1);
  world.open_store();
  for (int32_t bucket = 0; bucket < 4; ++bucket) {
    auto log = *world.run(world.store().open_log(path_of(1, bucket), world.node.shard(0)));
    expect_ok(world.run(log->close()));
  }
  int left = 4;
  struct Run {
    static Task<void> remove(LogStore* store, LogPath path, int* waiting) {
      Status removed = co_await store->remove(std::move(path));
      expect_ok(removed);
      --*waiting;
    }
  };
  for (int32_t bucket = 0; bucket < 4; ++bucket) {
    world.node.shard(0).spawn(Run::remove(&world.store(), path_of(1, bucket), &left));
  }
  auto again = world.run(world.store().open_log(path_of(1, 0), world.node.shard(0)));
  ASSERT_TRUE(again);
  world.settle();
  EXPECT_EQ(left, 0);
  EXPECT_EQ((*again)->end_offset(), Offset(0));
}

TEST(LogStoreDirectory, AStopWithOpenLogsSaysSo) {
  LogWorld world(1);
  world.open();
  world.append(make_batch({}));
  EXPECT_FALSE(world.run(world.store().close()));
  world.settle();
  world.kill();
  world.open();
  EXPECT_EQ(world.log().end_offset(), Offset(1));
  world.close();
}

TEST(LogStoreDirectory, ALogWithoutCloseIsRecovered) {
  // Destroying a tablet while its group is on the way leaves a sound log, which can be opened
  // again.
  LogWorld world(1);
  world.open();
  world.append(make_batch({.writer = 1, .sequence = 0}));
  world.append(make_batch({.writer = 1, .sequence = 1}));
  world.live->log.reset();
  EXPECT_FALSE(world.try_open_log());  // still writing
  world.settle();
  expect_ok(world.try_open_log());
  EXPECT_EQ(world.log().end_offset(), Offset(2));
  EXPECT_TRUE(world.append(make_batch({.writer = 1, .sequence = 1})).duplicate);
  world.close();
}

}  // namespace
}  // namespace lakestream
