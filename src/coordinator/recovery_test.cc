#include <functional>

#include "coordinator/metadata_loader.h"
#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

using Fault = ModelStore::Fault;

// A user's day: each step says whether it was acknowledged, and remembers what must hold from then
// on.
struct Script {
  explicit Script(SimCluster& c) : cluster(c) {}

  void create_database(const std::string& name) {
    Status done = cluster.create_database(name);
    note("db " + name, done, true);
  }
  void drop_database(const std::string& name) {
    Status done = cluster.drop_database(name, true);
    note("db " + name, done, false);
    for (auto& [key, expected] : exists) {
      if (!key.starts_with(name + ".")) continue;
      // Tables go one after the other: when it failed, any of them may be gone.
      expected = done ? std::optional(false) : std::nullopt;
    }
  }
  void create_table(const std::string& database, const std::string& name, int32_t buckets) {
    Status done = cluster.create_table({database, name}, buckets);
    note(database + "." + name, done, true);
  }
  void drop_table(const std::string& database, const std::string& name) {
    Status done = cluster.drop_table({database, name});
    note(database + "." + name, done, false);
    for (auto& [key, expected] : exists) {
      if (!key.starts_with(database + "." + name + "/")) continue;
      expected = done ? std::optional(false) : std::nullopt;
    }
  }
  void add_column(const std::string& database, const std::string& name, const std::string& column) {
    Status done = cluster.add_column({database, name}, column);
    note(fmt::format("{}.{}/{}", database, name, column), done, true);
  }
  void set_property(const std::string& database, const std::string& name, const std::string& key) {
    Status done = cluster.set_property({database, name}, key);
    note(fmt::format("{}.{}/{}", database, name, key), done, true);
  }
  void create_partitioned_table(const std::string& database, const std::string& name) {
    Status done = cluster.create_partitioned_table({database, name}, 2);
    note(database + "." + name, done, true);
  }
  void create_partition(const std::string& database, const std::string& value) {
    Status done = cluster.create_partition({database, "p"}, value);
    note(database + ".p(" + value, done, true);
  }
  void drop_partition(const std::string& database, const std::string& value) {
    Status done = cluster.drop_partition({database, "p"}, value);
    note(database + ".p(" + value, done, false);
  }
  void run(int32_t big) {
    create_database("a");
    create_table("a", "t", 2);
    create_table("fluss", "u", 1);
    add_column("a", "t", "c");
    set_property("fluss", "u", "p");
    add_column("fluss", "u", "c");
    add_column("fluss", "u", "d");
    drop_table("a", "t");
    create_table("a", "t", big);
    create_table("a", "v", 1);
    create_partitioned_table("a", "p");
    create_partition("a", "x");
    create_partitioned_table("fluss", "p");
    create_partition("fluss", "x");
    create_partition("fluss", "y");
    drop_partition("fluss", "x");
    create_partition("fluss", "x");
    drop_database("a");
    create_database("b");
    create_table("b", "t", 1);
  }

  // An error leaves open whether it happened.
  void note(const std::string& what, const Status& done, bool expected) {
    exists[what] = done ? std::optional(expected) : std::nullopt;
  }
  void check() {
    for (const auto& [what, expected] : exists) {
      if (!expected) continue;
      EXPECT_EQ(is_there(what), *expected) << what;
    }
    for (const auto& [name, database] : cluster.catalog().databases()) {
      for (const auto& [table_name, table] : database->tables) ids.insert(table->id.value());
    }
    cluster.catalog().visit_buckets([&](const PhysicalTableId& id, const auto&) {
      if (id.partition) partition_ids.insert(id.partition->value());
    });
  }
  bool is_there(const std::string& what) {
    if (what.starts_with("db ")) return cluster.catalog().find_database(what.substr(3)) != nullptr;
    size_t dot = what.find('.');
    size_t open = what.find('(');
    if (open != std::string::npos) {
      auto table = cluster.catalog().find_table(TablePath{what.substr(0, dot), "p"});
      if (table == nullptr) return false;
      return cluster.catalog().partitions(table->id).find(what.substr(open + 1)) != nullptr;
    }
    size_t end = what.find('/');
    TablePath path{what.substr(0, dot), what.substr(dot + 1, end - dot - 1)};
    auto table = cluster.catalog().find_table(path);
    if (table == nullptr || end == std::string::npos) return table != nullptr;
    // A column or a property.
    std::string part = what.substr(end + 1);
    return table->descriptor.schema.find(part) != nullptr ||
           table->descriptor.custom_properties.contains(part);
  }

