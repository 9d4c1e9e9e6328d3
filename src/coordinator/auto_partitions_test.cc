#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// The clock of a simulated world starts at 2026-01-01 00:00 UTC.
class AutoPartitionsTest : public testing::Test {
 protected:
  AutoPartitionsTest() { EXPECT_TRUE(cluster_.start().has_value()); }

  Status create(TablePath path, Properties properties, std::vector<std::string> keys = {"b"}) {
    TableDescriptor descriptor = log_table(1);
    descriptor.partition_keys = std::move(keys);
    descriptor.properties = std::move(properties);
    descriptor.properties["table.auto-partition.enabled"] = "true";
    Result<TableDescriptor> prepared =
        prepare_table(path, to_json(descriptor), cluster_.options.rules);
    if (!prepared) return fail(std::move(prepared).error());
    return cluster_.run(
        cluster_.coordinator().create_table(std::move(path), *std::move(prepared), false));
  }
  std::string names(const TablePath& path) {
    const CatalogSnapshot& catalog = cluster_.catalog();
    std::string text;
    for (const auto& entry : catalog.partitions(catalog.find_table(path)->id).by_name()) {
      text += (text.empty() ? "" : " ") + entry->name;
    }
    return text;
  }
  Status set(const std::string& key, const std::string& value) {
    TableChange change;
    change.options.set["table.auto-partition." + key] = value;
    return cluster_.alter_table(path_, std::move(change));
  }

  SimCluster cluster_{1};
  TablePath path_{"fluss", "t"};
};

// Proves that the partitions of a new table are there when it is, and follow the time: none is late
// by more than the interval of the checks, and what is too old goes at once (apache/fluss#3173).
TEST_F(AutoPartitionsTest, Days) {
  ASSERT_TRUE(create(path_, {{"table.auto-partition.num-retention", "2"}}).has_value());
  EXPECT_EQ(names(path_), "20260101 20260102");
  cluster_.check_invariants();
  cluster_.world.run_for(hours(24) + minutes(11));
  EXPECT_TRUE(names(path_).starts_with("20260101 20260102")) << names(path_);
  cluster_.world.run_for(hours(23));
  EXPECT_EQ(names(path_), "20260101 20260102 20260103") << "the spread has ended";
  cluster_.world.run_for(hours(24));
  EXPECT_EQ(names(path_), "20260101 20260102 20260103 20260104");
  cluster_.world.run_for(hours(1));
  EXPECT_FALSE(names(path_).starts_with("20260101")) << "gone within minutes of midnight";
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that a restart makes up for what was not done meanwhile.
TEST_F(AutoPartitionsTest, Restart) {
  ASSERT_TRUE(create(path_,
                     {{"table.auto-partition.num-retention", "2"},
                      {"table.auto-partition.time-unit", "HOUR"},
                      {"table.auto-partition.time-zone", "+05:30"},
                      {"table.auto-partition.num-precreate", "1"}})
                  .has_value());
  EXPECT_EQ(names(path_), "2026010105");
  cluster_.crash();
  cluster_.world.jump_wall_clock(hours(3));
  cluster_.boot();
  ASSERT_TRUE(cluster_.start().has_value());
  cluster_.settle();
  EXPECT_EQ(names(path_), "2026010108");
  cluster_.check_invariants();
}

// Proves that changed options hold at once: when they begin, and when more or less is kept.
TEST_F(AutoPartitionsTest, Alter) {
  ASSERT_TRUE(create(path_,
                     {{"table.auto-partition.num-precreate", "0"},
                      {"table.auto-partition.num-retention", "-1"}})
                  .has_value());
  EXPECT_EQ(names(path_), "");
  for (const char* day : {"20251201", "20251231"}) {
    ASSERT_TRUE(cluster_.create_partition(path_, day).has_value());
  }
  ASSERT_TRUE(set("num-precreate", "3").has_value());
  EXPECT_EQ(names(path_), "20251201 20251231 20260101 20260102 20260103");
  ASSERT_TRUE(set("num-retention", "7").has_value());
  EXPECT_EQ(names(path_), "20251231 20260101 20260102 20260103");
  ASSERT_TRUE(set("enabled", "false").has_value());
  cluster_.world.run_for(hours(24 * 30));
  EXPECT_EQ(names(path_), "20251231 20260101 20260102 20260103") << "nothing is automatic";
  ASSERT_TRUE(set("enabled", "true").has_value());
  EXPECT_EQ(names(path_), "20260131 20260201 20260202");
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that one table at its limit does not keep the others from their partitions, and that
// partitions that are no times stay.
TEST_F(AutoPartitionsTest, Limits) {
  cluster_.options.partition_count_max = 2;
  ASSERT_TRUE(cluster_.restart().has_value());
  ASSERT_TRUE(create({"fluss", "a"}, {{"table.auto-partition.num-precreate", "5"}}).has_value());
  EXPECT_EQ(names({"fluss", "a"}), "20260101 20260102");
  ASSERT_TRUE(create({"fluss", "b"},
                     {{"table.auto-partition.time-unit", "HOUR"},
                      {"table.auto-partition.num-retention", "0"},
                      {"table.auto-partition.num-precreate", "1"}})
                  .has_value());
  EXPECT_EQ(names({"fluss", "b"}), "2026010100");
  cluster_.world.run_for(hours(2) + minutes(11));
  EXPECT_EQ(names({"fluss", "b"}), "2026010102");
  EXPECT_EQ(names({"fluss", "a"}), "20260101 20260102");
}

// Proves that a table of several keys only loses partitions.
TEST_F(AutoPartitionsTest, SeveralKeys) {
  ASSERT_TRUE(
      create(path_,
             {{"table.auto-partition.key", "b"}, {"table.auto-partition.num-retention", "1"}},
             {"a", "b"})
          .has_value());
  EXPECT_EQ(names(path_), "");
  for (const char* day : {"20251231", "20260101"}) {
    PartitionSpec spec{{"a", "1"}, {"b", day}};
    ASSERT_TRUE(
        cluster_.run(cluster_.coordinator().create_partition(path_, spec, false)).has_value());
  }
  cluster_.world.run_for(hours(24) + minutes(15));
  EXPECT_EQ(names(path_), "1$20260101");
}

// Proves that values which are no times or too old are refused, with the table's own clock
// (apache/fluss#2939).
TEST_F(AutoPartitionsTest, NewValues) {
  ASSERT_TRUE(create(path_, {{"table.auto-partition.num-retention", "3"}}).has_value());
  auto code = [&](const char* value) {
    Status done = cluster_.create_partition(path_, value);
    return done ? ErrorCode::kNone : done.error().code();
  };
  EXPECT_EQ(code("2024-03-25"), ErrorCode::kPartitionSpecInvalidException);
  EXPECT_EQ(code("20251202"), ErrorCode::kPartitionSpecInvalidException);
  EXPECT_EQ(code("20251229"), ErrorCode::kNone);
  EXPECT_EQ(code("20260101"), ErrorCode::kPartitionAlreadyExists);
}

// Proves that an unknown time zone is an error of CREATE TABLE and of ALTER TABLE that names it.
TEST_F(AutoPartitionsTest, UnknownZone) {
  Status done = create(path_, {{"table.auto-partition.time-zone", "Mars/Olympus"}});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_NE(done.error().message().find("time zone 'Mars/Olympus'"), std::string::npos);
  EXPECT_EQ(cluster_.catalog().find_table(path_), nullptr);
}

}  // namespace
}  // namespace lakestream::coordinator
