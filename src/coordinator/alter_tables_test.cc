#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

class AlterTablesTest : public testing::Test {
 protected:
  AlterTablesTest() {
    EXPECT_TRUE(cluster_.start().has_value());
    EXPECT_TRUE(cluster_.create_table(path_, 2).has_value());
    cluster_.world.run_for(std::chrono::seconds(1));
  }
  std::shared_ptr<const TableEntry> table() { return cluster_.catalog().find_table(path_); }
  ErrorCode alter(TableChange change) {
    Status done = cluster_.alter_table(path_, std::move(change));
    return done ? ErrorCode::kNone : done.error().code();
  }

  SimCluster cluster_{1};
  TablePath path_{"fluss", "t"};
};

// Proves that a new column makes a new schema with ids that were never used, nested fields
// included, that the older schemas stay, and that a restart finds all of it.
TEST_F(AlterTablesTest, AddColumns) {
  auto before = table();
  TableChange change;
  DataType both = DataType::row({{"x", DataType::integer(), {}}, {"y", DataType::string(), {}}});
  change.columns.add.push_back(new_column("c", both));
  change.columns.add.back().comment = "both";
  change.columns.add.push_back(new_column("d", DataType::bigint()));
  EXPECT_EQ(alter(change), ErrorCode::kNone);
  EXPECT_EQ(cluster_.add_column(path_, "e").has_value(), true);
  ASSERT_EQ(table()->schemas.size(), 3U);
  EXPECT_EQ(table()->schemas[0], before->schemas[0]);
  const Schema& second = table()->schemas[1]->schema;
  EXPECT_EQ(second.column(2).id, 2);
  EXPECT_EQ(second.column(2).comment, "both");
  EXPECT_EQ(second.column(3).id, 5) << "after x and y";
  EXPECT_EQ(table()->descriptor.schema.column(4).id, 6);
  EXPECT_EQ(table()->descriptor.schema.highest_field_id(), 6);
  EXPECT_EQ(table()->latest_schema().id, SchemaId(3));
  EXPECT_EQ(table()->created_time, before->created_time);
  EXPECT_GT(table()->modified_time, before->modified_time);
  EXPECT_EQ(table()->buckets, before->buckets) << "no bucket is led anew";
  EXPECT_EQ(table_from_json(table()->json.view()).value(), table()->descriptor);
  cluster_.check_invariants();
  auto written = table();
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(table()->descriptor, written->descriptor);
  EXPECT_EQ(table()->modified_time, written->modified_time);
  cluster_.check_invariants();
}

// Proves that several columns are added all or none.
TEST_F(AlterTablesTest, RefusedColumns) {
  auto before = table();
  TableChange taken;
  taken.columns.add.push_back(new_column("c", DataType::string()));
  taken.columns.add.push_back(new_column("b", DataType::string()));
  EXPECT_EQ(alter(taken), ErrorCode::kInvalidAlterTableException);
  taken.columns.add.back().name = "c";
  EXPECT_NE(alter(taken), ErrorCode::kNone) << "twice in one change";
  TableChange strict;
  strict.columns.add.push_back(new_column("c", DataType::string().with_nullable(false)));
  EXPECT_EQ(alter(strict), ErrorCode::kUnknownServerError);
  TableChange reserved;
  reserved.columns.add.push_back(new_column("__offset", DataType::string()));
  EXPECT_EQ(alter(reserved), ErrorCode::kInvalidTableException);
  EXPECT_EQ(table(), before);
  cluster_.check_invariants();
}

// Proves that options and own properties change, with the time of it, and that a change to what
// there is already is none.
TEST_F(AlterTablesTest, Options) {
  auto before = table();
  TableChange change;
  change.options.set = {{"table.log.ttl", "2 h"}, {"owner", "me"}};
  change.options.reset = {"absent"};
  EXPECT_EQ(alter(change), ErrorCode::kNone);
  EXPECT_EQ(table()->options.log_ttl, std::chrono::hours(2));
  EXPECT_EQ(table()->descriptor.custom_properties, (Properties{{"owner", "me"}}));
  EXPECT_EQ(table()->schemas, before->schemas);
  EXPECT_GT(table()->modified_time, before->modified_time);
  auto changed = table();
  EXPECT_EQ(alter(change), ErrorCode::kNone);
  EXPECT_EQ(table(), changed);
  change.options.set.clear();
  change.options.reset = {"table.log.ttl", "owner"};
  EXPECT_EQ(alter(change), ErrorCode::kNone);
  EXPECT_EQ(table()->descriptor, before->descriptor);
  cluster_.check_invariants();
}

