#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "client/types.h"
#include "table/alter.h"

// Databases, tables and the state of the cluster. Errors are those of the server; a call that fails
// with a retriable one is sent again (ConnectionOptions::attempts_max). When the answer of a
// creation or of a new column was lost, the next attempt may find what the first one made and say
// that it exists.
//
// Thread rule: shard-local.
//
//   Admin admin(connection);
//   CO_RETURN_IF_ERROR(co_await admin.create_table(path, descriptor, IfExists::kFail));
namespace lakestream::client {

enum class IfExists : uint8_t { kFail, kKeep };    // of a creation
enum class IfAbsent : uint8_t { kFail, kIgnore };  // of a change or a drop
enum class DropContent : uint8_t { kRefuse, kCascade };

struct DatabaseChange {
  std::map<std::string, std::string> set;  // custom properties
  std::vector<std::string> reset;
  std::optional<std::string> comment;  // empty text: none from now on
};

// Options or columns, never both.
struct TableChange {
  std::map<std::string, std::string> set;
  std::vector<std::string> reset;
  ColumnChanges columns;
};

struct BucketStats {
  BucketId bucket;
  int64_t row_count = 0;
};

struct ClusterHealth {
  enum class Status : uint8_t { kGreen, kYellow, kRed, kUnknown };
  Status status = Status::kUnknown;
  int32_t replicas = 0;
  int32_t in_sync_replicas = 0;
  int32_t buckets = 0;
  int32_t buckets_with_leader = 0;
};
std::string_view name_of(ClusterHealth::Status status);

struct ConfigEntry {
  std::string key;
  std::optional<std::string> value;  // absent when it has none
  std::string source;                // "INITIAL_SERVER_CONFIG", "DYNAMIC_SERVER_CONFIG"
};

class Admin {
 public:
  explicit Admin(std::shared_ptr<Connection> connection);

  Task<Status> create_database(std::string name, DatabaseDescriptor descriptor, IfExists if_exists);
  Task<Status> alter_database(std::string name, DatabaseChange change, IfAbsent if_absent);
  Task<Status> drop_database(std::string name, IfAbsent if_absent, DropContent content);
  Task<Result<std::vector<std::string>>> list_databases();
  Task<Result<std::vector<DatabaseSummary>>> list_database_summaries();
  Task<Result<bool>> database_exists(std::string name);
  Task<Result<DatabaseInfo>> database_info(std::string name);

  // Ends before the buckets have leaders; writers and readers wait for them.
  Task<Status> create_table(TablePath path, TableDescriptor descriptor, IfExists if_exists);
  Task<Status> alter_table(TablePath path, TableChange change, IfAbsent if_absent);
  Task<Status> drop_table(TablePath path, IfAbsent if_absent);
  Task<Result<std::vector<std::string>>> list_tables(std::string database);
  Task<Result<bool>> table_exists(TablePath path);
  Task<Result<TableInfo>> table_info(TablePath path);
  // The latest schema without an id.
  Task<Result<SchemaInfo>> table_schema(TablePath path, std::optional<SchemaId> id);
  // Errors: kTableNotPartitionedException, kPartitionSpecInvalidException, kPartitionAlreadyExists,
  // kPartitionMaxNumException.
  Task<Status> create_partition(TablePath path, PartitionSpec spec, IfExists if_exists);
  // Errors: also kPartitionNotExists.
  Task<Status> drop_partition(TablePath path, PartitionSpec spec, IfAbsent if_absent);
  // Those that have the values, by name; all when there are none.
  Task<Result<std::vector<PartitionInfo>>> list_partitions(TablePath path, PartitionSpec spec);

  // Where the buckets are; none for a partitioned table.
  Task<Result<std::vector<BucketInfo>>> table_buckets(TablePath path);

  // One entry a bucket, in order; of all buckets when none is named. Errors: also
  // kInvalidTimestampException for a time that is still to come.
  Task<Result<std::vector<BucketOffset>>> list_offsets(TablePath path,
                                                       OffsetSpec spec,
                                                       std::vector<BucketId> buckets);
  Task<Result<std::vector<BucketOffset>>> list_offsets(PhysicalTablePath path,
                                                       OffsetSpec spec,
                                                       std::vector<BucketId> buckets);
  // Of all buckets.
  Task<Result<std::vector<BucketStats>>> table_stats(TablePath path);
  Task<Result<std::vector<BucketStats>>> table_stats(PhysicalTablePath path);

  Task<Result<ClusterHealth>> cluster_health();
  Task<Result<std::vector<ConfigEntry>>> describe_configs();
  Task<Result<ClusterNodes>> server_nodes();

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace lakestream::client
