#include "catalog/api/access_rules.h"

#include <gtest/gtest.h>

#include "catalog/api/read_apis.h"
#include "catalog/table_check.h"
#include "io/sim/sim_world.h"

namespace lakestream {
namespace {

using security::Operation;
using security::Resource;
using wire::ApiKey;

template <ApiKey key>
using Request = typename wire::ApiTraits<key>::Request;
template <ApiKey key>
using Response = typename wire::ApiTraits<key>::Response;

constexpr Operation kOperations[] = {Operation::kAll,
                                     Operation::kRead,
                                     Operation::kWrite,
                                     Operation::kCreate,
                                     Operation::kDrop,
                                     Operation::kAlter,
                                     Operation::kDescribe};

template <ApiKey key>
Task<Result<Response<key>>> answer(Request<key>, rpc::RequestContext) {
  co_return Response<key>{};
}

std::shared_ptr<const TableEntry> make_table(std::string name, int64_t id) {
  auto table = std::make_shared<TableEntry>();
  table->path = {"db", std::move(name)};
  table->id = TableId(id);
  return table;
}

std::shared_ptr<const security::Session> session(bool is_internal) {
  return std::make_shared<const security::Session>(
      security::Session{security::user("alice"), "10.0.0.1", "CLIENT", is_internal});
}

security::AclRules rules_of(const Resource& resource, Operation operation) {
  return {{resource, {{security::user("alice"), "*", operation}}}};
}

// Tables 1 'db.t', 2 'db.u' and 3 'db.p' with partition 7; alice asks.
class AccessRulesTest : public testing::Test {
 protected:
  AccessRulesTest() {
    DatabaseEntry database;
    database.name = "db";
    CatalogBuilder builder;
    builder.put_database(std::move(database));
    builder.put_table(make_table("t", 1)).put_table(make_table("u", 2));
    builder.put_table(make_table("p", 3));
    builder.put_partition(std::make_shared<const PartitionEntry>(
        PartitionEntry{TableId(3), PartitionId(7), "x", std::nullopt, {}}));
    publish(builder.build());
  }
  Shard& shard() { return node_.shard(0); }
  void publish(std::shared_ptr<const CatalogSnapshot> snapshot) {
    catalog_.publish(std::move(snapshot));
    world_.run_for(std::chrono::milliseconds(1));
  }
  void set_rules(security::AclRules rules) {
    publish(CatalogBuilder(catalog_.on(shard())).set_acls(std::move(rules)).build());
  }

  template <ApiKey key>
  ErrorCode ask(const Request<key>& request, security::AclRules rules) {
    rpc::ApiTable apis;
    apis.add<key>(answer<key>);
    guard_apis(apis, authorizer_, catalog_);
    set_rules(std::move(rules));
    rpc::RequestContext call;
    call.shard = &shard();
    call.session = session_;
    auto result = world_.run(shard(), apis.call<key>(request, call));
    return result ? ErrorCode::kNone : result.error().code();
  }

  // The right on the resource is what it takes, and no other.
  template <ApiKey key>
  void needs(Operation wanted, const Resource& on, const Request<key>& request) {
    SCOPED_TRACE(std::string(wire::find_api(static_cast<int16_t>(key))->name));
    constexpr auto kForbidden = ErrorCode::kAuthorizationException;
    EXPECT_EQ(ask<key>(request, {}), kForbidden);
    EXPECT_EQ(ask<key>(request, rules_of(other_, Operation::kAll)), kForbidden);
    for (Operation granted : kOperations) {
      bool is_enough =
          granted == wanted || granted == Operation::kAll || wanted == Operation::kDescribe;
      EXPECT_EQ(ask<key>(request, rules_of(on, granted)), is_enough ? ErrorCode::kNone : kForbidden)
          << name_of(granted);
    }
    auto before = std::exchange(session_, session(true));
    EXPECT_EQ(ask<key>(request, {}), ErrorCode::kNone) << "over the internal listener";
    session_ = nullptr;
    EXPECT_EQ(ask<key>(request, {}), ErrorCode::kNone) << "from this process";
    session_ = std::move(before);
  }

