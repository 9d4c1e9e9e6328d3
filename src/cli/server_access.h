#pragma once

#include <string>

#include "base/result.h"
#include "client/connection.h"

namespace CLI {
class App;
}

// Which server a command talks to, and how it gets in.
//
// Thread rule: the main thread.
//
//   add_server_options(app, &options->server);
//   ASSIGN_OR_RETURN(client::ConnectionOptions connection, connection_options(options->server));
namespace lakestream::cli {

struct ServerAccess {
  std::string address;
  std::string user = {};           // empty: no login
  std::string password_file = {};  // whose first line it is
  bool tls = false;                // also when one of these is given
  std::string tls_ca = {};         // empty: what the system trusts
  std::string tls_certificate = {};
  std::string tls_key = {};
};

// --server HOST:PORT, --user, --password-file, --tls and the like
void add_server_options(CLI::App& app, ServerAccess* server);
// kInvalidConfigException for a file that can not be read or is none of its kind.
Result<client::ConnectionOptions> connection_options(const ServerAccess& server);

}  // namespace lakestream::cli
