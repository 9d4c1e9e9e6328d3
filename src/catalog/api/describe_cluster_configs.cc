#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "catalog/api/read_apis.h"

namespace lakestream {
namespace {

constexpr std::string_view kHidden = "******";

// Words in a key that say that its value must not be shown.
constexpr std::string_view kSecretWords[] = {
    "password", "secret", "credential", "jaas", "access-key", "access.key", "token"};

bool is_secret(std::string_view key) {
  std::string lower(key);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(std::begin(kSecretWords), std::end(kSecretWords), [&](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

}  // namespace

Result<wire::DescribeClusterConfigsResponse> describe_cluster_configs(
    const wire::DescribeClusterConfigsRequest&, const ReadContext& context) {
  wire::DescribeClusterConfigsResponse response;
  for (const ClusterConfig& config : context.configs) {
    bool is_hidden = config.value && is_secret(config.key);
    response.configs.push_back(
        {.config_key = config.key,
         .config_value = is_hidden ? std::string(kHidden) : config.value,
         .config_source = config.is_dynamic ? "DYNAMIC_SERVER_CONFIG" : "INITIAL_SERVER_CONFIG"});
  }
  return response;
}

}  // namespace lakestream
