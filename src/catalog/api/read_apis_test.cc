#include "catalog/api/read_apis.h"

#include <gtest/gtest.h>

#include "catalog/api/api.h"
#include "io/sim/sim_world.h"
#include "table/json.h"

namespace lakestream {
namespace {

Schema schema_with(std::vector<std::string> columns) {
  SchemaBuilder builder;
  for (std::string& name : columns) builder.column(std::move(name), DataType::integer());
  return builder.build().value();
}

std::shared_ptr<const TableEntry> make_table(std::string name, int64_t id) {
  auto table = std::make_shared<TableEntry>();
  table->path = {"db", std::move(name)};
  table->id = TableId(id);
  for (int16_t number : {int16_t{1}, int16_t{2}}) {
    Schema schema = number == 1 ? schema_with({"a"}) : schema_with({"a", "b"});
    Bytes json = Bytes::copy_of(to_json(schema));
    table->schemas.push_back(
        std::make_shared<const SchemaEntry>(SchemaEntry{SchemaId(number), schema, json}));
    table->descriptor.schema = schema;
  }
  table->created_time = TimestampMs(5);
  table->modified_time = TimestampMs(6);
  table->json = Bytes::copy_of(to_json(table->descriptor));
  table->buckets.push_back({.bucket = BucketId(0),
                            .replicas = {ServerId(0)},
                            .leader = ServerId(0),
                            .leader_epoch = LeaderEpoch(3),
                            .bucket_epoch = 4,
                            .isr = {ServerId(0)}});
  table->buckets.push_back({.bucket = BucketId(1),
                            .replicas = {ServerId(0)},
                            .leader = std::nullopt,
                            .leader_epoch = LeaderEpoch(7),
                            .bucket_epoch = 8,
                            .isr = {ServerId(0)}});
  return table;
}

DatabaseEntry make_database(std::string name) {
  DatabaseEntry database;
  database.name = std::move(name);
  database.json = Bytes::copy_of(to_json(database.descriptor));
  database.created_time = TimestampMs(1);
  database.modified_time = TimestampMs(2);
  return database;
}

class ReadApisTest : public testing::Test {
 protected:
  ReadApisTest() {
    CatalogBuilder builder;
    builder.put_database(make_database("db")).put_database(make_database("fluss"));
    for (int i = 0; i < 3; ++i) builder.put_table(make_table(fmt::format("t{}", i), i));
    builder.set_coordinator(ServerNode{ServerId(0), "h", 9123, {}});
    builder.set_tablet_servers({ServerNode{ServerId(0), "h", 9123, "r"}});
    snapshot_ = builder.build();
  }
  // Table 'p', by region and n.
  void add_partitions() {
    auto table = std::make_shared<TableEntry>(*make_table("p", 9));
    table->descriptor.partition_keys = {"region", "n"};
    std::vector<BucketEntry> buckets = std::exchange(table->buckets, {});
    CatalogBuilder builder(*snapshot_);
    builder.put_table(table);
    int64_t id = 7;
    for (const char* name : {"eu$1", "us$1", "eu$2"}) {
      builder.put_partition(std::make_shared<const PartitionEntry>(
          PartitionEntry{TableId(9), PartitionId(id++), name, std::nullopt, buckets}));
    }
    snapshot_ = builder.build();
  }
  ReadContext context() { return {*snapshot_, configs_, remote_, lake_properties_}; }

