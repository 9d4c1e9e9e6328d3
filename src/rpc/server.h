#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/env.h"
#include "io/network.h"
#include "io/shard.h"
#include "io/tls.h"
#include "rpc/api_table.h"
#include "security/credentials.h"

// The server side of the Fluss protocol: accepts connections on its listeners, deals them to the
// shards in turn, lets clients log in where the listener asks for it, splits frames, runs handlers
// and writes answers as they become ready. ApiVersions and Authenticate are answered here, and
// before the login nothing else is. A request that names an unknown API or version gets an error
// with its id; a frame that lies about its length gets a server failure and the connection ends.
//
// Peers may be hostile: what each of them and all together can hold is limited, and who does not go
// on is cut off.
//
// Thread rule: made, started and stopped on `shards[0]`; each connection lives on its own shard.
//
//   Server server(env, shards, apis, options);
//   ASSIGN_OR_RETURN(Address bound, server.listen({"127.0.0.1", 9123}, {.name = "FLUSS"}));
//   server.serve();
//   ...
//   co_await server.stop();
namespace lakestream::rpc {

struct ServerOptions {
  size_t request_bytes_max = size_t{100} << 20;
  Duration idle_max = std::chrono::minutes(10);  // 0: no limit
  // Requests of a connection that wait for their answer; above it reading from the connection
  // pauses.
  size_t connection_requests_max = 1024;
  // The same for the bytes of requests and of answers that a peer does not read.
  size_t connection_bytes_max = size_t{256} << 20;
  // The same for all connections together; above it each has one request at a time, above twice it
  // no more is read of large ones.
  size_t bytes_max = size_t{1} << 30;
  // What comes above is closed at once.
  size_t listener_connections_max = 16384;
  size_t address_connections_max = 4096;  // from one address, over all listeners
  // Ends a connection whose peer takes, or sends of a request that it began, less than 1 MiB in so
  // long; 0: no limit.
  Duration stall_max = std::chrono::minutes(1);
  Duration login_time_max = std::chrono::seconds(10);
  size_t login_bytes_max = 16 << 10;   // of a request, and of unread answers, before the login
  int32_t login_failures_max = 10;     // of an address within a minute; 0: no limit
  std::optional<int32_t> server_type;  // 1 coordinator, 2 tablet server, none: all roles
};

// How clients log in.
struct LoginRules {
  std::vector<std::string> mechanisms;
  std::shared_ptr<const security::Credentials> users;  // the first; set_users() replaces them
};

struct ListenerRules {
  std::string name;
  bool is_internal = false;                      // for servers
  std::shared_ptr<const LoginRules> login = {};  // null: everybody may come in
  // Null: no TLS. Without a login, who shows a certificate is who it names.
  std::shared_ptr<const TlsServer> tls = {};
};

class Server {
 public:
  Server(Env& env, std::vector<Shard*> shards, const ApiTable& apis, ServerOptions options);
  ~Server();
  // Takes the port; clients may connect and wait from now on. Requires: before serve().
  Result<Address> listen(const Address& address, ListenerRules rules);
  void serve();
  // Who may log in there from now on; who is in stays in. Any thread, one at a time. Requires: the
  // listener asks for a login.
  void set_users(std::string_view listener, std::shared_ptr<const security::Credentials> users);
  // Refuses new connections, closes those there are, ends when no handler runs any more.
  Task<void> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lakestream::rpc
