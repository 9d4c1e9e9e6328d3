#include "server/client_sessions.h"

#include <utility>

#include "base/server_options.h"
#include "io/object_stores.h"
#include "io/pool.h"

namespace lakestream {
namespace {

RemoteAccess::Keys keys_of(S3Session session) {
  return {std::move(session.access_key),
          std::move(session.secret_key),
          std::move(session.token),
          session.expiration_time};
}

Task<Result<RemoteAccess::Keys>> ask(Shard* here,
                                     Shard* control,
                                     std::function<Task<Result<S3Session>>()> get) {
  CO_ASSIGN_OR_RETURN(S3Session session, co_await call_on(*here, *control, std::move(get)));
  co_return keys_of(std::move(session));
}

}  // namespace

ClientSessions::ClientSessions(Env& env,
                               Shard& control,
                               S3SessionOptions options,
                               std::string ca_file)
    : env_(env),
      control_(control),
      options_(std::move(options)),
      http_(make_http_client({.ca_file = std::move(ca_file)})) {}

std::function<Task<Result<RemoteAccess::Keys>>(Shard& here)> ClientSessions::session() {
  std::function<Task<Result<S3Session>>()> get = [self = shared_from_this()] {
    return self->get();
  };
  return
      [control = &control_, get = std::move(get)](Shard& here) { return ask(&here, control, get); };
}

Task<Result<S3Session>> ClientSessions::get() {
  TimestampMs now = env_.clock.now();
  if (last_ && now < renew_time_) co_return *last_;
  if (call_ != nullptr) {
    std::shared_ptr<Call> call = call_;
    call->waiting.push_back(std::make_unique<Waiter>());
    Waiter* mine = call->waiting.back().get();
    co_await mine->wait();
    co_return *call->answer;
  }
  auto call = std::make_shared<Call>();
  call_ = call;
  auto job = [http = http_, options = options_, now] {
    return ask_s3_session(*http, options, now);
  };
  call->answer = co_await run_on_pool(env_.pool, control_, std::move(job));
  call_.reset();
  for (const auto& waiter : call->waiting) waiter->wake();
  if (*call->answer) {
    last_ = **call->answer;
    renew_time_ = TimestampMs(now.value() + (last_->expiration_time.value() - now.value()) / 2);
  }
  co_return *call->answer;
}

Result<std::shared_ptr<ClientSessions>> make_client_sessions(Env& env,
                                                             Shard& control,
                                                             const ConfigMap& options) {
  S3SessionOptions session;
  session.role = options.find(server_options::kS3AssumedRoleArn).value_or("");
  session.endpoint = options.find(server_options::kS3AssumedRoleStsEndpoint).value_or("");
  if (session.role.empty() && session.endpoint.empty()) return std::shared_ptr<ClientSessions>();
  session.access_key = options.find(server_options::kS3AccessKey).value_or("");
  session.secret_key = options.find(server_options::kS3SecretKey).value_or("");
  if (session.access_key.empty()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "option 's3.assumed.role.arn' or 's3.assumed.role.sts.endpoint' is set "
                      "without 's3.access-key'; set the keys that may ask for sessions");
  }
  session.region = options.find(server_options::kS3Region).value_or("");
  if (session.region.empty()) session.region = kS3RegionOfEndpoints;
  std::string ca_file = options.find(server_options::kLakestreamS3CaFile).value_or("");
  return std::make_shared<ClientSessions>(env, control, std::move(session), std::move(ca_file));
}

}  // namespace lakestream
