#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/entries.h"
#include "coordinator/coordinator.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "meta/model/model_store.h"
#include "table/json.h"

// For tests: a coordinator with one tablet server that is a plain map, over a metadata store in
// memory, in a simulated process that may crash and start again.
//
// Thread rule: the one thread of the test.
//
//   SimCluster cluster(seed);
//   ASSERT_TRUE(cluster.start().has_value());
//   EXPECT_TRUE(cluster.create_table({"fluss", "t"}, 2).has_value());
namespace lakestream::coordinator {

// What is on the disk of the tablet server: it stays when the process crashes.
using TabletDisk = std::map<TableBucket, LeaderEpoch>;

class FakeTablets final : public TabletLink {
 public:
  FakeTablets(TabletDisk& disk, Clock& clock, Shard& shard, const Catalog& catalog)
      : disk_(disk), clock_(clock), shard_(shard), catalog_(catalog) {}

  Task<Result<std::vector<BucketOutcome>>> notify_leader_and_isr(ServerId server,
                                                                 LeadershipNotice notice) override {
    EXPECT_EQ(server, ServerId(0));
    ++notices;
    co_await sleep_for(clock_, shard_, std::chrono::milliseconds(1));
    if (fail_notices) co_return make_error(ErrorCode::kNetworkException, "the server is gone");
    std::vector<BucketOutcome> outcomes;
    for (const BucketLeadership& told : notice.buckets) {
      auto* buckets = catalog_.on(shard_).find_buckets(owner_of(told.bucket));
      EXPECT_NE(buckets, nullptr) << "the catalog knows a table before its leader does";
      EXPECT_EQ(told.path.partition.has_value(), told.bucket.partition.has_value());
      if (refuse.contains(told.bucket)) {
        outcomes.push_back({told.bucket, make_error(ErrorCode::kStorageException, "disk is bad")});
        continue;
      }
      EXPECT_TRUE(!disk_.contains(told.bucket) || disk_[told.bucket] < told.leader_epoch)
          << "leader epochs grow";
      disk_[told.bucket] = told.leader_epoch;
      leads[told.bucket] = told.leader_epoch;
      outcomes.push_back({told.bucket, ok()});
    }
    co_return outcomes;
  }

  Task<Result<std::vector<BucketOutcome>>> stop_replicas(ServerId server,
                                                         StopNotice notice) override {
    EXPECT_EQ(server, ServerId(0));
    ++stops;
    co_await sleep_for(clock_, shard_, std::chrono::milliseconds(1));
    if (fail_stops) co_return make_error(ErrorCode::kNetworkException, "the server is gone");
    std::vector<BucketOutcome> outcomes;
    for (const StopNotice::Bucket& told : notice.buckets) {
      EXPECT_TRUE(notice.delete_data);
      EXPECT_EQ(told.leader_epoch, kDroppedEpoch);
      disk_.erase(told.bucket);
      leads.erase(told.bucket);
      outcomes.push_back({told.bucket, ok()});
    }
    co_return outcomes;
  }

  Task<Status> notify_lake_offsets(ServerId server, LakeNotice notice) override {
    EXPECT_EQ(server, ServerId(0));
    for (const LakeNotice::Bucket& told : notice.buckets) lake_ends[told.bucket] = told.end_offset;
    co_return ok();
  }

  std::map<TableBucket, LeaderEpoch> leads;  // of this process
  std::map<TableBucket, Offset> lake_ends;
  std::set<TableBucket> refuse;
  bool fail_notices = false;
  bool fail_stops = false;
  int notices = 0;
  int stops = 0;

 private:
  TabletDisk& disk_;
  Clock& clock_;
  Shard& shard_;
  const Catalog& catalog_;
};

inline TableDescriptor log_table(int32_t buckets) {
  TableDescriptor descriptor;
  descriptor.schema = SchemaBuilder()
                          .column("a", DataType::integer())
                          .column("b", DataType::string())
                          .build()
                          .value();
  descriptor.distribution = Distribution{.bucket_count = buckets, .bucket_keys = {}};
  return descriptor;
}

inline Column new_column(std::string name, DataType type) {
  Column column;
  column.name = std::move(name);
  column.type = std::move(type);
  return column;
}

// Partitioned by the column 'b'.
inline TableDescriptor partitioned_table(int32_t buckets) {
  TableDescriptor descriptor = log_table(buckets);
  descriptor.partition_keys = {"b"};
  return descriptor;
}

class SimCluster {
 public:
  struct Process {
    Process(SimNode& node,
            MetaStore& store,
            ObjectStore& objects,
            TabletDisk& disk,
            const CoordinatorOptions& options)
        : catalog({&node.shard(0), &node.shard(1)}),
          tablets(disk, node.env().clock, node.shard(1), catalog),
          coordinator(node.env(), node.shard(1), store, objects, catalog, tablets, options) {}
    Catalog catalog;
    FakeTablets tablets;
    Coordinator coordinator;
  };

