#include <string>
#include <string_view>

#include "catalog/api/read_apis.h"
#include "catalog/api/secrets.h"

namespace lakestream {
namespace {

constexpr std::string_view kHidden = "******";

}  // namespace

Result<wire::DescribeClusterConfigsResponse> describe_cluster_configs(
    const wire::DescribeClusterConfigsRequest&, const ReadContext& context) {
  wire::DescribeClusterConfigsResponse response;
  for (const ClusterConfig& config : context.configs) {
    bool is_hidden = config.value && names_secret(config.key);
    response.configs.push_back(
        {.config_key = config.key,
         .config_value = is_hidden ? std::string(kHidden) : config.value,
         .config_source = config.is_dynamic ? "DYNAMIC_SERVER_CONFIG" : "INITIAL_SERVER_CONFIG"});
  }
  return response;
}

}  // namespace lakestream
