#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/config.h"
#include "base/result.h"
#include "cli/output.h"
#include "cli/server_access.h"
#include "client/connection.h"
#include "io/real_env.h"

// ClientSession is a connection of a command to a cluster, and the shard that it lives on. The
// cluster is a server somewhere, or one of the session's own that serves a data directory to nobody
// else. The main thread waits for what it gives to run().
//
// Thread rule: the main thread. What is made of the connection belongs to the shard: it is used in
// tasks, and given back by release().
//
//   ASSIGN_OR_RETURN(auto session, ClientSession::open(options.server));
//   client::Admin admin(session->connection());
//   ASSIGN_OR_RETURN(auto names, session->run(admin.list_databases()));
namespace lakestream {
class ObjectStoreRuntime;
class Server;
}  // namespace lakestream

namespace lakestream::cli {

class ClientSession {
 public:
  // Errors: kNetworkException and kAuthenticateException, with what to do.
  static Result<std::unique_ptr<ClientSession>> open(const ServerAccess& server);
  // Starts a server on the data directory; `settings` are options of servers. Errors: those of
  // starting it.
  static Result<std::unique_ptr<ClientSession>> open_data(const std::string& directory,
                                                          TextMap settings);
  ClientSession(size_t pool_threads, size_t shards);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  const std::shared_ptr<client::Connection>& connection() const { return connection_; }
  Env& env() { return real_.env(); }
  Shard& shard() { return shards_.shard(0); }

  template <typename T>
  T run(Task<T> task) {
    return run_blocking(shard(), std::move(task));
  }
  template <typename T>
  void release(std::unique_ptr<T> thing) {
    run(destroy(std::move(thing)));
  }

 private:
  template <typename T>
  static Task<bool> destroy(std::unique_ptr<T> thing) {
    thing.reset();
    co_return true;
  }

  Status start_server(ConfigMap options, TextMap texts);

  std::unique_ptr<ObjectStoreRuntime> object_stores_;
  RealEnv real_;
  ShardGroup shards_;
  std::unique_ptr<Server> server_;  // of the last shard
  std::shared_ptr<client::Connection> connection_;
};

// Opens a session, runs the task that `work` makes on its shard, and reports an error of either
// under the name of the command. The exit code.
int run_with_session(std::string_view command,
                     const ServerAccess& server,
                     OutputFormat format,
                     std::function<Task<Status>(std::shared_ptr<client::Connection>)> work);

}  // namespace lakestream::cli
