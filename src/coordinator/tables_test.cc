#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

class TablesTest : public testing::Test {
 protected:
  TablesTest() { EXPECT_TRUE(cluster_.start().has_value()); }
  Coordinator& coordinator() { return cluster_.coordinator(); }
  std::shared_ptr<const TableEntry> find(const TablePath& path) {
    return cluster_.catalog().find_table(path);
  }
  ErrorCode prepare_code(const TablePath& path, std::string_view json) {
    auto prepared = prepare_table(path, json, cluster_.options.rules);
    return prepared ? ErrorCode::kNone : prepared.error().code();
  }
  // Starts the calls at once and waits for all.
  std::vector<Status> together(std::vector<Task<Status>> tasks) {
    auto results = std::make_shared<std::vector<std::optional<Status>>>(tasks.size());
    auto left = std::make_shared<size_t>(tasks.size());
    struct Run {
      static Task<void> run(Task<Status> task,
                            std::shared_ptr<std::vector<std::optional<Status>>> out,
                            size_t index,
                            std::shared_ptr<size_t> count) {
        (*out)[index] = co_await std::move(task);
        --*count;
      }
    };
    for (size_t i = 0; i < tasks.size(); ++i) {
      cluster_.control().spawn(Run::run(std::move(tasks[i]), results, i, left));
    }
    EXPECT_TRUE(cluster_.world.run_until([&] { return *left == 0; }, std::chrono::minutes(1)));
    std::vector<Status> statuses;
    for (std::optional<Status>& result : *results) statuses.push_back(std::move(*result));
    return statuses;
  }
  Task<Status> create(TablePath path, bool ignore) {
    return coordinator().create_table(std::move(path), cluster_.prepare(1), ignore);
  }
  Task<Status> drop(TablePath path, bool ignore) {
    return coordinator().drop_table(std::move(path), ignore);
  }

  SimCluster cluster_{1};
  TablePath path_{"fluss", "t"};
};

// Proves that the order of checks is name, text, rules, kind, and the code of each.
TEST_F(TablesTest, PrepareChecks) {
  std::string good = to_json(log_table(1));
  EXPECT_EQ(prepare_code({"a.b", "t"}, "{"), ErrorCode::kInvalidDatabaseException);
  EXPECT_EQ(prepare_code({"a", "__t"}, "{"), ErrorCode::kInvalidTableException);
  EXPECT_EQ(prepare_code(path_, "{"), ErrorCode::kInvalidTableException);
  EXPECT_EQ(prepare_code(path_, good), ErrorCode::kNone);

  TableDescriptor table = log_table(5000);
  EXPECT_EQ(prepare_code(path_, to_json(table)), ErrorCode::kBucketMaxNumException);
  table = log_table(0);
  EXPECT_EQ(prepare_code(path_, to_json(table)), ErrorCode::kInvalidTableException);
  table = log_table(1);
  table.properties["table.no-such-option"] = "1";
  EXPECT_EQ(prepare_code(path_, to_json(table)), ErrorCode::kInvalidConfigException);

  table = log_table(1);
  table.schema =
      SchemaBuilder().column("a", DataType::integer()).primary_key({"a"}).build().value();
  EXPECT_EQ(prepare_code(path_, to_json(table)), ErrorCode::kNone);
}

// Proves that columns named like system columns are refused (apache/fluss#878).
TEST_F(TablesTest, SystemColumns) {
  for (const char* name : {"__offset", "__bucket", "__timestamp"}) {
    TableDescriptor table = log_table(1);
    table.schema = SchemaBuilder().column(name, DataType::integer()).build().value();
    EXPECT_EQ(prepare_code(path_, to_json(table)), ErrorCode::kInvalidTableException) << name;
  }
}

// Proves what a new table looks like: defaults filled in, times, ids, leaders that took their
// buckets.
TEST_F(TablesTest, Create) {
  ASSERT_TRUE(cluster_.create_table(path_, 3).has_value());
  auto table = find(path_);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->id, TableId(0));
  EXPECT_EQ(table->latest_schema().id, SchemaId(1));
  EXPECT_EQ(table->descriptor.properties.at("table.replication.factor"), "1");
  EXPECT_EQ(table->options.replication_factor, 1);
  EXPECT_EQ(table->created_time, table->modified_time);
  EXPECT_EQ(table_from_json(table->json.view()).value(), table->descriptor);
  ASSERT_EQ(table->buckets.size(), 3U);
  for (const BucketEntry& bucket : table->buckets) {
    EXPECT_EQ(bucket.leader, ServerId(0));
    EXPECT_EQ(bucket.leader_epoch, LeaderEpoch(0));
    EXPECT_EQ(bucket.isr, std::vector<ServerId>{ServerId(0)});
  }
  EXPECT_EQ(cluster_.tablets().leads.size(), 3U);
  cluster_.check_invariants();
}

