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

// Such as a key and its secret.
Status check_pair(const ConfigMap& options, Option<std::string> one, Option<std::string> other) {
  if (options.is_set(one) == options.is_set(other)) return ok();
  std::string_view names[] = {server_option_table()[one.row].key,
                              server_option_table()[other.row].key};
  bool has_one = options.is_set(one);
  return make_error(ErrorCode::kInvalidConfigException,
                    "option '{}' is set without '{}'; set both or none",
                    names[has_one ? 0 : 1],
                    names[has_one ? 1 : 0]);
}

Status check_pairs(const ConfigMap& options) {
  using namespace server_options;
  RETURN_IF_ERROR(check_pair(options, kS3AccessKey, kS3SecretKey));
  RETURN_IF_ERROR(check_pair(options, kLakestreamS3ClientAccessKey, kLakestreamS3ClientSecretKey));
  RETURN_IF_ERROR(check_pair(options, kClientSecuritySaslUsername, kClientSecuritySaslPassword));
  RETURN_IF_ERROR(check_pair(options, kLakestreamTlsCertificateFile, kLakestreamTlsKeyFile));
  return check_pair(options, kLakestreamClientTlsCertificateFile, kLakestreamClientTlsKeyFile);
}

// Rules between options.
Status check_together(const ConfigMap& options) {
  RETURN_IF_ERROR(check_pairs(options));
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
    if (!jaas_listener_of(key).empty()) continue;  // for who opens the listeners
    switch (classify(key)) {
      case Foreign::kUnknown:
        known[key] = text;  // refused below, with the nearest key
        break;
      case Foreign::kUnsafe:
        if (text != "false") {
          // Not the value: a key with a slip of the pen may have a password.
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

std::string_view jaas_listener_of(std::string_view key) {
  constexpr std::string_view kBefore = "security.sasl.listener.name.";
  constexpr std::string_view kBehind = ".plain.jaas.config";
  if (!key.starts_with(kBefore) || !key.ends_with(kBehind)) return {};
  if (key.size() <= kBefore.size() + kBehind.size()) return {};
  return key.substr(kBefore.size(), key.size() - kBefore.size() - kBehind.size());
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
