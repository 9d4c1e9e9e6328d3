#pragma once

#include <memory>

#include "client/connection.h"
#include "io/env.h"
#include "io/shard.h"
#include "io/task.h"
#include "tiering/tiering.h"

// The tiering worker of a server, on a shard of its own: it calls the server without a socket.
//
// Thread rule: start and stop on the control shard; the rest is inside.
//
//   CO_ASSIGN_OR_RETURN(auto tiering, co_await EmbeddedTiering::start(place, apis, lake, options));
//   co_await tiering->stop();
namespace lakestream {

class EmbeddedTiering {
 public:
  struct Place {
    Env& env;
    Shard& control;     // the caller's
    Shard& background;  // where the worker runs; may be the control shard
    Shard& serving;     // where its requests are answered
  };
  // `apis` and `lake` outlive it.
  static Task<Result<std::unique_ptr<EmbeddedTiering>>> start(Place place,
                                                              const rpc::ApiTable* apis,
                                                              LakeFormat* lake,
                                                              TieringOptions options);
  explicit EmbeddedTiering(Place place) : place_(place) {}
  EmbeddedTiering(const EmbeddedTiering&) = delete;
  EmbeddedTiering& operator=(const EmbeddedTiering&) = delete;

  // Rounds that run end first. Never fails.
  Task<Status> stop();

 private:
  Task<Status> start_worker(const rpc::ApiTable* apis, LakeFormat* lake, TieringOptions options);
  Task<Status> stop_worker();

  Place place_;
  std::shared_ptr<client::Connection> connection_;
  std::unique_ptr<TieringWorker> worker_;
};

}  // namespace lakestream
