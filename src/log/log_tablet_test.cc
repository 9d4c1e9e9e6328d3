#include <gmock/gmock.h>

#include "log/log_test_support.h"

// Appends and reads of one log, as a plain model says they are.
namespace lakestream {
namespace {

using log_testing::batches_of;
using log_testing::BatchSpec;
using log_testing::join;
using log_testing::LogWorld;
using log_testing::make_batch;
using testing::HasSubstr;

ErrorCode code_of(const Result<Appended>& result) {
  return result ? ErrorCode::kNone : result.error().code();
}

TEST(LogAppend, RefusesWhatIsNoBatch) {
  // Empty, cut and overlong records are refused with a code that ends the client, and nothing is
  // stored.
  LogWorld world(1);
  world.open();
  Bytes batch = make_batch({});
  EXPECT_EQ(code_of(world.try_append({})), ErrorCode::kUnknownServerError);
  for (size_t size : {size_t{1}, size_t{12}, size_t{47}, batch.size() - 1}) {
    Bytes cut = Bytes::copy_of(batch.data(), size);
    EXPECT_EQ(code_of(world.try_append(cut)), ErrorCode::kUnknownServerError) << size;
  }
  EXPECT_EQ(code_of(world.try_append(join({batch, Bytes::of_static("x")}))),
            ErrorCode::kUnknownServerError);
  Bytes bad_magic = make_batch({});
  bad_magic.exclusive_data()[12] = 3;
  EXPECT_EQ(code_of(world.try_append(bad_magic)), ErrorCode::kUnknownServerError);
  EXPECT_EQ(world.log().end_offset(), Offset(0));
  EXPECT_EQ(world.log().size_bytes(), 0U);
  world.close();
}

TEST(LogAppend, DamageIsRetriableAndTheRestOfTheRequestIsNotStored) {
  // A wrong checksum in the second batch refuses both with CORRUPT_RECORD.
  LogWorld world(1);
  world.open();
  Bytes damaged = make_batch({});
  damaged.exclusive_data()[damaged.size() - 1] ^= 1;
  auto result = world.try_append(join({make_batch({}), damaged}));
  EXPECT_EQ(code_of(result), ErrorCode::kCorruptRecordException);
  EXPECT_EQ(world.log().end_offset(), Offset(0));
  world.close();
}

TEST(LogAppend, RefusesLargeBatches) {
  // The limit counts the whole batch.
  LogOptions options;
  options.batch_bytes_max = 148;
  LogWorld world(1, options);
  world.open();
  EXPECT_EQ(code_of(world.try_append(make_batch({.payload = 101}))),
            ErrorCode::kRecordTooLargeException);
  EXPECT_EQ(code_of(world.try_append(make_batch({.payload = 100}))), ErrorCode::kNone);
  world.close();
}

class OneShape final : public SchemaShapes {
 public:
  const BatchShape* find(SchemaId schema) const override {
    return schema == SchemaId(1) ? &shape_ : nullptr;
  }

 private:
  BatchShape shape_{LogFormat::kIndexed, Schema{}};
};

TEST(LogAppend, RefusesUnknownSchemas) {
  // A schema id that the table does not have is not retriable; a wrong checksum is looked at
  // before.
  LogWorld world(1);
  world.open();
  OneShape shapes;
  AppendRules rules = world.rules();
  rules.shapes = &shapes;
  Bytes unknown = make_batch({.records = 0, .schema = 2});
  EXPECT_EQ(code_of(world.log().append(unknown, rules)), ErrorCode::kUnknownServerError);
  unknown.exclusive_data()[21] ^= 1;
  EXPECT_EQ(code_of(world.log().append(unknown, rules)), ErrorCode::kCorruptRecordException);
  EXPECT_EQ(code_of(world.log().append(make_batch({.records = 0}), rules)), ErrorCode::kNone);
  world.close();
}

TEST(LogAppend, OffsetsAreDenseAndTimesDoNotGoBack) {
  // Each batch starts where the one before ends; an empty one takes an offset; the clock may jump
  // back.
  LogWorld world(1);
  world.open();
  Appended first = world.append(join({make_batch({.records = 3}), make_batch({.records = 0})}));
  EXPECT_EQ(first.base_offset, Offset(0));
  EXPECT_EQ(first.end_offset, Offset(4));
  world.world.jump_wall_clock(std::chrono::hours(-5));
  Appended second = world.append(make_batch({.records = 2, .magic = 2}));
  EXPECT_EQ(second.base_offset, Offset(4));
  EXPECT_EQ(second.end_offset, Offset(6));
  EXPECT_EQ(second.timestamp, first.timestamp);
  EXPECT_EQ(world.read_all().size(), 3U);
  EXPECT_EQ(world.log().last_timestamp(), first.timestamp);
  world.close();
}

TEST(LogAppend, StampsTheLeaderEpochIntoMagicTwo) {
  // Only that magic has the field; the checksum stays right.
  LogWorld world(1);
  world.open();
  AppendRules rules = world.rules();
  rules.leader_epoch = LeaderEpoch(9);
  ASSERT_TRUE(world.log().append(make_batch({.magic = 2}), rules));
  auto all = world.read_all();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].leader_epoch(), LeaderEpoch(9));
  EXPECT_EQ(world.log().latest_epoch(), LeaderEpoch(9));
  rules.leader_epoch = LeaderEpoch(8);
  EXPECT_EQ(code_of(world.log().append(make_batch({}), rules)),
            ErrorCode::kFencedLeaderEpochException);
  world.close();
}

