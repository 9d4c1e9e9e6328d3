#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "io/task.h"
#include "security/authorizer.h"

// What the read APIs answer from. A handler is a plain function of the request and this context: it
// never waits, and reads one snapshot from beginning to end.
//
// Thread rule: a ReadContext lives for one call on one shard; ClusterState is immutable.
//
//   ReadContext context{catalog.on(shard), configs, remote, lake_properties};
//   context.session = call.session.get();
//   Result<wire::ListTablesResponse> answer = list_tables(request, context);
namespace lakestream {

// An option that the server was started with or that was set since, as DESCRIBE_CLUSTER_CONFIGS
// shows it.
struct ClusterConfig {
  std::string key;
  std::optional<std::string> value;  // none: what the server was started with does not count
  bool is_dynamic = false;           // set through the cluster, not at the start of a server
};
using ClusterConfigs = std::vector<ClusterConfig>;

// How clients get at remote storage themselves.
struct RemoteAccess {
  std::string scheme = "file";
  // Keys of an object store; nothing for one that has no keys to give.
  struct Keys {
    std::string id;
    std::string secret;
    std::optional<std::string> session_token = {};  // of keys that expire
    std::optional<TimestampMs> expiration_time = {};
  };
  std::optional<Keys> keys;
  // Gives keys that expire, to a caller on that shard; none: those above are given.
  std::function<Task<Result<Keys>>(Shard& here)> session;
  std::vector<std::pair<std::string, std::string>> settings;  // for the client's file system
};

// What is told of the cluster beside its tables. It is replaced when options change.
struct ClusterState {
  ClusterConfigs configs;
  RemoteAccess remote;
  Properties lake_properties;  // of lake_properties_of
};

// What clients need to open the lake themselves: options of its catalog as properties of a table,
// "table.datalake.paimon.warehouse", but for those that are secret.
Properties lake_properties_of(std::string_view format, const Properties& catalog);

struct ReadContext {
  const CatalogSnapshot& catalog;
  const ClusterConfigs& configs;
  const RemoteAccess& remote;
  const Properties& lake_properties;
  const security::Session* session = nullptr;        // who asks; null for this process itself
  const security::Authorizer* authorizer = nullptr;  // null: everybody may everything

  // Whether who asks may see it.
  bool shows(const security::Resource& resource) const {
    return authorizer == nullptr ||
           authorizer->may(session, security::Operation::kDescribe, resource, catalog.acls());
  }
};

}  // namespace lakestream
