#include "coordinator/sim_cluster.h"
#include "meta/acl_record.h"

namespace lakestream::coordinator {
namespace {

using security::AclBinding;
using security::AclEntry;
using security::AclFilter;
using security::Operation;
using security::Resource;
using security::ResourceType;

Caller caller(std::string name) {
  return std::make_shared<const security::Session>(
      security::Session{security::user(std::move(name)), "10.0.0.1", "CLIENT", false});
}

AclBinding binding(Resource resource, std::string name, Operation operation) {
  return {std::move(resource), AclEntry{security::user(std::move(name)), "*", operation}};
}

// With "root" as its super user.
class AclsTest : public testing::Test {
 protected:
  AclsTest() {
    cluster_.options.authorizer = &authorizer_;
    EXPECT_TRUE(cluster_.restart().has_value());
  }

  Result<std::vector<Status>> create(std::string who, std::vector<AclBinding> bindings) {
    auto created = cluster_.run(
        cluster_.coordinator().create_acls(caller(std::move(who)), std::move(bindings)));
    cluster_.world.run_for(std::chrono::seconds(1));
    return created;
  }
  Result<std::vector<std::vector<AclBinding>>> drop(std::string who,
                                                    std::vector<AclFilter> filters) {
    auto dropped =
        cluster_.run(cluster_.coordinator().drop_acls(caller(std::move(who)), std::move(filters)));
    cluster_.world.run_for(std::chrono::seconds(1));
    return dropped;
  }
  const security::AclRules& rules() { return cluster_.catalog().acls(); }

  security::Authorizer authorizer_{
      security::Authorizer::Options{true, {security::user("root")}, false}};
  SimCluster cluster_{1};
  const Resource table_ = security::table_resource("a", "t");
  const Resource other_table_ = security::table_resource("b", "t");
  const Resource database_ = security::database_resource("a");
};

// Proves that nothing can be changed while rights are not checked.
TEST(AclsDisabledTest, Refused) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  std::vector<AclBinding> none;
  auto created = cluster.run(cluster.coordinator().create_acls(nullptr, none));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), ErrorCode::kSecurityDisabledException);
  std::vector<AclFilter> all(1);
  auto dropped = cluster.run(cluster.coordinator().drop_acls(nullptr, all));
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code(), ErrorCode::kSecurityDisabledException);
}

// Proves that what can be an entry is written in the layout of the protocol, known at once and
// after a restart, and that each of the others says why it can not.
TEST_F(AclsTest, Create) {
  auto created = create("root",
                        {binding(table_, "alice", Operation::kRead),
                         binding({ResourceType::kTable, "no dot"}, "alice", Operation::kRead),
                         binding({ResourceType::kTable, "a.b c"}, "alice", Operation::kRead),
                         binding({ResourceType::kDatabase, ""}, "alice", Operation::kRead),
                         binding({ResourceType::kCluster, "c"}, "alice", Operation::kRead),
                         binding({ResourceType::kAny, "*"}, "alice", Operation::kRead),
                         binding(table_, "alice", Operation::kAny),
                         binding(table_, "", Operation::kRead),
                         binding(table_, std::string(256, 'x'), Operation::kRead),
                         binding({ResourceType::kTable, "*"}, "bob", Operation::kDescribe),
                         binding(table_, "alice", Operation::kWrite),
                         binding(table_, "alice", Operation::kRead)});
  ASSERT_TRUE(created) << created.error().message();
  std::vector<bool> done;
  for (const Status& status : *created) done.push_back(status.has_value());
  EXPECT_EQ(done,
            (std::vector<bool>{
                true, false, false, false, false, false, false, false, false, true, true, true}));
  EXPECT_EQ((*created)[1].error().code(), ErrorCode::kInvalidTableException);
  EXPECT_EQ((*created)[3].error().code(), ErrorCode::kInvalidDatabaseException);
  ASSERT_EQ(rules().size(), 2U);
  EXPECT_EQ(rules().at(table_).size(), 2U);
  auto node = cluster_.store.get("/fluss-acls/TABLE/a.t").value();
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->value.view(),
            R"({"version":1,"acls":[{"principal_type":"User","principal_name":"alice",)"
            R"("permission_type":"ALLOW","host":"*","operation":"READ"},)"
            R"({"principal_type":"User","principal_name":"alice",)"
            R"("permission_type":"ALLOW","host":"*","operation":"WRITE"}]})");
  security::AclRules before = rules();
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(rules(), before);
  int64_t writes = cluster_.store.multi_count();
  ASSERT_TRUE(create("root", {binding(table_, "alice", Operation::kRead)}));
  EXPECT_EQ(cluster_.store.multi_count(), writes) << "what is there is not written again";
}

