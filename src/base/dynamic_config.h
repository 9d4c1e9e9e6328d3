#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/result.h"

// Options of the servers that are set while the cluster runs, over those that the servers were
// started with. Which ones there are: the alterable rows of config.tsv and the options of the
// catalogs of lakes, datalake.<format>.*. All errors are kConfigException and name the option.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(DynamicTexts next, change_dynamic(started_with, dynamic, changes));
//   ASSIGN_OR_RETURN(ServerConfig config, parse_dynamic(started_with, next));
namespace lakestream {

// By key. One without a value hides what the server was started with: the option is not set.
using DynamicTexts = std::map<std::string, std::optional<std::string>, std::less<>>;

// One step of a change. The numbers are those of the protocol.
struct ConfigChange {
  enum class Op : int32_t {
    kSet = 0,
    kDelete = 1,    // what the server was started with counts again
    kAppend = 2,    // one item to a list or a map
    kSubtract = 3,  // the item, or the key of the map; fine when it is not there
  };
  std::string key;
  std::optional<std::string> value;
  Op op = Op::kSet;
};

// The steps in their order, each on what the one before left.
Result<DynamicTexts> change_dynamic(const TextMap& started_with,
                                    DynamicTexts dynamic,
                                    const std::vector<ConfigChange>& changes);

// What counts: the options that the server was started with and, over them, the dynamic ones.
TextMap effective_texts(const TextMap& started_with, const DynamicTexts& dynamic);

struct ServerConfig;
// All rules of a configuration on what counts.
Result<ServerConfig> parse_dynamic(const TextMap& started_with, const DynamicTexts& dynamic);

}  // namespace lakestream