  std::shared_ptr<const CatalogSnapshot> snapshot_;
  ClusterConfigs configs_;
  RemoteAccess remote_;
  Properties lake_properties_;
};

// Proves that a request for nothing gives the servers, and every server its address.
TEST_F(ReadApisTest, MetadataOfServers) {
  auto answer = get_metadata({}, context()).value();
  EXPECT_EQ(answer.coordinator_server->port, 9123);
  ASSERT_EQ(answer.tablet_servers.size(), 1U);
  EXPECT_EQ(answer.tablet_servers[0].host, "h");
  EXPECT_EQ(answer.tablet_servers[0].rack, "r");
  EXPECT_TRUE(answer.table_metadata.empty());
}

// Proves that an unknown table is 7 and an unknown partition 36, for the whole request.
TEST_F(ReadApisTest, MetadataOfUnknownThings) {
  auto answer = get_metadata({.table_path = {{"db", "t0"}, {"db", "no"}}}, context());
  EXPECT_EQ(answer.error().code(), ErrorCode::kTableNotExist);
  answer = get_metadata({.table_path = {{"no", "t0"}}}, context());
  EXPECT_EQ(answer.error().code(), ErrorCode::kTableNotExist);
  answer = get_metadata({.partitions_path = {{"db", "t0", "p"}}}, context());
  EXPECT_EQ(answer.error().code(), ErrorCode::kPartitionNotExists);
  answer = get_metadata({.table_path = {{"db", "t0"}}, .partitions_id = {5}}, context());
  EXPECT_EQ(answer.error().code(), ErrorCode::kPartitionNotExists);
}

// Proves that every bucket is listed, and one without a leader has no leader id.
TEST_F(ReadApisTest, MetadataOfTable) {
  auto answer = get_metadata({.table_path = {{"db", "t1"}}}, context()).value();
  ASSERT_EQ(answer.table_metadata.size(), 1U);
  const wire::PbTableMetadata& table = answer.table_metadata[0];
  EXPECT_EQ(table.table_id, 1);
  EXPECT_EQ(table.schema_id, 2);
  EXPECT_EQ(table.created_time, 5);
  EXPECT_EQ(table.modified_time, 6);
  EXPECT_TRUE(table_from_json(table.table_json.view()).has_value());
  ASSERT_EQ(table.bucket_metadata.size(), 2U);
  EXPECT_EQ(table.bucket_metadata[0].leader_id, 0);
  EXPECT_EQ(table.bucket_metadata[0].leader_epoch, 3);
  EXPECT_EQ(table.bucket_metadata[0].bucket_epoch, 4);
  EXPECT_EQ(table.bucket_metadata[1].leader_id, std::nullopt);
  EXPECT_EQ(table.bucket_metadata[1].bucket_id, 1);
  EXPECT_EQ(table.bucket_metadata[1].replica_id, std::vector<int32_t>{0});
  EXPECT_EQ(table.bucket_metadata[1].isr, std::vector<int32_t>{0});
}

// Proves that what is named again is told once: the answer is never larger than all there is.
TEST_F(ReadApisTest, MetadataIsToldOnce) {
  add_partitions();
  auto answer = get_metadata({.table_path = {{"db", "t0"}, {"db", "t1"}, {"db", "t0"}},
                              .partitions_path = {{"db", "p", "eu$1"}, {"db", "p", "eu$1"}},
                              .partitions_id = {8, 7, 8}},
                             context())
                    .value();
  ASSERT_EQ(answer.table_metadata.size(), 2U);
  EXPECT_EQ(answer.table_metadata[0].table_path.table_name, "t0");
  EXPECT_EQ(answer.table_metadata[1].table_path.table_name, "t1");
  ASSERT_EQ(answer.partition_metadata.size(), 3U);
  EXPECT_EQ(answer.partition_metadata[1].partition_id, 8);
  EXPECT_EQ(answer.partition_metadata[2].partition_id, 7);
}

// Proves that partitions are found by name and by id, with all their buckets.
TEST_F(ReadApisTest, MetadataOfPartitions) {
  add_partitions();
  auto answer =
      get_metadata({.partitions_path = {{"db", "p", "eu$1"}}, .partitions_id = {8}}, context())
          .value();
  ASSERT_EQ(answer.partition_metadata.size(), 2U);
  const wire::PbPartitionMetadata& first = answer.partition_metadata[0];
  EXPECT_EQ(first.table_id, 9);
  EXPECT_EQ(first.partition_name, "eu$1");
  EXPECT_EQ(first.partition_id, 7);
  EXPECT_EQ(first.bucket_count, 2);
  ASSERT_EQ(first.bucket_metadata.size(), 2U);
  EXPECT_EQ(first.bucket_metadata[0].leader_id, 0);
  EXPECT_EQ(first.bucket_metadata[1].leader_id, std::nullopt);
  EXPECT_EQ(answer.partition_metadata[1].partition_name, "us$1");
  auto unknown = get_metadata({.partitions_id = {8, 6}}, context());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kPartitionNotExists);
  EXPECT_NE(unknown.error().message().find("partition id 6 "), std::string::npos);
  unknown = get_metadata({.partitions_path = {{"db", "p", "eu$3"}}}, context());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kPartitionNotExists);
}