  explicit SimCluster(uint64_t seed) : world(seed), node(world.add_node("a", 2)) {
    options.remote_data_dir = "s3://remote";
    boot();
  }
  ~SimCluster() {
    if (process != nullptr) crash();
  }

  // Shard 0 has the connections, shard 1 is the control shard.
  Shard& control() { return node.shard(1); }
  Coordinator& coordinator() { return process->coordinator; }
  FakeTablets& tablets() { return process->tablets; }
  const CatalogSnapshot& catalog() { return process->catalog.on(node.shard(0)); }

  void boot() { process = std::make_shared<Process>(node, store, objects, disk, options); }
  Status start() {
    Status started = run(coordinator().start(ServerNode{ServerId(0), "h", 1, {}}));
    if (started) started = run(coordinator().server_joined(ServerNode{ServerId(0), "h", 1, {}}));
    return started;
  }
  void crash() {
    node.crash(std::exchange(process, nullptr));
    node.restart();
  }
  Status restart() {
    if (process != nullptr) crash();
    boot();
    return start();
  }
  template <typename T>
  T run(Task<T> task) {
    return world.run(control(), std::move(task));
  }
  // Of a fault of remote storage, where a call hangs: whether another event ends meanwhile.
  bool others_go_on() {
    struct Other {
      static Task<void> run(Coordinator* coordinator, std::shared_ptr<bool> has_ended) {
        DatabaseDescriptor none;
        *has_ended = (co_await coordinator->create_database("other", none, true)).has_value();
      }
    };
    auto has_ended = std::make_shared<bool>(false);
    control().spawn(Other::run(&coordinator(), has_ended));
    return world.run_until([&] { return *has_ended; }, std::chrono::seconds(15));
  }
  void settle() { world.run_for(std::chrono::minutes(5)); }

  Status create_database(std::string name) {
    return run(coordinator().create_database(std::move(name), {}, false));
  }
  Status drop_database(std::string name, bool cascade) {
    return run(coordinator().drop_database(std::move(name), false, cascade));
  }
  Status create_table(TablePath path, int32_t buckets) {
    TableDescriptor descriptor = prepare(buckets);
    return run(coordinator().create_table(std::move(path), std::move(descriptor), false));
  }
  Status drop_table(TablePath path) {
    return run(coordinator().drop_table(std::move(path), false));
  }
  Status alter_table(TablePath path, TableChange change) {
    return run(coordinator().alter_table(std::move(path), std::move(change), false));
  }
  Status add_column(TablePath path, std::string name) {
    TableChange change;
    change.columns.add.push_back(new_column(std::move(name), DataType::string()));
    return alter_table(std::move(path), std::move(change));
  }
  Status set_property(TablePath path, const std::string& key) {
    TableChange change;
    change.options.set[key] = "v";
    return alter_table(std::move(path), std::move(change));
  }

  Status create_partitioned_table(TablePath path, int32_t buckets) {
    std::string json = to_json(partitioned_table(buckets));
    TableDescriptor descriptor = prepare_table(path, json, options.rules).value();
    return run(coordinator().create_table(std::move(path), std::move(descriptor), false));
  }
  Status create_partition(TablePath path, std::string value) {
    PartitionSpec spec;
    spec.emplace_back("b", std::move(value));
    return run(coordinator().create_partition(std::move(path), std::move(spec), false));
  }
  Status drop_partition(TablePath path, std::string value) {
    PartitionSpec spec;
    spec.emplace_back("b", std::move(value));
    return run(coordinator().drop_partition(std::move(path), std::move(spec), false));
  }
  TableDescriptor prepare(int32_t buckets) {
    return prepare_table({"fluss", "t"}, to_json(log_table(buckets)), options.rules).value();
  }
  // 'db.t' of all tables, in order.
  std::vector<std::string> tables() {
    std::vector<std::string> names;
    for (const auto& [name, database] : catalog().databases()) {
      for (const auto& [table_name, table] : database->tables) {
        names.push_back(fmt::format("{}", table->path));
      }
    }
    return names;
  }

