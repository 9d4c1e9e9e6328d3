#include "rpc/server.h"

#include <list>

#include "base/logging.h"
#include "rpc/connection.h"

namespace lakestream::rpc {

// Shared with the tasks of all shards; each shard touches only its own part of `shards`.
struct Server::State {
  struct OfShard {
    Shard* shard = nullptr;
    std::list<ServerConnection*> connections;
    bool stopping = false;
    Gate gate;
  };

  State(Env& e, const ApiTable& a, ServerOptions o) : env(e), apis(a), options(o) {}

  Env& env;
  const ApiTable& apis;
  ServerOptions options;
  HeldBytes held;
  std::vector<std::unique_ptr<OfShard>> shards;
  std::unique_ptr<Listener> listener;
  Gate acceptor;
  size_t next_shard = 0;
};

Server::Server(Env& env, std::vector<Shard*> shards, const ApiTable& apis, ServerOptions options)
    : state_(std::make_shared<State>(env, apis, options)) {
  for (Shard* shard : shards) {
    auto own = std::make_unique<State::OfShard>();
    own->shard = shard;
    state_->shards.push_back(std::move(own));
  }
}

Server::~Server() = default;

namespace {

template <typename ServerState>
Task<void> serve(std::shared_ptr<ServerState> state, size_t index, std::unique_ptr<Stream> stream) {
  auto& own = *state->shards[index];
  std::optional<Gate::Pass> pass = own.gate.enter();
  if (!pass || own.stopping) co_return;
  ServerConnection connection(
      state->env, *own.shard, std::move(stream), state->apis, state->options, state->held);
  auto place = own.connections.insert(own.connections.end(), &connection);
  co_await connection.run();
  own.connections.erase(place);
}

template <typename ServerState>
Task<void> accept_all(std::shared_ptr<ServerState> state, Gate::Pass) {
  Shard& here = *state->shards[0]->shard;
  for (;;) {
    size_t index = state->next_shard++ % state->shards.size();
    Shard& owner = *state->shards[index]->shard;
    Result<std::unique_ptr<Stream>> stream = co_await state->listener->accept(owner);
    if (state->acceptor.is_closed()) co_return;
    if (!stream) {
      // Out of descriptors, most likely: others may close meanwhile.
      LOG_WARN("rpc", "no connection accepted", KV("reason", stream.error().message()));
      co_await sleep_for(state->env.clock, here, std::chrono::milliseconds(100));
      continue;
    }
    owner.spawn(serve(state, index, std::move(*stream)));
  }
}

template <typename ServerState>
Task<bool> stop_shard(std::shared_ptr<ServerState> state, size_t index) {
  auto& own = *state->shards[index];
  own.stopping = true;
  for (ServerConnection* connection : own.connections) connection->close();
  co_await own.gate.closed();
  co_return true;
}

}  // namespace

Result<Address> Server::listen(const Address& address) {
  Shard& here = *state_->shards[0]->shard;
  ASSIGN_OR_RETURN(state_->listener, state_->env.network.listen(here, address));
  return state_->listener->address();
}

void Server::serve() {
  std::optional<Gate::Pass> pass = state_->acceptor.enter();
  if (pass) state_->shards[0]->shard->spawn(accept_all(state_, std::move(*pass)));
}

Task<void> Server::stop() {
  Shard& here = *state_->shards[0]->shard;
  state_->acceptor.close();
  if (state_->listener) state_->listener->close();
  co_await state_->acceptor.closed();
  std::shared_ptr<State> state = state_;
  for (size_t i = 0; i < state->shards.size(); ++i) {
    auto job = [state, i] { return stop_shard(state, i); };
    co_await call_on(here, *state->shards[i]->shard, std::move(job));
  }
}

}  // namespace lakestream::rpc
