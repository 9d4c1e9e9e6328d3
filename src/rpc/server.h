#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "io/env.h"
#include "io/network.h"
#include "io/shard.h"
#include "rpc/api_table.h"

// The server side of the Fluss protocol: accepts connections, deals them to the shards in turn,
// splits frames, runs handlers and writes answers as they become ready. ApiVersions and the
// PLAINTEXT Authenticate are answered here. A request that names an unknown API or version gets an
// error with its id; a frame that lies about its length gets a server failure and the connection
// ends.
//
// Thread rule: made, started and stopped on `shards[0]`; each connection lives on its own shard.
//
//   Server server(env, shards, apis, options);
//   ASSIGN_OR_RETURN(Address bound, server.listen({"127.0.0.1", 9123}));
//   server.serve();
//   ...
//   co_await server.stop();
namespace lakestream::rpc {

struct ServerOptions {
  size_t request_bytes_max = size_t{100} << 20;
  Duration idle_max = std::chrono::minutes(10);
  // Requests of a connection that wait for their answer; above it reading from the connection
  // pauses.
  size_t connection_requests_max = 1024;
  // The same for the bytes of requests and of answers that a peer does not read.
  size_t connection_bytes_max = size_t{256} << 20;
  // The same for all connections together; above it each has one request at a time.
  size_t bytes_max = size_t{1} << 30;
  std::optional<int32_t> server_type;  // 1 coordinator, 2 tablet server, none: all roles
};

class Server {
 public:
  Server(Env& env, std::vector<Shard*> shards, const ApiTable& apis, ServerOptions options);
  ~Server();
  // Takes the port; clients may connect and wait from now on.
  Result<Address> listen(const Address& address);
  // Starts to answer.
  void serve();
  // Closes listeners and connections and waits until no handler runs.
  Task<void> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lakestream::rpc
