#include "base/server_config.h"

#include <string_view>
#include <utility>

#include "base/server_options.h"

namespace lakestream {
namespace {

bool matches(std::string_view pattern, std::string_view key) {
  if (!pattern.ends_with('*')) return key == pattern;
  pattern.remove_suffix(1);
  return key.starts_with(pattern);
}

enum class Foreign { kUnknown, kIgnored, kUnsafe };

Foreign classify(std::string_view key) {
  for (std::string_view pattern : accepted_server_keys()) {
    bool unsafe = pattern.starts_with('!');
    if (unsafe) pattern.remove_prefix(1);
    if (matches(pattern, key)) return unsafe ? Foreign::kUnsafe : Foreign::kIgnored;
  }
  return Foreign::kUnknown;
}

// Rules between options.
Status check_together(const ConfigMap& options) {
  double limit = options.get(server_options::kServerDataDiskWriteLimitRatio);
  double recover = options.get(server_options::kServerDataDiskWriteRecoverRatio);
  if (recover >= limit) {
    return make_error(
        ErrorCode::kInvalidConfigException,
        "option 'server.data-disk.write-recover-ratio': {} is not below {}, the value "
        "of 'server.data-disk.write-limit-ratio'",
        recover,
        limit);
  }
  return ok();
}

}  // namespace

Result<ServerConfig> parse_server_config(const TextMap& texts) {
  TextMap known;
  std::vector<std::string> warnings;
  for (const auto& [key, text] : texts) {
    if (find_option(server_option_table(), key) != nullptr) {
      known[key] = text;
      continue;
    }
    switch (classify(key)) {
      case Foreign::kUnknown:
        known[key] = text;  // refused below, with the nearest key
        break;
      case Foreign::kUnsafe:
        if (text != "false") {
          return make_error(ErrorCode::kInvalidConfigException,
                            "option '{}': '{}' asks for protection that this server does not "
                            "have, remove it if the network is trusted",
                            key,
                            text);
        }
        break;
      case Foreign::kIgnored:
        warnings.push_back(fmt::format("option '{}' has no effect on this server", key));
        break;
    }
  }
  ASSIGN_OR_RETURN(ConfigMap options, ConfigMap::create(server_option_table(), known));
  RETURN_IF_ERROR(check_together(options));
  return ServerConfig{std::move(options), std::move(warnings)};
}

}  // namespace lakestream
