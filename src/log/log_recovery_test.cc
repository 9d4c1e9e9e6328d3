#include <map>

#include <gmock/gmock.h>

#include "base/endian.h"
#include "base/logging.h"
#include "log/log_test_support.h"
#include "log/recovery.h"
#include "log/segment_index.h"

// What is left of a log after its process or its machine stopped in the middle.
namespace lakestream {
namespace {

using log_testing::expect_ok;
using log_testing::kPath;
using log_testing::LogWorld;
using log_testing::make_batch;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string log_file(int64_t base) { return fmt::format("{:020}.log", base); }

void write_bytes(LogWorld& world, const std::string& path, uint64_t at, std::string_view bytes) {
  auto file = *world.disk().open(path, OpenMode::kCreate);
  Bytes content = Bytes::copy_of(bytes);
  ASSERT_TRUE(file->write_at(at, {&content, 1}));
}

TEST(LogRecovery, TornAtEveryByteOfTheLastBatch) {
  // Whatever is left of the last batch goes, the ones before stay, and appends go on.
  size_t size = make_batch({}).size();
  for (bool checkpointed : {false, true}) {
    for (size_t cut = 0; cut < size; ++cut) {
      LogWorld world(cut);
      world.open();
      world.append(make_batch({.writer = 3, .sequence = 0, .records = 2}));
      world.append(make_batch({.writer = 3, .sequence = 1}));
      world.settle();
      if (checkpointed) expect_ok(world.run(world.store().checkpoint()));
      world.append(make_batch({.writer = 3, .sequence = 2}));
      world.settle();
      world.kill();
      auto file = *world.disk().open(LogWorld::path(log_file(0)), OpenMode::kWrite);
      ASSERT_TRUE(file->truncate(2 * size + cut));
      world.open();
      ASSERT_EQ(world.log().end_offset(), Offset(3)) << cut;
      ASSERT_EQ(world.log().durable_end_offset(), Offset(3));
      EXPECT_TRUE(world.append(make_batch({.writer = 3, .sequence = 1})).duplicate);
      EXPECT_EQ(world.append(make_batch({.writer = 3, .sequence = 2})).base_offset, Offset(3));
      ASSERT_EQ(world.read_all().size(), 3U);
      world.close();
    }
  }
}

TEST(LogRecovery, GarbageAndGapsEndTheLog) {
  // Bytes that are no batch, a sound batch with another offset, and a flipped bit.
  for (int kind = 0; kind < 3; ++kind) {
    LogWorld world(1);
    world.open();
    world.append(make_batch({}));
    world.append(make_batch({}));
    world.settle();
    world.kill();
    std::string path = LogWorld::path(log_file(0));
    size_t size = make_batch({}).size();
    Bytes far = make_batch({});
    far.exclusive_data()[0] = 9;
    if (kind == 0) write_bytes(world, path, 2 * size, std::string(300, 'x'));
    if (kind == 1) write_bytes(world, path, 2 * size, far.view());
    if (kind == 2) write_bytes(world, path, 2 * size - 1, "!");
    world.open();
    EXPECT_EQ(world.log().end_offset(), Offset(kind == 2 ? 1 : 2));
    EXPECT_EQ(world.read_all().size(), kind == 2 ? 1U : 2U);
    world.close();
  }
}

TEST(LogRecovery, AnEmptyBatchIsAWholeSegment) {
  // A segment of one batch without records holds one offset, across clean and unclean ends.
  LogWorld world(1);
  world.open();
  world.append(make_batch({.records = 2}));
  ASSERT_TRUE(world.log().roll());
  world.append(make_batch({.writer = 1, .sequence = 0, .records = 0}));
  ASSERT_TRUE(world.log().roll());
  ASSERT_TRUE(world.log().roll());
  world.settle();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.log().end_offset(), Offset(3));
    EXPECT_EQ(world.log().segments().size(), 3U);
    EXPECT_EQ(world.read_all().size(), 2U);
    world.kill();
    world.open();
  }
  world.reopen();
  EXPECT_EQ(world.log().end_offset(), Offset(3));
  world.close();
}

