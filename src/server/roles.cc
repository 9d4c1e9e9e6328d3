#include "server/roles.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/server_options.h"

namespace lakestream {

Result<Roles> roles_of(const ConfigMap& options) {
  constexpr std::string_view kNames[] = {"coordinator", "tablet", "tiering"};
  std::vector<std::string> list = options.get(server_options::kLakestreamRoles);
  for (const std::string& name : list) {
    if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) continue;
    return make_error(ErrorCode::kInvalidConfigException,
                      "option 'lakestream.roles': '{}' is no role; take of {}",
                      name,
                      fmt::join(kNames, ", "));
  }
  std::set<std::string> roles(list.begin(), list.end());
  bool has_tiering = roles.contains("tiering");
  if (has_tiering && roles.size() == 1) {
    if (options.is_set(server_options::kBootstrapServers)) return Roles::kOnlyTiering;
    return make_error(ErrorCode::kInvalidConfigException,
                      "a process with only the tiering role works for a server; name it with "
                      "--server HOST:PORT or bootstrap.servers");
  }
  if (!roles.contains("coordinator") || !roles.contains("tablet")) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "option 'lakestream.roles': '{}' can not be; coordinator and tablet run in "
                      "one process so far, tiering there or alone",
                      fmt::join(list, ","));
  }
  return has_tiering ? Roles::kAll : Roles::kAllButTiering;
}

}  // namespace lakestream
