#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/types.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/network.h"
#include "io/shard.h"
#include "io/tls.h"

// The way into a cluster: connections to its servers, opened when they are needed and again after
// they broke, and what is known about servers, tables and leaders, refreshed when a server says
// that it is stale. Admin, Appender and LogScanner are made of it.
//
// Servers in the same process are called without a socket and without encoding.
//
// Thread rule: shard-local, with everything that is made of it. Threads that are no shard go
// through run_blocking (io/real_env.h). Call close() and wait for its end before the shard stops.
//
//   CO_ASSIGN_OR_RETURN(auto connection,
//                       co_await Connection::open(env, shard, std::move(bootstrap), options));
//   CO_ASSIGN_OR_RETURN(auto table, co_await connection->table({"fluss", "orders"}));
//   co_await connection->close();
namespace lakestream::rpc {
class ApiTable;
}  // namespace lakestream::rpc

namespace lakestream::client {

class Session;

// A server of this process. Its handlers stamp the batches of a produce request in place.
struct LocalServer {
  const rpc::ApiTable* apis = nullptr;  // outlives the connection
  Shard* shard = nullptr;               // where the handlers run: one of the server's
  std::vector<Address> addresses =
      {};  // under which it appears in metadata; empty: every server is it
};

struct UserLogin {
  std::string user;
  std::string password;
};

struct ConnectionOptions {
  Duration connect_timeout = std::chrono::seconds(15);
  Duration request_timeout = std::chrono::seconds(30);
  // Waits before the second, third, … attempt: doubled from the first to the last.
  Duration backoff_min = std::chrono::milliseconds(100);
  Duration backoff_max = std::chrono::seconds(1);
  // Attempts of one call (metadata, DDL, offsets) that fails with a retriable error.
  int32_t attempts_max = 4;
  std::optional<UserLogin> login = {};        // for servers that ask for one
  std::shared_ptr<const TlsClient> tls = {};  // null: no TLS
  std::vector<LocalServer> local_servers = {};
};

class Connection {
 public:
  // Asks the bootstrap servers in turn for the servers of the cluster; with a local server that is
  // every server the list may be empty. Errors: kNetworkException when none answers.
  static Task<Result<std::shared_ptr<Connection>>> open(Env& env,
                                                        Shard& shard,
                                                        std::vector<Address> bootstrap,
                                                        ConnectionOptions options);
  explicit Connection(std::shared_ptr<Session> session);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From the cache when it is there. Errors: kTableNotExist, those of the network.
  Task<Result<std::shared_ptr<const TableMetadata>>> table(TablePath path);
  // Always asks.
  Task<Result<std::shared_ptr<const TableMetadata>>> refresh_table(TablePath path);
  Task<Result<ClusterNodes>> refresh_nodes();
  // As of the last refresh.
  const ClusterNodes& nodes() const;

  // Ends what still waits with kNetworkException and closes the connections. Never fails.
  Task<Status> close();

  // For the other classes of the client.
  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace lakestream::client