// Proves the layout of a table in the metadata store.
TEST_F(TablesTest, Nodes) {
  ASSERT_TRUE(cluster_.create_table(path_, 2).has_value());
  auto read = [this](const std::string& path) {
    auto node = cluster_.store.get(path).value();
    return node ? std::string(node->value.view()) : "-";
  };
  EXPECT_EQ(read("/metadata/databases/fluss/tables/t"),
            fmt::format(R"({{"version":1,"table_id":0,"bucket_count":2,)"
                        R"("properties":{{"table.replication.factor":"1"}},)"
                        R"("custom_properties":{{}},"created_time":{},"modified_time":{}}})",
                        find(path_)->created_time,
                        find(path_)->created_time));
  EXPECT_EQ(read("/metadata/databases/fluss/tables/t/schemas/1"), to_json(log_table(1).schema));
  EXPECT_EQ(read("/tabletservers/tables/0"), R"({"version":1,"buckets":{"0":[0],"1":[0]}})");
  EXPECT_EQ(read("/tabletservers/tables/0/buckets/1/leader_isr"),
            R"({"version":2,"leader":0,"leader_epoch":0,"isr":[0],"coordinator_epoch":0,)"
            R"("bucket_epoch":0,"standby_replicas":[]})");
  EXPECT_EQ(decode_counter((*cluster_.store.get("/metadata/table_seqid"))->value).value(), 1);
}

// Proves the refusals of CREATE TABLE in their order: replicas, exists with ignore, database,
// exists.
TEST_F(TablesTest, CreateRefused) {
  TableDescriptor three = cluster_.prepare(1);
  three.properties["table.replication.factor"] = "3";
  Status refused = cluster_.run(coordinator().create_table({"no", "t"}, three, false));
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidReplicationFactor);
  EXPECT_EQ(cluster_.create_table({"no", "t"}, 1).error().code(), ErrorCode::kDatabaseNotExist);
  ASSERT_TRUE(cluster_.create_table(path_, 1).has_value());
  EXPECT_EQ(cluster_.create_table(path_, 1).error().code(), ErrorCode::kTableAlreadyExist);
  EXPECT_TRUE(cluster_.run(create(path_, true)).has_value());
  EXPECT_EQ(find(path_)->id, TableId(0));
  EXPECT_EQ(cluster_.catalog().table_count(), 1U);
}

// Proves that DROP TABLE frees the name at once, removes the data after it, and that the id of the
// next table of the name is another one.
TEST_F(TablesTest, DropAndCreateAgain) {
  EXPECT_EQ(cluster_.drop_table(path_).error().code(), ErrorCode::kTableNotExist);
  EXPECT_EQ(cluster_.drop_table({"no", "t"}).error().code(), ErrorCode::kTableNotExist);
  EXPECT_TRUE(cluster_.run(drop(path_, true)).has_value());
  for (int64_t round = 0; round < 3; ++round) {
    ASSERT_TRUE(cluster_.create_table(path_, 2).has_value());
    EXPECT_EQ(find(path_)->id, TableId(round));
    ASSERT_TRUE(cluster_.drop_table(path_).has_value());
    EXPECT_EQ(find(path_), nullptr);
    EXPECT_EQ(cluster_.catalog().find_table(TableId(round)), nullptr);
  }
  cluster_.settle();
  EXPECT_TRUE(cluster_.disk.empty());
  cluster_.check_invariants();
}

// Proves that of calls that create one table at the same time one creates it, the others get 8, or
// success where existing is to be ignored.
TEST_F(TablesTest, ConcurrentCreate) {
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(create(path_, i % 2 == 1));
  std::vector<Status> results = together(std::move(tasks));
  int created = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    bool ignores = i % 2 == 1;
    ErrorCode code = results[i] ? ErrorCode::kNone : results[i].error().code();
    EXPECT_TRUE(code == ErrorCode::kNone || (!ignores && code == ErrorCode::kTableAlreadyExist));
    if (results[i] && !ignores) ++created;
  }
  EXPECT_LE(created, 1);
  EXPECT_EQ(cluster_.catalog().table_count(), 1U);
  cluster_.check_invariants();
}