// Proves that partitions are listed by name, filtered by some of their keys, and that those of the
// system are shown to who asks for them.
TEST_F(ReadApisTest, ListPartitions) {
  add_partitions();
  auto names = [&](wire::ListPartitionInfosRequest request) {
    request.table_path = {"db", "p"};
    std::string text;
    wire::ListPartitionInfosResponse answer = list_partition_infos(request, context()).value();
    for (const auto& info : answer.partitions_info) {
      const auto& values = info.partition_spec.partition_key_values;
      EXPECT_EQ(values[0].key, "region");
      EXPECT_EQ(values[1].key, "n");
      text += fmt::format("{}:{}/{} ", info.partition_id, values[0].value, values[1].value);
      EXPECT_EQ(info.bucket_count, 2);
    }
    return text;
  };
  auto of_keys = [](std::vector<wire::PbKeyValue> values) {
    wire::ListPartitionInfosRequest request;
    request.partial_partition_spec.emplace().partition_key_values = std::move(values);
    return request;
  };
  EXPECT_EQ(names({}), "7:eu/1 9:eu/2 8:us/1 ");
  EXPECT_EQ(names(of_keys({wire::PbKeyValue{"region", "eu"}})), "7:eu/1 9:eu/2 ");
  EXPECT_EQ(names(of_keys({wire::PbKeyValue{"n", "1"}, wire::PbKeyValue{"region", "us"}})),
            "8:us/1 ");
  EXPECT_EQ(names(of_keys({wire::PbKeyValue{"n", "3"}})), "");
  EXPECT_EQ(
      list_partition_infos({.table_path = {"db", "p"}}, context())->system_partitions_included,
      std::nullopt);
  wire::ListPartitionInfosRequest all = of_keys({});
  all.table_path = {"db", "p"};
  all.include_system_partitions = true;
  EXPECT_EQ(list_partition_infos(all, context())->system_partitions_included, true);
  all.partial_partition_spec->partition_key_values.push_back({"none", "1"});
  EXPECT_EQ(list_partition_infos(all, context()).error().code(),
            ErrorCode::kPartitionSpecInvalidException);
  EXPECT_EQ(list_partition_infos({.table_path = {"db", "t0"}}, context()).error().code(),
            ErrorCode::kTableNotPartitionedException);
  EXPECT_EQ(list_partition_infos({.table_path = {"db", "no"}}, context()).error().code(),
            ErrorCode::kTableNotExist);
}

// Proves that summaries take the place of the names and count all tables (apache/fluss#2852).
TEST_F(ReadApisTest, DatabaseSummaries) {
  auto names = list_databases({}, context()).value();
  EXPECT_EQ(names.database_name, (std::vector<std::string>{"db", "fluss"}));
  EXPECT_TRUE(names.database_summary.empty());
  auto summaries = list_databases({.include_summary = true}, context()).value();
  EXPECT_TRUE(summaries.database_name.empty());
  ASSERT_EQ(summaries.database_summary.size(), 2U);
  EXPECT_EQ(summaries.database_summary[0].database_name, "db");
  EXPECT_EQ(summaries.database_summary[0].table_count, 3);
  EXPECT_EQ(summaries.database_summary[0].created_time, 1);
  EXPECT_EQ(summaries.database_summary[1].table_count, 0);
}

// Proves the answers about databases, there and not.
TEST_F(ReadApisTest, Databases) {
  EXPECT_TRUE(database_exists({.database_name = "db"}, context())->exists);
  EXPECT_FALSE(database_exists({.database_name = ""}, context())->exists);
  auto info = get_database_info({.database_name = "db"}, context()).value();
  EXPECT_EQ(info.database_json.view(), R"({"version":1,"custom_properties":{}})");
  EXPECT_EQ(info.created_time, 1);
  EXPECT_EQ(info.modified_time, 2);
  EXPECT_EQ(get_database_info({.database_name = "no"}, context()).error().code(),
            ErrorCode::kDatabaseNotExist);
  EXPECT_EQ(list_tables({.database_name = "no"}, context()).error().code(),
            ErrorCode::kDatabaseNotExist);
  EXPECT_EQ(list_tables({.database_name = "db"}, context())->table_name,
            (std::vector<std::string>{"t0", "t1", "t2"}));
  EXPECT_TRUE(list_tables({.database_name = "fluss"}, context())->table_name.empty());
}

