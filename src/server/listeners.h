#pragma once

#include <map>
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
//   ASSIGN_OR_RETURN(ListenerUsers users, listener_users(changed_options, changed_texts));
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

// By the name of the listener, of those that ask for a login.
using ListenerUsers = std::map<std::string, std::shared_ptr<const security::Credentials>>;

// Who may log in where. Errors: kInvalidConfigException, also for a listener that nobody could log
// in to.
Result<ListenerUsers> listener_users(const ConfigMap& options, const TextMap& texts);

// Out of bind.listeners and advertised.listeners, "NAME://HOST:PORT" each, security.* and
// lakestream.tls.*; `texts` are all options. Of several listeners, that of internal.listener.name
// is internal. Reads the files of TLS. Errors: kInvalidConfigException.
Result<ListenerSetups> listener_setups(const ConfigMap& options, const TextMap& texts);

}  // namespace lakestream
