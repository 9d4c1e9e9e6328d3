#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "io/network.h"
#include "rpc/server.h"

// Where a server listens, what it tells clients about it, and who may come in there.
//
// Thread rule: pure functions, but for the files of TLS.
//
//   ASSIGN_OR_RETURN(ListenerSetups setups, listener_setups(options, texts));
namespace lakestream {

struct ListenerSetup {
  rpc::ListenerRules rules;
  Address bind;
  Address advertised;  // port 0: the one that was bound
};

struct ListenerSetups {
  std::vector<ListenerSetup> listeners;
  std::shared_ptr<TlsServer> tls;  // of those that speak TLS; null: none does
};

// Out of bind.listeners and advertised.listeners, "NAME://HOST:PORT" each, security.* and
// lakestream.tls.*; `texts` are all options. Of several listeners, that of internal.listener.name
// is internal. Reads the files of TLS. Errors: kInvalidConfigException.
Result<ListenerSetups> listener_setups(const ConfigMap& options, const TextMap& texts);

}  // namespace lakestream
