#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "io/live.h"
#include "security/acl.h"
#include "table/options.h"
#include "table/physical_table.h"
#include "table/table.h"

// The read side of the metadata: what databases, tables, buckets and servers there are.
// CatalogSnapshot is one state of it and never changes; CatalogBuilder makes the next one out of
// it. Catalog holds the current snapshot of a process, once for each shard, so that reading takes
// no lock and no atomic. The coordinator publishes: a shard sees snapshots in their order, and one
// that was published before an answer was sent is there when the next request of that client
// arrives.
//
// Thread rule: snapshots and entries are immutable, any thread; Catalog as its methods say.
//
//   std::shared_ptr<const TableEntry> table = catalog.on(shard).find_table(TableId(7));
//   if (table == nullptr) return unknown_table();
//   const SchemaEntry* schema = table->find_schema(batch.schema_id());
namespace lakestream {

// Where a server is reached by those who came over a listener of this name.
struct ListenerPlace {
  std::string listener;
  std::string host;
  uint16_t port = 0;

  friend bool operator==(const ListenerPlace&, const ListenerPlace&) = default;
};

struct ServerNode {
  ServerId id;
  // The first of its listeners.
  std::string host;
  uint16_t port = 0;
  std::optional<std::string> rack;
  std::vector<ListenerPlace> listeners = {};

  friend bool operator==(const ServerNode&, const ServerNode&) = default;
};

// One version of a table's columns.
struct SchemaEntry {
  SchemaId id;
  Schema schema;
  Bytes json;
};

// Where a bucket lives.
struct BucketEntry {
  BucketId bucket;
  std::vector<ServerId> replicas;
  std::optional<ServerId> leader;  // empty: none now
  LeaderEpoch leader_epoch;
  int32_t bucket_epoch = 0;
  std::vector<ServerId> isr;

  friend bool operator==(const BucketEntry&, const BucketEntry&) = default;
};

struct PartitionEntry {
  TableId table;
  PartitionId id;
  std::string name;
  std::optional<std::string> remote_data_dir;
  std::vector<BucketEntry> buckets;  // by bucket id
};

// The partitions of one table. A copy costs two pointers a partition.
class TablePartitions {
 public:
  using Entries = std::vector<std::shared_ptr<const PartitionEntry>>;

  const Entries& by_name() const { return by_name_; }
  size_t size() const { return by_name_.size(); }
  // nullptr when there is none.
  std::shared_ptr<const PartitionEntry> find(std::string_view name) const;
  std::shared_ptr<const PartitionEntry> find(PartitionId id) const;

  // Adds the partition, or replaces the one of the same name.
  void put(std::shared_ptr<const PartitionEntry> entry);
  // Fine when absent.
  void remove(std::string_view name);

 private:
  // In order.
  Entries by_name_;
  Entries by_id_;
};

struct TableEntry {
  TablePath path;
  TableId id;
  TableDescriptor descriptor;  // with the latest schema
  TableOptions options;        // its properties as plain values
  // In the order of their ids; never empty.
  std::vector<std::shared_ptr<const SchemaEntry>> schemas;
  TimestampMs created_time;
  TimestampMs modified_time;
  std::optional<std::string> remote_data_dir;
  // How often the bucket count of later partitions was changed.
  int32_t bucket_count_epoch = 0;
  // By bucket id; none for a partitioned table, whose partitions have them.
  std::vector<BucketEntry> buckets;
  Bytes json;  // of the descriptor, as answers carry it

  const SchemaEntry& latest_schema() const { return *schemas.back(); }
  // nullptr when the table has no such schema.
  const SchemaEntry* find_schema(SchemaId id) const;
};

struct DatabaseEntry {
  std::string name;
  DatabaseDescriptor descriptor;
  TimestampMs created_time;
  TimestampMs modified_time;
  Bytes json;  // of the descriptor, as answers carry it
  std::map<std::string, std::shared_ptr<const TableEntry>, std::less<>> tables;
};

class CatalogSnapshot {
 public:
  using Databases = std::map<std::string, std::shared_ptr<const DatabaseEntry>, std::less<>>;

