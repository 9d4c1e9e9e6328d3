#include "client/cluster_admin.h"

#include <utility>

#include "client/metadata.h"
#include "client/session.h"

namespace lakestream::client {

ClusterAdmin::ClusterAdmin(std::shared_ptr<Connection> connection)
    : session_(connection->session()) {}

Task<Status> ClusterAdmin::alter_configs(std::vector<ConfigChange> changes) {
  std::shared_ptr<Session> session = session_;
  wire::AlterClusterConfigsRequest request;
  for (ConfigChange& change : changes) {
    request.alter_configs.push_back({.config_key = std::move(change.key),
                                     .config_value = std::move(change.value),
                                     .op_type = static_cast<int32_t>(change.op)});
  }
  auto answer = co_await session->ask<wire::ApiKey::kAlterClusterConfigs>(Role::kCoordinator,
                                                                          std::move(request));
  if (!answer) co_return fail(std::move(answer).error());
  co_return ok();
}

}  // namespace lakestream::client
