#include <gtest/gtest.h>

#include "coordinator/fake_lake_for_tests.h"
#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

ErrorCode code(const Status& status) { return status ? ErrorCode::kNone : status.error().code(); }

class LakeTablesTest : public testing::Test {
 protected:
  LakeTablesTest() {
    cluster_.options.rules.lake_format = LakeFormatKind::kPaimon;
    cluster_.options.rules.lake_enabled = true;
    cluster_.options.lake = shared_lake_;
    EXPECT_TRUE(cluster_.restart());
  }
  TableDescriptor descriptor(TableDescriptor table, bool enabled = true) {
    if (enabled) table.properties["table.datalake.enabled"] = "true";
    return prepare_table(path_, to_json(table), cluster_.options.rules).value();
  }
  Status create(bool ignore = false) {
    return cluster_.run(
        cluster_.coordinator().create_table(path_, descriptor(log_table(2)), ignore));
  }
  Status create_plain() {
    return cluster_.run(
        cluster_.coordinator().create_table(path_, descriptor(log_table(2), false), false));
  }
  Status set(std::string key, std::string value) {
    TableChange change;
    change.options.set[std::move(key)] = std::move(value);
    return cluster_.alter_table(path_, std::move(change));
  }
  std::shared_ptr<const TableEntry> table() { return cluster_.catalog().find_table(path_); }

  std::shared_ptr<FakeLake> shared_lake_ = std::make_shared<FakeLake>();
  FakeLake& lake_ = *shared_lake_;
  SimCluster cluster_{1};
  TablePath path_{"fluss", "t"};
};

// Proves that a table is made in the lake first, with the format that the cluster gave it.
TEST_F(LakeTablesTest, Create) {
  ASSERT_TRUE(create());
  ASSERT_TRUE(lake_.tables.contains(path_));
  EXPECT_EQ(lake_.tables[path_].descriptor.properties["table.datalake.format"], "paimon");
  EXPECT_TRUE(table()->options.lake.enabled);
  EXPECT_EQ(code(create()), ErrorCode::kTableAlreadyExist);
  EXPECT_EQ(code(create(true)), ErrorCode::kNone);
  EXPECT_EQ(lake_.creations, 1) << "the lake is not asked for a table that is here";
  cluster_.check_invariants();
}

// Proves that a table that was described for one lake is not made in another one, of another
// format, that the cluster got meanwhile.
TEST_F(LakeTablesTest, CreateWhileTheFormatChanges) {
  TableDescriptor for_paimon = descriptor(log_table(2));
  ConfigPlan plan;
  plan.rules = cluster_.options.rules;
  plan.rules.lake_format = LakeFormatKind::kIceberg;
  plan.lake = shared_lake_;
  ASSERT_TRUE(cluster_.run(cluster_.coordinator().write_configs(plan)));
  EXPECT_EQ(code(cluster_.run(cluster_.coordinator().create_table(path_, for_paimon, false))),
            ErrorCode::kInvalidTableException);
  EXPECT_EQ(lake_.creations, 0);
  EXPECT_EQ(table(), nullptr);
}

// Proves that nothing is made when the lake refuses or can not be reached, and that the next
// attempt can succeed.
TEST_F(LakeTablesTest, CreateFails) {
  for (ErrorCode fault : {ErrorCode::kStorageException,
                          ErrorCode::kLakeTableAlreadyExist,
                          ErrorCode::kInvalidTableException}) {
    lake_.fault = Error(fault, "no");
    EXPECT_EQ(code(create()), fault);
    EXPECT_EQ(table(), nullptr);
    cluster_.check_invariants();
  }
  lake_.fault.reset();
  EXPECT_EQ(code(cluster_.run(
                cluster_.coordinator().create_table({"no", "t"}, descriptor(log_table(1)), false))),
            ErrorCode::kDatabaseNotExist);
  EXPECT_TRUE(lake_.tables.empty());
  EXPECT_TRUE(create());
}

