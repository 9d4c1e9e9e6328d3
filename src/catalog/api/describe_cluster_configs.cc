#include <optional>
#include <string>
#include <utility>

#include "base/secrets.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::DescribeClusterConfigsResponse> describe_cluster_configs(
    const wire::DescribeClusterConfigsRequest&, const ReadContext& context) {
  wire::DescribeClusterConfigsResponse response;
  for (const ClusterConfig& config : context.configs) {
    std::optional<std::string> shown;
    if (config.value) shown = shown_value(config.key, *config.value);
    response.configs.push_back(
        {.config_key = config.key,
         .config_value = std::move(shown),
         .config_source = config.is_dynamic ? "DYNAMIC_SERVER_CONFIG" : "INITIAL_SERVER_CONFIG"});
  }
  return response;
}

}  // namespace lakestream
