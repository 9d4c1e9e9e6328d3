#include "server/embedded_tiering.h"

#include <utility>

namespace lakestream {

Task<Result<std::unique_ptr<EmbeddedTiering>>> EmbeddedTiering::start(Place place,
                                                                      const rpc::ApiTable* apis,
                                                                      LakeFormat* lake,
                                                                      TieringOptions options) {
  auto tiering = std::make_unique<EmbeddedTiering>(place);
  auto start = [self = tiering.get(), apis, lake, options] {
    return self->start_worker(apis, lake, options);
  };
  Status started = co_await call_on(place.control, place.background, std::move(start));
  if (!started) co_return fail(std::move(started).error());
  co_return tiering;
}

Task<Status> EmbeddedTiering::start_worker(const rpc::ApiTable* apis,
                                           LakeFormat* lake,
                                           TieringOptions options) {
  client::ConnectionOptions connection;
  client::LocalServer server;
  server.apis = apis;
  server.shard = &place_.serving;
  connection.local_servers.push_back(std::move(server));
  std::vector<Address> bootstrap;
  CO_ASSIGN_OR_RETURN(
      connection_,
      co_await client::Connection::open(
          place_.env, place_.background, std::move(bootstrap), std::move(connection)));
  worker_ =
      std::make_unique<TieringWorker>(place_.env, place_.background, connection_, *lake, options);
  worker_->start();
  co_return ok();
}

Task<Status> EmbeddedTiering::stop() {
  auto stop = [this] { return stop_worker(); };
  co_return co_await call_on(place_.control, place_.background, std::move(stop));
}

Task<Status> EmbeddedTiering::stop_worker() {
  if (worker_) (void)co_await worker_->stop();
  worker_.reset();
  if (connection_) (void)co_await connection_->close();
  connection_.reset();
  co_return ok();
}

}  // namespace lakestream