TEST(LogRecovery, OnlyACleanStopLeavesTheMark) {
  // The mark goes with the next start; after it the whole state is rebuilt from the log.
  LogWorld world(1);
  world.open();
  world.append(make_batch({.writer = 3, .sequence = 0}));
  world.close();
  EXPECT_TRUE(*world.disk().exists("/data/logs.clean"));
  world.open();
  EXPECT_FALSE(*world.disk().exists("/data/logs.clean"));
  world.append(make_batch({.writer = 3, .sequence = 1}));
  world.append(make_batch({.writer = 8, .sequence = 0}));
  world.settle();
  world.kill();
  EXPECT_FALSE(*world.disk().exists("/data/logs.clean"));
  world.open();
  EXPECT_EQ(world.log().writer_count(), 2U);
  EXPECT_TRUE(world.append(make_batch({.writer = 3, .sequence = 0})).duplicate);
  EXPECT_TRUE(world.append(make_batch({.writer = 3, .sequence = 1})).duplicate);
  world.append(make_batch({.writer = 8, .sequence = 1}));
  world.close();
}

TEST(LogRecovery, ADirectoryThatChangedSinceTheCleanStopIsReadAnew) {
  // The note of the clean stop is believed only for a directory that looks as noted.
  LogWorld world(1);
  world.open();
  for (int i = 0; i < 3; ++i) world.append(make_batch({}));
  world.close();
  auto file = *world.disk().open(LogWorld::path(log_file(0)), OpenMode::kWrite);
  ASSERT_TRUE(file->truncate(make_batch({}).size() + 5));
  world.open();
  EXPECT_EQ(world.log().end_offset(), Offset(1));
  world.close();
}

TEST(LogRecovery, AWriterThatExpiredDoesNotStopIt) {
  // Sequences are not checked when writers are rebuilt: after an expiry one starts again at 0.
  LogOptions options;
  options.writer_expiration = std::chrono::seconds(2);
  LogWorld world(1, options);
  world.open();
  world.append(make_batch({.writer = 3, .sequence = 0}));
  world.append(make_batch({.writer = 3, .sequence = 1}));
  world.world.run_for(std::chrono::seconds(3));
  world.log().expire_writers(world.world.wall_now());
  world.append(make_batch({.writer = 3, .sequence = 0}));
  world.settle();
  world.kill();
  world.open();
  EXPECT_EQ(world.log().end_offset(), Offset(3));
  world.append(make_batch({.writer = 3, .sequence = 1}));
  world.close();
}

TEST(LogRecovery, ReadsOnlyWhatLiesBehindTheRecoveryPoint) {
  // 100 segments, a checkpoint, one more batch, kill: only the end of the last segment is read.
  LogOptions options;
  options.segment_bytes_max = 500;
  options.index_interval_bytes = 100;
  LogWorld world(1, options);
  world.open();
  size_t size = make_batch({.payload = 100}).size();
  for (int32_t i = 0; i < 300; ++i) {
    world.append(make_batch({.writer = 1, .sequence = i, .payload = 100}));
  }
  world.settle();
  ASSERT_TRUE(world.run(world.store().checkpoint()));
  world.append(make_batch({.writer = 1, .sequence = 300, .payload = 100}));
  world.settle();
  ASSERT_GE(world.log().segments().size(), 100U);
  world.kill();

  using namespace log_internal;
  OpenHints hints;
  hints.recovery_point = {.generation = 0, .offset = Offset(300)};
  hints.index_interval_bytes = options.index_interval_bytes;
  auto opened = open_log_directory(world.disk(), "/data/db/t-1/log-0", hints);
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->segments.back().end_offset, Offset(301));
  EXPECT_LE(opened->bytes_scanned, 2 * size);
  EXPECT_EQ(opened->writers.find(WriterId(1), 300)->last_offset, Offset(300));

  world.open();
  EXPECT_EQ(world.log().end_offset(), Offset(301));
  EXPECT_EQ(world.read_all().size(), 301U);
  world.close();
}

TEST(LogRecovery, AMissingSegmentIsAnErrorAndNotALoss) {
  // Below the recovery point nothing is cut off silently.
  LogWorld world(1);
  world.open();
  for (int i = 0; i < 3; ++i) {
    world.append(make_batch({}));
    ASSERT_TRUE(world.log().roll());
  }
  world.settle();
  ASSERT_TRUE(world.run(world.store().checkpoint()));
  world.kill();
  ASSERT_TRUE(world.disk().remove(LogWorld::path(log_file(1))));
  world.open_store();
  Status opened = world.try_open_log();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr("does not end at 2"));
}

