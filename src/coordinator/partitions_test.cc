#include "coordinator/sim_cluster.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {
namespace {

class PartitionsTest : public testing::Test {
 protected:
  PartitionsTest() {
    cluster_.options.partition_count_max = 5;
    EXPECT_TRUE(cluster_.restart().has_value());
    EXPECT_TRUE(cluster_.create_partitioned_table(path_, 2).has_value());
  }
  Coordinator& coordinator() { return cluster_.coordinator(); }
  std::shared_ptr<const PartitionEntry> find(const std::string& name) {
    const CatalogSnapshot& catalog = cluster_.catalog();
    return catalog.partitions(catalog.find_table(path_)->id).find(name);
  }
  ErrorCode create(TablePath path, PartitionSpec spec, bool ignore = false) {
    return code_of(
        cluster_.run(coordinator().create_partition(std::move(path), std::move(spec), ignore)));
  }
  ErrorCode drop(TablePath path, PartitionSpec spec, bool ignore = false) {
    return code_of(
        cluster_.run(coordinator().drop_partition(std::move(path), std::move(spec), ignore)));
  }
  static ErrorCode code_of(const Status& done) {
    return done ? ErrorCode::kNone : done.error().code();
  }
  std::string node(const std::string& path) {
    auto value = cluster_.store.get(path).value();
    return value ? std::string(value->value.view()) : "-";
  }

