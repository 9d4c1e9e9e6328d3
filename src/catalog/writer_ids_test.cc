#include "catalog/writer_ids.h"

#include <set>

#include <gtest/gtest.h>

#include "io/sim/sim_world.h"
#include "meta/model/model_store.h"
#include "meta/records.h"

namespace lakestream {
namespace {

using Fault = ModelStore::Fault;

class WriterIdsTest : public testing::Test {
 protected:
  WriterIdsTest() : node_(world_.add_node("a")) {}
  WriterIds make() { return WriterIds(store_, node_.env().pool, node_.shard(0)); }
  Result<WriterId> next(WriterIds& ids) { return world_.run(node_.shard(0), ids.next()); }

  SimWorld world_{1};
  SimNode& node_;
  ModelStore store_;
};

// Proves that ids start at 0, are dense while the process lives, and cost one change of the store a
// block.
TEST_F(WriterIdsTest, CountsUpInBlocks) {
  WriterIds ids = make();
  for (int64_t i = 0; i < WriterIds::kBlock; ++i) ASSERT_EQ(next(ids).value(), WriterId(i));
  int64_t changes = store_.multi_count();
  EXPECT_EQ(next(ids).value(), WriterId(WriterIds::kBlock));
  EXPECT_EQ(store_.multi_count(), changes + 1);
  EXPECT_EQ(decode_counter((*store_.get(paths::kWriterCounter))->value).value(),
            2 * WriterIds::kBlock);
}

// Proves that a process that ends without a word skips ids and never repeats one, also when several
// processes take from one counter.
TEST_F(WriterIdsTest, NeverRepeatsAnId) {
  std::set<int64_t> seen;
  for (int round = 0; round < 5; ++round) {
    WriterIds one = make();
    WriterIds two = make();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(seen.insert(next(one)->value()).second);
      EXPECT_TRUE(seen.insert(next(two)->value()).second);
    }
  }
}

// Proves that a failed reservation is an error for all that wait for it and is tried again by the
// next call; one whose answer was lost only skips ids.
TEST_F(WriterIdsTest, FailuresAreTriedAgain) {
  WriterIds ids = make();
  ASSERT_TRUE(ensure_node(store_, paths::kWriterCounter).has_value());
  store_.fail_multi([](const std::vector<MetaOp>&) { return Fault::kRefused; });
  int failed = 0;
  struct Caller {
    static Task<void> call(WriterIds* from, int* count) {
      auto id = co_await from->next();
      if (!id && id.error().code() == ErrorCode::kStorageException) ++*count;
    }
  };
  for (int i = 0; i < 3; ++i) node_.shard(0).spawn(Caller::call(&ids, &failed));
  EXPECT_TRUE(world_.run_until([&] { return failed == 3; }, std::chrono::seconds(1)));
  store_.fail_multi([](const std::vector<MetaOp>&) { return Fault::kAnswerLost; });
  EXPECT_FALSE(next(ids).has_value());
  store_.fail_multi({});
  EXPECT_EQ(next(ids).value(), WriterId(WriterIds::kBlock));
}

// Proves that callers that come while a block is reserved get different ids of it.
TEST_F(WriterIdsTest, CallersShareAReservation) {
  WriterIds ids = make();
  std::set<int64_t> seen;
  struct Caller {
    static Task<void> call(WriterIds* from, std::set<int64_t>* out) {
      auto id = co_await from->next();
      out->insert(id->value());
    }
  };
  for (int i = 0; i < 10; ++i) node_.shard(0).spawn(Caller::call(&ids, &seen));
  EXPECT_TRUE(world_.run_until([&] { return seen.size() == 10; }, std::chrono::seconds(1)));
  EXPECT_EQ(*seen.rbegin(), 9);
}

}  // namespace
}  // namespace lakestream
