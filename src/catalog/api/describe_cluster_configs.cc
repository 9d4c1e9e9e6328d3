#include "base/secrets.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::DescribeClusterConfigsResponse> describe_cluster_configs(
    const wire::DescribeClusterConfigsRequest&, const ReadContext& context) {
  wire::DescribeClusterConfigsResponse response;
  for (const ClusterConfig& config : context.configs) {
    bool is_hidden = config.value && is_secret_option(config.key);
    response.configs.push_back(
        {.config_key = config.key,
         .config_value = is_hidden ? std::string(kHiddenValue) : config.value,
         .config_source = config.is_dynamic ? "DYNAMIC_SERVER_CONFIG" : "INITIAL_SERVER_CONFIG"});
  }
  return response;
}

}  // namespace lakestream