// Proves the answers about tables, there and not.
TEST_F(ReadApisTest, Tables) {
  EXPECT_TRUE(table_exists({.table_path = {"db", "t0"}}, context())->exists);
  EXPECT_FALSE(table_exists({.table_path = {"db", "no"}}, context())->exists);
  EXPECT_FALSE(table_exists({.table_path = {"no", "t0"}}, context())->exists);
  auto info = get_table_info({.table_path = {"db", "t2"}}, context()).value();
  EXPECT_EQ(info.table_id, 2);
  EXPECT_EQ(info.schema_id, 2);
  EXPECT_EQ(info.table_json, snapshot_->find_table(TableId(2))->json);
  EXPECT_EQ(get_table_info({.table_path = {"db", "no"}}, context()).error().code(),
            ErrorCode::kTableNotExist);
}

// Proves that clients of a table with a lake get what it takes to open the lake, but no secrets,
// and that others do not.
TEST_F(ReadApisTest, LakeOptions) {
  lake_properties_ = lake_properties_of("paimon",
                                        {{"warehouse", "s3://b/w"},
                                         {"s3.endpoint", "http://h"},
                                         {"s3.access-Key", "a"},
                                         {"s3.SECRET", "b"},
                                         {"credential", "id:d"},
                                         {"token", "e"},
                                         {"jdbc.password", "c"}});
  EXPECT_EQ(lake_properties_,
            (Properties{{"table.datalake.paimon.s3.endpoint", "http://h"},
                        {"table.datalake.paimon.warehouse", "s3://b/w"}}));
  auto table = std::make_shared<TableEntry>(*make_table("lake", 9));
  table->descriptor.properties = {{"table.datalake.enabled", "true"}};
  table->options.lake.enabled = true;
  table->options.lake.format = LakeFormatKind::kPaimon;
  snapshot_ = CatalogBuilder(*snapshot_).put_table(table).build();
  auto info = get_table_info({.table_path = {"db", "lake"}}, context()).value();
  Properties expected = lake_properties_;
  expected["table.datalake.enabled"] = "true";
  EXPECT_EQ(table_from_json(info.table_json.view())->properties, expected);
  info = get_table_info({.table_path = {"db", "t0"}}, context()).value();
  EXPECT_EQ(info.table_json, snapshot_->find_table(TableId(0))->json);
  lake_properties_ = lake_properties_of("iceberg", {{"warehouse", "s3://b/w"}});
  info = get_table_info({.table_path = {"db", "lake"}}, context()).value();
  EXPECT_EQ(table_from_json(info.table_json.view())->properties, table->descriptor.properties)
      << "the cluster has a lake of another format by now";
}

// Proves that a schema is found by id, the latest without one, and an unknown one is 9 even when
// the number does not fit a schema id.
TEST_F(ReadApisTest, Schemas) {
  wire::PbTablePath path{"db", "t0"};
  EXPECT_EQ(get_table_schema({.table_path = path}, context())->schema_id, 2);
  auto first = get_table_schema({.table_path = path, .schema_id = 1}, context()).value();
  EXPECT_EQ(first.schema_id, 1);
  EXPECT_EQ(schema_from_json(first.schema_json.view()).value(), schema_with({"a"}));
  for (int32_t id : {0, 3, -1, 65537}) {
    EXPECT_EQ(get_table_schema({.table_path = path, .schema_id = id}, context()).error().code(),
              ErrorCode::kSchemaNotExist);
  }
  EXPECT_EQ(get_table_schema({.table_path = {"db", "no"}}, context()).error().code(),
            ErrorCode::kTableNotExist);
}

// Proves that secrets are not shown and where a value comes from is.
TEST_F(ReadApisTest, ClusterConfigs) {
  configs_ = {{"data.dir", "/d", false},
              {"kv.snapshot.interval", "1 min", true},
              {"security.sasl.plain.credentials", "a:b,c:", true},
              {"datalake.paimon.s3.Access-Key", "k", false},
              {"datalake.iceberg.token", "t", false},
              {"datalake.paimon.jdbc.password", "p", true},
              {"datalake.paimon.fs.azure.account.key", "q", true},
              {"datalake.paimon.s3.secret-key", std::nullopt, true},
              {"datalake.iceberg.uri", "http://u:p@h:80/a@b:c,http://u@h/,x://h:1", true}};
  auto answer = describe_cluster_configs({}, context()).value();
  ASSERT_EQ(answer.configs.size(), 9U);
  EXPECT_EQ(answer.configs[0].config_value, "/d");
  EXPECT_EQ(answer.configs[0].config_source, "INITIAL_SERVER_CONFIG");
  EXPECT_EQ(answer.configs[1].config_source, "DYNAMIC_SERVER_CONFIG");
  EXPECT_EQ(answer.configs[2].config_value, "a:******,c:******");
  for (size_t i = 3; i < 7; ++i) EXPECT_EQ(answer.configs[i].config_value, "******");
  EXPECT_EQ(answer.configs[7].config_value, std::nullopt) << "it hides one of the start";
  EXPECT_EQ(answer.configs[8].config_value, "http://u:******@h:80/a@b:c,http://u@h/,x://h:1");
}

