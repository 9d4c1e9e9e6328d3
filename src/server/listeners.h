#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "io/network.h"

// Where a server listens and what it tells clients about it.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(ListenerAddresses addresses, listener_addresses(options));
namespace lakestream {

struct ListenerAddresses {
  Address bind;
  std::string advertised_host;
  uint16_t advertised_port = 0;  // 0: the port that was bound
};

// Out of bind.listeners and advertised.listeners, "NAME://HOST:PORT" each. One listener is served.
// Errors: kInvalidConfigException.
Result<ListenerAddresses> listener_addresses(const ConfigMap& options);

}  // namespace lakestream
