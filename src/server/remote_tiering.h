#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "io/env.h"
#include "io/network.h"
#include "io/shard.h"
#include "io/task.h"

// A tiering worker without a server: it copies tables of a cluster elsewhere to the lake. The
// cluster says which lake that is; its secrets, which nobody is told, and whatever else of the
// lake's options differs here come from the options of this process.
//
// It lasts through times without a server: rounds fail and are tried again. Servers that ask for it
// get the login of client.security.sasl.*, over TLS with lakestream.client.tls.*.
//
// Thread rule: start, stop and the destructor on its shard.
//
//   RemoteTieringSetup setup{.options = options, .texts = texts};
//   CO_ASSIGN_OR_RETURN(auto tiering, co_await RemoteTiering::start(env, shard, std::move(setup)));
//   co_await tiering->stop();
namespace lakestream {

class ObjectStore;

struct RemoteTieringSetup {
  ConfigMap options;  // with bootstrap.servers
  TextMap texts;      // the options as the user wrote them
  // The lake's, which outlives the worker; null: that of the options.
  ObjectStore* objects = nullptr;
};

class RemoteTiering {
 public:
  // Errors: kNetworkException when no server answers; kAuthenticateException when none takes the
  // login; kInvalidConfigException when the files of TLS are not good, and when the cluster has no
  // lake, or one that can not be opened with what is known.
  static Task<Result<std::unique_ptr<RemoteTiering>>> start(Env& env,
                                                            Shard& shard,
                                                            RemoteTieringSetup setup);
  struct Parts;
  explicit RemoteTiering(std::unique_ptr<Parts> parts);
  ~RemoteTiering();

  // Of the server that said what there is to know.
  const Address& server() const;
  // Rounds that run end first. Never fails.
  Task<Status> stop();

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakestream
