#include "client/admin.h"

#include "client/leader_calls.h"
#include "client/metadata.h"
#include "client/partitions.h"
#include "client/session.h"
#include "table/json.h"

namespace lakestream::client {
namespace {

using wire::ApiKey;

constexpr int32_t kSetOption = 0;
constexpr int32_t kDeleteOption = 1;
constexpr int32_t kLastPosition = 0;

template <typename Response>
Status status_of(Result<Response> answer) {
  if (!answer) return fail(std::move(answer).error());
  return ok();
}

std::vector<wire::PbAlterConfig> to_messages(const std::map<std::string, std::string>& set,
                                             const std::vector<std::string>& reset) {
  std::vector<wire::PbAlterConfig> changes;
  for (const auto& [key, value] : set) changes.push_back({key, value, kSetOption});
  for (const std::string& key : reset) changes.push_back({key, std::nullopt, kDeleteOption});
  return changes;
}

wire::PbAddColumn column_message(Column column) {
  wire::PbAddColumn message;
  message.column_name = std::move(column.name);
  message.data_type_json = Bytes::copy_of(to_json(column.type));
  message.comment = std::move(column.comment);
  message.column_position_type = kLastPosition;
  if (column.agg) {
    message.agg_function_type = agg_type_name(column.agg->type);
    for (const auto& [key, value] : column.agg->parameters) {
      message.agg_function_params.push_back({key, value});
    }
  }
  return message;
}

// What a server wrote is wrong, not what the user did.
Error impossible(const Error& error) {
  return Error(ErrorCode::kUnknownServerError,
               fmt::format("the server's answer can not be: {}", error.message()));
}

}  // namespace

std::string_view name_of(ClusterHealth::Status status) {
  switch (status) {
    case ClusterHealth::Status::kGreen:
      return "GREEN";
    case ClusterHealth::Status::kYellow:
      return "YELLOW";
    case ClusterHealth::Status::kRed:
      return "RED";
    case ClusterHealth::Status::kUnknown:
      return "UNKNOWN";
  }
  return "UNKNOWN";
}

Admin::Admin(std::shared_ptr<Connection> connection) : session_(connection->session()) {}

Task<Status> Admin::create_database(std::string name,
                                    DatabaseDescriptor descriptor,
                                    IfExists if_exists) {
  std::shared_ptr<Session> session = session_;
  wire::CreateDatabaseRequest request;
  request.database_name = std::move(name);
  request.ignore_if_exists = if_exists == IfExists::kKeep;
  request.database_json = Bytes::copy_of(to_json(descriptor));
  auto answer =
      co_await session->ask<ApiKey::kCreateDatabase>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Status> Admin::alter_database(std::string name, DatabaseChange change, IfAbsent if_absent) {
  std::shared_ptr<Session> session = session_;
  wire::AlterDatabaseRequest request;
  request.database_name = std::move(name);
  request.ignore_if_not_exists = if_absent == IfAbsent::kIgnore;
  request.config_changes = to_messages(change.set, change.reset);
  request.comment = std::move(change.comment);
  auto answer =
      co_await session->ask<ApiKey::kAlterDatabase>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Status> Admin::drop_database(std::string name, IfAbsent if_absent, DropContent content) {
  std::shared_ptr<Session> session = session_;
  wire::DropDatabaseRequest request;
  request.database_name = std::move(name);
  request.ignore_if_not_exists = if_absent == IfAbsent::kIgnore;
  request.cascade = content == DropContent::kCascade;
  auto answer =
      co_await session->ask<ApiKey::kDropDatabase>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Result<std::vector<std::string>>> Admin::list_databases() {
  std::shared_ptr<Session> session = session_;
  wire::ListDatabasesRequest request;
  CO_ASSIGN_OR_RETURN(wire::ListDatabasesResponse answer,
                      co_await session->ask<ApiKey::kListDatabases>(Role::kTablet, request));
  co_return std::move(answer.database_name);
}

Task<Result<std::vector<DatabaseSummary>>> Admin::list_database_summaries() {
  std::shared_ptr<Session> session = session_;
  wire::ListDatabasesRequest request;
  request.include_summary = true;
  CO_ASSIGN_OR_RETURN(wire::ListDatabasesResponse answer,
                      co_await session->ask<ApiKey::kListDatabases>(Role::kTablet, request));
  std::vector<DatabaseSummary> summaries;
  for (const wire::PbDatabaseSummary& summary : answer.database_summary) {
    summaries.push_back(
        {summary.database_name, TimestampMs(summary.created_time), summary.table_count});
  }
  co_return summaries;
}

Task<Result<bool>> Admin::database_exists(std::string name) {
  std::shared_ptr<Session> session = session_;
  wire::DatabaseExistsRequest request{std::move(name)};
  CO_ASSIGN_OR_RETURN(wire::DatabaseExistsResponse answer,
                      co_await session->ask<ApiKey::kDatabaseExists>(Role::kTablet, request));
  co_return answer.exists;
}

Task<Result<DatabaseInfo>> Admin::database_info(std::string name) {
  std::shared_ptr<Session> session = session_;
  wire::GetDatabaseInfoRequest request{name};
  CO_ASSIGN_OR_RETURN(wire::GetDatabaseInfoResponse answer,
                      co_await session->ask<ApiKey::kGetDatabaseInfo>(Role::kTablet, request));
  DatabaseInfo info;
  info.name = std::move(name);
  if (!answer.database_json.empty()) {
    auto descriptor = database_from_json(answer.database_json.view());
    if (!descriptor) co_return fail(impossible(descriptor.error()));
    info.descriptor = *std::move(descriptor);
  }
  info.created = TimestampMs(answer.created_time);
  info.modified = TimestampMs(answer.modified_time);
  co_return info;
}

Task<Status> Admin::create_table(TablePath path, TableDescriptor descriptor, IfExists if_exists) {
  std::shared_ptr<Session> session = session_;
  wire::CreateTableRequest request;
  request.table_path = to_message(path);
  request.table_json = Bytes::copy_of(to_json(descriptor));
  request.ignore_if_exists = if_exists == IfExists::kKeep;
  auto answer = co_await session->ask<ApiKey::kCreateTable>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Status> Admin::alter_table(TablePath path, TableChange change, IfAbsent if_absent) {
  std::shared_ptr<Session> session = session_;
  wire::AlterTableRequest request;
  request.table_path = to_message(path);
  request.ignore_if_not_exists = if_absent == IfAbsent::kIgnore;
  request.config_changes = to_messages(change.set, change.reset);
  for (ColumnRename& rename : change.columns.rename) {
    request.rename_columns.push_back({std::move(rename.from), std::move(rename.to)});
  }
  for (std::string& name : change.columns.drop) request.drop_columns.push_back({std::move(name)});
  for (Column& column : change.columns.add) {
    request.add_columns.push_back(column_message(std::move(column)));
  }
  auto answer = co_await session->ask<ApiKey::kAlterTable>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Status> Admin::drop_table(TablePath path, IfAbsent if_absent) {
  std::shared_ptr<Session> session = session_;
  wire::DropTableRequest request;
  request.table_path = to_message(path);
  request.ignore_if_not_exists = if_absent == IfAbsent::kIgnore;
  auto answer = co_await session->ask<ApiKey::kDropTable>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Result<std::vector<std::string>>> Admin::list_tables(std::string database) {
  std::shared_ptr<Session> session = session_;
  wire::ListTablesRequest request{std::move(database)};
  CO_ASSIGN_OR_RETURN(wire::ListTablesResponse answer,
                      co_await session->ask<ApiKey::kListTables>(Role::kTablet, request));
  co_return std::move(answer.table_name);
}

Task<Result<bool>> Admin::table_exists(TablePath path) {
  std::shared_ptr<Session> session = session_;
  wire::TableExistsRequest request{to_message(path)};
  CO_ASSIGN_OR_RETURN(wire::TableExistsResponse answer,
                      co_await session->ask<ApiKey::kTableExists>(Role::kTablet, request));
  co_return answer.exists;
}

Task<Result<TableInfo>> Admin::table_info(TablePath path) {
  std::shared_ptr<Session> session = session_;
  wire::GetTableInfoRequest request{to_message(path)};
  CO_ASSIGN_OR_RETURN(wire::GetTableInfoResponse answer,
                      co_await session->ask<ApiKey::kGetTableInfo>(Role::kTablet, request));
  co_return table_info_of(std::move(path), answer);
}

Task<Result<SchemaInfo>> Admin::table_schema(TablePath path, std::optional<SchemaId> id) {
  return get_schema(session_, std::move(path), id);
}

Task<Status> Admin::create_partition(TablePath path, PartitionSpec spec, IfExists if_exists) {
  return client::create_partition(
      session_, std::move(path), std::move(spec), if_exists == IfExists::kKeep);
}

Task<Status> Admin::drop_partition(TablePath path, PartitionSpec spec, IfAbsent if_absent) {
  std::shared_ptr<Session> session = session_;
  wire::DropPartitionRequest request;
  request.table_path = to_message(path);
  request.partition_spec = to_message(spec);
  request.ignore_if_not_exists = if_absent == IfAbsent::kIgnore;
  auto answer =
      co_await session->ask<ApiKey::kDropPartition>(Role::kCoordinator, std::move(request));
  co_return status_of(std::move(answer));
}

Task<Result<std::vector<PartitionInfo>>> Admin::list_partitions(TablePath path,
                                                                PartitionSpec spec) {
  return client::list_partitions(session_, std::move(path), std::move(spec));
}

Task<Result<std::vector<BucketInfo>>> Admin::table_buckets(TablePath path) {
  std::shared_ptr<Session> session = session_;
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(std::move(path)));
  co_return table->buckets;
}

Task<Result<std::vector<BucketOffset>>> Admin::list_offsets(TablePath path,
                                                            OffsetSpec spec,
                                                            std::vector<BucketId> buckets) {
  return list_offsets(PhysicalTablePath{std::move(path), std::nullopt}, spec, std::move(buckets));
}

Task<Result<std::vector<BucketOffset>>> Admin::list_offsets(PhysicalTablePath path,
                                                            OffsetSpec spec,
                                                            std::vector<BucketId> buckets) {
  return client::list_offsets(session_, std::move(path), spec, std::move(buckets));
}

namespace {

struct AskStats {
  Task<Result<BucketAnswers<int64_t>>> operator()(std::shared_ptr<Session> session,
                                                  std::shared_ptr<const TableMetadata> table,
                                                  ServerId leader,
                                                  std::vector<BucketId> buckets) const {
    wire::GetTableStatsRequest request;
    request.table_id = table->info.id.value();
    for (BucketId bucket : buckets) {
      auto& wanted = request.buckets_req.emplace_back();
      wanted.bucket_id = bucket.value();
      if (table->partition) wanted.partition_id = table->partition->id.value();
    }
    CO_ASSIGN_OR_RETURN(wire::GetTableStatsResponse response,
                        co_await session->ask_server<ApiKey::kGetTableStats>(
                            leader, std::move(request), session->options().request_timeout));
    BucketAnswers<int64_t> answers;
    for (const auto& bucket : response.buckets_resp) {
      std::optional<Error> error = error_of(bucket);
      if (error) {
        answers.emplace_back(BucketId(bucket.bucket_id), fail(*std::move(error)));
      } else {
        answers.emplace_back(BucketId(bucket.bucket_id), bucket.row_count.value_or(0));
      }
    }
    co_return answers;
  }
};

}  // namespace

Task<Result<std::vector<BucketStats>>> Admin::table_stats(TablePath path) {
  return table_stats(PhysicalTablePath{std::move(path), std::nullopt});
}

Task<Result<std::vector<BucketStats>>> Admin::table_stats(PhysicalTablePath path) {
  std::shared_ptr<Session> session = session_;
  std::vector<BucketId> all;
  AskStats ask;
  auto rows = co_await ask_leaders<int64_t, AskStats>(session, std::move(path), all, ask);
  if (!rows) co_return fail(std::move(rows).error());
  std::vector<BucketStats> stats;
  for (const auto& [bucket, count] : *rows) stats.push_back({bucket, count});
  co_return stats;
}

Task<Result<ClusterHealth>> Admin::cluster_health() {
  std::shared_ptr<Session> session = session_;
  wire::GetClusterHealthRequest request;
  CO_ASSIGN_OR_RETURN(wire::GetClusterHealthResponse answer,
                      co_await session->ask<ApiKey::kGetClusterHealth>(Role::kTablet, request));
  ClusterHealth health;
  // The protocol's numbers are in the order of the names.
  bool known = answer.status >= 0 && answer.status <= 2;
  if (known) health.status = static_cast<ClusterHealth::Status>(answer.status);
  health.replicas = answer.num_replicas;
  health.in_sync_replicas = answer.in_sync_replicas;
  health.buckets = answer.num_leader_replicas;
  health.buckets_with_leader = answer.active_leader_replicas;
  co_return health;
}

Task<Result<std::vector<ConfigEntry>>> Admin::describe_configs() {
  std::shared_ptr<Session> session = session_;
  wire::DescribeClusterConfigsRequest request;
  auto answer = co_await session->ask<ApiKey::kDescribeClusterConfigs>(Role::kTablet, request);
  if (!answer) co_return fail(std::move(answer).error());
  std::vector<ConfigEntry> entries;
  for (wire::PbDescribeConfig& config : answer->configs) {
    entries.push_back({std::move(config.config_key),
                       std::move(config.config_value),
                       std::move(config.config_source)});
  }
  co_return entries;
}

Task<Result<ClusterNodes>> Admin::server_nodes() { return session_->refresh_nodes(); }

}  // namespace lakestream::client
