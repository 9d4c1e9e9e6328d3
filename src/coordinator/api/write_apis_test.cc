#include "coordinator/api/write_apis.h"

#include <filesystem>

#include "coordinator/api/api.h"
#include "coordinator/sim_cluster.h"
#include "io/real_env.h"

namespace lakestream::coordinator {
namespace {

using wire::ApiKey;

class WriteApisTest : public testing::Test {
 protected:
  WriteApisTest() {
    EXPECT_TRUE(cluster_.start().has_value());
    register_coordinator_apis(apis_, cluster_.coordinator());
  }
  // As a connection on shard 0 does.
  template <ApiKey key>
  ErrorCode call(typename wire::ApiTraits<key>::Request request) {
    rpc::RequestContext context;
    context.shard = &cluster_.node.shard(0);
    auto answer =
        cluster_.world.run(cluster_.node.shard(0), apis_.call<key>(std::move(request), context));
    return answer ? ErrorCode::kNone : answer.error().code();
  }
  Bytes table_json() { return Bytes::copy_of(to_json(log_table(2))); }

  SimCluster cluster_{1};
  rpc::ApiTable apis_;
};

// Proves that every write API is registered.
TEST_F(WriteApisTest, Registered) { EXPECT_EQ(apis_.entries().size(), 29U); }

// Proves the way of database requests: JSON read, flags passed on, codes handed back.
TEST_F(WriteApisTest, Databases) {
  Bytes json = Bytes::copy_of(R"({"version":1,"comment":"c","custom_properties":{"k":"v"}})");
  EXPECT_EQ(call<ApiKey::kCreateDatabase>({.database_name = "a", .database_json = json}),
            ErrorCode::kNone);
  EXPECT_EQ(cluster_.catalog().find_database("a")->descriptor.comment, "c");
  EXPECT_EQ(call<ApiKey::kCreateDatabase>({.database_name = "a"}),
            ErrorCode::kDatabaseAlreadyExist);
  EXPECT_EQ(call<ApiKey::kCreateDatabase>({.database_name = "a", .ignore_if_exists = true}),
            ErrorCode::kNone);
  EXPECT_EQ(call<ApiKey::kCreateDatabase>({.database_name = "a b"}),
            ErrorCode::kInvalidDatabaseException);
  EXPECT_EQ(
      call<ApiKey::kCreateDatabase>({.database_name = "b", .database_json = Bytes::copy_of("{")}),
      ErrorCode::kInvalidDatabaseException);

  wire::AlterDatabaseRequest alter{.database_name = "a"};
  alter.config_changes.push_back({.config_key = "k", .op_type = 1});
  alter.config_changes.push_back({.config_key = "l", .config_value = "w", .op_type = 0});
  alter.comment = "";
  EXPECT_EQ(call<ApiKey::kAlterDatabase>(alter), ErrorCode::kNone);
  EXPECT_EQ(cluster_.catalog().find_database("a")->descriptor.custom_properties,
            (Properties{{"l", "w"}}));
  EXPECT_EQ(cluster_.catalog().find_database("a")->descriptor.comment, std::nullopt);
  for (int32_t op : {0, 2, 3, -1}) {
    wire::AlterDatabaseRequest bad{.database_name = "a"};
    bad.config_changes.push_back({.config_key = "l", .op_type = op});
    EXPECT_EQ(call<ApiKey::kAlterDatabase>(bad), ErrorCode::kInvalidConfigException) << op;
  }
  EXPECT_EQ(call<ApiKey::kAlterDatabase>({.database_name = "no"}), ErrorCode::kDatabaseNotExist);

  EXPECT_EQ(call<ApiKey::kDropDatabase>({.database_name = "no"}), ErrorCode::kDatabaseNotExist);
  EXPECT_EQ(call<ApiKey::kDropDatabase>({.database_name = "a"}), ErrorCode::kNone);
  EXPECT_EQ(call<ApiKey::kDropDatabase>({.database_name = "a", .ignore_if_not_exists = true}),
            ErrorCode::kNone);
}

// Proves that a client that got its answer finds the table in the catalog of any shard.
TEST_F(WriteApisTest, Tables) {
  wire::PbTablePath path{"fluss", "t"};
  EXPECT_EQ(call<ApiKey::kCreateTable>({.table_path = path, .table_json = table_json()}),
            ErrorCode::kNone);
  auto table = cluster_.catalog().find_table(TablePath{"fluss", "t"});
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->buckets[1].leader, ServerId(0));
  EXPECT_EQ(call<ApiKey::kCreateTable>({.table_path = path, .table_json = table_json()}),
            ErrorCode::kTableAlreadyExist);
  EXPECT_EQ(call<ApiKey::kCreateTable>(
                {.table_path = path, .table_json = table_json(), .ignore_if_exists = true}),
            ErrorCode::kNone);
  EXPECT_EQ(call<ApiKey::kCreateTable>({.table_path = {"fluss", "u"}, .table_json = {}}),
            ErrorCode::kInvalidTableException);
  EXPECT_EQ(call<ApiKey::kCreateTable>({.table_path = {"no", "u"}, .table_json = table_json()}),
            ErrorCode::kDatabaseNotExist);
  EXPECT_EQ(call<ApiKey::kDropTable>({.table_path = path}), ErrorCode::kNone);
  EXPECT_EQ(cluster_.catalog().find_table(TablePath{"fluss", "t"}), nullptr);
  EXPECT_EQ(call<ApiKey::kDropTable>({.table_path = path}), ErrorCode::kTableNotExist);
  EXPECT_EQ(call<ApiKey::kDropTable>({.table_path = path, .ignore_if_not_exists = true}),
            ErrorCode::kNone);
}

wire::PbAddColumn added_column(std::string name) {
  return {.column_name = std::move(name),
          .data_type_json = Bytes::copy_of(to_json(DataType::string())),
          .comment = "c"};
}

// Proves the way of changes of tables: what is read, what is refused with which code.
TEST_F(WriteApisTest, AlterTable) {
  wire::PbTablePath path{"fluss", "t"};
  ASSERT_EQ(call<ApiKey::kCreateTable>({.table_path = path, .table_json = table_json()}),
            ErrorCode::kNone);
  auto find = [&] { return cluster_.catalog().find_table(TablePath{"fluss", "t"}); };
  wire::AlterTableRequest options{.table_path = path};
  options.config_changes = {{"table.log.ttl", "1 d", 0},
                            {"k", "v", 0},
                            {"k", std::nullopt, 1},
                            {"l", std::nullopt, 1},
                            {"l", "w", 0}};
  EXPECT_EQ(call<ApiKey::kAlterTable>(options), ErrorCode::kNone);
  EXPECT_EQ(find()->descriptor.custom_properties, (Properties{{"l", "w"}}));
  EXPECT_EQ(find()->options.log_ttl, std::chrono::hours(24));

  wire::AlterTableRequest columns{.table_path = path, .add_columns = {added_column("c")}};
  EXPECT_EQ(call<ApiKey::kAlterTable>(columns), ErrorCode::kNone);
  EXPECT_EQ(find()->latest_schema().id, SchemaId(2));
  EXPECT_EQ(find()->descriptor.schema.column(2).comment, "c");
  EXPECT_EQ(find()->descriptor.schema.column(2).id, 2);
  EXPECT_EQ(call<ApiKey::kAlterTable>(columns), ErrorCode::kInvalidAlterTableException);

  auto refused = [&](wire::AlterTableRequest request) {
    request.table_path = path;
    return call<ApiKey::kAlterTable>(std::move(request));
  };
  for (int32_t op : {0, 2, 3, -1}) {
    EXPECT_EQ(refused({.config_changes = {{"k", std::nullopt, op}}}),
              ErrorCode::kUnknownServerError)
        << op;
  }
  EXPECT_EQ(refused({.drop_columns = {{"none"}}}), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(refused({.rename_columns = {{"none", "d"}}}), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(refused({.modify_columns = {{.column_name = "c"}}}), ErrorCode::kUnknownServerError);
  EXPECT_EQ(refused({.modify_bucket_count = wire::PbModifyBucketCount{7}}),
            ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(refused({.config_changes = {{"k", "v", 0}}, .add_columns = {added_column("d")}}),
            ErrorCode::kInvalidAlterTableException);
  wire::PbAddColumn bad = added_column("d");
  bad.column_position_type = 1;
  EXPECT_EQ(refused({.add_columns = {bad}}), ErrorCode::kUnknownServerError);
  bad = added_column("d");
  bad.data_type_json = Bytes::copy_of("{");
  EXPECT_NE(refused({.add_columns = {bad}}), ErrorCode::kNone);
  bad = added_column("d");
  bad.agg_function_type = "guess";
  EXPECT_EQ(refused({.add_columns = {bad}}), ErrorCode::kInvalidConfigException);
  bad.agg_function_type = "sum";
  EXPECT_NE(refused({.add_columns = {bad}}), ErrorCode::kNone);
  EXPECT_EQ(refused({}), ErrorCode::kNone);
  EXPECT_EQ(find()->latest_schema().id, SchemaId(2));

  EXPECT_EQ(refused({.drop_columns = {{"d"}}, .rename_columns = {{"c", "d"}}}), ErrorCode::kNone);
  EXPECT_EQ(find()->descriptor.schema.column(2).name, "__dropped_2_d");

  wire::AlterTableRequest absent{.table_path = {"fluss", "no"}};
  EXPECT_EQ(call<ApiKey::kAlterTable>(absent), ErrorCode::kTableNotExist);
  absent.ignore_if_not_exists = true;
  EXPECT_EQ(call<ApiKey::kAlterTable>(absent), ErrorCode::kNone);
}

// Proves the way of requests about leases: what can not be had comes back by table.
TEST_F(WriteApisTest, Leases) {
  wire::AcquireKvSnapshotLeaseRequest acquire{.lease_id = "a", .lease_duration_ms = INT64_MAX};
  acquire.snapshots_to_lease.push_back(
      {.table_id = 7, .bucket_snapshots = {{.bucket_id = 1, .snapshot_id = 3}}});
  acquire.snapshots_to_lease.push_back(
      {.table_id = 8, .bucket_snapshots = {{.partition_id = 2, .bucket_id = 0, .snapshot_id = 4}}});
  rpc::RequestContext context;
  context.shard = &cluster_.node.shard(0);
  auto answer = cluster_.world.run(cluster_.node.shard(0),
                                   apis_.call<ApiKey::kAcquireKvSnapshotLease>(acquire, context));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->unavailable_snapshots, acquire.snapshots_to_lease);
  EXPECT_EQ(cluster_.store.children(paths::kKvLeases).value(), std::vector<std::string>{"a"});
  wire::ReleaseKvSnapshotLeaseRequest release{.lease_id = "b"};
  release.buckets_to_release.push_back({.table_id = 7, .bucket_id = 1});
  EXPECT_EQ(call<ApiKey::kReleaseKvSnapshotLease>(release), ErrorCode::kNone);
  EXPECT_EQ(call<ApiKey::kDropKvSnapshotLease>({.lease_id = "a"}), ErrorCode::kNone);
  EXPECT_TRUE(cluster_.store.children(paths::kKvLeases)->empty());
  acquire.lease_duration_ms = -1;
  EXPECT_EQ(call<ApiKey::kAcquireKvSnapshotLease>(acquire), ErrorCode::kInvalidConfigException);
  EXPECT_EQ(call<ApiKey::kListKvSnapshots>({.table_id = 99}), ErrorCode::kTableNotExist);
}

Task<bool> stopped(Coordinator* coordinator) {
  co_await coordinator->stop();
  co_return true;
}

// Proves that the coordinator works over the embedded store on a real disk and real threads,
// restart included.
TEST(EmbeddedCoordinator, Restart) {
  std::string directory = testing::TempDir() + "coordinatorXXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  for (int32_t round = 0; round < 2; ++round) {
    RealEnv real(2);
    ShardGroup shards(real, 2);
    auto store = open_meta_store("embedded", {real.env().disk, directory}).value();
    Catalog catalog({&shards.shard(0), &shards.shard(1)});
    TabletDisk disk;
    FakeTablets tablets(disk, real.env().clock, shards.shard(1), catalog);
    auto objects = make_local_object_store(real.env().disk);
    Coordinator coordinator(
        real.env(), shards.shard(1), *store, *objects, catalog, tablets, CoordinatorOptions{});
    ServerNode self{ServerId(0), "h", 1, {}};
    ASSERT_TRUE(run_blocking(shards.shard(1), coordinator.start(self)).has_value());
    ASSERT_TRUE(run_blocking(shards.shard(1), coordinator.server_joined(self)).has_value());
    EXPECT_EQ(coordinator.epoch(), round);
    auto descriptor =
        prepare_table({"fluss", "t"}, to_json(log_table(2)), coordinator.options().rules).value();
    Status created =
        run_blocking(shards.shard(1), coordinator.create_table({"fluss", "t"}, descriptor, false));
    EXPECT_EQ(created.has_value(), round == 0);
    EXPECT_TRUE(run_blocking(shards.shard(1), stopped(&coordinator)));
    shards.stop();
    EXPECT_EQ(disk.size(), 2U);
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace lakestream::coordinator