  // What must hold once everything has come to rest: store, catalog, tablet server and its disk
  // agree.
  void check_invariants() {
    for (const auto& [name, database] : catalog().databases()) {
      for (const auto& [table_name, table] : database->tables) {
        EXPECT_EQ(catalog().find_table(table->id), table);
        check_schemas(*table);
        check_partitions(*table);
      }
    }
    std::set<TableBucket> buckets;
    size_t tables = 0;
    size_t partitions = 0;
    catalog().visit_buckets([&](const PhysicalTableId& id, const auto& entries) {
      ++(id.partition ? partitions : tables);
      std::shared_ptr<const TableEntry> table = catalog().find_table(id.table);
      if (table->bucket_count_epoch == 0) {
        EXPECT_EQ(entries.size(), static_cast<size_t>(*table->descriptor.bucket_count()));
      }
      for (const BucketEntry& entry : entries) {
        TableBucket bucket = bucket_of(id, entry.bucket);
        buckets.insert(bucket);
        check_bucket(bucket, entry);
      }
    });
    EXPECT_EQ(coordinator().deletion_count(), 0U);
    EXPECT_EQ(store.children(paths::kTableAssignments)->size(), tables);
    EXPECT_EQ(store.children(paths::kPartitionAssignments)->size(), partitions);
    EXPECT_EQ(keys_of(disk), buckets) << "no data of dropped tables, all data of others";
    EXPECT_EQ(keys_of(tablets().leads), buckets);
  }

  // The catalog and the store have the same schemas, numbered from 1 on.
  void check_schemas(const TableEntry& table) {
    EXPECT_EQ(store.children(paths::schemas(table.path))->size(), table.schemas.size());
    int16_t next = 1;
    for (const auto& schema : table.schemas) {
      EXPECT_EQ(schema->id, SchemaId(next++));
      auto node_value = store.get(paths::schema(table.path, schema->id)).value();
      ASSERT_TRUE(node_value.has_value());
      EXPECT_EQ(node_value->value, schema->json);
    }
    EXPECT_EQ(table.descriptor.schema, table.latest_schema().schema);
    auto node_value = store.get(paths::table(table.path)).value();
    EXPECT_EQ(decode_table(node_value->value).value(), record_of(table));
  }

  void check_partitions(const TableEntry& table) {
    const TablePartitions& known = catalog().partitions(table.id);
    std::vector<std::string> names = store.children(paths::partitions(table.path)).value();
    ASSERT_EQ(known.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      const PartitionEntry& entry = *known.by_name()[i];
      EXPECT_EQ(entry.name, names[i]);
      EXPECT_EQ(known.find(entry.id), known.find(entry.name));
      auto node_value = store.get(paths::partition(table.path, entry.name)).value();
      PartitionRecord record = decode_partition(node_value->value).value();
      EXPECT_EQ(record.table, table.id);
      EXPECT_EQ(record.id, entry.id);
    }
  }

  void check_bucket(const TableBucket& bucket, const BucketEntry& entry) {
    EXPECT_EQ(entry.leader, ServerId(0));
    auto node_value = store.get(paths::leader_isr(bucket)).value();
    ASSERT_TRUE(node_value.has_value());
    LeaderIsrRecord record = decode_leader_isr(node_value->value).value();
    EXPECT_EQ(record.leader_epoch, entry.leader_epoch);
    EXPECT_EQ(record.bucket_epoch, entry.bucket_epoch);
  }

  static std::set<TableBucket> keys_of(const std::map<TableBucket, LeaderEpoch>& map) {
    std::set<TableBucket> keys;
    for (const auto& [bucket, epoch] : map) keys.insert(bucket);
    return keys;
  }

  SimWorld world;
  SimNode& node;
  ModelStore store;
  SimObjectStore objects{node.disk()};
  TabletDisk disk;
  CoordinatorOptions options;
  std::shared_ptr<Process> process;
};

}  // namespace lakestream::coordinator
