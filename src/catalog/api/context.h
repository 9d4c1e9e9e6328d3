#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"

// What the read APIs answer from. A handler is a plain function of the request and this context: it
// never waits, and reads one snapshot from beginning to end.
//
// Thread rule: a ReadContext lives for one call on one shard; ClusterConfigs is immutable.
//
//   ReadContext context{catalog.on(shard), configs};
//   Result<wire::ListTablesResponse> answer = list_tables(request, context);
namespace lakestream {

// An option that the server was started with or that was set since, as DESCRIBE_CLUSTER_CONFIGS
// shows it.
struct ClusterConfig {
  std::string key;
  std::string value;
  bool is_dynamic = false;  // set through the cluster, not at the start of a server
};
using ClusterConfigs = std::vector<ClusterConfig>;

struct ReadContext {
  const CatalogSnapshot& catalog;
  const ClusterConfigs& configs;
};

}  // namespace lakestream