// Proves that a creation that the metadata store refused behind the lake can be made again, also by
// the next process.
TEST_F(LakeTablesTest, CreateAgain) {
  cluster_.store.fail_multi([](const auto&) { return ModelStore::Fault::kRefused; });
  EXPECT_FALSE(create());
  cluster_.store.fail_multi({});
  EXPECT_TRUE(lake_.tables.contains(path_));
  EXPECT_EQ(table(), nullptr);
  ASSERT_TRUE(cluster_.restart());
  EXPECT_TRUE(create());
  cluster_.check_invariants();
}

// Proves that the lake keeps a dropped table, so that one of the same name with rows there is
// refused, and an empty one is taken over.
TEST_F(LakeTablesTest, DropAndCreate) {
  ASSERT_TRUE(create());
  ASSERT_TRUE(cluster_.drop_table(path_));
  EXPECT_TRUE(lake_.tables.contains(path_));
  ASSERT_TRUE(create());
  ASSERT_TRUE(cluster_.drop_table(path_));
  lake_.tables[path_].has_snapshot = true;
  EXPECT_EQ(code(create()), ErrorCode::kLakeTableAlreadyExist);
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that two creations at once make one table.
TEST_F(LakeTablesTest, TwoAtOnce) {
  std::vector<ErrorCode> outcomes;
  for (int i = 0; i < 2; ++i) {
    struct Run {
      static Task<void> create(Coordinator* coordinator,
                               TablePath path,
                               TableDescriptor table,
                               std::vector<ErrorCode>* outcomes) {
        Status done = co_await coordinator->create_table(std::move(path), std::move(table), false);
        outcomes->push_back(code(done));
      }
    };
    cluster_.control().spawn(
        Run::create(&cluster_.coordinator(), path_, descriptor(log_table(2)), &outcomes));
  }
  cluster_.settle();
  EXPECT_EQ(outcomes, (std::vector<ErrorCode>{ErrorCode::kNone, ErrorCode::kTableAlreadyExist}));
  cluster_.check_invariants();
}

// Proves that a lake can be switched on, off and on again, and that options follow meanwhile.
TEST_F(LakeTablesTest, Switch) {
  ASSERT_TRUE(create_plain());
  EXPECT_TRUE(lake_.tables.empty());
  EXPECT_TRUE(set("owner", "me"));
  EXPECT_EQ(lake_.alterations, 0) << "a table that never had a lake";
  ASSERT_TRUE(set("table.datalake.enabled", "true"));
  EXPECT_TRUE(lake_.tables.contains(path_));
  lake_.tables[path_].has_snapshot = true;
  ASSERT_TRUE(set("table.datalake.enabled", "false"));
  EXPECT_FALSE(table()->options.lake.enabled);
  ASSERT_TRUE(set("paimon.snapshot.num-retained.max", "5"));
  EXPECT_TRUE(lake_.tables[path_].descriptor.custom_properties.contains(
      "paimon.snapshot.num-retained.max"));
  ASSERT_TRUE(cluster_.add_column(path_, "c"));
  ASSERT_TRUE(set("table.datalake.enabled", "true"));
  EXPECT_EQ(lake_.tables[path_].descriptor.schema, table()->descriptor.schema);
  cluster_.check_invariants();
}

// Proves that a lake that is off may be gone or be another's, and is looked at when it is switched
// on.
TEST_F(LakeTablesTest, LakeThatIsOff) {
  ASSERT_TRUE(create());
  ASSERT_TRUE(set("table.datalake.enabled", "false"));
  lake_.tables.clear();
  EXPECT_TRUE(set("owner", "me"));
  EXPECT_TRUE(cluster_.add_column(path_, "c"));
  ASSERT_TRUE(set("table.datalake.enabled", "true"));
  EXPECT_EQ(lake_.tables[path_].descriptor.schema, table()->descriptor.schema);
  ASSERT_TRUE(set("table.datalake.enabled", "false"));
  lake_.tables[path_] = {log_table(1), true};
  EXPECT_TRUE(cluster_.add_column(path_, "d"));
  EXPECT_EQ(code(set("table.datalake.enabled", "true")), ErrorCode::kLakeTableAlreadyExist);
  EXPECT_FALSE(table()->options.lake.enabled);
  lake_.fault = Error(ErrorCode::kStorageException, "the lake is away");
  EXPECT_EQ(code(cluster_.add_column(path_, "e")), ErrorCode::kStorageException);
}

// Proves that a column comes to the lake first, and that the same change made again goes on where
// it was interrupted.
TEST_F(LakeTablesTest, AddColumn) {
  ASSERT_TRUE(create());
  lake_.fault = Error(ErrorCode::kStorageException, "the lake is away");
  EXPECT_EQ(code(cluster_.add_column(path_, "c")), ErrorCode::kStorageException);
  EXPECT_EQ(table()->schemas.size(), 1U);
  lake_.fault.reset();
  cluster_.store.fail_multi([](const auto&) { return ModelStore::Fault::kRefused; });
  EXPECT_FALSE(cluster_.add_column(path_, "c"));
  cluster_.store.fail_multi({});
  EXPECT_EQ(lake_.tables[path_].descriptor.schema.columns().size(), 3U);
  EXPECT_EQ(table()->schemas.size(), 1U);
  ASSERT_TRUE(cluster_.add_column(path_, "c"));
  EXPECT_EQ(table()->schemas.size(), 2U);
  lake_.tables.clear();
  EXPECT_EQ(code(cluster_.add_column(path_, "d")), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(table()->schemas.size(), 2U);
  cluster_.check_invariants();
}

// Proves that what the lake could not show is refused.
TEST_F(LakeTablesTest, RenameAndDrop) {
  ASSERT_TRUE(create());
  TableChange rename;
  rename.columns.rename.push_back({"b", "c"});
  EXPECT_EQ(code(cluster_.alter_table(path_, rename)), ErrorCode::kInvalidAlterTableException);
  TableChange drop;
  drop.columns.drop.push_back("b");
  EXPECT_EQ(code(cluster_.alter_table(path_, drop)), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(lake_.alterations, 0);
}

// Proves that without a lake no table gets one, that one that has it can only lose it, and that the
// format alone is still given to tables.
TEST_F(LakeTablesTest, ClusterWithoutALake) {
  ASSERT_TRUE(create());
  cluster_.options.rules.lake_enabled = false;
  cluster_.options.lake = nullptr;
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(code(cluster_.add_column(path_, "c")), ErrorCode::kInvalidAlterTableException);
  EXPECT_EQ(code(set("owner", "me")), ErrorCode::kInvalidTableException);
  EXPECT_TRUE(set("table.datalake.enabled", "false"));
  EXPECT_TRUE(cluster_.add_column(path_, "c"));
  TableDescriptor other = log_table(1);
  other.properties["table.datalake.enabled"] = "true";
  auto refused = prepare_table(path_, to_json(other), cluster_.options.rules);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidTableException);
  TableDescriptor plain = cluster_.prepare(1);
  EXPECT_EQ(plain.properties["table.datalake.format"], "paimon");
}

// Proves that a table that is dropped while the lake is asked does not come back.
TEST_F(LakeTablesTest, DroppedMeanwhile) {
  ASSERT_TRUE(create());
  Status altered = ok();
  Status dropped = ok();
  struct Run {
    static Task<void> alter(Coordinator* coordinator, TablePath path, Status* done) {
      TableChange change;
      change.options.set["owner"] = "me";
      *done = co_await coordinator->alter_table(std::move(path), std::move(change), false);
    }
    static Task<void> drop(Coordinator* coordinator, TablePath path, Status* done) {
      *done = co_await coordinator->drop_table(std::move(path), false);
    }
  };
  cluster_.control().spawn(Run::alter(&cluster_.coordinator(), path_, &altered));
  cluster_.control().spawn(Run::drop(&cluster_.coordinator(), path_, &dropped));
  cluster_.settle();
  EXPECT_TRUE(dropped);
  EXPECT_EQ(table(), nullptr);
  cluster_.check_invariants();
}

}  // namespace
}  // namespace lakestream::coordinator
