#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/logging.h"
#include "base/result.h"
#include "io/env.h"
#include "io/network.h"
#include "io/task.h"

// A whole server: metadata store, coordinator, tablets and listener in one process. start() ends
// when requests are answered; stop() when everything is on stable storage and the port is free.
//
// Start: lock of the data directory, metadata store, listener (bound, not answering), tablets,
// coordinator, recovery of all logs, then serve. Stop is the reverse.
//
// Thread rule: start, stop and the destructor on the control shard.
//
//   CO_ASSIGN_OR_RETURN(auto server, co_await Server::start(env, shards, options));
//   std::puts(to_string(server->address()).c_str());
//   co_await server->stop();
namespace lakestream {

class KvEngines;
class MetaStore;
class ObjectStore;
namespace rpc {
class ApiTable;
}

struct ServerShards {
  std::vector<Shard*> homes;      // indexes 0, 1, 2, ...: connections and buckets
  Shard* control;                 // the next index: coordinator and housekeeping
  Shard* background = nullptr;    // the tiering worker; null: control
  Env* background_env = nullptr;  // with the pool of its work; null: that of the server
};

struct ServerSetup {
  ConfigMap options;
  TextMap texts;  // of the options; what is set at run time goes over them
  // A store of the caller's, which outlives the server; null: the embedded one in the data
  // directory.
  MetaStore* meta_store = nullptr;
  // Where primary-key tables keep their rows; null: RocksDB.
  std::shared_ptr<KvEngines> kv_engines = nullptr;
  // Whether there is a port. Without one only this process reaches it, through apis().
  bool listens = true;
  // Remote storage and the lake, which outlive the server; null: those of the options.
  ObjectStore* objects = nullptr;
  // Of the options whose text came from somewhere else, what the user wrote:
  // DESCRIBE_CLUSTER_CONFIGS shows that.
  TextMap references = {};
};

// The least severity of what the server says.
LogLevel log_level_of(const ConfigMap& options);

class Server {
 public:
  // Errors say what to do: a port in use, a directory that is locked or cannot be written.
  static Task<Result<std::unique_ptr<Server>>> start(Env& env,
                                                     ServerShards shards,
                                                     ServerSetup setup);
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  ~Server();

  const Address& address() const;
  // How a client in the same process calls it, from any shard of the server.
  const rpc::ApiTable& apis() const;
  Task<Status> stop();

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakestream
