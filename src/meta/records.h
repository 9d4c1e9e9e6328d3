#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/dynamic_config.h"
#include "base/ids.h"
#include "base/result.h"
#include "table/physical_table.h"
#include "table/remote_documents.h"
#include "table/table.h"

// What the nodes of the metadata store hold, as typed records, and the paths they lie at: the
// layout of the Fluss protocol's ZooKeeper tree. encode() gives the value of a node; the decode
// functions refuse a damaged one with kUnknownServerError and name the field. Unknown fields of a
// JSON value are ignored.
//
// Thread rule: values and pure functions, any thread.
//
//   MetaOp op = MetaOp::create(paths::table(path), encode(TableRecord{...}));
//   ASSIGN_OR_RETURN(TableRecord record, decode_table(node.value));
namespace lakestream {

// /metadata/databases/{db}
struct DatabaseRecord {
  DatabaseDescriptor descriptor;
  TimestampMs created_time;
  TimestampMs modified_time;

  friend bool operator==(const DatabaseRecord&, const DatabaseRecord&) = default;
};

// /metadata/databases/{db}/tables/{table}: everything about a table but its schemas, which are
// nodes below.
struct TableRecord {
  TableId id;
  std::optional<std::string> comment;
  std::vector<std::string> partition_keys;
  std::vector<std::string> bucket_keys;
  int32_t bucket_count = 0;
  Properties properties;
  Properties custom_properties;
  std::optional<std::string> remote_data_dir;
  // How often the bucket count, which is that of later partitions, was changed.
  int32_t bucket_count_epoch = 0;
  TimestampMs created_time;
  TimestampMs modified_time;

  // Requires: the descriptor has a bucket count.
  static TableRecord of(TableId id, const TableDescriptor& descriptor, TimestampMs now);
  TableDescriptor descriptor(Schema schema) const;

  friend bool operator==(const TableRecord&, const TableRecord&) = default;
};

// …/tables/{table}/partitions/{name}
struct PartitionRecord {
  TableId table;
  PartitionId id;
  std::optional<std::string> remote_data_dir;

  friend bool operator==(const PartitionRecord&, const PartitionRecord&) = default;
};

// /tabletservers/tables/{tableId} and /tabletservers/partitions/{partitionId}: the servers of each
// bucket.
struct AssignmentRecord {
  std::optional<TableId> table;  // of a partition
  std::map<BucketId, std::vector<ServerId>> buckets;

  friend bool operator==(const AssignmentRecord&, const AssignmentRecord&) = default;
};

inline constexpr ServerId kNoLeader{-1};

// …/buckets/{b}/leader_isr
struct LeaderIsrRecord {
  ServerId leader = kNoLeader;
  LeaderEpoch leader_epoch;  // grows with each election
  std::vector<ServerId> isr;
  int32_t coordinator_epoch = 0;  // of the coordinator that wrote it
  int32_t bucket_epoch = 0;       // grows with each change of leader or ISR
  std::vector<ServerId> standby_replicas;

  friend bool operator==(const LeaderIsrRecord&, const LeaderIsrRecord&) = default;
};

// …/buckets/{b}/snapshots/{id}
struct KvSnapshotRecord {
  KvSnapshotId id;
  Offset log_offset;
  std::string metadata_path;  // of its document in remote storage

  friend bool operator==(const KvSnapshotRecord&, const KvSnapshotRecord&) = default;
};

// …/buckets/{b}/remote_logs: where the bucket's log is in remote storage and how far. Without a
// manifest nothing counts yet of what is in the folder.
struct RemoteLogRecord {
  std::string folder;
  std::optional<std::string> manifest_path;
  Offset end_offset;  // of what was copied

  friend bool operator==(const RemoteLogRecord&, const RemoteLogRecord&) = default;
};

// A snapshot of a lake that is known, with documents in remote storage.
struct LakeSnapshotRecord {
  LakeSnapshotId id;
  std::string tiered_path;  // up to which offsets rows are in the lake
  // Up to which offsets a reader of the snapshot finds them; without it the snapshot is not read.
  std::optional<std::string> readable_path;

  friend bool operator==(const LakeSnapshotRecord&, const LakeSnapshotRecord&) = default;
};

// The offsets of the one snapshot that clients before 0.9 make known, which have no document.
struct LakeInlineRecord {
  LakeSnapshotId id;
  LakeOffsets offsets;

  friend bool operator==(const LakeInlineRecord&, const LakeInlineRecord&) = default;
};

// /tabletservers/tables/{tableId}/laketable: one of both.
struct LakeTableRecord {
  std::vector<LakeSnapshotRecord> snapshots;  // in the order in which they were made known
  std::optional<LakeInlineRecord> single;

  friend bool operator==(const LakeTableRecord&, const LakeTableRecord&) = default;
};

// /leases/kv_snapshot/{leaseId}: snapshots of these tables are in use until then.
struct KvLeaseRecord {
  TimestampMs expiration_time;
  std::map<TableId, std::string> files;  // documents in remote storage: which snapshots

  friend bool operator==(const KvLeaseRecord&, const KvLeaseRecord&) = default;
};

// /producers/{producerId}: where tables ended when a job began to write, known until then.
struct ProducerRecord {
  TimestampMs expiration_time;
  std::map<TableId, std::string> files;  // documents in remote storage: the offsets

  friend bool operator==(const ProducerRecord&, const ProducerRecord&) = default;
};

// /config/server/global: options that were set while the cluster ran. A key without a value hides
// what the server was started with.
struct ClusterConfigRecord {
  DynamicTexts configs;