// Proves that creations and drops of one name, all at once, happen one after the other.
TEST_F(TablesTest, CreateWhileDropping) {
  ASSERT_TRUE(cluster_.create_table(path_, 1).has_value());
  std::vector<Task<Status>> tasks;
  tasks.push_back(drop(path_, false));
  tasks.push_back(create(path_, false));
  tasks.push_back(create(path_, false));
  tasks.push_back(drop(path_, false));
  tasks.push_back(create(path_, false));
  std::vector<Status> results = together(std::move(tasks));
  EXPECT_TRUE(results[0].has_value());
  EXPECT_TRUE(results[1].has_value());
  EXPECT_EQ(results[2].error().code(), ErrorCode::kTableAlreadyExist);
  EXPECT_TRUE(results[3].has_value());
  EXPECT_TRUE(results[4].has_value());
  EXPECT_EQ(find(path_)->id, TableId(2));
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that a table with the most buckets takes several changes of the store and arrives as a
// whole.
TEST_F(TablesTest, ManyBuckets) {
  ASSERT_TRUE(cluster_.create_table(path_, 4096).has_value());
  cluster_.check_invariants();
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(find(path_)->buckets.size(), 4096U);
  EXPECT_EQ(find(path_)->buckets[4095].leader_epoch, LeaderEpoch(1));
  cluster_.check_invariants();
  ASSERT_TRUE(cluster_.drop_table(path_).has_value());
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that a bucket that its server refuses has no leader, that the others have, and that it is
// tried again until it works.
TEST_F(TablesTest, RefusedBucket) {
  TableBucket bad{TableId(0), std::nullopt, BucketId(1)};
  cluster_.tablets().refuse.insert(bad);
  ASSERT_TRUE(cluster_.create_table(path_, 3).has_value());
  EXPECT_EQ(find(path_)->buckets[0].leader, ServerId(0));
  EXPECT_EQ(find(path_)->buckets[1].leader, std::nullopt);
  EXPECT_EQ(find(path_)->buckets[1].leader_epoch, LeaderEpoch(1));
  EXPECT_EQ(find(path_)->buckets[2].leader, ServerId(0));
  auto node = cluster_.store.get("/tabletservers/tables/0/buckets/1/leader_isr").value();
  EXPECT_EQ(decode_leader_isr(node->value)->leader, kNoLeader);
  cluster_.settle();
  EXPECT_EQ(find(path_)->buckets[1].leader, std::nullopt);
  cluster_.tablets().refuse.clear();
  cluster_.settle();
  EXPECT_EQ(find(path_)->buckets[1].leader, ServerId(0));
  cluster_.check_invariants();
}

// Proves that a server that does not answer leaves all its buckets without leader until it does.
TEST_F(TablesTest, SilentServer) {
  cluster_.tablets().fail_notices = true;
  ASSERT_TRUE(cluster_.create_table(path_, 2).has_value());
  EXPECT_EQ(find(path_)->buckets[0].leader, std::nullopt);
  EXPECT_EQ(find(path_)->buckets[1].leader, std::nullopt);
  cluster_.tablets().fail_notices = false;
  cluster_.settle();
  cluster_.check_invariants();
}

// Proves that data that can not be removed now is removed later, and the assignment is kept until
// then.
TEST_F(TablesTest, StopIsRepeated) {
  ASSERT_TRUE(cluster_.create_table(path_, 2).has_value());
  cluster_.tablets().fail_stops = true;
  ASSERT_TRUE(cluster_.drop_table(path_).has_value());
  cluster_.settle();
  EXPECT_EQ(coordinator().deletion_count(), 1U);
  EXPECT_TRUE(cluster_.store.get("/tabletservers/tables/0")->has_value());
  EXPECT_GT(cluster_.tablets().stops, 3);
  cluster_.tablets().fail_stops = false;
  cluster_.settle();
  cluster_.check_invariants();
  EXPECT_TRUE(cluster_.disk.empty());
}

}  // namespace
}  // namespace lakestream::coordinator
