#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/network.h"
#include "table/options.h"
#include "table/partition.h"
#include "table/table.h"

// What a client knows about a cluster and its tables.
//
// Thread rule: values, any thread.
//
//   for (const BucketInfo& bucket : table->buckets) print(bucket.id, bucket.leader);
namespace lakestream::client {

// Who has written rows before the server says so.
enum class Acks : int32_t {
  kAll = -1,    // all in-sync replicas have it
  kNone = 0,    // the server answers at once
  kLeader = 1,  // the leader has it
};

struct ServerNode {
  ServerId id;
  Address address;
  std::optional<std::string> rack;
};

struct ClusterNodes {
  std::optional<ServerNode> coordinator;
  std::vector<ServerNode> tablet_servers;  // those that are alive
};

struct BucketInfo {
  BucketId id;
  std::optional<ServerId> leader;  // absent while none is elected
  LeaderEpoch leader_epoch = kNoLeaderEpoch;
  std::vector<ServerId> replicas;
  std::vector<ServerId> in_sync;
};

struct TableInfo {
  TablePath path;
  TableId id;
  SchemaId schema_id;  // of descriptor.schema, the latest
  TableDescriptor descriptor;
  TableOptions options;  // what descriptor.properties say
  TimestampMs created;
  TimestampMs modified;
  std::optional<std::string> remote_data_dir;
};

struct PartitionInfo {
  PartitionId id;
  std::string name;    // its values, joined by '$'
  PartitionSpec spec;  // in the order of the table's partition keys
};

// A table, or one partition of a partitioned table, with the present state of its buckets, which
// are in the order of their ids, without gaps. A partitioned table as a whole has none.
struct TableMetadata {
  TableInfo info;
  std::vector<BucketInfo> buckets;
  std::optional<PartitionInfo> partition = std::nullopt;

  PhysicalTablePath path() const {
    PhysicalTablePath result{info.path, std::nullopt};
    if (partition) result.partition = partition->name;
    return result;
  }
  std::optional<PartitionId> partition_id() const {
    return partition ? std::optional(partition->id) : std::nullopt;
  }
  TableBucket bucket(BucketId id) const { return {info.id, partition_id(), id}; }
};

struct SchemaInfo {
  SchemaId id;
  Schema schema;
};

struct DatabaseInfo {
  std::string name;
  DatabaseDescriptor descriptor;
  TimestampMs created;
  TimestampMs modified;
};

struct DatabaseSummary {
  std::string name;
  TimestampMs created;
  int32_t table_count = 0;
};

// A place in the log of a bucket.
class OffsetSpec {
 public:
  enum class Kind : uint8_t { kEarliest, kLatest, kTimestamp, kExact };

  // The first record that is still there.
  static OffsetSpec earliest() { return {Kind::kEarliest, 0}; }
  // Behind the last record that readers may see.
  static OffsetSpec latest() { return {Kind::kLatest, 0}; }
  // The first record that was committed at this time or later.
  static OffsetSpec at_time(TimestampMs time) { return {Kind::kTimestamp, time.value()}; }
  static OffsetSpec exact(Offset offset) { return {Kind::kExact, offset.value()}; }

  Kind kind() const { return kind_; }
  // Requires: kTimestamp.
  TimestampMs time() const { return TimestampMs(value_); }
  // Requires: kExact.
  Offset offset() const { return Offset(value_); }

 private:
  OffsetSpec(Kind kind, int64_t value) : kind_(kind), value_(value) {}
  Kind kind_;
  int64_t value_;
};

struct BucketOffset {
  BucketId bucket;
  Offset offset;
};

// The records of a bucket's log from `begin` on and below `end`.
struct LogRange {
  TableBucket bucket;
  Offset begin;
  Offset end;

  bool is_empty() const { return begin >= end; }
  friend bool operator==(const LogRange&, const LogRange&) = default;
};

}  // namespace lakestream::client