  SimWorld world_{1};
  SimNode& node_ = world_.add_node("server");
  Catalog catalog_{{&node_.shard(0)}};
  security::Authorizer authorizer_{security::Authorizer::Options{true, {}, false}};
  std::shared_ptr<const security::Session> session_ = session(false);
  const Resource cluster_ = security::cluster_resource();
  const Resource database_ = security::database_resource("db");
  const Resource table_ = security::table_resource("db", "t");
  const Resource other_ = security::table_resource("db", "u");
  const wire::PbTablePath path_{"db", "t"};
};

// Proves what it takes to see and to change databases and tables.
TEST_F(AccessRulesTest, Metadata) {
  needs<ApiKey::kGetDatabaseInfo>(Operation::kDescribe, database_, {.database_name = "db"});
  needs<ApiKey::kGetTableInfo>(Operation::kDescribe, table_, {.table_path = path_});
  needs<ApiKey::kGetTableSchema>(Operation::kDescribe, table_, {.table_path = path_});
  needs<ApiKey::kListPartitionInfos>(Operation::kDescribe, table_, {.table_path = path_});
  needs<ApiKey::kGetKvSnapshotMetadata>(Operation::kDescribe, table_, {.table_id = 1});
  needs<ApiKey::kListKvSnapshots>(Operation::kDescribe, table_, {.table_id = 1});
  needs<ApiKey::kCreateDatabase>(Operation::kCreate, cluster_, {.database_name = "new"});
  needs<ApiKey::kAlterDatabase>(Operation::kAlter, database_, {.database_name = "db"});
  needs<ApiKey::kDropDatabase>(Operation::kDrop, database_, {.database_name = "db"});
  needs<ApiKey::kCreateTable>(Operation::kCreate, database_, {.table_path = path_});
  needs<ApiKey::kAlterTable>(Operation::kAlter, table_, {.table_path = path_});
  needs<ApiKey::kDropTable>(Operation::kDrop, table_, {.table_path = path_});
  needs<ApiKey::kCreatePartition>(Operation::kWrite, table_, {.table_path = path_});
  needs<ApiKey::kDropPartition>(Operation::kWrite, table_, {.table_path = path_});
  needs<ApiKey::kDescribeClusterConfigs>(Operation::kDescribe, cluster_, {});
  wire::PbAlterConfig lake{.config_key = "datalake.format"};
  needs<ApiKey::kAlterClusterConfigs>(Operation::kAlter, cluster_, {.alter_configs = {lake}});
  wire::PbAlterConfig users{.config_key = "security.sasl.plain.credentials"};
  needs<ApiKey::kAlterClusterConfigs>(Operation::kAll, cluster_, {.alter_configs = {lake, users}});
}

// Proves what it takes to read and to write rows, also for readers and writers that come again.
TEST_F(AccessRulesTest, Rows) {
  needs<ApiKey::kInitWriter>(Operation::kWrite, table_, {.table_path = {path_}});
  needs<ApiKey::kProduceLog>(Operation::kWrite, table_, {.table_id = 1});
  needs<ApiKey::kPutKv>(Operation::kWrite, table_, {.table_id = 1});
  wire::LookupRequest lookup;
  lookup.table_id = 1;
  needs<ApiKey::kLookup>(Operation::kRead, table_, lookup);
  lookup.insert_if_not_exists = true;
  needs<ApiKey::kLookup>(Operation::kWrite, table_, lookup);
  needs<ApiKey::kPrefixLookup>(Operation::kRead, table_, {.table_id = 1});
  needs<ApiKey::kLimitScan>(Operation::kRead, table_, {.table_id = 1});
  needs<ApiKey::kListOffsets>(Operation::kDescribe, table_, {.table_id = 1});
  needs<ApiKey::kGetTableStats>(Operation::kRead, table_, {.table_id = 1});
  wire::AcquireKvSnapshotLeaseRequest lease;
  lease.snapshots_to_lease.emplace_back().table_id = 1;
  needs<ApiKey::kAcquireKvSnapshotLease>(Operation::kRead, table_, lease);
  wire::ReleaseKvSnapshotLeaseRequest release;
  release.buckets_to_release.emplace_back().table_id = 1;
  needs<ApiKey::kReleaseKvSnapshotLease>(Operation::kRead, table_, release);
  wire::RegisterProducerOffsetsRequest offsets;
  offsets.table_offsets.emplace_back().table_id = 1;
  needs<ApiKey::kRegisterProducerOffsets>(Operation::kWrite, table_, offsets);
  wire::PrepareLakeTableSnapshotRequest prepare;
  prepare.bucket_offsets.emplace_back().table_id = 1;
  needs<ApiKey::kPrepareLakeTableSnapshot>(Operation::kWrite, table_, prepare);
  wire::CommitLakeTableSnapshotRequest commit;
  commit.lake_table_snapshot_metadata.emplace_back().table_id = 1;
  needs<ApiKey::kCommitLakeTableSnapshot>(Operation::kWrite, table_, commit);
  wire::CommitLakeTableSnapshotRequest old_commit;
  old_commit.tables_req.emplace_back().table_id = 1;
  needs<ApiKey::kCommitLakeTableSnapshot>(Operation::kWrite, table_, old_commit);
  needs<ApiKey::kLakeTieringHeartbeat>(Operation::kWrite, cluster_, {});
}

// Proves that one table of several without the right refuses all of them, but for writers, whose
// id is of no table.
TEST_F(AccessRulesTest, SeveralTables) {
  wire::RegisterProducerOffsetsRequest offsets;
  for (int64_t id : {1, 2}) offsets.table_offsets.emplace_back().table_id = id;
  EXPECT_EQ(ask<ApiKey::kRegisterProducerOffsets>(offsets, rules_of(table_, Operation::kWrite)),
            ErrorCode::kAuthorizationException);
  EXPECT_EQ(ask<ApiKey::kRegisterProducerOffsets>(offsets, rules_of(database_, Operation::kWrite)),
            ErrorCode::kNone);
  // A request for no table is not for who has none.
  wire::AcquireKvSnapshotLeaseRequest lease;
  EXPECT_EQ(ask<ApiKey::kAcquireKvSnapshotLease>(lease, {}), ErrorCode::kAuthorizationException);
  EXPECT_EQ(ask<ApiKey::kAcquireKvSnapshotLease>(lease, rules_of(table_, Operation::kRead)),
            ErrorCode::kNone);
  offsets.table_offsets.clear();
  EXPECT_EQ(ask<ApiKey::kRegisterProducerOffsets>(offsets, rules_of(table_, Operation::kRead)),
            ErrorCode::kAuthorizationException);
  wire::InitWriterRequest init;
  EXPECT_EQ(ask<ApiKey::kInitWriter>(init, rules_of(cluster_, Operation::kAll)),
            ErrorCode::kAuthorizationException);
  init.table_path = {{"db", "u"}, path_};
  EXPECT_EQ(ask<ApiKey::kInitWriter>(init, rules_of(table_, Operation::kWrite)), ErrorCode::kNone);
}

// Proves that an unknown table is an error, and so is a partition of another table.
TEST_F(AccessRulesTest, UnknownIds) {
  security::AclRules all = rules_of(cluster_, Operation::kAll);
  EXPECT_EQ(ask<ApiKey::kProduceLog>({.table_id = 9}, all),
            ErrorCode::kUnknownTableOrBucketException);
  EXPECT_EQ(ask<ApiKey::kGetKvSnapshotMetadata>({.table_id = 3, .partition_id = 7}, all),
            ErrorCode::kNone);
  EXPECT_EQ(ask<ApiKey::kGetKvSnapshotMetadata>({.table_id = 1, .partition_id = 7}, all),
            ErrorCode::kPartitionNotExists);
}

// Proves that who tries ids learns the names of those tables alone that he may see.
TEST_F(AccessRulesTest, NamesBehindIds) {
  auto message = [&](security::AclRules rules) {
    set_rules(std::move(rules));
    Status may = check_table(
        authorizer_, catalog_.on(shard()), session_.get(), Operation::kWrite, TableId(1));
    return may ? "" : may.error().message();
  };
  EXPECT_EQ(message({}), "principal User:alice has no right to WRITE on table id 1");
  EXPECT_EQ(message(rules_of(table_, Operation::kDescribe)),
            "principal User:alice has no right to WRITE on TABLE db.t; who has ALL on DATABASE db "
            "can grant it");
  EXPECT_EQ(message(rules_of(table_, Operation::kWrite)), "");
}

// Proves that keys to remote storage take a right to read something.
TEST_F(AccessRulesTest, KeysToStorage) {
  constexpr auto kKey = ApiKey::kGetFilesystemSecurityToken;
  EXPECT_EQ(ask<kKey>({}, {}), ErrorCode::kAuthorizationException);
  EXPECT_EQ(ask<kKey>({}, rules_of(table_, Operation::kDescribe)),
            ErrorCode::kAuthorizationException);
  EXPECT_EQ(ask<kKey>({}, rules_of(table_, Operation::kRead)), ErrorCode::kNone);
}

// Proves that answers leave out what may not be seen, as if it were not there.
TEST_F(AccessRulesTest, WhatAnswersLeaveOut) {
  set_rules(rules_of(table_, Operation::kRead));
  const ClusterConfigs configs = {};
  const RemoteAccess remote = {};
  const Properties lake = {};
  ReadContext context{catalog_.on(shard()), configs, remote, lake, session_.get(), &authorizer_};
  EXPECT_EQ(list_tables({.database_name = "db"}, context)->table_name,
            std::vector<std::string>{"t"});
  EXPECT_TRUE(list_databases({}, context)->database_name.empty());
  EXPECT_FALSE(database_exists({.database_name = "db"}, context)->exists);
  EXPECT_TRUE(table_exists({.table_path = path_}, context)->exists);
  EXPECT_FALSE(table_exists({.table_path = {"db", "u"}}, context)->exists);
  auto metadata = get_metadata({.table_path = {{"db", "u"}, {"db", "no"}},
                                .partitions_path = {{"db", "p", "x"}},
                                .partitions_id = {7}},
                               context);
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_TRUE(metadata->table_metadata.empty() && metadata->partition_metadata.empty());
  auto acls = list_acls(
      {.acl_filter = {.resource_type = 1, .operation_type = 1, .permission_type = 1}}, context);
  ASSERT_TRUE(acls) << acls.error().message();
  ASSERT_EQ(acls->acl.size(), 1U);
  EXPECT_EQ(acls->acl[0].resource_name, "db.t");
  set_rules(rules_of(other_, Operation::kRead));
  ReadContext other{catalog_.on(shard()), configs, remote, lake, session_.get(), &authorizer_};
  EXPECT_EQ(list_acls({.acl_filter = {.resource_name = "db.t",
                                      .resource_type = 4,
                                      .operation_type = 1,
                                      .permission_type = 1}},
                      other)
                ->acl.size(),
            0U);
}

// Proves that clients are told the addresses of the listener that they came over.
TEST_F(AccessRulesTest, Listeners) {
  ServerNode both{ServerId(0), "inside", 1, {}, {{"INTERNAL", "inside", 1}, {"CLIENT", "far", 2}}};
  ServerNode one{ServerId(1), "inside", 3, {}, {{"INTERNAL", "inside", 3}}};
  CatalogBuilder builder(catalog_.on(shard()));
  publish(builder.set_coordinator(both).set_tablet_servers({both, one}).build());
  const ClusterConfigs configs = {};
  const RemoteAccess remote = {};
  const Properties lake = {};
  ReadContext context{catalog_.on(shard()), configs, remote, lake, session_.get(), &authorizer_};
  auto told = get_metadata({}, context).value();
  EXPECT_EQ(told.coordinator_server->host, "far");
  EXPECT_EQ(told.coordinator_server->port, 2);
  ASSERT_EQ(told.tablet_servers.size(), 1U) << "the other is not reached over it";
  EXPECT_EQ(told.tablet_servers[0].host, "far");
  context.session = nullptr;
  told = get_metadata({}, context).value();
  ASSERT_EQ(told.tablet_servers.size(), 2U);
  EXPECT_EQ(told.tablet_servers[0].host, "inside");
}

}  // namespace
}  // namespace lakestream