TEST(LogRecovery, DamagedIndexesAreRebuilt) {
  // Zeros, garbage and missing files: reads answer right, at once and after a restart.
  for (std::string_view kind : {"zeros", "garbage", "missing"}) {
    LogOptions options;
    options.index_interval_bytes = 60;
    options.tail_bytes_max = 0;
    LogWorld world(1, options);
    world.open();
    for (int i = 0; i < 30; ++i) {
      if (i == 20) expect_ok(world.log().roll());
      world.append(make_batch({}));
    }
    world.reopen();
    auto damage = [&] {
      for (std::string_view suffix : {".index", ".timeindex"}) {
        for (int64_t base : {0, 20}) {
          std::string path = LogWorld::path(fmt::format("{:020}{}", base, suffix));
          if (kind == "missing") expect_ok(world.disk().remove(path));
          if (kind == "zeros") write_bytes(world, path, 0, std::string(2000, '\0'));
          if (kind == "garbage") write_bytes(world, path, 0, std::string(2000, '\x5a'));
        }
      }
    };
    damage();
    for (int64_t from : {0, 7, 19, 20, 25, 29}) {
      LogRead read = world.read(Offset(from), Offset(30), 1);
      EXPECT_EQ(read.first_offset, Offset(from)) << kind;
    }
    world.settle();
    EXPECT_EQ(world.read_all(1).size(), 30U);
    world.close();
    damage();
    world.open();
    EXPECT_EQ(world.read_all(1).size(), 30U);
    world.settle();
    ASSERT_TRUE(world.run(world.store().checkpoint()));
    world.kill();
    damage();
    world.open();
    EXPECT_EQ(world.read_all(1).size(), 30U);
    world.close();
  }
}

TEST(LogRecovery, AnIndexOutOfOrderLosesNothingAtTheNextStart) {
  // The first batch is damaged, too; where the index leads, all is sound. What one start leaves is
  // what the next finds.
  LogOptions options;
  options.index_interval_bytes = 60;
  LogWorld world(1, options);
  world.open();
  for (int i = 0; i < 8; ++i) world.append(make_batch({}));
  ASSERT_TRUE(world.run(world.store().checkpoint()));
  world.kill();
  std::string path = LogWorld::path(log_file(0));
  uint64_t size = (*world.disk().open(path, OpenMode::kRead))->size().value();
  write_bytes(world, path, 0, std::string(30, '\x5a'));
  auto batch_bytes = static_cast<int32_t>(size / 8);
  std::string index;
  for (int32_t batch : {0, 1, 2, 3, 7, 7, 7, 7}) {
    uint8_t entry[log_internal::kIndexEntryBytes];
    store_be<int32_t>(entry, batch == 7 ? 7 : 90);
    store_be<int32_t>(entry + 4, batch_bytes * batch);
    index.append(reinterpret_cast<const char*>(entry), sizeof(entry));
  }
  write_bytes(world, LogWorld::path(fmt::format("{:020}.index", 0)), 0, index);
  for (int start = 0; start < 3; ++start) {
    world.open();
    EXPECT_EQ(world.log().end_offset(), Offset(8)) << start;
    EXPECT_EQ(world.read(Offset(7), Offset(8), 1).first_offset, Offset(7)) << start;
    world.kill();
  }
}

TEST(LogRecovery, StrayFilesGoAndUnknownOnesStay) {
  LogWorld world(1);
  world.open();
  world.append(make_batch({}));
  world.settle();
  world.kill();
  write_bytes(world, LogWorld::path("log.state.tmp"), 0, "x");
  write_bytes(world, LogWorld::path("00000000000000000077.index"), 0, "x");
  write_bytes(world, LogWorld::path("00000000000000000077.writer_snapshot"), 0, "x");
  write_bytes(world, LogWorld::path("notes.txt"), 0, "x");
  world.open();
  EXPECT_EQ(world.log().end_offset(), Offset(1));
  EXPECT_THAT(world.files(), Not(Contains("log.state.tmp")));
  EXPECT_THAT(world.files(), Not(Contains("00000000000000000077.index")));
  EXPECT_THAT(world.files(), Not(Contains("00000000000000000077.writer_snapshot")));
  EXPECT_THAT(world.files(), Contains("notes.txt"));
  world.close();
}

