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

// Second names that files for Fluss may have. The first name goes before the second.
constexpr std::pair<std::string_view, std::string_view> kSecondNames[] = {
    {"s3.access.key", "s3.access-key"},
    {"s3.path.style.access", "s3.path-style-access"},
    {"s3.secret.key", "s3.secret-key"},
};

std::string first_name(std::string_view key) {
  for (const auto& [second, first] : kSecondNames) {
    if (key == second) return std::string(first);
  }
  return std::string(key);
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

// A key and its secret.
Status check_pair(const ConfigMap& options, Option<std::string> key, Option<std::string> secret) {
  if (options.is_set(key) == options.is_set(secret)) return ok();
  std::string_view names[] = {server_option_table()[key.row].key,
                              server_option_table()[secret.row].key};
  bool has_key = options.is_set(key);
  return make_error(ErrorCode::kInvalidConfigException,
                    "option '{}' is set without '{}'; set both or none",
                    names[has_key ? 0 : 1],
                    names[has_key ? 1 : 0]);
}

// Rules between options.
Status check_together(const ConfigMap& options) {
  RETURN_IF_ERROR(check_pair(options, server_options::kS3AccessKey, server_options::kS3SecretKey));
  RETURN_IF_ERROR(check_pair(options,
                             server_options::kLakestreamS3ClientAccessKey,
                             server_options::kLakestreamS3ClientSecretKey));
  if (options.find(server_options::kDatalakeEnabled).value_or(false) &&
      !options.is_set(server_options::kDatalakeFormat)) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "option 'datalake.enabled' is true without 'datalake.format'; set the format "
                      "of the lake");
  }
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

std::string_view lake_format_of_option(std::string_view key) {
  constexpr std::string_view kPrefix = "datalake.";
  if (!key.starts_with(kPrefix)) return {};
  key.remove_prefix(kPrefix.size());
  std::string_view format = key.substr(0, key.find('.'));
  const OptionInfo* formats = find_option(server_option_table(), "datalake.format");
  bool has_name = key.size() > format.size() + 1;
  return has_name && parse_choice(format, formats->choices) ? format : std::string_view();
}

Result<ServerConfig> parse_server_config(const TextMap& texts) {
  TextMap known;
  std::vector<std::string> lake_keys;  // of catalogs, of all formats
  std::vector<std::string> warnings;
  for (const auto& [name, text] : texts) {
    std::string key = first_name(name);
    if (key != name && texts.contains(key)) continue;
    if (find_option(server_option_table(), key) != nullptr) {
      known[key] = text;
      continue;
    }
    if (!lake_format_of_option(key).empty()) {
      lake_keys.push_back(key);
      continue;
    }
    switch (classify(key)) {
      case Foreign::kUnknown:
        known[key] = text;  // refused below, with the nearest key
        break;
      case Foreign::kUnsafe:
        if (text != "false") {
          return make_error(ErrorCode::kInvalidConfigException,
                            "option '{}' asks for protection that this server does not have, "
                            "remove it if the network is trusted",
                            key);
        }
        break;
      case Foreign::kIgnored:
        warnings.push_back(fmt::format("option '{}' has no effect on this server", key));
        break;
    }
  }
  ASSIGN_OR_RETURN(ConfigMap options, ConfigMap::create(server_option_table(), known));
  RETURN_IF_ERROR(check_together(options));
  if (!options.is_set(server_options::kDatalakeFormat)) {
    for (const std::string& key : lake_keys) {
      warnings.push_back(
          fmt::format("option '{}' has no effect, 'datalake.format' is not set", key));
    }
  }
  return ServerConfig{std::move(options), std::move(warnings)};
}

TextMap lake_catalog_of(const TextMap& texts, std::string_view format) {
  TextMap catalog;
  std::string prefix = fmt::format("datalake.{}.", format);
  for (const auto& [key, text] : texts) {
    if (key.starts_with(prefix)) catalog[key.substr(prefix.size())] = text;
  }
  return catalog;
}

}  // namespace lakestream
