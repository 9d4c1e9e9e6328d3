#include "client/lake_admin.h"

#include <utility>

#include "client/metadata.h"
#include "client/session.h"

namespace lakestream::client {
namespace {

using wire::ApiKey;

// As in the protocol: it matches no snapshot, so nothing is left out.
constexpr int64_t kKeepAll = -1;

std::optional<int64_t> id_of(const std::optional<PartitionId>& partition) {
  return partition ? std::optional(partition->value()) : std::nullopt;
}

wire::PbHeartbeatReqForTable to_message(const TieringTicket& ticket) {
  wire::PbHeartbeatReqForTable message;
  message.table_id = ticket.table.value();
  message.coordinator_epoch = ticket.coordinator_epoch;
  message.tiering_epoch = ticket.tiering_epoch;
  return message;
}

wire::PbHeartbeatReqForTable to_message(const TieringReport& report, const TieringTicket& ticket) {
  wire::PbHeartbeatReqForTable message = to_message(ticket);
  auto failure = report.failures.find(ticket.table);
  if (failure != report.failures.end()) message.failure = failure->second;
  return message;
}

wire::LakeTieringHeartbeatRequest to_message(const TieringReport& report) {
  wire::LakeTieringHeartbeatRequest request;
  for (const TieringTicket& ticket : report.running) {
    request.tiering_tables.push_back(to_message(report, ticket));
  }
  for (const FinishedTiering& finished : report.finished) {
    request.finished_tables.push_back(to_message(finished.ticket));
    if (finished.stats) {
      request.finished_tables.back().lake_tiering_stats = {finished.stats->bytes,
                                                           finished.stats->rows};
    }
    if (finished.is_forced) request.force_finished_tables.push_back(finished.ticket.table.value());
  }
  for (const TieringTicket& ticket : report.failed) {
    request.failed_tables.push_back(to_message(report, ticket));
  }
  if (report.wants_table) request.request_table = true;
  return request;
}

void add_refusals(std::vector<wire::PbHeartbeatRespForTable> tables, TieringAnswer* answer) {
  for (wire::PbHeartbeatRespForTable& table : tables) {
    if (!table.error) continue;
    Error error(static_cast<ErrorCode>(table.error->error_code),
                std::move(table.error->error_message).value_or(""));
    answer->refused.push_back({TableId(table.table_id), std::move(error)});
  }
}

wire::PbLakeTableSnapshotInfo progress_message(const LakeSnapshotCommit& commit) {
  wire::PbLakeTableSnapshotInfo message;
  message.table_id = commit.table.value();
  message.snapshot_id = commit.snapshot.value();
  message.table_path = client::to_message(commit.path);
  for (const auto& [bucket, offset] : commit.progress) {
    wire::PbLakeTableOffsetForBucket entry;
    entry.partition_id = id_of(bucket.partition);
    entry.bucket_id = bucket.bucket.value();
    entry.log_end_offset = offset.value();
    auto time = commit.max_timestamps.find(bucket);
    if (time != commit.max_timestamps.end()) entry.max_timestamp = time->second.value();
    message.buckets_req.push_back(std::move(entry));
  }
  return message;
}

std::optional<int64_t> earliest_of(const LakeRetention& retention) {
  switch (retention.kind) {
    case LakeRetention::Kind::kOnlyThis:
      break;
    case LakeRetention::Kind::kFrom:
      return retention.first.value();
    case LakeRetention::Kind::kAll:
      return kKeepAll;
  }
  return std::nullopt;
}

Task<Result<LakeTableSnapshot>> get_snapshot(std::shared_ptr<Session> session,
                                             wire::GetLakeSnapshotRequest request) {
  CO_ASSIGN_OR_RETURN(
      wire::GetLakeSnapshotResponse answer,
      co_await session->ask<ApiKey::kGetLakeSnapshot>(Role::kTablet, std::move(request)));
  LakeTableSnapshot snapshot{TableId(answer.table_id), LakeSnapshotId(answer.snapshot_id), {}};
  for (const wire::PbLakeSnapshotForBucket& entry : answer.bucket_snapshots) {
    if (!entry.log_offset || *entry.log_offset < 0) continue;
    TableBucket bucket{snapshot.table, std::nullopt, BucketId(entry.bucket_id)};
    if (entry.partition_id) bucket.partition = PartitionId(*entry.partition_id);
    snapshot.offsets[bucket] = Offset(*entry.log_offset);
  }
  co_return snapshot;
}

// The answer about the one table of a request. An absent code says that it worked.
template <typename Answer>
Status status_of(std::vector<Answer>& tables) {
  if (tables.empty()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the server's answer can not be: it leaves out the table of the request");
  }
  Answer& table = tables.front();
  if (!table.error_code || *table.error_code == 0) return ok();
  return fail(Error(static_cast<ErrorCode>(*table.error_code),
                    std::move(table.error_message).value_or("")));
}

}  // namespace

LakeAdmin::LakeAdmin(std::shared_ptr<Connection> connection) : session_(connection->session()) {}

Task<Result<LakeTableSnapshot>> LakeAdmin::latest_snapshot(TablePath path) {
  wire::GetLakeSnapshotRequest request;
  request.table_path = client::to_message(path);
  return get_snapshot(session_, std::move(request));
}

Task<Result<LakeTableSnapshot>> LakeAdmin::readable_snapshot(TablePath path) {
  wire::GetLakeSnapshotRequest request;
  request.table_path = client::to_message(path);
  request.readable = true;
  return get_snapshot(session_, std::move(request));
}

Task<Result<LakeTableSnapshot>> LakeAdmin::snapshot(TablePath path, LakeSnapshotId id) {
  wire::GetLakeSnapshotRequest request;
  request.table_path = client::to_message(path);
  request.snapshot_id = id.value();
  return get_snapshot(session_, std::move(request));
}

Task<Result<TieringAnswer>> LakeAdmin::heartbeat(TieringReport report) {
  std::shared_ptr<Session> session = session_;
  wire::LakeTieringHeartbeatRequest request = to_message(report);
  CO_ASSIGN_OR_RETURN(
      wire::LakeTieringHeartbeatResponse response,
      co_await session->ask<ApiKey::kLakeTieringHeartbeat>(Role::kCoordinator, std::move(request)));
  TieringAnswer answer;
  answer.coordinator_epoch = response.coordinator_epoch;
  if (response.tiering_table) {
    wire::PbLakeTieringTableInfo& table = *response.tiering_table;
    answer.task = TieringTask{
        .ticket = {TableId(table.table_id), response.coordinator_epoch, table.tiering_epoch},
        .path = {.database = std::move(table.table_path.database_name),
                 .table = std::move(table.table_path.table_name)}};
  }
  add_refusals(std::move(response.failed_table_resp), &answer);
  add_refusals(std::move(response.tiering_table_resp), &answer);
  add_refusals(std::move(response.finished_table_resp), &answer);
  co_return answer;
}

Task<Result<std::vector<TieringStatus>>> LakeAdmin::tiering_statuses() {
  std::shared_ptr<Session> session = session_;
  wire::LakeTieringHeartbeatRequest request;
  request.describe_tables = true;
  CO_ASSIGN_OR_RETURN(
      wire::LakeTieringHeartbeatResponse response,
      co_await session->ask<ApiKey::kLakeTieringHeartbeat>(Role::kCoordinator, std::move(request)));
  std::vector<TieringStatus> statuses;
  for (wire::PbTieringStatus& table : response.tiering_statuses) {
    TieringStatus status;
    status.table = TableId(table.table_id);
    status.path = {.database = std::move(table.table_path.database_name),
                   .table = std::move(table.table_path.table_name)};
    status.state = std::move(table.state);
    status.in_state = std::chrono::milliseconds(table.in_state_ms);
    status.failures = table.failures;
    status.failure = std::move(table.failure).value_or("");
    statuses.push_back(std::move(status));
  }
  co_return statuses;
}

Task<Result<std::string>> LakeAdmin::prepare_snapshot(TablePath path,
                                                      TableId table,
                                                      LakeOffsets offsets) {
  std::shared_ptr<Session> session = session_;
  wire::PbTableOffsets message;
  message.table_id = table.value();
  message.table_path = client::to_message(path);
  for (const auto& [bucket, offset] : offsets) {
    message.bucket_offsets.push_back(
        {id_of(bucket.partition), bucket.bucket.value(), offset.value()});
  }
  wire::PrepareLakeTableSnapshotRequest request;
  request.bucket_offsets.push_back(std::move(message));
  CO_ASSIGN_OR_RETURN(wire::PrepareLakeTableSnapshotResponse answer,
                      co_await session->ask<ApiKey::kPrepareLakeTableSnapshot>(Role::kCoordinator,
                                                                               std::move(request)));
  CO_RETURN_IF_ERROR(status_of(answer.prepare_lake_table_resp));
  co_return answer.prepare_lake_table_resp.front().lake_table_offsets_path.value_or("");
}

Task<Status> LakeAdmin::commit_snapshot(LakeSnapshotCommit commit) {
  std::shared_ptr<Session> session = session_;
  wire::CommitLakeTableSnapshotRequest request;
  request.tables_req.push_back(progress_message(commit));
  wire::PbLakeTableSnapshotMetadata metadata;
  metadata.table_id = commit.table.value();
  metadata.snapshot_id = commit.snapshot.value();
  metadata.tiered_bucket_offsets_file_path = std::move(commit.tiered_path);
  metadata.readable_bucket_offsets_file_path = std::move(commit.readable_path);
  metadata.earliest_snapshot_id_to_keep = earliest_of(commit.retention);
  request.lake_table_snapshot_metadata.push_back(std::move(metadata));
  CO_ASSIGN_OR_RETURN(wire::CommitLakeTableSnapshotResponse answer,
                      co_await session->ask<ApiKey::kCommitLakeTableSnapshot>(Role::kCoordinator,
                                                                              std::move(request)));
  co_return status_of(answer.table_resp);
}

}  // namespace lakestream::client
