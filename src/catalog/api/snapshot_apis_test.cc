#include "catalog/api/snapshot_apis.h"

#include <gtest/gtest.h>

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

  SimWorld world_{1};
  SimNode& node_ = world_.add_node("a");
  ModelStore store_;
  SimObjectStore objects_{node_.disk()};
  Catalog catalog_{{&node_.shard(0)}};
  CatalogContext context_{catalog_, {}};
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

}  // namespace
}  // namespace lakestream
