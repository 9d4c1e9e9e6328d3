#include "client/connection.h"

#include "client/session.h"

namespace lakestream::client {

Task<Result<std::shared_ptr<Connection>>> Connection::open(Env& env,
                                                           Shard& shard,
                                                           std::vector<Address> bootstrap,
                                                           ConnectionOptions options) {
  auto session = std::make_shared<Session>(env, shard, std::move(bootstrap), std::move(options));
  Status started = co_await session->start();
  if (!started) {
    co_await session->close();
    co_return fail(std::move(started).error());
  }
  co_return std::make_shared<Connection>(std::move(session));
}

Connection::Connection(std::shared_ptr<Session> session) : session_(std::move(session)) {}

namespace {

Task<void> close_session(std::shared_ptr<Session> session) { co_await session->close(); }

}  // namespace

Connection::~Connection() {
  if (!session_->is_closed()) session_->shard().spawn(close_session(session_));
}

Task<Result<std::shared_ptr<const TableMetadata>>> Connection::table(TablePath path) {
  return session_->table(std::move(path));
}

Task<Result<std::shared_ptr<const TableMetadata>>> Connection::refresh_table(TablePath path) {
  return session_->refresh_table(std::move(path));
}

Task<Result<ClusterNodes>> Connection::refresh_nodes() { return session_->refresh_nodes(); }

const ClusterNodes& Connection::nodes() const { return session_->nodes(); }

Task<Status> Connection::close() {
  std::shared_ptr<Session> session = session_;
  co_await session->close();
  co_return ok();
}

}  // namespace lakestream::client
