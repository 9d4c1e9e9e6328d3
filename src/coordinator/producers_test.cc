#include <chrono>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "coordinator/coordinator.h"
#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

using Offsets = std::map<TableBucket, Offset>;

class ProducersTest : public ::testing::Test {
 protected:
  ProducersTest() {
    EXPECT_TRUE(cluster_.start().has_value());
    EXPECT_TRUE(cluster_.create_table({"fluss", "t"}, 3).has_value());
    EXPECT_TRUE(cluster_.create_table({"fluss", "u"}, 1).has_value());
    EXPECT_TRUE(cluster_.create_partitioned_table({"fluss", "p"}, 2).has_value());
  }

  TableId table(const std::string& name) {
    return cluster_.catalog().find_table(TablePath{"fluss", name})->id;
  }
  TableBucket bucket(const std::string& name, int32_t number) {
    return {table(name), std::nullopt, BucketId(number)};
  }
  Result<bool> add(std::string producer, Offsets offsets, std::optional<Duration> ttl = {}) {
    return cluster_.run(
        cluster_.coordinator().register_producer(std::move(producer), std::move(offsets), ttl));
  }
  Result<std::optional<ProducerOffsets>> get(std::string producer) {
    return cluster_.run(cluster_.coordinator().producer_offsets(std::move(producer)));
  }
  Offsets offsets(std::string producer) {
    std::optional<ProducerOffsets> known = get(std::move(producer)).value();
    return known ? known->offsets : Offsets();
  }
  Status forget(std::string producer) {
    return cluster_.run(cluster_.coordinator().forget_producer(std::move(producer)));
  }
  size_t documents() { return cluster_.objects.list("s3://remote/producers/").value().size(); }

  SimCluster cluster_{7};
};

// Proves that the first offsets stay until they are forgotten, over a restart and a table that is
// dropped, and that nothing is left then.
TEST_F(ProducersTest, FirstOffsetsStay) {
  Offsets first{{bucket("t", 0), Offset(5)},
                {bucket("t", 2), Offset(0)},
                {bucket("u", 0), Offset(int64_t{1} << 40)},
                {{table("p"), PartitionId(7), BucketId(1)}, Offset(3)}};
  EXPECT_TRUE(add("job-1", first).value());
  EXPECT_FALSE(add("job-1", {{bucket("t", 0), Offset(9)}}).value());
  EXPECT_EQ(offsets("job-1"), first);
  EXPECT_TRUE(add("job-2", {}).value()) << "none at all";
  EXPECT_EQ(get("job-2")->value().offsets, Offsets());
  EXPECT_FALSE(get("job-3")->has_value());
  EXPECT_EQ(documents(), 3U);

  ASSERT_TRUE(cluster_.restart().has_value());
  ASSERT_TRUE(cluster_.drop_table({"fluss", "u"}).has_value());
  EXPECT_FALSE(add("job-1", {}).value());
  EXPECT_EQ(offsets("job-1"), first);

  ASSERT_TRUE(forget("job-1").has_value());
  ASSERT_TRUE(forget("job-1").has_value()) << "already done";
  ASSERT_TRUE(forget("job-2").has_value());
  EXPECT_FALSE(get("job-1")->has_value());
  EXPECT_EQ(documents(), 0U);
  EXPECT_TRUE(add("job-1", {{bucket("t", 0), Offset(9)}}).value());
}

// Proves that offsets are replaced once they have expired, and removed by the hourly check; without
// a lifetime they have a day.
TEST_F(ProducersTest, OffsetsExpire) {
  EXPECT_TRUE(add("short", {{bucket("t", 0), Offset(1)}}, minutes(2)).value());
  EXPECT_TRUE(add("day", {{bucket("t", 1), Offset(2)}}).value());
  TimestampMs begin = cluster_.node.env().clock.now();
  EXPECT_NEAR(static_cast<double>(get("day")->value().expiration_time.value() - begin.value()),
              24.0 * 3600 * 1000,
              10'000.0);
  cluster_.world.run_for(minutes(3));
  EXPECT_TRUE(add("short", {{bucket("t", 0), Offset(8)}}, minutes(2)).value());
  EXPECT_EQ(offsets("short"), (Offsets{{bucket("t", 0), Offset(8)}}));
  EXPECT_EQ(documents(), 2U);
  cluster_.world.run_for(hours(2));
  EXPECT_FALSE(get("short")->has_value());
  EXPECT_EQ(documents(), 1U);
  cluster_.world.run_for(hours(24));
  EXPECT_FALSE(get("day")->has_value());
  EXPECT_TRUE(cluster_.store.children(paths::kProducers)->empty());
  EXPECT_EQ(documents(), 0U);
}

// Proves which names and places are refused, and that nothing of them stays.
TEST_F(ProducersTest, WhatIsRefused) {
  for (const char* id : {"", ".", "..", "a/b", "a b", "ü"}) {
    EXPECT_EQ(add(id, {}).error().code(), ErrorCode::kInvalidProducerIdException) << id;
    EXPECT_EQ(get(id).error().code(), ErrorCode::kInvalidProducerIdException) << id;
    EXPECT_EQ(forget(id).error().code(), ErrorCode::kInvalidProducerIdException) << id;
  }
  Offsets unknown{{{TableId(99), std::nullopt, BucketId(0)}, Offset(0)}};
  EXPECT_EQ(add("a", unknown).error().code(), ErrorCode::kTableNotExist);
  for (const auto& [place, offset] : {std::pair(bucket("t", 3), 0),
                                      std::pair(bucket("t", -1), 0),
                                      std::pair(bucket("p", 0), 0),
                                      std::pair(bucket("t", 0), -1)}) {
    Result<bool> added = add("a", {{bucket("u", 0), Offset(1)}, {place, Offset(offset)}});
    EXPECT_EQ(added.error().code(), ErrorCode::kUnknownTableOrBucketException)
        << place.bucket.value();
  }
  EXPECT_FALSE(get("a")->has_value());
  EXPECT_EQ(documents(), 0U);
}

// Proves that a failure of remote storage leaves nothing registered.
TEST_F(ProducersTest, RemoteStorageFails) {
  cluster_.objects.fail([](std::string_view operation, const std::string& path) {
    bool ours = operation == "put" && path.find("producers") != std::string::npos;
    return ours ? SimObjectStore::Fault::kRefused : SimObjectStore::Fault::kNone;
  });
  EXPECT_FALSE(add("a", {{bucket("t", 0), Offset(1)}}).has_value());
  cluster_.objects.fail({});
  EXPECT_FALSE(get("a")->has_value());
  EXPECT_TRUE(add("a", {{bucket("t", 0), Offset(1)}}).value());
}

}  // namespace
}  // namespace lakestream::coordinator