// Proves that files on local disk need an empty token.
TEST_F(ReadApisTest, SecurityToken) {
  auto answer = get_file_system_security_token({}, context()).value();
  EXPECT_EQ(answer.schema, "file");
  EXPECT_TRUE(answer.token.empty());
  EXPECT_EQ(answer.expiration_time, std::nullopt);
}

// Proves that clients get the keys of an object store in the form they read, and an error when the
// server has none to give.
TEST_F(ReadApisTest, SecurityTokenOfAnObjectStore) {
  remote_.scheme = "s3";
  remote_.settings = {{"fs.s3a.region", "eu-1"}};
  EXPECT_EQ(get_file_system_security_token({}, context()).error().code(),
            ErrorCode::kSecurityTokenException);
  remote_.keys = {"id", R"(a"b)"};
  auto answer = get_file_system_security_token({}, context()).value();
  EXPECT_EQ(answer.schema, "s3");
  EXPECT_EQ(answer.token.view(),
            R"({"version":1,"access_key_id":"id","access_key_secret":"a\"b",)"
            R"("security_token":null})");
  EXPECT_EQ(answer.expiration_time, std::nullopt);
  ASSERT_EQ(answer.addition_info.size(), 1U);
  EXPECT_EQ(answer.addition_info[0].key, "fs.s3a.region");
  EXPECT_EQ(answer.addition_info[0].value, "eu-1");
}

// Proves the three colours: red without a leader, yellow without a replica in sync, else green.
TEST_F(ReadApisTest, Health) {
  auto red = get_cluster_health({}, context()).value();
  EXPECT_EQ(red.num_replicas, 6);
  EXPECT_EQ(red.in_sync_replicas, 6);
  EXPECT_EQ(red.num_leader_replicas, 6);
  EXPECT_EQ(red.active_leader_replicas, 3);
  EXPECT_EQ(red.status, 2);

  auto table = std::make_shared<TableEntry>(*make_table("t", 9));
  table->buckets.pop_back();
  CatalogBuilder builder;
  builder.put_database(make_database("db")).put_table(table);
  snapshot_ = builder.build();
  EXPECT_EQ(get_cluster_health({}, context())->status, 0);

  auto lagging = std::make_shared<TableEntry>(*table);
  lagging->buckets[0].replicas.push_back(ServerId(1));
  snapshot_ = CatalogBuilder(*snapshot_).put_table(lagging).build();
  EXPECT_EQ(get_cluster_health({}, context())->status, 1);
  snapshot_ = std::make_shared<const CatalogSnapshot>();
  EXPECT_EQ(get_cluster_health({}, context())->status, 0);
}

// Proves that every read API is registered and answers from the shard of the connection.
TEST_F(ReadApisTest, Registered) {
  SimWorld world(1);
  SimNode& node = world.add_node("a");
  Shard& shard = node.shard(0);
  Catalog catalog({&shard});
  CatalogContext registered{catalog, {{&shard}, std::make_shared<const ClusterState>()}};
  rpc::ApiTable apis;
  register_catalog_apis(apis, registered);
  EXPECT_EQ(apis.entries().size(), 16U);
  rpc::RequestContext call;
  call.shard = &shard;
  using wire::ApiKey;
  auto before = world.run(shard, apis.call<ApiKey::kListDatabases>({}, call)).value();
  EXPECT_TRUE(before.database_name.empty());
  catalog.publish(snapshot_);
  auto after = world.run(shard, apis.call<ApiKey::kListDatabases>({}, call)).value();
  EXPECT_EQ(after.database_name.size(), 2U);
}

}  // namespace
}  // namespace lakestream