  const Databases& databases() const { return databases_; }
  // nullptr when there is none. A pointer of find_database lives as long as the snapshot.
  const DatabaseEntry* find_database(std::string_view name) const;
  std::shared_ptr<const TableEntry> find_table(const TablePath& path) const;
  std::shared_ptr<const TableEntry> find_table(TableId id) const;
  size_t table_count() const { return tables_.size(); }
  // None for a table that is not partitioned or not there. Lives as long as the snapshot.
  const TablePartitions& partitions(TableId table) const;
  std::shared_ptr<const PartitionEntry> find_partition(TableId table, PartitionId id) const;
  // Whatever table it belongs to.
  std::shared_ptr<const PartitionEntry> find_partition(PartitionId id) const;
  // The buckets of a table, or of a partition; nullptr when there is none. Lives as long as the
  // snapshot.
  const std::vector<BucketEntry>* find_buckets(const PhysicalTableId& id) const;
  // Calls visit(PhysicalTableId, const std::vector<BucketEntry>&) for each table that has no
  // partitions and each partition.
  template <typename Visit>
  void visit_buckets(Visit visit) const {
    for (const auto& [name, database] : databases_) {
      for (const auto& [table_name, table] : database->tables) {
        if (!table->descriptor.is_partitioned()) {
          visit(PhysicalTableId{table->id, std::nullopt}, table->buckets);
        }
        for (const auto& partition : partitions(table->id).by_name()) {
          visit(PhysicalTableId{table->id, partition->id}, partition->buckets);
        }
      }
    }
  }

  // Empty until a coordinator is known.
  const std::optional<ServerNode>& coordinator() const { return coordinator_; }
  // The live ones, by id.
  const std::vector<ServerNode>& tablet_servers() const { return tablet_servers_; }
  // Who may do what.
  const security::AclRules& acls() const { return *acls_; }

 private:
  friend class CatalogBuilder;
  Databases databases_;
  std::unordered_map<TableId, std::shared_ptr<const TableEntry>> tables_;
  std::unordered_map<TableId, std::shared_ptr<const TablePartitions>> partitions_;
  std::optional<ServerNode> coordinator_;
  std::vector<ServerNode> tablet_servers_;
  std::shared_ptr<const security::AclRules> acls_ = std::make_shared<const security::AclRules>();
};

// The next snapshot. What is not touched is shared with the base, so a build costs one copied
// pointer a table and no copy of a table. A table's entry stays the same when its partitions
// change.
class CatalogBuilder {
 public:
  CatalogBuilder() = default;  // from an empty one
  explicit CatalogBuilder(const CatalogSnapshot& base) : next_(base) {}
  CatalogBuilder(const CatalogBuilder&) = delete;
  CatalogBuilder& operator=(const CatalogBuilder&) = delete;

  // Adds the database or replaces what is said about it; its tables stay.
  CatalogBuilder& put_database(DatabaseEntry entry);
  // With all its tables; fine when absent.
  CatalogBuilder& remove_database(std::string_view name);
  // Adds the table, or replaces the one of the same path; partitions stay when the id stays.
  // Requires: the database is there.
  CatalogBuilder& put_table(std::shared_ptr<const TableEntry> entry);
  // With its partitions; fine when absent.
  CatalogBuilder& remove_table(const TablePath& path);
  // Adds the partition, or replaces the one of the same name. Requires: the table is there.
  CatalogBuilder& put_partition(std::shared_ptr<const PartitionEntry> entry);
  // Fine when absent.
  CatalogBuilder& remove_partition(TableId table, std::string_view name);
  // Replaces the buckets. Requires: the table or partition is there.
  CatalogBuilder& put_buckets(const PhysicalTableId& id, std::vector<BucketEntry> buckets);
  CatalogBuilder& set_coordinator(std::optional<ServerNode> node);
  CatalogBuilder& set_tablet_servers(std::vector<ServerNode> nodes);
  CatalogBuilder& set_acls(security::AclRules acls);

  // The builder is empty afterwards.
  std::shared_ptr<const CatalogSnapshot> build();

 private:
  DatabaseEntry* touch(std::string_view name);
  TablePartitions* touch(TableId table);
  void forget_table(TableId id);

  CatalogSnapshot next_;
  // Databases of next_ that this builder made, and so may still change.
  std::map<std::string, std::shared_ptr<DatabaseEntry>, std::less<>> touched_;
  std::unordered_map<TableId, std::shared_ptr<TablePartitions>> touched_partitions_;
};

class Catalog {
 public:
  // Starts with an empty snapshot. The shards' indexes are 0, 1, 2, … Must outlive their loops.
  explicit Catalog(std::vector<Shard*> shards)
      : live_(std::move(shards), std::make_shared<const CatalogSnapshot>()) {}

  // Requires: called on the shard. The reference is good until the caller suspends; entries that
  // are needed longer are held by their own pointers, a whole snapshot by hold().
  const CatalogSnapshot& on(const Shard& shard) const { return live_.on(shard); }
  std::shared_ptr<const CatalogSnapshot> hold(const Shard& shard) const {
    return live_.hold(shard);
  }

  // Any thread, but one publisher at a time: each shard takes the snapshot in a later turn of its
  // loop.
  void publish(std::shared_ptr<const CatalogSnapshot> snapshot) {
    live_.publish(std::move(snapshot));
  }

 private:
  Live<CatalogSnapshot> live_;
};

}  // namespace lakestream
