#include "cli/session.h"

#include <algorithm>
#include <thread>

#include "base/logging.h"
#include "base/server_config.h"
#include "base/server_options.h"
#include "cli/command.h"
#include "io/object_stores.h"
#include "server/server.h"

namespace lakestream::cli {
namespace {

constexpr size_t kPoolThreads = 1;

Task<Result<std::shared_ptr<client::Connection>>> connect_inside(Env* env,
                                                                 Shard* shard,
                                                                 client::LocalServer server) {
  client::ConnectionOptions options;
  options.local_servers.push_back(std::move(server));
  std::vector<Address> bootstrap;
  co_return co_await client::Connection::open(*env, *shard, bootstrap, options);
}

Task<Result<std::shared_ptr<client::Connection>>> connect(Env* env,
                                                          Shard* shard,
                                                          Address server,
                                                          client::ConnectionOptions options) {
  std::vector<Address> bootstrap{std::move(server)};
  co_return co_await client::Connection::open(*env, *shard, std::move(bootstrap), options);
}

}  // namespace

ClientSession::ClientSession(size_t pool_threads, size_t shards)
    : object_stores_(std::make_unique<ObjectStoreRuntime>()),
      real_(pool_threads),
      shards_(real_, shards) {}

ClientSession::~ClientSession() {
  if (connection_ != nullptr) (void)run(connection_->close());
  if (server_ != nullptr) (void)run_blocking(shards_.shard(shards_.size() - 1), server_->stop());
  shards_.stop();
}

Result<std::unique_ptr<ClientSession>> ClientSession::open(const ServerAccess& server) {
  // What fails is told by the command itself.
  set_log_level(LogLevel::kError);
  ASSIGN_OR_RETURN(Address address, parse_address(server.address));
  ASSIGN_OR_RETURN(client::ConnectionOptions options, connection_options(server));
  auto session = std::make_unique<ClientSession>(kPoolThreads, 1);
  auto connection =
      session->run(connect(&session->env(), &session->shard(), address, std::move(options)));
  if (!connection && connection.error().code() == ErrorCode::kAuthenticateException) {
    return make_error(connection.error().code(),
                      "{}; give --user NAME and --password-file FILE",
                      connection.error().message());
  }
  if (!connection) {
    return make_error(connection.error().code(),
                      "no server answers at {} ({}); start one with `lakestream server --data "
                      "DIR`, or name another with --server HOST:PORT",
                      server.address,
                      connection.error().message());
  }
  session->connection_ = *std::move(connection);
  return session;
}

Result<std::unique_ptr<ClientSession>> ClientSession::open_data(const std::string& directory,
                                                                TextMap settings) {
  set_log_level(LogLevel::kError);
  settings["data.dir"] = directory;
  // A command is over before it would be worth its while.
  settings.try_emplace("lakestream.tiering.enabled", "false");
  ASSIGN_OR_RETURN(ServerConfig config, parse_server_config(settings));
  auto homes = static_cast<size_t>(config.options.get(server_options::kLakestreamShards));
  if (homes == 0) homes = std::max(1U, std::thread::hardware_concurrency());
  auto pool_threads =
      static_cast<size_t>(config.options.get(server_options::kLakestreamPoolThreads));
  auto session = std::make_unique<ClientSession>(pool_threads, homes + 1);
  RETURN_IF_ERROR(session->start_server(std::move(config.options), std::move(settings)));
  return session;
}

Status ClientSession::start_server(ConfigMap options, TextMap texts) {
  ServerShards roles;
  for (size_t i = 0; i + 1 < shards_.size(); ++i) roles.homes.push_back(&shards_.shard(i));
  roles.control = &shards_.shard(shards_.size() - 1);
  ServerSetup setup{std::move(options), std::move(texts)};
  setup.listens = false;
  ASSIGN_OR_RETURN(server_,
                   run_blocking(*roles.control, Server::start(env(), roles, std::move(setup))));
  client::LocalServer inside;
  inside.apis = &server_->apis();
  inside.shard = roles.homes[0];
  ASSIGN_OR_RETURN(connection_, run(connect_inside(&env(), &shard(), std::move(inside))));
  return ok();
}

int run_with_session(std::string_view command,
                     const ServerAccess& server,
                     OutputFormat format,
                     std::function<Task<Status>(std::shared_ptr<client::Connection>)> work) {
  auto session = ClientSession::open(server);
  if (!session) return refuse(command, session.error(), format);
  Status result = (*session)->run(work((*session)->connection()));
  if (!result) return refuse(command, result.error(), format);
  return kSuccess;
}

}  // namespace lakestream::cli