  friend bool operator==(const ClusterConfigRecord&, const ClusterConfigRecord&) = default;
};

// What a server is taken out for: for good, or for a while.
enum class ServerTag : uint8_t { kPermanentOffline = 0, kTemporaryOffline = 1 };

// /tabletservers/server_tags: one tag a server at most.
struct ServerTagsRecord {
  std::map<ServerId, ServerTag> tags;

  friend bool operator==(const ServerTagsRecord&, const ServerTagsRecord&) = default;
};

enum class RebalanceStatus : uint8_t {
  kNotStarted = 0,
  kRebalancing = 1,
  kFailed = 2,
  kCompleted = 3,
  kCanceled = 4,
  kTimeout = 5,
};

// /cluster/rebalance: the last one that was asked for. With one server it moves nothing.
struct RebalanceRecord {
  std::string id;
  RebalanceStatus status = RebalanceStatus::kNotStarted;

  friend bool operator==(const RebalanceRecord&, const RebalanceRecord&) = default;
};

Bytes encode(const ClusterConfigRecord& record);
Bytes encode(const ServerTagsRecord& record);
Bytes encode(const RebalanceRecord& record);
Bytes encode(const DatabaseRecord& record);
Bytes encode(const TableRecord& record);
Bytes encode(const PartitionRecord& record);
Bytes encode(const AssignmentRecord& record);
Bytes encode(const LeaderIsrRecord& record);
Bytes encode(const KvSnapshotRecord& record);
Bytes encode(const RemoteLogRecord& record);
Bytes encode(const KvLeaseRecord& record);
Bytes encode(const ProducerRecord& record);
Bytes encode(const LakeTableRecord& record);
// A counter: 8 bytes, big-endian; how many numbers were given. The next one to give is the same
// number where they start at 0.
Bytes encode_counter(int64_t value);
// The coordinator epoch: decimal text.
Bytes encode_epoch(int32_t epoch);

Result<ClusterConfigRecord> decode_cluster_config(const Bytes& value);
Result<ServerTagsRecord> decode_server_tags(const Bytes& value);
Result<RebalanceRecord> decode_rebalance(const Bytes& value);
Result<DatabaseRecord> decode_database(const Bytes& value);
Result<TableRecord> decode_table(const Bytes& value);
Result<PartitionRecord> decode_partition(const Bytes& value);
Result<AssignmentRecord> decode_assignment(const Bytes& value);
Result<LeaderIsrRecord> decode_leader_isr(const Bytes& value);
Result<KvSnapshotRecord> decode_kv_snapshot(const Bytes& value);
Result<RemoteLogRecord> decode_remote_log(const Bytes& value);
Result<KvLeaseRecord> decode_kv_lease(const Bytes& value);
Result<ProducerRecord> decode_producer(const Bytes& value);
Result<LakeTableRecord> decode_lake_table(const Bytes& value);
// An empty value is 0: the counter's node was made and never used.
Result<int64_t> decode_counter(const Bytes& value);
Result<int32_t> decode_epoch(const Bytes& value);
// A name that is a number from 0 to `max`: of a node (a schema, table, partition or bucket id) or a
// field (a server id).
Result<int64_t> decode_number(std::string_view name, int64_t max);

namespace paths {

inline constexpr const char* kDatabases = "/metadata/databases";
inline constexpr const char* kTableCounter = "/metadata/table_seqid";
inline constexpr const char* kPartitionCounter = "/metadata/partition_seqid";
inline constexpr const char* kWriterCounter = "/metadata/writer_id";
inline constexpr const char* kCoordinatorEpoch = "/coordinators/epoch";
inline constexpr const char* kTableAssignments = "/tabletservers/tables";
inline constexpr const char* kPartitionAssignments = "/tabletservers/partitions";
inline constexpr const char* kKvLeases = "/leases/kv_snapshot";
inline constexpr const char* kProducers = "/producers";
inline constexpr const char* kServerConfig = "/config/server";
inline constexpr const char* kClusterConfig = "/config/server/global";
inline constexpr const char* kServerTags = "/tabletservers/server_tags";
inline constexpr const char* kCluster = "/cluster";
inline constexpr const char* kRebalance = "/cluster/rebalance";

std::string database(std::string_view database);
std::string tables(std::string_view database);
std::string table(const TablePath& path);
std::string schemas(const TablePath& path);
std::string schema(const TablePath& path, SchemaId id);
std::string partitions(const TablePath& path);
std::string partition(const TablePath& path, std::string_view name);
// Counters of the columns that the server fills; their numbers start at 1.
std::string auto_increments(const TablePath& path);
std::string auto_increment(const TablePath& path, int32_t column_id);
std::string assignment(const PhysicalTableId& id);
std::string buckets(const PhysicalTableId& id);
std::string bucket(const TableBucket& bucket);
std::string leader_isr(const TableBucket& bucket);
// The value of this node is the bucket's folder in remote storage, once there is one.
std::string kv_snapshots(const TableBucket& bucket);
std::string kv_snapshot(const TableBucket& bucket, KvSnapshotId id);
std::string kv_snapshot_counter(const TableBucket& bucket);
std::string remote_log(const TableBucket& bucket);
std::string kv_lease(std::string_view lease_id);
std::string producer(std::string_view producer_id);
std::string lake_table(TableId table);

}  // namespace paths
}  // namespace lakestream