TEST(LogRecovery, OsModeKeepsEverythingWhenOnlyTheProcessDies) {
  LogOptions options;
  options.durability = Durability::kOs;
  options.segment_bytes_max = 300;
  LogWorld world(1, options);
  world.open();
  for (int i = 0; i < 20; ++i) world.append(make_batch({}));
  world.settle();
  EXPECT_EQ(world.log().durable_end_offset(), Offset(20));
  ASSERT_TRUE(world.run(world.store().checkpoint()));
  for (int i = 0; i < 20; ++i) world.append(make_batch({}));
  world.settle();
  world.kill();
  world.open();
  EXPECT_EQ(world.read_all().size(), 40U);
  // What a checkpoint or a flush covered survives power loss too.
  world.append(make_batch({}));
  ASSERT_TRUE(world.run(world.log().flush()));
  world.lose_power();
  world.open();
  EXPECT_EQ(world.read_all().size(), 41U);
  world.close();
}

TEST(LogFailure, AFullDiskLosesTheGroupAndNothingElse) {
  // The listener hears from where on appends are lost; the same sequences are welcome again.
  LogWorld world(1);
  world.open();
  world.append(make_batch({.writer = 3, .sequence = 0}));
  world.settle();
  std::vector<Offset> lost;
  world.log().set_progress_listener([&](const LogProgress& progress) {
    if (progress.loss == nullptr) return;
    lost.push_back(progress.loss->from);
    EXPECT_TRUE(is_retriable(progress.loss->error.code()));
    EXPECT_TRUE(is_disk_full(progress.loss->error));
    EXPECT_EQ(world.log().end_offset(), Offset(1));
  });
  world.disk().set_capacity(world.disk().used() + 30);
  world.append(make_batch({.writer = 3, .sequence = 1}));
  world.append(make_batch({.writer = 3, .sequence = 2}));
  ASSERT_TRUE(world.log().roll());
  world.append(make_batch({.writer = 5, .sequence = 0}));
  world.settle();
  EXPECT_THAT(lost, ElementsAre(Offset(1)));
  EXPECT_EQ(world.log().end_offset(), Offset(1));
  EXPECT_EQ(world.log().failure(), nullptr);
  EXPECT_EQ(world.log().writer_count(), 1U);
  EXPECT_EQ(world.log().segments().size(), 1U);

  world.disk().set_capacity(UINT64_MAX);
  EXPECT_FALSE(world.append(make_batch({.writer = 3, .sequence = 1})).duplicate);
  world.append(make_batch({.writer = 5, .sequence = 0}));
  EXPECT_TRUE(world.append(make_batch({.writer = 3, .sequence = 0})).duplicate);
  world.settle();
  EXPECT_EQ(world.log().durable_end_offset(), Offset(3));
  world.kill();
  world.open();
  EXPECT_EQ(world.read_all().size(), 3U);
  world.close();
}

TEST(LogFailure, AFailedSyncStopsTheLogUntilItIsOpenedAgain) {
  // What was not acknowledged does not come back when the log is opened again.
  LogWorld world(1);
  world.open();
  world.append(make_batch({.writer = 3, .sequence = 0}));
  world.settle();
  std::vector<Offset> lost;
  world.log().set_progress_listener([&](const LogProgress& progress) {
    if (progress.loss != nullptr) lost.push_back(progress.loss->from);
  });
  world.disk().fail_after(1, "sync");
  world.append(make_batch({.writer = 3, .sequence = 1}));
  world.settle();
  EXPECT_THAT(lost, ElementsAre(Offset(1)));
  ASSERT_NE(world.log().failure(), nullptr);
  auto refused = world.try_append(make_batch({.writer = 3, .sequence = 1}));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(is_retriable(refused.error().code()));
  EXPECT_EQ(world.read_all().size(), 1U);  // what was durable can be read
  EXPECT_FALSE(world.run(world.log().close()));

  world.live->log.reset();
  world.settle();
  Status opened = world.try_open_log();
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(world.log().end_offset(), Offset(1));
  world.append(make_batch({.writer = 3, .sequence = 1}));
  world.settle();
  EXPECT_EQ(world.log().durable_end_offset(), Offset(2));
  world.close();
}

TEST(LogFailure, AFailedUndoStopsTheLog) {
  // When the file can not be cut back, only opening it again tells what it holds.
  LogWorld world(1);
  world.open();
  world.append(make_batch({}));
  world.settle();
  world.disk().set_capacity(world.disk().used() + 30);
  world.disk().fail_after(1, "truncate");
  world.append(make_batch({}));
  world.settle();
  EXPECT_NE(world.log().failure(), nullptr);
  world.disk().set_capacity(UINT64_MAX);
  world.live->log.reset();
  world.settle();
  ASSERT_TRUE(world.try_open_log());
  EXPECT_EQ(world.log().end_offset(), Offset(1));
  world.close();
}

}  // namespace
}  // namespace lakestream
