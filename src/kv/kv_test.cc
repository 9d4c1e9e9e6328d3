#include "kv/kv.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/batch.h"
#include "io/random.h"
#include "io/sim/sim_disk.h"
#include "kv/byte_view.h"
#include "kv/replay.h"

namespace lakestream {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<KvTable> table_of(const Properties& properties = {}) {
  KvTableSpec spec;
  spec.name = "db.t";
  auto schema = SchemaBuilder()
                    .column("k", DataType::integer())
                    .column("v", DataType::string())
                    .primary_key({"k"})
                    .build();
  spec.schemas = {{SchemaId(1), *schema}};
  spec.options = *parse_table_options(properties);
  spec.bucket_keys = {"k"};
  return *KvTable::make(std::move(spec));
}

// A bucket with a log that is a vector of stamped batches, and a model of both.
class Bucket {
 public:
  explicit Bucket(std::shared_ptr<KvTable> table)
      : table_(std::move(table)), engines_(make_memory_engines(disk_, {})) {
    // So little that rows leave it, too.
    auto budget = std::make_shared<RowCacheBudget>(1 << 20, 1);
    tablet_ =
        std::make_unique<KvTablet>(*engines_->open("/kv"), std::make_shared<RowCache>(budget));
  }

  struct Op {
    int32_t key = 0;
    std::optional<std::string> value;  // absent: delete
  };

  KvBatchView batch_of(const std::vector<Op>& ops) {
    KvBatchBuilder builder(SchemaId(1));
    for (const Op& op : ops) {
      ByteWriter key;
      ByteWriter row;
      std::string text = op.value.value_or("");
      Value values[] = {Value::integer(op.key), Value::bytes(text)};
      EXPECT_TRUE(table_->encode_key(values, &key));
      EXPECT_TRUE(table_->encode_row(values, &row));
      if (op.value) {
        builder.upsert(key.span(), row.span());
      } else {
        builder.remove(key.span());
      }
    }
    return *KvBatchView::parse(builder.finish({}));
  }

  // Loads, prepares and accepts, or rejects, one put.
  Status put(const std::vector<Op>& ops, bool accepted = true) {
    KvBatchView batch = batch_of(ops);
    const KvBatchView* batches[] = {&batch};
    KvLoad load = tablet_->begin_load(batches);
    EXPECT_TRUE(load.complete());
    EXPECT_TRUE(tablet_->end_load(load));
    Status status = settle(batch, &load, accepted);
    tablet_->forget_load();
    if (status && accepted) remember(ops);
    return status;
  }

  Status settle(const KvBatchView& batch, const KvLoad* load, bool accepted) {
    auto changelog = tablet_->prepare(*table_, {batch}, load, 0);
    if (!changelog) return fail(changelog.error());
    if (!accepted) {
      tablet_->reject();
      return ok();
    }
    MutableBytes stamped = MutableBytes::allocate(changelog->size());
    std::copy(changelog->begin(), changelog->end(), stamped.data());
    stamp_batch(stamped.data(), {end_, TimestampMs(1)});
    log_.push_back(*BatchView::parse(std::move(stamped).freeze()));
    end_ = log_.back().next_offset();
    tablet_->accept(end_);
    return ok();
  }

  void remember(const std::vector<Op>& ops) {
    std::map<int32_t, std::string> next = states_.empty() ? decltype(next)() : states_.back();
    for (const Op& op : ops) {
      if (op.value) {
        next[op.key] = *op.value;
      } else {
        next.erase(op.key);
      }
    }
    states_.push_back(std::move(next));
  }

  void apply(Offset limit) {
    KvApply apply = tablet_->begin_apply(limit);
    tablet_->end_apply(apply, apply.empty() ? ok() : apply.run());
  }

  // Loses the newest `count` puts that are not applied.
  void lose(size_t count) {
    while (count-- > 0 && !log_.empty() &&
           log_.back().base_offset() >= tablet_->applied().applied) {
      end_ = log_.back().base_offset();
      log_.pop_back();
      states_.pop_back();
    }
    tablet_->lose_from(end_);
  }

  std::optional<std::string> latest(int32_t key) {
    ByteWriter encoded;
    Value values[] = {Value::integer(key), Value::null()};
    EXPECT_TRUE(table_->encode_key(values, &encoded));
    std::string_view keys[] = {encoded.view()};
    KvLookup lookup = tablet_->begin_lookup(keys);
    EXPECT_TRUE(lookup.complete());
    tablet_->add_pending(&lookup);
    tablet_->end_lookup(lookup);
    const KvRead& read = lookup.rows()[0];
    if (read.state != KvRead::State::kFound) return std::nullopt;
    Arena arena;
    return std::string((*table_->decode_value(read.value.view(), &arena))[1].as_bytes());
  }

