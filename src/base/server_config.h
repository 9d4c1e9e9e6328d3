#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/result.h"

// The configuration of a server out of its file and command line. Options of a lake's catalog have
// keys of their own, which its format knows. Options of Fluss that have no effect here are accepted
// with a warning; what nobody knows is refused, as is an option whose missing effect would leave
// the server open.
//
// Thread rule: immutable.
//
//   ASSIGN_OR_RETURN(ServerConfig config, parse_server_config(texts));
//   for (const std::string& warning : config.warnings) LOG_WARN("server", warning);
//   int64_t segment_bytes = config.options.get(server_options::kLogSegmentFileSize);
namespace lakestream {

struct ServerConfig {
  ConfigMap options;
  std::vector<std::string> warnings;
};

// kInvalidConfigException names the option, its value and the rule.
Result<ServerConfig> parse_server_config(const TextMap& texts);

// The format whose catalog the option belongs to, "paimon" of "datalake.paimon.warehouse"; empty
// when it belongs to none.
std::string_view lake_format_of_option(std::string_view key);
// The listener, in small letters, whose users the option names; empty for another option.
std::string_view jaas_listener_of(std::string_view key);

// The options of the catalog of a lake format: those that begin with "datalake.<format>.", without
// that.
TextMap lake_catalog_of(const TextMap& texts, std::string_view format);

}  // namespace lakestream
