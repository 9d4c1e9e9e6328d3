#include <gtest/gtest.h>

#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

ErrorCode code(const Status& status) { return status ? ErrorCode::kNone : status.error().code(); }

class ServerTagsTest : public testing::Test {
 protected:
  ServerTagsTest() { EXPECT_TRUE(cluster_.start()); }
  ErrorCode add(int32_t server, ServerTag tag) {
    ServerSelection servers{{ServerId(server)}, {}};
    return code(cluster_.run(cluster_.coordinator().add_server_tag(std::move(servers), tag)));
  }
  ErrorCode remove(int32_t server, ServerTag tag) {
    ServerSelection servers{{ServerId(server)}, {}};
    return code(cluster_.run(cluster_.coordinator().remove_server_tag(std::move(servers), tag)));
  }
  Result<std::string> rebalance(std::vector<int32_t> goals) {
    return cluster_.run(cluster_.coordinator().rebalance(std::move(goals)));
  }
  Result<std::optional<RebalanceRecord>> progress(std::optional<std::string> id = std::nullopt) {
    return cluster_.run(cluster_.coordinator().rebalance_progress(std::move(id)));
  }
  bool has_tags() { return cluster_.store.get(paths::kServerTags)->has_value(); }

  SimCluster cluster_{1};
};

constexpr ServerTag kForGood = ServerTag::kPermanentOffline;
constexpr ServerTag kForAWhile = ServerTag::kTemporaryOffline;

// Proves the rules of tags: one a server, of those that live; and that they outlive a restart.
TEST_F(ServerTagsTest, OneTagAServer) {
  EXPECT_EQ(add(1, kForGood), ErrorCode::kServerNotExistException);
  EXPECT_EQ(remove(1, kForGood), ErrorCode::kNone);
  EXPECT_FALSE(has_tags());
  EXPECT_EQ(add(0, kForAWhile), ErrorCode::kNone);
  EXPECT_EQ(add(0, kForAWhile), ErrorCode::kNone);
  EXPECT_EQ(add(0, kForGood), ErrorCode::kSeverTagAlreadyExistException);
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(remove(0, kForGood), ErrorCode::kSeverTagNotExistException);
  EXPECT_EQ(remove(0, kForAWhile), ErrorCode::kNone);
  EXPECT_FALSE(has_tags());
}

// Proves that nothing is placed on a server that is taken out for good, and what is there stays.
TEST_F(ServerTagsTest, NothingNewForGood) {
  ASSERT_TRUE(cluster_.create_partitioned_table({"fluss", "p"}, 1));
  ASSERT_TRUE(cluster_.create_partition({"fluss", "p"}, "x"));
  EXPECT_EQ(add(0, kForGood), ErrorCode::kNone);
  EXPECT_EQ(code(cluster_.create_table({"fluss", "t"}, 1)), ErrorCode::kInvalidReplicationFactor);
  EXPECT_EQ(code(cluster_.create_partition({"fluss", "p"}, "y")),
            ErrorCode::kInvalidReplicationFactor);
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(rebalance({0}).error().code(), ErrorCode::kRebalanceFailureException);
  cluster_.check_invariants();
}

// Proves that a rebalance of one server has ended when it is answered, and that the last one is
// known, over a restart, by its id only.
TEST_F(ServerTagsTest, Rebalance) {
  EXPECT_EQ(progress().value(), std::nullopt);
  EXPECT_EQ(progress("no").value(), std::nullopt);
  EXPECT_EQ(rebalance({}).error().code(), ErrorCode::kRebalanceFailureException);
  EXPECT_EQ(rebalance({0, 3}).error().code(), ErrorCode::kRebalanceFailureException);
  std::string first = rebalance({0}).value();
  std::string last = rebalance({2, 1}).value();
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(progress(last).value(), (RebalanceRecord{last, RebalanceStatus::kCompleted}));
  EXPECT_EQ(progress(first).error().code(), ErrorCode::kNoRebalanceInProgressException);
  auto cancel = [&](std::optional<std::string> id) {
    return code(cluster_.run(cluster_.coordinator().cancel_rebalance(std::move(id))));
  };
  EXPECT_EQ(cancel(first), ErrorCode::kNoRebalanceInProgressException);
  EXPECT_EQ(cancel(last), ErrorCode::kNone);
  EXPECT_EQ(progress()->value().status, RebalanceStatus::kCompleted);
}

// Proves that options are written down, and that without a server behind them none changes.
TEST_F(ServerTagsTest, Options) {
  ConfigPlan plan;
  plan.configs = {{"kv.snapshot.interval", "1 s"}, {"datalake.format", std::nullopt}};
  plan.rules = cluster_.options.rules;
  plan.remote_data_dirs = {{"s3://a"}, {"s3://b"}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(cluster_.run(cluster_.coordinator().write_configs(plan)));
    auto node = cluster_.store.get(paths::kClusterConfig).value();
    EXPECT_EQ(decode_cluster_config(node->value)->configs, plan.configs);
  }
  for (const char* name : {"t", "u"}) ASSERT_TRUE(cluster_.create_table({"fluss", name}, 1));
  EXPECT_EQ(cluster_.catalog().find_table({"fluss", "t"})->remote_data_dir, "s3://a");
  EXPECT_EQ(cluster_.catalog().find_table({"fluss", "u"})->remote_data_dir, "s3://b");
  EXPECT_EQ(code(cluster_.run(cluster_.coordinator().alter_configs({}))),
            ErrorCode::kUnsupportedVersion);
}

}  // namespace
}  // namespace lakestream::coordinator
