#pragma once

#include <memory>
#include <vector>

#include "base/dynamic_config.h"
#include "base/result.h"
#include "client/connection.h"

// Changes of the cluster itself. What there is to see of it is in admin.h. Errors are those of the
// server; a call that fails with a retriable one is sent again (ConnectionOptions::attempts_max).
//
// Thread rule: shard-local.
//
//   ClusterAdmin admin(connection);
//   CO_RETURN_IF_ERROR(co_await admin.alter_configs({{"kv.snapshot.interval", "1 min"}}));
namespace lakestream::client {

class ClusterAdmin {
 public:
  explicit ClusterAdmin(std::shared_ptr<Connection> connection);

  // Options of the running servers, all or none. kConfigException.
  Task<Status> alter_configs(std::vector<ConfigChange> changes);

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace lakestream::client
