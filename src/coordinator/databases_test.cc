#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

class DatabasesTest : public testing::Test {
 protected:
  DatabasesTest() { EXPECT_TRUE(cluster_.start().has_value()); }
  Coordinator& coordinator() { return cluster_.coordinator(); }
  const DatabaseEntry* find(std::string_view name) {
    return cluster_.catalog().find_database(name);
  }
  Status alter(DatabaseChange change, bool ignore = false) {
    return cluster_.run(coordinator().alter_database("a", std::move(change), ignore));
  }

  SimCluster cluster_{1};
};

// Proves that an empty cluster gets its default database and tells who the servers are.
TEST_F(DatabasesTest, EmptyCluster) {
  ASSERT_NE(find(kDefaultDatabase), nullptr);
  EXPECT_EQ(cluster_.catalog().databases().size(), 1U);
  EXPECT_EQ(cluster_.catalog().coordinator()->host, "h");
  ASSERT_EQ(cluster_.catalog().tablet_servers().size(), 1U);
  EXPECT_EQ(coordinator().epoch(), 0);
  auto node = cluster_.store.get("/metadata/databases/fluss").value();
  TimestampMs created = find(kDefaultDatabase)->created_time;
  EXPECT_EQ(node->value.view(),
            fmt::format(R"({{"version":1,"custom_properties":{{}},"created_time":{},)"
                        R"("modified_time":{}}})",
                        created,
                        created));
}

// Proves that the default database is made on an empty cluster only, and each start has its own
// epoch.
TEST_F(DatabasesTest, SecondStart) {
  ASSERT_TRUE(cluster_.create_database("a").has_value());
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(coordinator().epoch(), 1);
  EXPECT_NE(find("a"), nullptr);
  EXPECT_EQ(cluster_.catalog().databases().size(), 2U);
  EXPECT_EQ(cluster_.store.get("/coordinators/epoch").value()->value.view(), "1");
}

// Proves that names that break the rules are refused with 16.
TEST_F(DatabasesTest, BadNames) {
  for (const char* name : {"", ".", "a.b", "a b", "__a", "ä"}) {
    Status created = cluster_.create_database(name);
    ASSERT_FALSE(created.has_value()) << name;
    EXPECT_EQ(created.error().code(), ErrorCode::kInvalidDatabaseException) << name;
  }
  EXPECT_FALSE(cluster_.create_database(std::string(201, 'a')).has_value());
}

// Proves that a database that exists is 6, and no error when that is to be ignored; what it says
// stays.
TEST_F(DatabasesTest, CreateTwice) {
  DatabaseDescriptor first{.comment = "first", .custom_properties = {{"k", "v"}}};
  ASSERT_TRUE(cluster_.run(coordinator().create_database("a", first, false)).has_value());
  DatabaseDescriptor second{.comment = "second", .custom_properties = {}};
  Status again = cluster_.run(coordinator().create_database("a", second, false));
  EXPECT_EQ(again.error().code(), ErrorCode::kDatabaseAlreadyExist);
  EXPECT_TRUE(cluster_.run(coordinator().create_database("a", second, true)).has_value());
  EXPECT_EQ(find("a")->descriptor, first);
}

// Proves what ALTER DATABASE changes, that it changes the time of modification only when something
// changes, and that the change survives.
TEST_F(DatabasesTest, Alter) {
  EXPECT_EQ(alter({}).error().code(), ErrorCode::kDatabaseNotExist);
  EXPECT_TRUE(alter({}, true).has_value());
  DatabaseDescriptor first{.comment = "c", .custom_properties = {{"k", "v"}, {"l", "w"}}};
  ASSERT_TRUE(cluster_.run(coordinator().create_database("a", first, false)).has_value());
  TimestampMs created = find("a")->created_time;
  cluster_.world.run_for(std::chrono::seconds(1));

  int64_t writes = cluster_.store.multi_count();
  EXPECT_TRUE(alter({}).has_value());
  EXPECT_TRUE(alter({.properties = {{"k", "v"}, {"absent", std::nullopt}}, .comment = "c"}));
  EXPECT_EQ(cluster_.store.multi_count(), writes) << "no change, no write";
  EXPECT_EQ(find("a")->modified_time, created);

  ASSERT_TRUE(alter({.properties = {{"k", "x"}, {"l", std::nullopt}}, .comment = {}}).has_value());
  EXPECT_EQ(find("a")->descriptor.custom_properties, (Properties{{"k", "x"}}));
  EXPECT_EQ(find("a")->descriptor.comment, "c");
  EXPECT_GT(find("a")->modified_time, created);
  ASSERT_TRUE(alter({.properties = {}, .comment = ""}).has_value());
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(find("a")->descriptor.comment, std::nullopt);
  EXPECT_EQ(find("a")->created_time, created);
  EXPECT_EQ(find("a")->descriptor.custom_properties, (Properties{{"k", "x"}}));
}

// Proves the refusals of DROP DATABASE: default database, absent, not empty (apache/fluss#3312).
TEST_F(DatabasesTest, DropRefused) {
  Status refused = cluster_.drop_database("fluss", true);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnknownServerError);
  EXPECT_NE(refused.error().message().find("default database"), std::string::npos);
  EXPECT_EQ(cluster_.drop_database("a", false).error().code(), ErrorCode::kDatabaseNotExist);
  EXPECT_TRUE(cluster_.run(coordinator().drop_database("a", true, false)).has_value());
  ASSERT_TRUE(cluster_.create_database("a").has_value());
  ASSERT_TRUE(cluster_.create_table({"a", "t"}, 1).has_value());
  EXPECT_EQ(cluster_.drop_database("a", false).error().code(), ErrorCode::kDatabaseNotEmpty);
  EXPECT_NE(find("a"), nullptr);
}

// Proves that an empty database goes, and with cascade one with many tables, whose data goes, too;
// the name can be used at once.
TEST_F(DatabasesTest, Drop) {
  ASSERT_TRUE(cluster_.create_database("a").has_value());
  ASSERT_TRUE(cluster_.drop_database("a", false).has_value());
  EXPECT_EQ(find("a"), nullptr);
  ASSERT_TRUE(cluster_.create_database("a").has_value());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(cluster_.create_table({"a", fmt::format("t{}", i)}, 3).has_value());
  }
  ASSERT_TRUE(cluster_.create_table({"fluss", "stays"}, 1).has_value());
  EXPECT_EQ(find("a")->tables.size(), 20U);
  ASSERT_TRUE(cluster_.drop_database("a", true).has_value());
  EXPECT_EQ(find("a"), nullptr);
  ASSERT_TRUE(cluster_.create_database("a").has_value());
  EXPECT_TRUE(find("a")->tables.empty());
  cluster_.settle();
  cluster_.check_invariants();
  EXPECT_EQ(cluster_.tables(), std::vector<std::string>{"fluss.stays"});
}

}  // namespace
}  // namespace lakestream::coordinator
