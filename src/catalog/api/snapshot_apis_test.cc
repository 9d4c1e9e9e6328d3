#include "catalog/api/snapshot_apis.h"

#include <gtest/gtest.h>

#include "catalog/api/lake_apis.h"
#include "catalog/kv_snapshots.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "meta/model/model_store.h"

namespace lakestream {
namespace {

std::shared_ptr<const TableEntry> make_table(std::string name, int64_t id, bool has_key) {
  auto table = std::make_shared<TableEntry>();
  table->path = {"db", std::move(name)};
  table->id = TableId(id);
  SchemaBuilder builder;
  builder.column("a", DataType::integer().not_null());
  if (has_key) builder.primary_key({"a"});
  table->descriptor.schema = builder.build().value();
  table->buckets.resize(2);
  table->buckets[1].bucket = BucketId(1);
  return table;
}

class SnapshotApisTest : public testing::Test {
 protected:
  SnapshotApisTest() {
    DatabaseEntry database;
    database.name = "db";
    CatalogBuilder builder;
    builder.put_database(std::move(database));
    builder.put_table(make_table("kv", 7, true)).put_table(make_table("log", 8, false));
    catalog_.publish(builder.build());
    context_.store = &store_;
    context_.objects = &objects_;
    context_.pool = &node_.env().pool;
    call_.shard = &node_.shard(0);
    world_.run_for(std::chrono::seconds(1));
  }
  void add(int64_t id) {
    KvSnapshot snapshot;
    snapshot.bucket = {TableId(7), std::nullopt, BucketId(1)};
    snapshot.id = KvSnapshotId(id);
    snapshot.log_offset = Offset(10 * id);
    snapshot.shared_files = {{"s3://b/shared/x", 5, "000012.sst"}};
    snapshot.private_files = {{"s3://b/snap/y", 2, "CURRENT"}};
    KvSnapshotRecord record{snapshot.id, snapshot.log_offset, fmt::format("s3://b/m{}", id)};
    Bytes document = Bytes::copy_of(to_json(snapshot));
    ASSERT_TRUE(objects_.put(record.metadata_path, document).has_value());
    ASSERT_TRUE(ensure_node(store_, paths::kv_snapshots(snapshot.bucket)).has_value());
    std::string path = paths::kv_snapshot(snapshot.bucket, snapshot.id);
    ASSERT_EQ(store_.create(path, encode(record)).value(), MetaOutcome::kDone);
  }
  auto latest(std::string table, std::optional<std::string> partition = std::nullopt) {
    wire::GetLatestKvSnapshotsRequest request;
    request.table_path = {"db", std::move(table)};
    request.partition_name = std::move(partition);
    return world_.run(*call_.shard, get_latest_kv_snapshots(std::move(request), call_, &context_));
  }
  auto metadata(int64_t snapshot) {
    wire::GetKvSnapshotMetadataRequest request;
    request.table_id = 7;
    request.bucket_id = 1;
    request.snapshot_id = snapshot;
    return world_.run(*call_.shard, get_kv_snapshot_metadata(request, call_, &context_));
  }

  void put_lake(const LakeTableRecord& record) {
    std::string path = paths::lake_table(TableId(8));
    ASSERT_TRUE(ensure_node(store_, path).has_value());
    ASSERT_EQ(store_.put(path, encode(record), kAnyVersion).value(), MetaOutcome::kDone);
  }
  void put_offsets(const std::string& path, LakeOffsets offsets) {
    std::string text = to_json(to_document(TableId(8), offsets));
    ASSERT_TRUE(objects_.put(path, Bytes::copy_of(text)).has_value());
  }
  auto lake(std::optional<int64_t> id = std::nullopt, std::optional<bool> readable = std::nullopt) {
    wire::GetLakeSnapshotRequest request;
    request.table_path = {"db", "log"};
    request.snapshot_id = id;
    request.readable = readable;
    return world_.run(*call_.shard, get_lake_snapshot(std::move(request), call_, &context_));
  }
  ErrorCode lake_code(std::optional<int64_t> id, std::optional<bool> readable = std::nullopt) {
    auto answer = lake(id, readable);
    return answer ? ErrorCode::kNone : answer.error().code();
  }