// Proves the codes of options that can not be changed and of values that are none.
TEST_F(AlterTablesTest, RefusedOptions) {
  auto code = [&](std::string key, std::string value) {
    TableChange change;
    change.options.set[std::move(key)] = std::move(value);
    return alter(std::move(change));
  };
  auto before = table();
  EXPECT_EQ(code("table.log.format", "INDEXED"), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(code("table.no-such-option", "1"), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(code("table.log.ttl", "often"), ErrorCode::kInvalidConfigException);
  EXPECT_EQ(code("table.datalake.enabled", "true"), ErrorCode::kInvalidTableException);
  EXPECT_EQ(table(), before);
  TableChange nothing;
  Status absent = cluster_.alter_table({"fluss", "no"}, nothing);
  EXPECT_EQ(absent.error().code(), ErrorCode::kTableNotExist);
  EXPECT_TRUE(
      cluster_.run(cluster_.coordinator().alter_table({"no", "t"}, nothing, true)).has_value());
}

// Proves that a column whose answer from the store was lost is found there, although the node of
// the table is the same as before within one millisecond.
TEST_F(AlterTablesTest, LostAnswer) {
  ASSERT_TRUE(cluster_.add_column(path_, "c").has_value());
  for (auto fault : {ModelStore::Fault::kRefused, ModelStore::Fault::kAnswerLost}) {
    bool happens = fault == ModelStore::Fault::kAnswerLost;
    cluster_.store.fail_multi([&](const std::vector<MetaOp>&) { return fault; });
    EXPECT_EQ(cluster_.add_column(path_, "d").has_value(), happens);
    cluster_.store.fail_multi({});
    EXPECT_EQ(table()->schemas.size(), happens ? 3U : 2U);
    cluster_.check_invariants();
  }
}

// Proves that only partitions to come get another bucket count, and which tables have none of it.
TEST(BucketCountTest, LaterPartitions) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start());
  TablePath path{"fluss", "p"};
  ASSERT_TRUE(cluster.create_partitioned_table(path, 2));
  ASSERT_TRUE(cluster.create_partition(path, "old"));
  auto change = [&](const TablePath& table, int32_t count) {
    TableChange next;
    next.bucket_count = count;
    Status done = cluster.alter_table(table, std::move(next));
    return done ? ErrorCode::kNone : done.error().code();
  };
  EXPECT_EQ(change(path, 5), ErrorCode::kNone);
  EXPECT_EQ(change(path, 5), ErrorCode::kNone);
  ASSERT_TRUE(cluster.restart());
  ASSERT_TRUE(cluster.create_partition(path, "new"));
  std::shared_ptr<const TableEntry> table = cluster.catalog().find_table(path);
  EXPECT_EQ(table->bucket_count_epoch, 1);
  EXPECT_EQ(table->descriptor.bucket_count(), 5);
  const TablePartitions& partitions = cluster.catalog().partitions(table->id);
  EXPECT_EQ(partitions.find("old")->buckets.size(), 2U);
  EXPECT_EQ(partitions.find("new")->buckets.size(), 5U);
  cluster.check_invariants();
  EXPECT_EQ(change(path, 0), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(change(path, 5000), ErrorCode::kBucketMaxNumException);
  EXPECT_EQ(change({"fluss", "no"}, 1), ErrorCode::kTableNotExist);
  ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 1));
  EXPECT_EQ(change({"fluss", "t"}, 2), ErrorCode::kInvalidAlterTableException);
}

}  // namespace
}  // namespace lakestream::coordinator