  SimCluster cluster_{1};
  TablePath path_{"fluss", "p"};
};

// Proves what a new partition looks like, in the catalog and in the metadata store, and that its
// leaders took their buckets.
TEST_F(PartitionsTest, Create) {
  ASSERT_EQ(create(path_, {{"b", "eu"}}), ErrorCode::kNone);
  auto partition = find("eu");
  ASSERT_NE(partition, nullptr);
  EXPECT_EQ(partition->id, PartitionId(0));
  ASSERT_EQ(partition->buckets.size(), 2U);
  EXPECT_EQ(partition->buckets[1].leader, ServerId(0));
  EXPECT_EQ(cluster_.catalog().find_partition(PartitionId(0)), partition);
  EXPECT_EQ(cluster_.tablets().leads.size(), 2U);
  EXPECT_EQ(node("/metadata/databases/fluss/tables/p/partitions/eu"),
            R"({"version":1,"table_id":0,"partition_id":0})");
  EXPECT_EQ(node("/tabletservers/partitions/0"),
            R"({"version":1,"table_id":0,"buckets":{"0":[0],"1":[0]}})");
  EXPECT_EQ(node("/tabletservers/partitions/0/buckets/1/leader_isr"),
            R"({"version":2,"leader":0,"leader_epoch":0,"isr":[0],"coordinator_epoch":0,)"
            R"("bucket_epoch":0,"standby_replicas":[]})");
  EXPECT_EQ(node("/tabletservers/tables/0"), "-");
  auto counter = cluster_.store.get("/metadata/partition_seqid").value();
  EXPECT_EQ(decode_counter(counter->value).value(), 1);
  cluster_.check_invariants();
}

// Proves the codes of refusals, and that the flags turn two of them into success.
TEST_F(PartitionsTest, Refusals) {
  ASSERT_TRUE(cluster_.create_table({"fluss", "plain"}, 1).has_value());
  PartitionSpec eu{{"b", "eu"}};
  EXPECT_EQ(create({"fluss", "no"}, eu), ErrorCode::kTableNotExist);
  EXPECT_EQ(drop({"no", "p"}, eu), ErrorCode::kTableNotExist);
  EXPECT_EQ(create({"fluss", "plain"}, eu), ErrorCode::kTableNotPartitionedException);
  EXPECT_EQ(drop({"fluss", "plain"}, eu), ErrorCode::kTableNotPartitionedException);
  const std::vector<PartitionSpec> wrong = {
      {}, {{"a", "1"}}, {{"b", "x"}, {"a", "1"}}, {{"b", "a.b"}}, {{"b", ""}}};
  for (const PartitionSpec& spec : wrong) {
    EXPECT_EQ(create(path_, spec), ErrorCode::kPartitionSpecInvalidException);
    EXPECT_EQ(drop(path_, spec), ErrorCode::kPartitionSpecInvalidException);
  }
  EXPECT_EQ(create(path_, {{"b", "__x"}}), ErrorCode::kPartitionSpecInvalidException);
  EXPECT_EQ(drop(path_, {{"b", "__historical__"}}), ErrorCode::kPartitionSpecInvalidException);
  EXPECT_EQ(drop(path_, eu), ErrorCode::kPartitionNotExists);
  EXPECT_EQ(drop(path_, eu, true), ErrorCode::kNone);
  EXPECT_EQ(create(path_, eu), ErrorCode::kNone);
  EXPECT_EQ(create(path_, eu), ErrorCode::kPartitionAlreadyExists);
  EXPECT_EQ(create(path_, eu, true), ErrorCode::kNone);
  EXPECT_EQ(find("eu")->id, PartitionId(0));
  for (const char* name : {"1", "2", "3", "4"}) {
    EXPECT_EQ(create(path_, {{"b", name}}), ErrorCode::kNone);
  }
  EXPECT_EQ(create(path_, {{"b", "5"}}), ErrorCode::kPartitionMaxNumException);
  EXPECT_EQ(create(path_, eu, true), ErrorCode::kNone);
  EXPECT_EQ(drop(path_, eu), ErrorCode::kNone);
  EXPECT_EQ(create(path_, {{"b", "5"}}), ErrorCode::kNone);
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that a partition has no more buckets than the cluster allows now, whatever it allowed when
// the table was made.
TEST_F(PartitionsTest, TooManyBuckets) {
  cluster_.options.rules.bucket_count_max = 1;
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(create(path_, {{"b", "eu"}}), ErrorCode::kBucketMaxNumException);
  cluster_.check_invariants();
}

// Proves that a dropped partition leaves nothing, and that one of the same name is another one.
TEST_F(PartitionsTest, DropAndCreateAgain) {
  ASSERT_TRUE(cluster_.create_partition(path_, "other").has_value());
  for (int64_t round = 1; round <= 3; ++round) {
    ASSERT_TRUE(cluster_.create_partition(path_, "x").has_value());
    EXPECT_EQ(find("x")->id, PartitionId(round));
    ASSERT_TRUE(cluster_.drop_partition(path_, "x").has_value());
    EXPECT_EQ(find("x"), nullptr);
    EXPECT_EQ(cluster_.catalog().find_partition(PartitionId(round)), nullptr);
  }
  cluster_.settle();
  cluster_.check_invariants();
  EXPECT_EQ(cluster_.disk.size(), 2U);
}

// Proves that a table goes with all its partitions, even when the process dies before their data is
// gone.
TEST_F(PartitionsTest, DropTable) {
  for (const char* name : {"x", "y", "z"}) {
    ASSERT_TRUE(cluster_.create_partition(path_, name).has_value());
  }
  cluster_.tablets().fail_stops = true;
  ASSERT_TRUE(cluster_.drop_table(path_).has_value());
  EXPECT_EQ(coordinator().deletion_count(), 3U);
  EXPECT_EQ(cluster_.catalog().find_partition(PartitionId(0)), nullptr);
  ASSERT_TRUE(cluster_.restart().has_value());
  cluster_.settle();
  EXPECT_TRUE(cluster_.disk.empty());
  cluster_.check_invariants();
}

// Proves that data that can not be removed now is removed later, of however many partitions.
TEST_F(PartitionsTest, ManyDeletions) {
  cluster_.options.partition_count_max = 100;
  ASSERT_TRUE(cluster_.restart().has_value());
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(cluster_.create_partition(path_, fmt::format("{}", i)).has_value());
  }
  cluster_.check_invariants();
  cluster_.tablets().fail_stops = true;
  ASSERT_TRUE(cluster_.drop_table(path_).has_value());
  cluster_.settle();
  EXPECT_EQ(coordinator().deletion_count(), 60U);
  cluster_.tablets().fail_stops = false;
  cluster_.settle();
  EXPECT_TRUE(cluster_.disk.empty());
  cluster_.check_invariants();
}

// Proves that a restart finds partitions as they were, with leaders of a higher epoch.
TEST_F(PartitionsTest, Restart) {
  ASSERT_TRUE(cluster_.create_partition(path_, "x").has_value());
  ASSERT_TRUE(cluster_.create_partition(path_, "y").has_value());
  auto before = find("y");
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(find("y")->id, before->id);
  EXPECT_EQ(find("y")->buckets[1].leader_epoch, LeaderEpoch(1));
  cluster_.check_invariants();
}

// Proves that a bucket of a partition that its server refuses gets its leader later.
TEST_F(PartitionsTest, RefusedBucket) {
  cluster_.tablets().refuse.insert({TableId(0), PartitionId(0), BucketId(1)});
  ASSERT_TRUE(cluster_.create_partition(path_, "x").has_value());
  EXPECT_EQ(find("x")->buckets[0].leader, ServerId(0));
  EXPECT_EQ(find("x")->buckets[1].leader, std::nullopt);
  cluster_.tablets().refuse.clear();
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that snapshots of a partition lie in its own folder, are listed by it, can be leased, and
// go with it.
TEST_F(PartitionsTest, Snapshots) {
  ASSERT_TRUE(cluster_.create_partition(path_, "x").has_value());
  ASSERT_TRUE(cluster_.create_partition(path_, "y").has_value());
  std::vector<BucketSnapshot> made;
  for (int64_t id : {0, 1}) {
    TableBucket bucket{TableId(0), PartitionId(id), BucketId(1)};
    KvSnapshotPlace place = cluster_.run(coordinator().next_kv_snapshot(bucket)).value();
    EXPECT_EQ(place.folder,
              fmt::format("s3://remote/kv/fluss/p-0/{}-p{}/1", id == 0 ? 'x' : 'y', id));
    KvSnapshot snapshot;
    snapshot.bucket = bucket;
    snapshot.id = place.id;
    snapshot.location = remote_kv_snapshot_folder(place.folder, place.id);
    KvSnapshotCommit commit{snapshot, coordinator().epoch(), LeaderEpoch(0)};
    ASSERT_TRUE(cluster_.run(coordinator().commit_kv_snapshot(commit)).has_value());
    made.push_back({bucket, place.id});
  }
  auto listed = cluster_.run(coordinator().list_kv_snapshots({TableId(0), PartitionId(1)})).value();
  EXPECT_EQ(listed, std::vector<BucketSnapshot>{made[1]});
  for (std::optional<PartitionId> unknown : {std::optional<PartitionId>(), {PartitionId(7)}}) {
    auto refused = cluster_.run(coordinator().list_kv_snapshots({TableId(0), unknown}));
    EXPECT_EQ(refused.error().code(), ErrorCode::kPartitionNotExists);
  }
  auto leased = coordinator().acquire_kv_lease("l", std::chrono::hours(1), made);
  EXPECT_TRUE(cluster_.run(std::move(leased)).value().empty());
  ASSERT_TRUE(cluster_.restart().has_value());
  ASSERT_TRUE(cluster_.drop_partition(path_, "x").has_value());
  cluster_.settle();
  size_t left = 0;
  for (const auto& [path, object] : cluster_.objects.objects()) {
    EXPECT_EQ(path.find("/x-p0/"), std::string::npos) << path;
    if (path.find("/y-p1/") != std::string::npos) ++left;
  }
  EXPECT_EQ(left, 1U);
  cluster_.check_invariants();
}

}  // namespace
}  // namespace lakestream::coordinator
