#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {
namespace {

Result<DatabaseChange> to_change(wire::AlterDatabaseRequest request) {
  DatabaseChange change;
  change.comment = std::move(request.comment);
  for (wire::PbAlterConfig& config : request.config_changes) {
    auto op = static_cast<AlterOp>(config.op_type);
    if (op == AlterOp::kSet && config.config_value) {
      change.properties.emplace_back(std::move(config.config_key), std::move(config.config_value));
    } else if (op == AlterOp::kDelete) {
      change.properties.emplace_back(std::move(config.config_key), std::nullopt);
    } else {
      return make_error(
          ErrorCode::kInvalidConfigException,
          "change of property '{}' with operation {}: properties of a database are set "
          "(0, with a value) or deleted (1)",
          config.config_key,
          config.op_type);
    }
  }
  return change;
}

}  // namespace

Task<Result<wire::AlterDatabaseResponse>> alter_database_api(wire::AlterDatabaseRequest request,
                                                             rpc::RequestContext call,
                                                             Coordinator* coordinator) {
  std::string name = request.database_name;
  bool ignore = request.ignore_if_not_exists;
  CO_ASSIGN_OR_RETURN(DatabaseChange change, to_change(std::move(request)));
  auto alter = [coordinator, name = std::move(name), change = std::move(change), ignore]() mutable {
    return coordinator->alter_database(std::move(name), std::move(change), ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(alter)));
  co_return wire::AlterDatabaseResponse{};
}

}  // namespace lakestream::coordinator
