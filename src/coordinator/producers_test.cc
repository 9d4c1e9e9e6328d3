#include <chrono>
#include <functional>
#include <map>
#include <memory>
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
  // Once, in the middle of an operation on a document.
  void meanwhile(std::string wanted, std::function<void()> happens) {
    cluster_.objects.fail([wanted = std::move(wanted), happens = std::move(happens), done = false](
                              std::string_view operation, const std::string&) mutable {
      if (operation == wanted && !std::exchange(done, true)) happens();
      return SimObjectStore::Fault::kNone;
    });
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

// Proves that remote storage that hangs holds up no other event, whatever is done with documents.
TEST_F(ProducersTest, RemoteStorageHangs) {
  std::map<std::string, int> calls;
  cluster_.objects.fail([&](std::string_view operation, const std::string&) {
    ++calls[std::string(operation)];
    EXPECT_TRUE(cluster_.others_go_on()) << operation;
    return SimObjectStore::Fault::kNone;
  });
  EXPECT_TRUE(add("a", {{bucket("t", 0), Offset(1)}}, minutes(2)).value());
  EXPECT_EQ(offsets("a"), (Offsets{{bucket("t", 0), Offset(1)}}));
  cluster_.world.run_for(minutes(3));
  EXPECT_TRUE(add("a", {{bucket("t", 0), Offset(2)}}).value());
  EXPECT_EQ(calls["remove"], 1) << "replaced";
  EXPECT_TRUE(forget("a").has_value());
  EXPECT_EQ(calls["remove"], 2) << "forgotten";
  EXPECT_TRUE(add("a", {{bucket("t", 0), Offset(3)}}, minutes(2)).value());
  cluster_.world.run_for(hours(2));
  EXPECT_EQ(calls["remove"], 3) << "expired";
  EXPECT_EQ(calls["put"], 3);
  EXPECT_EQ(calls["get"], 1);
  cluster_.objects.fail({});
  EXPECT_EQ(documents(), 0U);
}

// Proves that of registrations of one producer at once the first that is written down wins, whether
// there are expired offsets or none, and that the documents of the others go.
TEST_F(ProducersTest, RegistrationsAtOnce) {
  for (bool has_expired : {false, true}) {
    SCOPED_TRACE(has_expired);
    if (has_expired) {
      EXPECT_TRUE(add("a", {{bucket("t", 0), Offset(1)}}, minutes(2)).value());
      cluster_.world.run_for(minutes(3));
    }
    Offsets second{{bucket("t", 1), Offset(2)}};
    bool happened = false;
    meanwhile("put", [&] { happened = add("a", second).value(); });
    EXPECT_FALSE(add("a", {{bucket("t", 0), Offset(3)}, {bucket("u", 0), Offset(4)}}).value());
    EXPECT_TRUE(happened);
    EXPECT_EQ(offsets("a"), second);
    EXPECT_EQ(documents(), 1U);
    ASSERT_TRUE(forget("a").has_value());
  }
}

// Proves that what is registered stays while older offsets of its producer expire or are forgotten,
// in either order.
TEST_F(ProducersTest, RegisteredWhileOthersGo) {
  Offsets next{{bucket("t", 1), Offset(2)}};
  for (bool expires : {false, true}) {
    for (const char* operation : {"put", "remove"}) {
      SCOPED_TRACE(fmt::format("expires {} {}", expires, operation));
      bool is_first = operation == std::string_view("remove");
      EXPECT_TRUE(add("a", {{bucket("t", 0), Offset(1)}}, minutes(2)).value());
      cluster_.world.run_for(minutes(3));
      auto go = [&] {
        if (expires) {
          cluster_.world.run_for(hours(2));
        } else {
          EXPECT_TRUE(forget("a").has_value());
        }
      };
      bool registered = false;
      auto add_next = [&] { registered = add("a", next).value(); };
      if (is_first) {
        meanwhile(operation, add_next);
        go();
      } else {
        meanwhile(operation, go);
        add_next();
      }
      EXPECT_TRUE(registered);
      EXPECT_EQ(offsets("a"), next);
      EXPECT_EQ(documents(), 1U);
      ASSERT_TRUE(forget("a").has_value());
    }
  }
}

// Proves that offsets that are forgotten or replaced while they are read are none or the new ones,
// and that a document that is lost is told.
TEST_F(ProducersTest, ForgottenWhileTheyAreRead) {
  Offsets first{{bucket("t", 0), Offset(1)}};
  Offsets second{{bucket("t", 1), Offset(2)}};
  EXPECT_TRUE(add("a", first).value());
  meanwhile("get", [&] { EXPECT_TRUE(forget("a").has_value()); });
  EXPECT_EQ(get("a")->has_value(), false);
  EXPECT_TRUE(add("a", first).value());
  meanwhile("get", [&] {
    EXPECT_TRUE(forget("a").has_value());
    EXPECT_TRUE(add("a", second).value());
  });
  EXPECT_EQ(offsets("a"), second);
  auto found = cluster_.objects.list("s3://remote/producers/").value();
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(cluster_.objects.remove(found[0].path).has_value());
  Result<std::optional<ProducerOffsets>> lost = get("a");
  ASSERT_FALSE(lost.has_value());
  EXPECT_NE(lost.error().message().find(found[0].path), std::string::npos);
}

// Proves that documents go when it turns out that nothing names them, and stay when that is not
// known.
TEST_F(ProducersTest, WhatIsNotWrittenDown) {
  Offsets wanted{{bucket("t", 0), Offset(1)}, {bucket("u", 0), Offset(2)}};
  meanwhile("put", [&] { EXPECT_TRUE(cluster_.drop_table({"fluss", "u"}).has_value()); });
  EXPECT_EQ(add("a", wanted).error().code(), ErrorCode::kTableNotExist);
  EXPECT_EQ(documents(), 0U);
  wanted = {{bucket("t", 0), Offset(1)}};

  using StoreFault = ModelStore::Fault;
  auto commits_end_as = [&](StoreFault fault) {
    auto is_lost = std::make_shared<bool>(false);
    cluster_.store.fail_multi([=](const auto& ops) {
      bool ours = ops.back().path == paths::producer("a");
      *is_lost = ours && fault == StoreFault::kAnswerLost;
      return ours ? fault : StoreFault::kNone;
    });
    // Nor can it be read what happened.
    cluster_.store.fail_reads([=](const std::string& path) {
      return path == paths::producer("a") && std::exchange(*is_lost, false);
    });
  };
  commits_end_as(StoreFault::kRefused);
  EXPECT_FALSE(add("a", wanted).has_value());
  EXPECT_EQ(documents(), 0U);
  commits_end_as(StoreFault::kAnswerLost);
  EXPECT_FALSE(add("a", wanted).has_value());
  EXPECT_EQ(documents(), 1U);
  EXPECT_EQ(offsets("a"), wanted);
  commits_end_as(StoreFault::kRefused);
  EXPECT_FALSE(forget("a").has_value());
  EXPECT_EQ(offsets("a"), wanted);
  commits_end_as(StoreFault::kNone);
  EXPECT_FALSE(add("a", {}).value());
  EXPECT_TRUE(forget("a").has_value());
  EXPECT_EQ(documents(), 0U);
}

}  // namespace
}  // namespace lakestream::coordinator
