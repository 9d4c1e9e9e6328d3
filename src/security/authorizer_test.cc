#include "security/authorizer.h"

#include <gtest/gtest.h>

namespace lakestream::security {
namespace {

Session session_of(std::string name, std::string host = "10.0.0.1") {
  return Session{user(std::move(name)), std::move(host), "CLIENT", false};
}

AclEntry entry(std::string name, Operation operation, std::string host = "*") {
  return {user(std::move(name)), std::move(host), operation};
}

Authorizer enabled(bool ignore_case = false) {
  return Authorizer({true, {user("root")}, ignore_case});
}

// Proves, against a plain table of what implies what, that a right on a place is a right on
// everything below it and on nothing else.
TEST(AuthorizerTest, Inheritance) {
  const Resource cluster = cluster_resource();
  const Resource d = database_resource("d");
  const Resource e = database_resource("e");
  const Resource dt = table_resource("d", "t");
  const Resource du = table_resource("d", "u");
  const Resource et = table_resource("e", "t");
  const Resource every_database{ResourceType::kDatabase, "*"};
  const Resource every_table{ResourceType::kTable, "*"};
  const std::vector<Resource> all{cluster, d, e, dt, du, et};
  const std::map<Resource, std::set<Resource>> reach{{cluster, {cluster, d, e, dt, du, et}},
                                                     {d, {d, dt, du}},
                                                     {dt, {dt}},
                                                     {every_database, {d, e}},
                                                     {every_table, {dt, du, et}}};
  Authorizer authorizer = enabled();
  Session alice = session_of("alice");
  Session bob = session_of("bob");
  for (const auto& [place, below] : reach) {
    AclRules rules{{place, {entry("alice", Operation::kWrite)}}};
    for (const Resource& resource : all) {
      bool expected = below.contains(resource);
      EXPECT_EQ(authorizer.may(&alice, Operation::kWrite, resource, rules), expected)
          << to_string(place) << " " << to_string(resource);
      EXPECT_EQ(authorizer.may(&alice, Operation::kDescribe, resource, rules), expected);
      EXPECT_FALSE(authorizer.may(&alice, Operation::kRead, resource, rules));
      EXPECT_FALSE(authorizer.may(&alice, Operation::kAll, resource, rules));
      EXPECT_FALSE(authorizer.may(&bob, Operation::kDescribe, resource, rules));
    }
  }
}

// Proves that ALL implies every operation, and every operation DESCRIBE, and nothing else does.
TEST(AuthorizerTest, Operations) {
  Authorizer authorizer = enabled();
  Session alice = session_of("alice");
  const Resource table = table_resource("d", "t");
  const Operation operations[] = {Operation::kAll,
                                  Operation::kRead,
                                  Operation::kWrite,
                                  Operation::kCreate,
                                  Operation::kDrop,
                                  Operation::kAlter,
                                  Operation::kDescribe};
  for (Operation granted : operations) {
    AclRules rules{{table, {entry("alice", granted)}}};
    for (Operation wanted : operations) {
      bool expected =
          granted == wanted || granted == Operation::kAll || wanted == Operation::kDescribe;
      EXPECT_EQ(authorizer.may(&alice, wanted, table, rules), expected)
          << name_of(granted) << " " << name_of(wanted);
    }
  }
}

// Proves who is asked nothing: super users, who comes over the internal listener, this process,
// and everybody while nothing is checked.
TEST(AuthorizerTest, WhoMayEverything) {
  AclRules none;
  const Resource table = table_resource("d", "t");
  Session root = session_of("root");
  Session upper = session_of("ROOT");
  Session alice = session_of("alice");
  Session internal = alice;
  internal.is_internal = true;
  Authorizer authorizer = enabled();
  EXPECT_TRUE(authorizer.may(&root, Operation::kAll, table, none));
  EXPECT_FALSE(authorizer.may(&upper, Operation::kAll, table, none));
  EXPECT_TRUE(enabled(true).may(&upper, Operation::kAll, table, none));
  EXPECT_TRUE(authorizer.may(&internal, Operation::kAll, table, none));
  EXPECT_TRUE(authorizer.may(nullptr, Operation::kAll, table, none));
  EXPECT_TRUE(Authorizer({}).may(&alice, Operation::kAll, table, none));
  Status refused = authorizer.check(&alice, Operation::kWrite, table, none);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "AUTHORIZATION_EXCEPTION: principal User:alice has no right to WRITE on TABLE d.t; who "
            "has ALL on DATABASE d can grant it");
}

// Proves that an entry may be for everybody, and from one host only.
TEST(AuthorizerTest, EverybodyAndHosts) {
  Authorizer authorizer = enabled();
  const Resource table = table_resource("d", "t");
  AclRules rules{{table, {{{"*", "*"}, "10.0.0.1", Operation::kRead}}}};
  Session near = session_of("alice", "10.0.0.1");
  Session far = session_of("alice", "10.0.0.2");
  EXPECT_TRUE(authorizer.may(&near, Operation::kRead, table, rules));
  EXPECT_FALSE(authorizer.may(&far, Operation::kRead, table, rules));
  EXPECT_TRUE(authorizer.may_somewhere(&near, Operation::kRead, rules));
  EXPECT_FALSE(authorizer.may_somewhere(&near, Operation::kWrite, rules));
  EXPECT_FALSE(authorizer.may_somewhere(&far, Operation::kRead, rules));
  AclRules half{{table, {{{"User", "*"}, "*", Operation::kRead}}}};
  EXPECT_FALSE(authorizer.may(&near, Operation::kRead, table, half)) << "as in Fluss";
}

// Proves what a filter chooses.
TEST(AclTest, Filters) {
  Resource table = table_resource("d", "t");
  AclEntry read = entry("alice", Operation::kRead);
  AclFilter filter;
  EXPECT_TRUE(filter.matches(table) && filter.matches(read));
  filter.resource_name = "other";
  EXPECT_TRUE(filter.matches(table)) << "a name without a type says nothing, as in Fluss";
  filter.type = ResourceType::kTable;
  EXPECT_FALSE(filter.matches(table));
  filter.resource_name = "d.t";
  EXPECT_TRUE(filter.matches(table));
  filter.operation = Operation::kWrite;
  EXPECT_FALSE(filter.matches(read));
  filter.operation = Operation::kRead;
  filter.principal_name = "bob";
  EXPECT_FALSE(filter.matches(read));
  filter.principal_name = "alice";
  filter.host = "10.0.0.1";
  EXPECT_FALSE(filter.matches(read));
}

}  // namespace
}  // namespace lakestream::security