// Proves that who changes entries has ALL on the resource, of a table on its database, that one of
// several resources without the right refuses all, and that bad entries open nothing.
TEST_F(AclsTest, WhoMayChange) {
  auto is_refused = [](const auto& result) {
    return !result && result.error().code() == ErrorCode::kAuthorizationException;
  };
  AclBinding entry = binding(table_, "bob", Operation::kRead);
  EXPECT_TRUE(is_refused(create("alice", {entry})));
  ASSERT_TRUE(create("root", {binding(table_, "alice", Operation::kAll)}));
  EXPECT_TRUE(is_refused(create("alice", {entry}))) << "ALL on the table is not enough";
  ASSERT_TRUE(create("root", {binding(database_, "alice", Operation::kAlter)}));
  EXPECT_TRUE(is_refused(create("alice", {entry}))) << "nor is another right on the database";
  ASSERT_TRUE(create("root", {binding(database_, "alice", Operation::kAll)}));
  security::AclRules before = rules();
  EXPECT_TRUE(is_refused(create("alice", {entry, binding(other_table_, "bob", Operation::kRead)})));
  EXPECT_TRUE(
      is_refused(create("alice", {binding({ResourceType::kAny, "*"}, "x", Operation::kRead)})));
  EXPECT_TRUE(is_refused(
      create("alice", {binding(security::cluster_resource(), "alice", Operation::kAll)})));
  EXPECT_TRUE(
      is_refused(create("alice", {binding({ResourceType::kTable, "*"}, "x", Operation::kRead)})));
  EXPECT_EQ(rules(), before);
  EXPECT_TRUE(create("alice", {entry, binding(database_, "bob", Operation::kRead)}));
  EXPECT_TRUE(rules().at(table_).contains(entry.entry));
  AclFilter all;
  EXPECT_TRUE(is_refused(drop("bob", {all})));
  auto stranger = drop("carol", {all});
  EXPECT_TRUE(is_refused(stranger));
  EXPECT_EQ(stranger.error().message().find(" a"), std::string::npos)
      << "names what may not be seen: " << stranger.error().message();
  AclFilter ghost{.type = ResourceType::kTable, .resource_name = "a.ghost"};
  EXPECT_TRUE(is_refused(drop("carol", {ghost}))) << "whether there are entries or not";
  EXPECT_TRUE(drop("alice", {all})) << "all that there is belongs to the database";
  EXPECT_TRUE(rules().empty());
}

// Proves that each filter gives what it removed, an entry only once, and that nothing else goes.
TEST_F(AclsTest, Drop) {
  ASSERT_TRUE(create("root",
                     {binding(table_, "alice", Operation::kRead),
                      binding(table_, "bob", Operation::kRead),
                      binding(table_, "bob", Operation::kWrite),
                      binding(other_table_, "bob", Operation::kRead),
                      binding(database_, "alice", Operation::kRead)}));
  AclFilter of_table;
  of_table.type = ResourceType::kTable;
  of_table.resource_name = "a.t";
  of_table.principal_name = "bob";
  AclFilter reads;
  reads.operation = Operation::kRead;
  reads.type = ResourceType::kTable;
  AclFilter nothing;
  nothing.host = "10.0.0.1";
  auto dropped = drop("root", {of_table, reads, nothing});
  ASSERT_TRUE(dropped) << dropped.error().message();
  ASSERT_EQ(dropped->size(), 3U);
  EXPECT_EQ((*dropped)[0],
            (std::vector<AclBinding>{binding(table_, "bob", Operation::kRead),
                                     binding(table_, "bob", Operation::kWrite)}));
  EXPECT_EQ((*dropped)[1],
            (std::vector<AclBinding>{binding(table_, "alice", Operation::kRead),
                                     binding(other_table_, "bob", Operation::kRead)}));
  EXPECT_TRUE((*dropped)[2].empty());
  ASSERT_EQ(rules().size(), 1U);
  EXPECT_TRUE(rules().contains(database_));
  EXPECT_TRUE(cluster_.store.children("/fluss-acls/TABLE")->empty());
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(rules().size(), 1U);
}

// Proves that a change that can not be written changes nothing.
TEST_F(AclsTest, StoreRefuses) {
  cluster_.store.fail_multi([](const auto&) { return ModelStore::Fault::kRefused; });
  EXPECT_FALSE(create("root", {binding(table_, "alice", Operation::kRead)}));
  EXPECT_TRUE(rules().empty());
}

// Proves that a server does not start with entries that it does not understand.
TEST_F(AclsTest, UnknownEntries) {
  ASSERT_TRUE(create("root", {binding(table_, "alice", Operation::kRead)}));
  for (auto [permission, operation] :
       {std::pair("DENY", "READ"), std::pair("ALLOW", "FLY"), std::pair("ALLOW", "ANY")}) {
    AclRecord record{{{"User", "alice", permission, "*", operation}}};
    ASSERT_TRUE(cluster_.store.put("/fluss-acls/TABLE/a.t", encode(record), kAnyVersion));
    Status started = cluster_.restart();
    ASSERT_FALSE(started) << permission << operation;
    EXPECT_NE(started.error().message().find("/fluss-acls/TABLE/a.t"), std::string::npos);
  }
}

}  // namespace
}  // namespace lakestream::coordinator