TEST(LogAppend, EndIsVisibleAtOnceAndDurableLater) {
  // The listener hears of the durable end; one group is in flight, what comes meanwhile is the
  // next.
  LogWorld world(1);
  world.open();
  std::vector<Offset> heard;
  world.log().set_progress_listener([&](const LogProgress& progress) {
    EXPECT_EQ(progress.loss, nullptr);
    heard.push_back(progress.durable_end);
  });
  for (int i = 0; i < 5; ++i) world.append(make_batch({}));
  EXPECT_EQ(world.log().end_offset(), Offset(5));
  EXPECT_EQ(world.log().durable_end_offset(), Offset(0));
  world.settle();
  EXPECT_EQ(world.log().durable_end_offset(), Offset(5));
  EXPECT_THAT(heard, testing::ElementsAre(Offset(1), Offset(5)));
  EXPECT_EQ(world.log().counters().groups_written, 2U);
  world.close();
}

TEST(LogAppend, ShortWritesToThePageCacheDoNotTakeTheWayToThePool) {
  // A job of the pool takes time, a short write none. It is undone like any other when it fails.
  LogOptions options;
  options.durability = Durability::kOs;
  LogWorld world(3, options);
  world.open();
  world.append(make_batch({}));
  world.settle();  // the file was made
  world.append(make_batch({}));
  world.append(make_batch({.payload = 10'000}));
  EXPECT_EQ(world.log().durable_end_offset(), Offset(1));
  world.world.run_for(Duration(0));
  EXPECT_EQ(world.log().durable_end_offset(), Offset(3));

  std::optional<Offset> lost;
  world.log().set_progress_listener([&](const LogProgress& progress) {
    if (progress.loss != nullptr) lost = progress.loss->from;
  });
  world.disk().fail_after(1, "write");
  world.append(make_batch({}));
  world.world.run_for(Duration(0));
  EXPECT_EQ(lost, Offset(3));
  EXPECT_EQ(world.log().end_offset(), Offset(3));

  // A large one does, and what comes behind it keeps its place.
  world.append(make_batch({.payload = 3 << 20}));
  world.append(make_batch({}));
  world.world.run_for(Duration(0));
  EXPECT_EQ(world.log().durable_end_offset(), Offset(3));
  world.settle();
  EXPECT_EQ(world.log().durable_end_offset(), Offset(5));
  world.reopen();
  EXPECT_EQ(world.read_all(8 << 20).size(), 5U);
  world.close();
}

TEST(LogAppend, TooMuchWaitingIsRefusedForNow) {
  // Above the limit of bytes that wait for the disk the error is retriable; afterwards it works
  // again.
  LogOptions options;
  options.pending_bytes_max = 1000;
  LogWorld world(1, options);
  world.open();
  world.append(make_batch({.payload = 2000}));  // alone it may be larger
  auto refused = world.try_append(make_batch({}));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(is_retriable(refused.error().code()));
  world.settle();
  world.append(make_batch({}));
  world.close();
}

TEST(LogWriters, DuplicatesAnswerWithTheirOffsets) {
  // The last five sequences of a writer are remembered, with their original offsets.
  LogWorld world(1);
  world.open();
  for (int32_t i = 0; i < 7; ++i) {
    world.append(make_batch({.writer = 4, .sequence = i, .records = 2}));
  }
  for (int32_t i = 2; i < 7; ++i) {
    Appended again = world.append(make_batch({.writer = 4, .sequence = i, .records = 2}));
    EXPECT_TRUE(again.duplicate);
    EXPECT_EQ(again.base_offset, Offset(2 * i));
    EXPECT_EQ(again.end_offset, Offset(2 * i + 2));
  }
  for (int32_t sequence : {0, 1, 8, -1}) {
    EXPECT_EQ(code_of(world.try_append(make_batch({.writer = 4, .sequence = sequence}))),
              ErrorCode::kOutOfOrderSequenceException);
  }
  EXPECT_EQ(world.log().end_offset(), Offset(14));
  EXPECT_EQ(world.log().find_duplicate(WriterId(4), 3)->base_offset, Offset(6));
  EXPECT_FALSE(world.log().find_duplicate(WriterId(4), 0));
  world.close();
}

TEST(LogWriters, ANewWriterStartsAtZero) {
  LogWorld world(1);
  world.open();
  EXPECT_EQ(code_of(world.try_append(make_batch({.writer = 4, .sequence = 1}))),
            ErrorCode::kOutOfOrderSequenceException);
  world.append(make_batch({.writer = 4, .sequence = 0, .records = 0}));  // an empty batch counts
  world.append(make_batch({.writer = 4, .sequence = 1}));
  EXPECT_EQ(world.log().end_offset(), Offset(2));
  world.close();
}

TEST(LogWriters, SequencesWrapToZero) {
  // After 2147483647 comes 0; the state is brought there as a follower, which takes any sequence.
  LogWorld world(1);
  world.open();
  Bytes last = make_batch({.writer = 4, .sequence = INT32_MAX});
  ASSERT_TRUE(world.log().append_replicated(last, world.rules()));
  EXPECT_EQ(code_of(world.try_append(make_batch({.writer = 4, .sequence = 1}))),
            ErrorCode::kOutOfOrderSequenceException);
  world.append(make_batch({.writer = 4, .sequence = 0}));
  world.append(make_batch({.writer = 4, .sequence = 1}));
  world.close();
}

TEST(LogWriters, SeveralBatchesAreCheckedInOrderAndTakenTogether) {
  // Two batches of one writer in one request; a gap behind them undoes both.
  LogWorld world(1);
  world.open();
  Bytes gap = join({make_batch({.writer = 4, .sequence = 0}),
                    make_batch({.writer = 4, .sequence = 1}),
                    make_batch({.writer = 4, .sequence = 3})});
  EXPECT_EQ(code_of(world.try_append(gap)), ErrorCode::kOutOfOrderSequenceException);
  EXPECT_EQ(world.log().end_offset(), Offset(0));
  EXPECT_EQ(world.log().writer_count(), 0U);
  world.append(join({make_batch({.writer = 4, .sequence = 0}),
                     make_batch({.writer = 4, .sequence = 1}),
                     make_batch({.writer = 4, .sequence = 2})}));
  // What is new behind duplicates is appended, the rest left out.
  Appended mixed = world.append(join({make_batch({.writer = 4, .sequence = 2}),
                                      make_batch({.writer = 4, .sequence = 3, .records = 5})}));
  EXPECT_EQ(mixed.base_offset, Offset(2));
  EXPECT_EQ(mixed.end_offset, Offset(8));
  EXPECT_FALSE(mixed.duplicate);
  EXPECT_EQ(world.log().end_offset(), Offset(8));
  EXPECT_EQ(world.read_all().size(), 4U);
  world.close();
}

TEST(LogWriters, ExpiredWritersStartAgain) {
  LogOptions options;
  options.writer_expiration = std::chrono::seconds(2);
  LogWorld world(1, options);
  world.open();
  world.append(make_batch({.writer = 4, .sequence = 0}));
  world.append(make_batch({.writer = 4, .sequence = 1}));
  world.world.run_for(std::chrono::seconds(3));
  world.append(make_batch({.writer = 5, .sequence = 0}));
  world.log().expire_writers(world.world.wall_now());
  EXPECT_EQ(world.log().writer_count(), 1U);
  world.append(make_batch({.writer = 4, .sequence = 0}));
  world.close();
}

TEST(LogWriters, TheLongestSilentGoWhenThereAreTooMany) {
  LogOptions options;
  options.writers_max = 32;
  LogWorld world(1, options);
  world.open();
  for (int i = 0; i < 40; ++i) {
    world.append(make_batch({.writer = i, .sequence = 0}));
    world.world.run_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(world.log().writer_count(), 32U);
  world.append(make_batch({.writer = 39, .sequence = 1}));
  EXPECT_EQ(code_of(world.try_append(make_batch({.writer = 0, .sequence = 1}))),
            ErrorCode::kOutOfOrderSequenceException);
  world.close();
}

TEST(LogReplicate, TakesOverOffsetsAndRefusesGaps) {
  // A follower keeps what the leader decided; a gap or an overlap is refused.
  LogWorld leader(1);
  leader.open();
  leader.append(make_batch({.writer = 4, .sequence = 0, .records = 2}));
  leader.append(make_batch({.writer = 4, .sequence = 1, .records = 3}));
  LogRead all = leader.read(Offset(0), Offset(5));
  LogRead second = leader.read(Offset(2), Offset(5));

  LogWorld follower(2);
  follower.open();
  auto gap = follower.log().append_replicated(second.records.flatten(), follower.rules());
  EXPECT_EQ(code_of(gap), ErrorCode::kLogOffsetOutOfRangeException);
  ASSERT_TRUE(follower.log().append_replicated(all.records.flatten(), follower.rules()));
  auto overlap = follower.log().append_replicated(second.records.flatten(), follower.rules());
  EXPECT_EQ(code_of(overlap), ErrorCode::kLogOffsetOutOfRangeException);
  EXPECT_EQ(follower.log().end_offset(), Offset(5));
  LogRead copy = follower.read(Offset(0), Offset(5));
  EXPECT_EQ(copy.records.flatten(), all.records.flatten());
  // As leader it knows the writer.
  EXPECT_TRUE(follower.append(make_batch({.writer = 4, .sequence = 1})).duplicate);
  follower.close();
  leader.close();
}

TEST(LogRead, OffsetsOutsideTheLogAreAnError) {
  // The message names start and end; the end itself is an empty answer.
  LogWorld world(1);
  world.open();
  world.append(make_batch({.records = 3}));
  for (int64_t offset : {-1, 4}) {
    auto read = world.log().try_read({.from = Offset(offset), .limit = Offset(3)});
    ASSERT_TRUE(read && !*read);
    EXPECT_EQ(read->error().code(), ErrorCode::kLogOffsetOutOfRangeException);
    EXPECT_THAT(read->error().message(), HasSubstr("0..3"));
  }
  auto at_end = world.log().try_read({.from = Offset(3), .limit = Offset(3)});
  ASSERT_TRUE(at_end && *at_end);
  EXPECT_TRUE((*at_end)->records.empty());
  EXPECT_EQ((*at_end)->end_offset, Offset(3));
  world.close();
}

TEST(LogRead, NothingAtOrBeyondTheLimit) {
  // Whole batches below the limit, from the one that holds the asked offset.
  LogWorld world(1);
  world.open();
  for (int i = 0; i < 4; ++i) world.append(make_batch({.records = 3}));
  LogRead read = world.read(Offset(4), Offset(9));
  EXPECT_EQ(read.first_offset, Offset(3));
  EXPECT_EQ(read.end_offset, Offset(9));
  EXPECT_EQ(batches_of(read.records).size(), 2U);
  EXPECT_TRUE(world.read(Offset(9), Offset(9)).records.empty());
  EXPECT_TRUE(world.read(Offset(10), Offset(9)).records.empty());
  world.close();
}

// Every start, several budgets, from memory and from files of several segments: as a plain list of
// batches.
void check_reads(LogWorld& world, const std::vector<BatchView>& model) {
  for (size_t budget : {size_t{1}, size_t{100}, size_t{300}, size_t{1} << 20}) {
    for (bool at_least_one : {false, true}) {
      for (int64_t from = 0; from < world.log().end_offset().value(); from += 3) {
        LogRead read = *world.run(world.log().read({.from = Offset(from),
                                                    .limit = world.log().end_offset(),
                                                    .bytes_max = budget,
                                                    .at_least_one = at_least_one}));
        size_t first = 0;
        while (model[first].next_offset() <= Offset(from)) ++first;
        bool fits = at_least_one || model[first].size() <= budget;
        ASSERT_EQ(read.records.empty(), !fits) << from;
        if (!fits) continue;
        ASSERT_EQ(read.first_offset, model[first].base_offset());
        size_t total = 0;
        for (const BatchView& batch : batches_of(read.records)) {
          ASSERT_EQ(batch.bytes(), model[first].bytes());
          total += batch.size();
          ++first;
        }
        ASSERT_EQ(read.end_offset, model[first - 1].next_offset());
        if (total > budget) {
          ASSERT_EQ(read.end_offset, batches_of(read.records).front().next_offset());
        }
      }
    }
  }
}

TEST(LogRead, MatchesAPlainListWhereverTheBytesAre) {
  for (uint64_t tail : {uint64_t{0}, uint64_t{400}, uint64_t{1} << 20}) {
    for (uint64_t cold : {0, 50, 100}) {
      LogOptions options;
      options.segment_bytes_max = 700;
      options.index_interval_bytes = 150;
      options.tail_bytes_max = tail;
      options.open_files_max = 2;
      LogWorld world(tail + cold, options);
      world.disk().set_cold_percent(cold);
      world.open();
      std::vector<BatchView> model;
      for (int32_t i = 0; i < 40; ++i) {
        BatchSpec spec{.records = i % 4, .payload = static_cast<size_t>(20 + 13 * (i % 9))};
        if (i == 20) spec.payload = 2000;  // larger than a segment
        Bytes batch = make_batch(spec);
        Bytes kept = batch;
        world.append(std::move(batch));
        model.push_back(BatchView::parse(kept).value());
        if (i % 7 == 0) world.settle();
      }
      check_reads(world, model);
      world.settle();
      check_reads(world, model);
      world.reopen();
      check_reads(world, model);
      world.kill();
      world.open();
      check_reads(world, model);
      EXPECT_GT(world.log().segments().size(), 5U);
      world.close();
    }
  }
}

TEST(LogRead, LargeBatchesAreReadInParts) {
  // A walk with reads of the rest gives each batch once, in order, whatever is cold; the parts that
  // a visitor asks for are those of the batch.
  for (uint64_t cold : {0, 10, 100}) {
    LogOptions options;
    options.segment_bytes_max = 500'000;
    options.tail_bytes_max = 0;
    LogWorld world(cold, options);
    world.disk().set_cold_percent(cold);
    world.open();
    std::vector<Bytes> model;
    for (int32_t i = 0; i < 20; ++i) {
      size_t payload = i % 5 == 4 ? 300 : 70'000;
      model.push_back(
          make_batch({.records = 1 + i % 3, .payload = payload, .fill = static_cast<uint8_t>(i)}));
      world.append(Bytes(model.back()));
    }
    world.settle();
    size_t next = 0;
    size_t visited = 0;
    Offset end = world.log().end_offset();
    auto visitor = [&](StoredBatch& batch) -> Result<bool> {
      if (visited % 7 == 6 && batch.front().size() < 10'000) {  // says no once in a while
        ++visited;
        return false;
      }
      const Bytes& whole = model[next];
      EXPECT_EQ(batch.size(), whole.size());
      auto long_enough = batch.extend_front(9'000);
      if (!long_enough || !*long_enough) return long_enough;
      EXPECT_EQ(std::memcmp(batch.front().data(), whole.data(), 9'000), 0);
      std::vector<BatchRange> ranges{{48, 10}, {100, 50}, {20'000, 70}, {69'990, 58}};
      std::vector<Bytes> parts;
      auto read = batch.read(ranges, &parts);
      if (!read || !*read) return read;
      for (size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_EQ(parts[i], whole.slice(ranges[i].offset, ranges[i].size));
      }
      ++next;
      ++visited;
      return true;
    };
    for (Offset from(0); from < end;) {
      auto reached = world.log().try_visit(from, end, {}, visitor);
      ASSERT_TRUE(reached) << reached.error().to_string();
      from = *reached;
      if (from == end) break;
      LogRead rest = world.read(from, end, 1);
      ASSERT_EQ(rest.first_offset, from);
      ASSERT_EQ(rest.records.flatten(), model[next++]);
      from = rest.end_offset;
    }
    EXPECT_EQ(next, model.size());
    EXPECT_EQ(visited > 0, cold < 100);
    world.close();
  }
}

TEST(LogRead, AVisitCanBePrepared) {
  // After a start no file is open and nothing is known of batches inside of a segment: a visit from
  // any offset begins once it was prepared. Of small batches there is none.
  LogOptions options;
  options.segment_bytes_max = 500'000;
  options.tail_bytes_max = 0;
  LogWorld world(1, options);
  world.disk().set_cold_percent(0);
  world.open();
  for (int i = 0; i < 12; ++i) {
    world.append(make_batch({.records = 2, .payload = i < 10 ? size_t{70'000} : size_t{300}}));
  }
  world.settle();
  world.reopen();
  Offset end = world.log().end_offset();
  for (int64_t from : {21, 9, 2, 0, 15, 20, 23}) {
    auto prepared = world.run(world.log().prepare_visit(Offset(from), {}));
    ASSERT_TRUE(prepared) << prepared.error().to_string();
    EXPECT_EQ(*prepared, from < 20) << from;
    size_t visited = 0;
    auto count = [&](StoredBatch&) -> Result<bool> {
      ++visited;
      return true;
    };
    auto reached = world.log().try_visit(Offset(from), end, {}, count);
    ASSERT_TRUE(reached);
    // Up to the end of its segment at least, which holds seven batches.
    EXPECT_EQ(visited > 0, from < 20) << from;
    EXPECT_EQ(reached->value(),
              from < 20 ? from - from % 2 + 2 * static_cast<int64_t>(visited) : from);
  }
  auto beyond = world.run(world.log().prepare_visit(Offset(99), {}));
  EXPECT_EQ(beyond.error().code(), ErrorCode::kLogOffsetOutOfRangeException);
  world.close();
}

TEST(LogRead, TheTailOfAllLogsHasABudget) {
  // Batches that are on disk leave memory, the log that grew longest ago first.
  LogOptions options;
  options.tail_bytes_total_max = 1000;
  LogWorld world(1, options);
  world.disk().set_cold_percent(0);
  world.open();
  for (int i = 0; i < 30; ++i) world.append(make_batch({.payload = 100}));
  EXPECT_EQ(world.read_all().size(), 30U);
  EXPECT_EQ(world.log().counters().reads_pool, 0U);  // nothing is on disk yet
  world.settle();
  EXPECT_EQ(world.read_all().size(), 30U);
  EXPECT_GT(world.log().counters().reads_pool + world.log().counters().reads_cache, 0U);
  world.close();
}

TEST(LogTime, FindsTheFirstBatchAtOrAfterATime) {
  // Every time around each append, in memory and in files.
  for (uint64_t tail : {uint64_t{0}, uint64_t{300}, uint64_t{1} << 20}) {
    LogOptions options;
    options.segment_bytes_max = 500;
    options.index_interval_bytes = 100;
    options.tail_bytes_max = tail;
    LogWorld world(7, options);
    world.open();
    std::vector<std::pair<TimestampMs, Offset>> model;
    for (int i = 0; i < 20; ++i) {
      Appended appended = world.append(make_batch({.records = 2}));
      model.emplace_back(appended.timestamp, appended.base_offset);
      if (i % 3 != 0) world.world.run_for(std::chrono::milliseconds(10));
    }
    auto check = [&] {
      for (const auto& [time, unused] : model) {
        for (int64_t shift : {-1, 0, 1}) {
          TimestampMs asked(time.value() + shift);
          std::optional<Offset> expected;
          for (const auto& [at, offset] : model) {
            if (at >= asked && !expected) expected = offset;
          }
          EXPECT_EQ(*world.run(world.log().offset_for_timestamp(asked)), expected);
        }
      }
    };
    check();
    world.reopen();
    check();
    world.kill();
    world.open();
    check();
    world.close();
  }
}

}  // namespace
}  // namespace lakestream