  SimCluster& cluster;
  std::map<std::string, std::optional<bool>> exists;
  std::set<int64_t> ids;
  std::set<int64_t> partition_ids;
};

int64_t multis_of_script(int32_t big) {
  SimCluster cluster(1);
  EXPECT_TRUE(cluster.start().has_value());
  Script script(cluster);
  int64_t before = cluster.store.multi_count();
  script.run(big);
  cluster.settle();
  script.check();
  cluster.check_invariants();
  return cluster.store.multi_count() - before;
}

// Runs the script with a store that dies at its n-th change, crashes the process, starts it again,
// and checks that everything acknowledged is there and nothing is left over.
void die_at(int64_t n, Fault fault, int32_t big) {
  SCOPED_TRACE(fmt::format("change {} fault {} buckets {}", n, static_cast<int>(fault), big));
  SimCluster cluster(static_cast<uint64_t>(n));
  ASSERT_TRUE(cluster.start().has_value());
  Script script(cluster);
  int64_t count = 0;
  bool dead = false;
  cluster.store.fail_multi([&](const std::vector<MetaOp>&) {
    if (dead) return Fault::kRefused;
    if (++count < n) return Fault::kNone;
    dead = true;
    return fault;
  });
  cluster.store.fail_reads([&](const std::string&) { return dead; });
  script.run(big);
  cluster.crash();
  cluster.store.fail_multi({});
  cluster.store.fail_reads({});
  ASSERT_TRUE(cluster.restart().has_value());
  cluster.settle();
  script.check();
  cluster.check_invariants();
  // Ids that were seen are not given again.
  ASSERT_TRUE(cluster.create_database("new").has_value());
  ASSERT_TRUE(cluster.create_table({"new", "t"}, 1).has_value());
  auto entry = cluster.catalog().find_table(TablePath{"new", "t"});
  EXPECT_FALSE(script.ids.contains(entry->id.value()));
  ASSERT_TRUE(cluster.create_partitioned_table({"new", "p"}, 1).has_value());
  ASSERT_TRUE(cluster.create_partition({"new", "p"}, "x").has_value());
  entry = cluster.catalog().find_table(TablePath{"new", "p"});
  auto partition = cluster.catalog().partitions(entry->id).find("x");
  EXPECT_FALSE(script.partition_ids.contains(partition->id.value()));
}

// Proves that a crash at any change of the store loses nothing that was acknowledged and leaves no
// rubbish.
TEST(Recovery, CrashAtEveryChange) {
  int64_t changes = multis_of_script(2);
  EXPECT_GT(changes, 10);
  for (int64_t n = 1; n <= changes; ++n) {
    die_at(n, Fault::kRefused, 2);
    die_at(n, Fault::kAnswerLost, 2);
  }
}

// Proves the same for a table whose creation and removal take several changes each.
TEST(Recovery, CrashInTheMiddleOfABigTable) {
  constexpr int32_t kBuckets = 1500;
  int64_t changes = multis_of_script(kBuckets);
  EXPECT_GT(changes, multis_of_script(2));
  for (int64_t n = 3; n <= changes; ++n) die_at(n, Fault::kRefused, kBuckets);
}

