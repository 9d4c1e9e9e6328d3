#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::AlterClusterConfigsResponse>> alter_cluster_configs_api(
    wire::AlterClusterConfigsRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  std::vector<ConfigChange> changes;
  for (wire::PbAlterConfig& config : request.alter_configs) {
    changes.push_back({.key = std::move(config.config_key),
                       .value = std::move(config.config_value),
                       .op = static_cast<ConfigChange::Op>(config.op_type)});
  }
  auto alter = [coordinator, changes = std::move(changes)]() mutable {
    return coordinator->alter_configs(std::move(changes));
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(alter)));
  co_return wire::AlterClusterConfigsResponse{};
}

}  // namespace lakestream::coordinator