  std::map<int32_t, std::string> rows_of(KvEngine& engine) {
    std::map<int32_t, std::string> rows;
    auto cursor = *engine.open_cursor();
    for (cursor->seek({}); !cursor->at_end(); cursor->next()) {
      Arena arena;
      auto row = *table_->decode_value(cursor->value(), &arena);
      rows[static_cast<int32_t>(row[0].as_integer())] = std::string(row[1].as_bytes());
    }
    return rows;
  }

  // The state that a replay of the whole log makes.
  std::unique_ptr<KvEngine> replayed(const std::string& directory) {
    auto engine = *engines_->open(directory);
    KvReplay replay(*table_, *engine);
    for (const BatchView& batch : log_) EXPECT_TRUE(replay.add(batch));
    EXPECT_TRUE(replay.finish());
    return engine;
  }

  KvTablet& tablet() { return *tablet_; }
  KvTable& table() { return *table_; }
  Offset end() const { return end_; }
  const std::vector<BatchView>& log() const { return log_; }
  std::map<int32_t, std::string> model() const {
    return states_.empty() ? std::map<int32_t, std::string>() : states_.back();
  }

 private:
  std::shared_ptr<KvTable> table_;
  SimDisk disk_{Random(7)};
  std::unique_ptr<KvEngines> engines_;
  std::unique_ptr<KvTablet> tablet_;
  std::vector<BatchView> log_;
  std::vector<std::map<int32_t, std::string>> states_;  // after each accepted put
  Offset end_;
};

TEST(KvTablet, ChangelogOfUpsertsAndDeletes) {
  // Proves: how many offsets each kind of change takes, in one put that touches a key repeatedly.
  Bucket bucket(table_of());
  ASSERT_TRUE(bucket.put({{1, "a"}, {1, "b"}, {2, "c"}, {2, std::nullopt}, {3, std::nullopt}}));
  ASSERT_EQ(bucket.log().size(), 1U);
  EXPECT_EQ(bucket.log()[0].record_count(), 5);  // +I, -U +U, +I, -D; nothing for key 3
  ASSERT_TRUE(bucket.put({{9, std::nullopt}}));
  EXPECT_EQ(bucket.log()[1].record_count(), 0);
  EXPECT_EQ(bucket.end(), Offset(6));
}

TEST(KvTablet, NewImagesAlone) {
  // Proves: without old rows in the changelog an upsert takes one offset and no row is read.
  Bucket bucket(table_of({{"table.changelog.image", "WAL"}}));
  KvBatchView batch = bucket.batch_of({{1, "a"}, {1, "b"}});
  EXPECT_FALSE(*KvTablet::needs_old_rows(bucket.table(), {batch}));
  ASSERT_TRUE(bucket.settle(batch, nullptr, true));
  EXPECT_EQ(bucket.log()[0].record_count(), 2);
  EXPECT_EQ(bucket.latest(1), "b");
  KvBatchView removal = bucket.batch_of({{1, std::nullopt}});
  EXPECT_TRUE(*KvTablet::needs_old_rows(bucket.table(), {removal}));
}

TEST(KvTablet, RejectedPutLeavesNothing) {
  // Proves: a put that the log refuses changes neither the newest rows nor what is applied later.
  Bucket bucket(table_of());
  ASSERT_TRUE(bucket.put({{1, "a"}}));
  ASSERT_TRUE(bucket.put({{1, "b"}, {2, "c"}}, false));
  EXPECT_EQ(bucket.latest(1), "a");
  EXPECT_EQ(bucket.latest(2), std::nullopt);
  bucket.apply(bucket.end());
  EXPECT_EQ(bucket.rows_of(bucket.tablet().engine()), bucket.model());
}

TEST(KvTablet, KeyOfAnotherRowIsRefused) {
  // Proves: a key that is not that of its row is an error which names the record.
  Bucket bucket(table_of());
  KvBatchBuilder builder(SchemaId(1));
  ByteWriter row;
  Value values[] = {Value::integer(7), Value::bytes(std::string_view("x"))};
  ASSERT_TRUE(bucket.table().encode_row(values, &row));
  const uint8_t key[] = {8, 0, 0, 0};
  builder.upsert(key, row.span());
  KvBatchView batch = *KvBatchView::parse(builder.finish({}));
  auto changelog = bucket.tablet().prepare(bucket.table(), {batch}, nullptr, 0);
  ASSERT_FALSE(changelog);
  EXPECT_THAT(changelog.error().message(), HasSubstr("record 0 of 1"));
  ASSERT_TRUE(bucket.put({{7, "x"}}));  // the table's builder is usable again
}

TEST(KvTablet, ApplyDuringALoad) {
  // Proves: a key that was in the buffer when a load began is found though it is applied meanwhile.
  Bucket bucket(table_of());
  ASSERT_TRUE(bucket.put({{1, "a"}}));
  KvBatchView batch = bucket.batch_of({{1, "b"}});
  const KvBatchView* batches[] = {&batch};
  KvLoad load = bucket.tablet().begin_load(batches);
  bucket.apply(bucket.end());
  ASSERT_TRUE(bucket.tablet().end_load(load));
  ASSERT_TRUE(bucket.settle(batch, &load, true));
  EXPECT_EQ(bucket.log()[1].record_count(), 2);  // -U +U, not +I
}

TEST(KvTablet, LossDuringALoad) {
  // Proves: rows that were loaded before a loss are loaded again.
  Bucket bucket(table_of());
  ASSERT_TRUE(bucket.put({{1, "a"}}));
  KvBatchView batch = bucket.batch_of({{1, "b"}});
  const KvBatchView* batches[] = {&batch};
  KvLoad load = bucket.tablet().begin_load(batches);
  bucket.lose(1);
  EXPECT_FALSE(bucket.tablet().end_load(load));
  load = bucket.tablet().begin_load(batches);
  ASSERT_TRUE(bucket.tablet().end_load(load));
  ASSERT_TRUE(bucket.settle(batch, &load, true));
  EXPECT_EQ(bucket.log()[0].record_count(), 1);  // +I
}

void run_randomly(Bucket& bucket, Random& random) {
  for (int step = 0; step < 200; ++step) {
    uint64_t what = random.below(10);
    if (what < 6) {
      std::vector<Bucket::Op> ops;
      for (uint64_t i = random.below(6); i-- > 0;) {
        auto key = static_cast<int32_t>(random.below(12));
        if (random.chance(1, 4)) {
          ops.push_back({key, std::nullopt});
        } else {
          ops.push_back({key, std::to_string(random.below(1000))});
        }
      }
      ASSERT_TRUE(bucket.put(ops, !random.chance(1, 8)));
    } else if (what < 9) {
      auto back = static_cast<int64_t>(random.below(8));
      bucket.apply(Offset(std::max<int64_t>(0, bucket.end().value() - back)));
    } else {
      bucket.lose(random.below(3));
    }
    auto key = static_cast<int32_t>(random.below(12));
    std::map<int32_t, std::string> model = bucket.model();
    auto expected = model.find(key);
    ASSERT_EQ(bucket.latest(key),
              expected == model.end() ? std::nullopt : std::optional(expected->second));
  }
}

class KvTabletRandom : public ::testing::TestWithParam<std::string> {};

TEST_P(KvTabletRandom, AgreesWithAMap) {
  // Proves: whatever the order of puts, refusals, losses and applies, the newest rows, the applied
  // state, its row count and a replay of the log are those of a plain map.
  Properties properties;
  if (!GetParam().empty()) properties["table.changelog.image"] = GetParam();
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bucket bucket(table_of(properties));
    run_randomly(bucket, random);
    if (HasFatalFailure()) return;
    bucket.apply(bucket.end());
    EXPECT_EQ(bucket.rows_of(bucket.tablet().engine()), bucket.model());
    EXPECT_EQ(bucket.tablet().pending_bytes(), 0U);
    auto replayed = bucket.replayed("/replayed");
    EXPECT_EQ(bucket.rows_of(*replayed), bucket.model());
    EXPECT_EQ(replayed->mark(), bucket.tablet().engine().mark());
  }
}

INSTANTIATE_TEST_SUITE_P(Images, KvTabletRandom, ::testing::Values("FULL", "WAL"));

TEST(KvReplay, RefusesAGap) {
  // Proves: a log that lacks a part is not replayed over it.
  Bucket bucket(table_of());
  ASSERT_TRUE(bucket.put({{1, "a"}}));
  ASSERT_TRUE(bucket.put({{2, "b"}}));
  SimDisk disk(Random(7));
  auto engines = make_memory_engines(disk, {});
  auto engine = *engines->open("/x");
  KvReplay replay(bucket.table(), *engine);
  Status added = replay.add(bucket.log()[1]);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::kKvStorageException);
}

}  // namespace
}  // namespace lakestream