// Proves that one fault of the store, with the process living on, is mended without a restart.
TEST(Recovery, OneFaultWithoutCrash) {
  int64_t changes = multis_of_script(2);
  for (bool lost : {false, true}) {
    for (bool blind : {false, true}) {
      for (int64_t n = 1; n <= changes; ++n) {
        SCOPED_TRACE(fmt::format("change {} lost {} blind {}", n, lost, blind));
        SimCluster cluster(static_cast<uint64_t>(n));
        ASSERT_TRUE(cluster.start().has_value());
        int64_t count = 0;
        int blind_reads = 0;
        cluster.store.fail_multi([&](const std::vector<MetaOp>&) {
          if (++count != n) return Fault::kNone;
          if (blind) blind_reads = 1;
          return lost ? Fault::kAnswerLost : Fault::kRefused;
        });
        // Blind: the read that asks whether the change happened fails, too.
        cluster.store.fail_reads([&](const std::string&) { return blind_reads-- > 0; });
        Script script(cluster);
        script.run(2);
        cluster.settle();
        // The next event reads everything again if it was in doubt.
        ASSERT_TRUE(cluster.create_database("last").has_value());
        cluster.settle();
        script.check();
        cluster.check_invariants();
        if (lost && !blind) {
          for (const auto& [what, expected] : script.exists) {
            EXPECT_TRUE(expected.has_value()) << what << ": the change was found in the store";
          }
        }
      }
    }
  }
}

// Proves that a restart finds everything as it was, with leaders of a higher epoch.
TEST(Recovery, Restart) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 2).has_value());
  auto before = cluster.catalog().find_table(TableId(0));
  for (int32_t round = 1; round <= 3; ++round) {
    ASSERT_TRUE(cluster.restart().has_value());
    auto after = cluster.catalog().find_table(TableId(0));
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(after->descriptor, before->descriptor);
    EXPECT_EQ(after->json, before->json);
    EXPECT_EQ(after->created_time, before->created_time);
    EXPECT_EQ(after->latest_schema().json, before->latest_schema().json);
    EXPECT_EQ(after->buckets[1].leader_epoch, LeaderEpoch(round));
    EXPECT_EQ(after->buckets[1].bucket_epoch, round);
    EXPECT_EQ(cluster.coordinator().epoch(), round);
    cluster.check_invariants();
  }
}

// Proves that before a server has joined, tables have no leaders and a new one has nowhere to go.
TEST(Recovery, NoServerYet) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 1).has_value());
  ASSERT_TRUE(cluster.create_table({"fluss", "dropped"}, 1).has_value());
  cluster.tablets().fail_stops = true;
  ASSERT_TRUE(cluster.drop_table({"fluss", "dropped"}).has_value());
  cluster.crash();
  cluster.boot();
  Status early = cluster.create_database("a");
  EXPECT_EQ(early.error().code(), ErrorCode::kNotCoordinatorLeaderException);
  ServerNode self{ServerId(0), "h", 1, {}};
  ASSERT_TRUE(cluster.run(cluster.coordinator().start(self)).has_value());
  cluster.world.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(cluster.catalog().find_table(TableId(0))->buckets[0].leader, std::nullopt);
  EXPECT_EQ(cluster.create_table({"fluss", "u"}, 1).error().code(),
            ErrorCode::kInvalidReplicationFactor);
  EXPECT_EQ(cluster.coordinator().deletion_count(), 1U);
  ASSERT_TRUE(cluster.run(cluster.coordinator().server_joined(self)).has_value());
  cluster.settle();
  cluster.check_invariants();
}

// Proves that a coordinator that was followed by another one can change nothing any more.
TEST(Recovery, FencedCoordinator) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  SimNode& node = cluster.world.add_node("b", 2);
  TabletDisk disk;
  auto other = std::make_shared<SimCluster::Process>(
      node, cluster.store, cluster.objects, disk, cluster.options);
  ServerNode self{ServerId(1), "h", 1, {}};
  ASSERT_TRUE(cluster.world.run(node.shard(1), other->coordinator.start(self)).has_value());
  Status refused = cluster.create_database("a");
  EXPECT_EQ(refused.error().code(), ErrorCode::kNotCoordinatorLeaderException);
  EXPECT_FALSE(cluster.store.get("/metadata/databases/a")->has_value());
  Task<Status> create = other->coordinator.create_database("a", {}, false);
  EXPECT_TRUE(cluster.world.run(node.shard(1), std::move(create)).has_value());
  node.crash(other);
}

