#include <algorithm>
#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {
namespace {

TieringClaim to_claim(const wire::PbHeartbeatReqForTable& table) {
  return {TableId(table.table_id), table.coordinator_epoch, table.tiering_epoch};
}

TieringReport to_report(const wire::LakeTieringHeartbeatRequest& request) {
  TieringReport report;
  for (const auto& table : request.failed_tables) {
    report.failed.push_back(to_claim(table));
    if (table.failure) report.failures[TableId(table.table_id)] = *table.failure;
  }
  for (const auto& table : request.tiering_tables) {
    report.running.push_back(to_claim(table));
    if (table.failure) report.failures[TableId(table.table_id)] = *table.failure;
  }
  const std::vector<int64_t>& forced = request.force_finished_tables;
  for (const auto& table : request.finished_tables) {
    FinishedTiering finished;
    finished.claim = to_claim(table);
    finished.is_forced = std::find(forced.begin(), forced.end(), table.table_id) != forced.end();
    if (table.lake_tiering_stats) {
      finished.stats = {table.lake_tiering_stats->file_size,
                        table.lake_tiering_stats->record_count};
    }
    report.finished.push_back(std::move(finished));
  }
  report.wants_table = request.request_table.value_or(false);
  return report;
}

std::vector<wire::PbHeartbeatRespForTable> to_message(std::vector<TieringOutcome> outcomes) {
  std::vector<wire::PbHeartbeatRespForTable> tables;
  for (TieringOutcome& outcome : outcomes) {
    wire::PbHeartbeatRespForTable table;
    table.table_id = outcome.table.value();
    if (!outcome.status) {
      table.error.emplace();
      table.error->error_code = static_cast<int32_t>(outcome.status.error().code());
      table.error->error_message = outcome.status.error().message();
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

Task<Result<std::vector<wire::PbTieringStatus>>> describe(rpc::RequestContext call,
                                                          Coordinator* coordinator) {
  auto views = [coordinator] { return coordinator->tiering_views(); };
  CO_ASSIGN_OR_RETURN(std::vector<TieringView> tables,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(views)));
  std::vector<wire::PbTieringStatus> statuses;
  for (TieringView& table : tables) {
    wire::PbTieringStatus status;
    status.table_id = table.table.value();
    status.table_path = {std::move(table.path.database), std::move(table.path.table)};
    status.state = std::string(table.state);
    status.in_state_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(table.in_state).count();
    status.failures = static_cast<int64_t>(table.failures);
    if (!table.last_failure.empty()) status.failure = std::move(table.last_failure);
    statuses.push_back(std::move(status));
  }
  co_return statuses;
}

}  // namespace

Task<Result<wire::LakeTieringHeartbeatResponse>> lake_tiering_heartbeat_api(
    wire::LakeTieringHeartbeatRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  auto beat = [coordinator, report = to_report(request)]() mutable {
    return coordinator->tiering_heartbeat(std::move(report));
  };
  CO_ASSIGN_OR_RETURN(TieringAnswer answer,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(beat)));
  wire::LakeTieringHeartbeatResponse response;
  response.coordinator_epoch = answer.coordinator_epoch;
  response.failed_table_resp = to_message(std::move(answer.failed));
  response.tiering_table_resp = to_message(std::move(answer.running));
  response.finished_table_resp = to_message(std::move(answer.finished));
  if (answer.task) {
    wire::PbLakeTieringTableInfo table;
    table.table_id = answer.task->table.value();
    table.table_path = {std::move(answer.task->path.database), std::move(answer.task->path.table)};
    table.tiering_epoch = answer.task->tiering_epoch;
    response.tiering_table = std::move(table);
  }
  if (request.describe_tables.value_or(false)) {
    CO_ASSIGN_OR_RETURN(response.tiering_statuses, co_await describe(call, coordinator));
  }
  co_return response;
}

}  // namespace lakestream::coordinator
