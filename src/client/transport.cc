#include "client/transport.h"

#include <algorithm>

namespace lakestream::client {
namespace {

Task<void> close_channel(std::shared_ptr<rpc::Channel> channel, Gate::Pass) {
  co_await channel->close();
}

}  // namespace

Transport::Transport(Env& env, Shard& shard, const ConnectionOptions& options)
    : env_(env), shard_(shard), options_(options) {}

bool Transport::is_local() const {
  return std::any_of(options_.local_servers.begin(),
                     options_.local_servers.end(),
                     [](const LocalServer& local) { return local.addresses.empty(); });
}

const LocalServer* Transport::local_server(const Address& server) const {
  for (const LocalServer& local : options_.local_servers) {
    bool named =
        std::find(local.addresses.begin(), local.addresses.end(), server) != local.addresses.end();
    if (named || local.addresses.empty()) return &local;
  }
  return nullptr;
}

tl::unexpected<Error> Transport::closed_error() const {
  return make_error(ErrorCode::kNetworkException, "the client is closed");
}

Task<Result<std::shared_ptr<rpc::Channel>>> Transport::channel_to(Address server) {
  std::shared_ptr<Peer>& place = peers_[to_string(server)];
  if (place == nullptr) place = std::make_shared<Peer>();
  std::shared_ptr<Peer> peer = place;
  if (peer->opening) {
    co_await peer->opened.wait();
  } else if (peer->channel == nullptr || peer->channel->is_broken()) {
    peer->opening = true;
    Status opened = co_await open_channel(server, peer);
    peer->opening = false;
    peer->failure.reset();
    if (!opened) peer->failure = std::move(opened).error();
    peer->opened.wake_all();
  }
  if (gate_.is_closed()) co_return closed_error();
  if (peer->channel != nullptr) co_return peer->channel;
  if (peer->failure) co_return fail(*peer->failure);
  co_return make_error(
      ErrorCode::kNetworkException, "the connection to {} is closed", to_string(server));
}

Task<Status> Transport::open_channel(Address server, std::shared_ptr<Peer> peer) {
  if (peer->channel != nullptr) close_later(std::exchange(peer->channel, nullptr));
  Duration wait = peer->not_before - env_.clock.monotonic();
  if (wait > Duration(0)) co_await closing_.wait_for(&env_.clock, &shard_, wait);
  if (gate_.is_closed()) co_return closed_error();
  rpc::ChannelOptions options;
  options.timeout = options_.connect_timeout;
  options.tls = options_.tls;
  if (options_.login) {
    options.login.emplace();
    options.login->user = options_.login->user;
    options.login->password = options_.login->password;
  }
  auto channel = co_await rpc::Channel::open(env_, shard_, server, std::move(options));
  if (!channel) {
    peer->backoff = std::clamp(2 * peer->backoff, options_.backoff_min, options_.backoff_max);
    peer->not_before = env_.clock.monotonic() + peer->backoff;
    co_return fail(std::move(channel).error());
  }
  peer->backoff = Duration(0);
  peer->not_before = Duration(0);
  peer->channel = *std::move(channel);
  co_return ok();
}

void Transport::retire(const Address& server, const std::shared_ptr<rpc::Channel>& channel) {
  auto found = peers_.find(to_string(server));
  if (found == peers_.end() || found->second->channel != channel) return;
  close_later(std::exchange(found->second->channel, nullptr));
}

void Transport::close_later(std::shared_ptr<rpc::Channel> channel) {
  std::optional<Gate::Pass> pass = gate_.enter();
  // Otherwise the task that closes the gate has it in its list.
  if (pass) shard_.spawn(close_channel(std::move(channel), std::move(*pass)));
}

Task<void> Transport::close() {
  if (gate_.is_closed()) co_return;
  gate_.close();
  cancellation_.cancel();
  closing_.wake_all();
  for (auto& [name, peer] : peers_) {
    if (peer->channel != nullptr) co_await peer->channel->close();
  }
  co_await gate_.closed();
  // What was being opened meanwhile.
  for (auto& [name, peer] : peers_) {
    if (peer->channel != nullptr) co_await peer->channel->close();
  }
}

}  // namespace lakestream::client
