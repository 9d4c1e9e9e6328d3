#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/config.h"
#include "catalog/api/api.h"
#include "io/env.h"
#include "io/s3_sessions.h"
#include "io/task.h"

// The keys that expire which clients get to read remote storage. They are kept until half of their
// time has passed, so that the service is not asked for each client.
//
// Thread rule: the control shard; session() is called on any.
//
//   auto sessions = make_client_sessions(env, control, options);
//   if (sessions) remote.session = sessions->session();
namespace lakestream {

class ClientSessions : public std::enable_shared_from_this<ClientSessions> {
 public:
  ClientSessions(Env& env, Shard& control, S3SessionOptions options, std::string ca_file);

  std::function<Task<Result<RemoteAccess::Keys>>(Shard& here)> session();

 private:
  // A question to the service; who asks meanwhile waits for its answer.
  struct Call {
    std::optional<Result<S3Session>> answer;
    std::vector<std::unique_ptr<Waiter>> waiting;
  };
  Task<Result<S3Session>> get();

  Env& env_;
  Shard& control_;
  S3SessionOptions options_;
  std::shared_ptr<HttpClient> http_;
  std::shared_ptr<Call> call_;
  std::optional<S3Session> last_;
  TimestampMs renew_time_;
};

// Null when clients get keys that do not expire. kInvalidConfigException.
Result<std::shared_ptr<ClientSessions>> make_client_sessions(Env& env,
                                                             Shard& control,
                                                             const ConfigMap& options);

}  // namespace lakestream