  SimWorld world_{1};
  SimNode& node_ = world_.add_node("a");
  ModelStore store_;
  SimObjectStore objects_{node_.disk()};
  Catalog catalog_{{&node_.shard(0)}};
  CatalogContext context_{catalog_, {{&node_.shard(0)}, std::make_shared<const ClusterState>()}};
  rpc::RequestContext call_;
};

// Proves that each bucket has an entry, with the newest of its snapshots by number, not by text.
TEST_F(SnapshotApisTest, Latest) {
  for (int64_t id : {9, 10, 2}) add(id);
  auto answer = latest("kv").value();
  EXPECT_EQ(answer.table_id, 7);
  EXPECT_EQ(answer.partition_id, std::nullopt);
  std::vector<wire::PbKvSnapshot> expected(2);
  expected[1] = {.bucket_id = 1, .snapshot_id = 10, .log_offset = 100};
  EXPECT_EQ(answer.latest_snapshots, expected);
  EXPECT_EQ(latest("no").error().code(), ErrorCode::kTableNotExist);
  EXPECT_EQ(latest("log").error().code(), ErrorCode::kNonPrimaryKeyTableException);
  EXPECT_EQ(latest("kv", "p").error().code(), ErrorCode::kTableNotPartitionedException);
}

// Proves that a snapshot comes with all its files, and that one that is not there or not whole has
// the code that clients know.
TEST_F(SnapshotApisTest, Metadata) {
  add(3);
  auto answer = metadata(3).value();
  EXPECT_EQ(answer.log_offset, 30);
  std::vector<wire::PbRemotePathAndLocalFile> expected{
      {.remote_path = "s3://b/shared/x", .local_file_name = "000012.sst"},
      {.remote_path = "s3://b/snap/y", .local_file_name = "CURRENT"}};
  EXPECT_EQ(answer.snapshot_files, expected);
  EXPECT_EQ(metadata(4).error().code(), ErrorCode::kKvSnapshotNotExist);
  ASSERT_TRUE(objects_.remove("s3://b/m3").has_value());
  EXPECT_EQ(metadata(3).error().code(), ErrorCode::kKvSnapshotNotExist);
}

// Proves which snapshot of the lake is found, with which of its offsets, and that there is none in
// any other case.
TEST_F(SnapshotApisTest, Lake) {
  TableBucket bucket{TableId(8), std::nullopt, BucketId(1)};
  TableBucket other{TableId(8), PartitionId(3), BucketId(0)};
  EXPECT_EQ(lake_code({}), ErrorCode::kLakeSnapshotNotExist);
  put_offsets("s3://b/a", {{bucket, Offset(10)}});
  put_offsets("s3://b/c", {{bucket, Offset(20)}, {other, Offset(5)}});
  put_offsets("s3://b/d", {{bucket, Offset(15)}});
  LakeTableRecord record;
  record.snapshots = {{LakeSnapshotId(7), "s3://b/c", "s3://b/d"},
                      {LakeSnapshotId(2), "s3://b/a", std::nullopt}};
  put_lake(record);
  auto latest_one = lake().value();
  EXPECT_EQ(latest_one.table_id, 8);
  EXPECT_EQ(latest_one.snapshot_id, 2);
  std::vector<wire::PbLakeSnapshotForBucket> expected{{.bucket_id = 1, .log_offset = 10}};
  EXPECT_EQ(latest_one.bucket_snapshots, expected);
  auto readable = lake({}, true).value();
  EXPECT_EQ(readable.snapshot_id, 7);
  EXPECT_EQ(readable.bucket_snapshots[0].log_offset, 15);
  auto by_id = lake(7, false).value();
  expected = {{.bucket_id = 1, .log_offset = 20},
              {.partition_id = 3, .bucket_id = 0, .log_offset = 5}};
  EXPECT_EQ(by_id.bucket_snapshots, expected);
  EXPECT_EQ(lake_code(7, true), ErrorCode::kUnknownServerError);
  EXPECT_EQ(lake_code(1), ErrorCode::kLakeSnapshotNotExist);
  ASSERT_TRUE(objects_.remove("s3://b/a").has_value());
  EXPECT_EQ(lake_code({}), ErrorCode::kLakeSnapshotNotExist);
  record.snapshots = {{LakeSnapshotId(2), "s3://b/c", std::nullopt}};
  put_lake(record);
  EXPECT_EQ(lake_code({}, true), ErrorCode::kLakeSnapshotNotExist);
  ASSERT_TRUE(objects_.put("s3://b/c", Bytes::copy_of("{")).has_value());
  EXPECT_EQ(lake_code({}), ErrorCode::kLakeSnapshotNotExist);
}

// Proves the same of a snapshot whose offsets are in the node.
TEST_F(SnapshotApisTest, LakeWithoutDocuments) {
  LakeTableRecord record;
  record.single.emplace().id = LakeSnapshotId(7);
  record.single->offsets[{TableId(8), std::nullopt, BucketId(1)}] = Offset(10);
  put_lake(record);
  for (auto answer : {lake(), lake({}, true), lake(7)}) {
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->snapshot_id, 7);
    EXPECT_EQ(answer->bucket_snapshots[0].log_offset, 10);
  }
  EXPECT_EQ(lake_code(8), ErrorCode::kLakeSnapshotNotExist);
}

}  // namespace
}  // namespace lakestream
