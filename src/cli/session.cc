#include "cli/session.h"

#include "base/logging.h"
#include "cli/command.h"

namespace lakestream::cli {
namespace {

constexpr size_t kPoolThreads = 1;

Task<Result<std::shared_ptr<client::Connection>>> connect(Env* env, Shard* shard, Address server) {
  std::vector<Address> bootstrap{std::move(server)};
  client::ConnectionOptions options;
  co_return co_await client::Connection::open(*env, *shard, std::move(bootstrap), options);
}

}  // namespace

ClientSession::ClientSession() : real_(kPoolThreads), shards_(real_, 1) {}

ClientSession::~ClientSession() {
  if (connection_ != nullptr) (void)run(connection_->close());
  shards_.stop();
}

Result<std::unique_ptr<ClientSession>> ClientSession::open(const std::string& server) {
  // What fails is told by the command itself.
  set_log_level(LogLevel::kError);
  ASSIGN_OR_RETURN(Address address, parse_address(server));
  auto session = std::make_unique<ClientSession>();
  auto connection = session->run(connect(&session->env(), &session->shard(), address));
  if (!connection) {
    return make_error(connection.error().code(),
                      "no server answers at {} ({}); start one with `lakestream server --data "
                      "DIR`, or name another with --server HOST:PORT",
                      server,
                      connection.error().message());
  }
  session->connection_ = *std::move(connection);
  return session;
}

int run_with_session(std::string_view command,
                     const std::string& server,
                     OutputFormat format,
                     std::function<Task<Status>(std::shared_ptr<client::Connection>)> work) {
  auto session = ClientSession::open(server);
  if (!session) return refuse(command, session.error(), format);
  Status result = (*session)->run(work((*session)->connection()));
  if (!result) return refuse(command, result.error(), format);
  return kSuccess;
}

}  // namespace lakestream::cli