// Proves that stopping waits for events that run and refuses later ones.
TEST(Recovery, Stop) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  std::optional<Status> created;
  bool stopped = false;
  struct Run {
    static Task<void> create(SimCluster* c, std::optional<Status>* out) {
      TablePath path{"fluss", "t"};
      Task<Status> task = c->coordinator().create_table(path, c->prepare(1), false);
      *out = co_await std::move(task);
    }
    static Task<void> stop(SimCluster* c, std::optional<Status>* created, bool* done) {
      co_await c->coordinator().stop();
      EXPECT_TRUE(created->has_value());
      *done = true;
    }
  };
  cluster.control().spawn(Run::create(&cluster, &created));
  cluster.control().spawn(Run::stop(&cluster, &created, &stopped));
  EXPECT_TRUE(cluster.world.run_until([&] { return stopped; }, std::chrono::minutes(1)));
  EXPECT_TRUE(created.has_value() && created->has_value());
  EXPECT_EQ(cluster.create_database("a").error().code(), ErrorCode::kNotCoordinatorLeaderException);
}

// Proves that metadata written by a Fluss coordinator is understood: a table whose creation was not
// finished, an assignment without leaders, a counter that is behind.
TEST(Recovery, ForeignMetadata) {
  SimCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 1).has_value());
  cluster.crash();
  ModelStore& store = cluster.store;
  ASSERT_TRUE(ensure_node(store, "/metadata/databases/fluss/tables/half/schemas/1").has_value());
  ASSERT_EQ(store.remove("/tabletservers/tables/0/buckets/0/leader_isr", kAnyVersion).value(),
            MetaOutcome::kDone);
  ASSERT_EQ(store.put(paths::kTableCounter, {}, kAnyVersion).value(), MetaOutcome::kDone);
  ASSERT_TRUE(ensure_node(store, "/tabletservers/tables/8").has_value());
  AssignmentRecord orphan;
  orphan.buckets[BucketId(0)] = {ServerId(0)};
  ASSERT_TRUE(store.put("/tabletservers/tables/8", encode(orphan), kAnyVersion).has_value());
  cluster.disk.clear();
  ASSERT_TRUE(cluster.restart().has_value());
  EXPECT_EQ(cluster.catalog().find_table(TableId(0))->buckets[0].leader_epoch, LeaderEpoch(0));
  ASSERT_TRUE(cluster.create_table({"fluss", "half"}, 1).has_value());
  EXPECT_EQ(cluster.catalog().find_table(TablePath{"fluss", "half"})->id, TableId(9));
  cluster.settle();
  cluster.check_invariants();
}

// Proves that damaged metadata stops the start with an error that names the node.
TEST(Recovery, DamageIsNamed) {
  for (const char* path : {"/metadata/databases/fluss",
                           "/metadata/databases/fluss/tables/t",
                           "/metadata/databases/fluss/tables/t/schemas/1",
                           "/tabletservers/tables/0",
                           "/tabletservers/tables/0/buckets/0/leader_isr",
                           "/metadata/table_seqid",
                           "/metadata/partition_seqid",
                           "/metadata/databases/fluss/tables/p/partitions/x",
                           "/tabletservers/partitions/0",
                           "/tabletservers/partitions/0/buckets/0/leader_isr"}) {
    SimCluster cluster(1);
    ASSERT_TRUE(cluster.start().has_value());
    ASSERT_TRUE(cluster.create_table({"fluss", "t"}, 1).has_value());
    ASSERT_TRUE(cluster.create_partitioned_table({"fluss", "p"}, 1).has_value());
    ASSERT_TRUE(cluster.create_partition({"fluss", "p"}, "x").has_value());
    cluster.crash();
    ASSERT_TRUE(cluster.store.put(path, Bytes::copy_of("{"), kAnyVersion).has_value());
    Status started = cluster.restart();
    ASSERT_FALSE(started.has_value()) << path;
    EXPECT_NE(started.error().message().find(path), std::string::npos)
        << path << ": " << started.error().message();
  }
}

}  // namespace
}  // namespace lakestream::coordinator
