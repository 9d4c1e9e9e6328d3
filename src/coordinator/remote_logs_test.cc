#include "coordinator/remote_logs.h"

#include "coordinator/sim_cluster.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {
namespace {

using StoreFault = ModelStore::Fault;

class RemoteLogCluster : public SimCluster {
 public:
  RemoteLogCluster() : SimCluster(1) {}

  TableBucket bucket(int32_t number = 0) {
    return {catalog().find_table(TablePath{"fluss", "t"})->id, std::nullopt, BucketId(number)};
  }
  Result<std::string> begin(TableBucket bucket) {
    return run(coordinator().begin_remote_log(bucket));
  }
  Status commit(const std::string& path, int64_t end, int32_t leader_epoch_ahead = 0) {
    RemoteLogCommit commit;
    commit.bucket = bucket();
    commit.manifest_path = path;
    commit.end_offset = Offset(end);
    commit.coordinator_epoch = coordinator().epoch();
    auto epoch = catalog().find_table(commit.bucket.table)->buckets[0].leader_epoch;
    commit.leader_epoch = LeaderEpoch(epoch.value() + leader_epoch_ahead);
    return run(coordinator().commit_remote_log(commit));
  }
  RemoteLogRecord known() { return run(coordinator().remote_log(bucket())).value(); }
};

ErrorCode code_of(const Status& status) {
  return status ? ErrorCode::kNone : status.error().code();
}

// Proves that a folder is given once, that the manifest committed last counts, also after a
// restart, and that what can not follow it is refused.
TEST(RemoteLogs, Commits) {
  RemoteLogCluster cluster;
  ASSERT_TRUE(cluster.start());
  ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 2));
  EXPECT_EQ(cluster.known(), RemoteLogRecord());
  EXPECT_EQ(code_of(cluster.commit("s3://remote/log/fluss/t-0/0/metadata/a.manifest", 5)),
            ErrorCode::kFencedLeaderEpochException)
      << "nobody asked for the folder";
  std::string folder = cluster.begin(cluster.bucket()).value();
  EXPECT_EQ(folder, fmt::format("s3://remote/log/fluss/t-{}/0", cluster.bucket().table));
  EXPECT_EQ(cluster.begin(cluster.bucket()).value(), folder);
  EXPECT_FALSE(cluster.known().manifest_path);

  std::string first = remote_log_manifest(folder, "a");
  std::string second = remote_log_manifest(folder, "b");
  ASSERT_TRUE(cluster.commit(first, 5));
  ASSERT_TRUE(cluster.commit(first, 5)) << "an answer was lost";
  EXPECT_EQ(code_of(cluster.commit(second, 4)), ErrorCode::kFencedLeaderEpochException);
  EXPECT_EQ(code_of(cluster.commit("s3://elsewhere/metadata/c.manifest", 9)),
            ErrorCode::kFencedLeaderEpochException);
  EXPECT_EQ(code_of(cluster.commit(second, 9, 1)), ErrorCode::kInvalidCoordinatorException);
  ASSERT_TRUE(cluster.restart());
  EXPECT_EQ(cluster.known(), (RemoteLogRecord{folder, first, Offset(5)}));
  EXPECT_EQ(code_of(cluster.commit(second, 9, -1)), ErrorCode::kFencedLeaderEpochException);
  ASSERT_TRUE(cluster.commit(second, 9));
  auto listed = cluster.run(cluster.coordinator().list_remote_logs(owner_of(cluster.bucket())));
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().manifest_path, second);
  EXPECT_EQ(listed->front().end_offset, Offset(9));
  TableBucket unknown{TableId(99), std::nullopt, BucketId(0)};
  EXPECT_EQ(cluster.begin(unknown).error().code(), ErrorCode::kUnknownTableOrBucketException);
}

// Proves that all of the folder goes with the table, committed or not, also after a restart in
// between.
TEST(RemoteLogs, GoWithTheTable) {
  for (bool restart : {false, true}) {
    RemoteLogCluster cluster;
    ASSERT_TRUE(cluster.start());
    ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 2));
    std::string folder = cluster.begin(cluster.bucket()).value();
    std::string other = cluster.begin(cluster.bucket(1)).value();
    ASSERT_TRUE(cluster.objects.put(remote_log_manifest(folder, "a"), Bytes::copy_of("{}")));
    ASSERT_TRUE(cluster.objects.put(other + "/x/0.log", Bytes::copy_of("half")));
    ASSERT_TRUE(cluster.objects.put("s3://remote/log/fluss/t-77/0/x", Bytes::copy_of("x")));
    ASSERT_TRUE(cluster.commit(remote_log_manifest(folder, "a"), 5));
    cluster.objects.fail([&](std::string_view operation, const std::string&) {
      return restart && operation == "remove_prefix" ? SimObjectStore::Fault::kRefused
                                                     : SimObjectStore::Fault::kNone;
    });
    ASSERT_TRUE(cluster.drop_table({"fluss", "t"}));
    cluster.world.run_for(std::chrono::seconds(1));
    cluster.objects.fail({});
    if (restart) {
      ASSERT_EQ(cluster.objects.objects().size(), 3U);
      ASSERT_TRUE(cluster.restart());
    }
    cluster.settle();
    EXPECT_EQ(cluster.objects.objects().size(), 1U);
    cluster.check_invariants();
  }
}

}  // namespace
}  // namespace lakestream::coordinator
