#include "rpc/server.h"

#include <list>
#include <map>
#include <utility>

#include "base/logging.h"
#include "io/random.h"
#include "rpc/connection.h"
#include "rpc/neighbourhood.h"

namespace lakestream::rpc {
namespace {

constexpr auto kFailureWindow = std::chrono::minutes(1);

}  // namespace

// Shared with the tasks of all shards; each shard touches only its own part of `shards`, and the
// first one the listeners and the counts of connections.
struct Server::State {
  struct OfShard {
    OfShard(State& state, Shard& shard)
        : context{state.env, shard, state.apis, state.options, state.held, state.logins, {}} {}

    ConnectionContext context;
    std::list<ServerConnection*> connections;
    bool stopping = false;
    Gate gate;
  };
  struct OfListener {
    ListenerRules rules;
    std::optional<Users> users;  // none: everybody may come in
    std::unique_ptr<Listener> listener;
    size_t connections = 0;
  };

  State(Env& e, const ApiTable& a, ServerOptions o)
      : env(e),
        apis(a),
        options(o),
        held(options.bytes_max),
        logins(options.login_failures_max, kFailureWindow, env.random.next()) {}

  // Counts the connection, or says why it is one too many.
  std::optional<std::string> admit(OfListener& on, const std::string& host);
  void forget(OfListener& on, const std::string& host);

  Env& env;
  const ApiTable& apis;
  ServerOptions options;
  HeldBytes held;
  security::LoginLimiter logins;
  std::vector<std::unique_ptr<OfShard>> shards;
  std::vector<std::unique_ptr<OfListener>> listeners;
  std::map<std::string, size_t> connections_from;
  LogLimiter warnings;
  Gate acceptors;
  size_t next_shard = 0;
};

std::optional<std::string> Server::State::admit(OfListener& on, const std::string& host) {
  if (on.connections >= options.listener_connections_max) {
    return fmt::format("{} connections of the listener", on.connections);
  }
  size_t& from_host = connections_from[host];
  if (from_host >= options.address_connections_max) {
    return fmt::format("{} connections from the address", from_host);
  }
  ++on.connections;
  ++from_host;
  return std::nullopt;
}

void Server::State::forget(OfListener& on, const std::string& host) {
  --on.connections;
  auto found = connections_from.find(host);
  if (--found->second == 0) connections_from.erase(found);
}

Server::Server(Env& env, std::vector<Shard*> shards, const ApiTable& apis, ServerOptions options)
    : state_(std::make_shared<State>(env, apis, options)) {
  for (Shard* shard : shards) {
    state_->shards.push_back(std::make_unique<State::OfShard>(*state_, *shard));
  }
}

Server::~Server() = default;

namespace {

template <typename ServerState, typename OfListener>
Task<void> serve(std::shared_ptr<ServerState> state,
                 size_t index,
                 OfListener* on,
                 std::unique_ptr<Stream> stream) {
  auto& own = *state->shards[index];
  std::string host = neighbourhood_of(stream->peer().host);
  std::optional<Gate::Pass> pass = own.gate.enter();
  if (pass && !own.stopping) {
    const Users* users = on->users ? &*on->users : nullptr;
    ServerConnection connection(own.context, on->rules, users, std::move(stream));
    auto place = own.connections.insert(own.connections.end(), &connection);
    co_await connection.run();
    own.connections.erase(place);
  }
  state->shards[0]->context.shard.post([state, on, host] { state->forget(*on, host); });
}

template <typename ServerState>
void warn_refused(ServerState& state, const std::string& listener, std::string_view reason) {
  int64_t suppressed = 0;
  if (!state.warnings.admit(state.env.clock.now().value(), &suppressed)) return;
  LOG_WARN("rpc",
           "no connection accepted",
           KV("listener", listener),
           KV("reason", reason),
           KV("suppressed", suppressed));
}

template <typename ServerState, typename OfListener>
Task<void> accept_all(std::shared_ptr<ServerState> state, OfListener* on, Gate::Pass) {
  Shard& here = state->shards[0]->context.shard;
  for (;;) {
    size_t index = state->next_shard++ % state->shards.size();
    Shard& owner = state->shards[index]->context.shard;
    Result<std::unique_ptr<Stream>> stream = co_await on->listener->accept(owner);
    if (state->acceptors.is_closed()) co_return;
    if (!stream) {
      // Out of descriptors, most likely: others may close meanwhile.
      warn_refused(*state, on->rules.name, stream.error().message());
      co_await sleep_for(state->env.clock, here, std::chrono::milliseconds(100));
      continue;
    }
    std::string host = neighbourhood_of((*stream)->peer().host);
    if (std::optional<std::string> too_many = state->admit(*on, host)) {
      warn_refused(*state, on->rules.name, fmt::format("{} {}", host, *too_many));
      owner.post([refused = std::move(*stream)] {});
      continue;
    }
    owner.spawn(serve(state, index, on, std::move(*stream)));
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

Result<Address> Server::listen(const Address& address, ListenerRules rules) {
  Shard& here = state_->shards[0]->context.shard;
  auto on = std::make_unique<State::OfListener>();
  ASSIGN_OR_RETURN(on->listener, state_->env.network.listen(here, address));
  on->rules = std::move(rules);
  if (on->rules.login) {
    std::vector<Shard*> shards;
    for (const auto& shard : state_->shards) shards.push_back(&shard->context.shard);
    on->users.emplace(std::move(shards), on->rules.login->users);
  }
  state_->listeners.push_back(std::move(on));
  return state_->listeners.back()->listener->address();
}

void Server::serve() {
  for (auto& on : state_->listeners) {
    std::optional<Gate::Pass> pass = state_->acceptors.enter();
    if (!pass) return;
    state_->shards[0]->context.shard.spawn(accept_all(state_, on.get(), std::move(*pass)));
  }
}

void Server::set_users(std::string_view listener,
                       std::shared_ptr<const security::Credentials> users) {
  for (auto& on : state_->listeners) {
    if (on->rules.name != listener) continue;
    CHECK(on->users.has_value(), "a listener that asks for a login");
    on->users->publish(std::move(users));
    return;
  }
}

Task<void> Server::stop() {
  Shard& here = state_->shards[0]->context.shard;
  state_->acceptors.close();
  for (auto& on : state_->listeners) on->listener->close();
  co_await state_->acceptors.closed();
  std::shared_ptr<State> state = state_;
  for (size_t i = 0; i < state->shards.size(); ++i) {
    auto job = [state, i] { return stop_shard(state, i); };
    co_await call_on(here, state->shards[i]->context.shard, std::move(job));
  }
}

}  // namespace lakestream::rpc
