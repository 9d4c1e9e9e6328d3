#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "client/notice.h"
#include "io/env.h"
#include "io/task.h"
#include "rpc/api_table.h"
#include "rpc/channel.h"
#include "wire/api.h"

// Calls of servers by address: over one connection a server, opened when it is first needed and
// again after it broke (with a back-off after each failure), or, for a server of this process, by
// handing over the message as it is.
//
// A call to a server of this process has no time limit, and the server stamps the record batches of
// a request in place: give each produce request memory of its own.
//
// Thread rule: shard-local. Call close() and wait for its end before the shard stops.
//
//   auto answer = co_await transport.call<wire::ApiKey::kGetMetadata>(address, request, timeout);
namespace lakestream::client {

class Transport {
 public:
  Transport(Env& env, Shard& shard, const ConnectionOptions& options);

  // Errors: as rpc::Channel::call. kNetworkException and kRequestTimeOut leave open whether the
  // server did what was asked.
  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> call(
      Address server, typename wire::ApiTraits<key>::Request request, Duration timeout) {
    std::optional<Gate::Pass> pass = gate_.enter();
    if (!pass) co_return closed_error();
    if (const LocalServer* local = local_server(server)) {
      co_return co_await call_local<key>(*local, std::move(request));
    }
    CO_ASSIGN_OR_RETURN(std::shared_ptr<rpc::Channel> channel, co_await channel_to(server));
    auto answer = co_await channel->call<key>(std::move(request), timeout);
    // A server that keeps silent may have lost the connection without a word.
    if (!answer && answer.error().code() == ErrorCode::kRequestTimeOut) retire(server, channel);
    co_return answer;
  }

  bool is_local(const Address& server) const { return local_server(server) != nullptr; }
  // Whether every address is a server of this process.
  bool is_local() const;

  // Ends what is on its way with kNetworkException, then closes the connections.
  Task<void> close();

 private:
  struct Peer {
    std::shared_ptr<rpc::Channel> channel;
    bool opening = false;
    Notice opened;  // or it failed
    std::optional<Error> failure;
    Duration backoff{0};
    Duration not_before{0};
  };

  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> call_local(
      LocalServer local, typename wire::ApiTraits<key>::Request request) {
    const wire::ApiInfo* info = wire::find_api(static_cast<int16_t>(key));
    const rpc::ApiTable* apis = local.apis;
    if (apis->find(static_cast<int16_t>(key)) == nullptr) {
      co_return make_error(ErrorCode::kUnsupportedVersion, "{} is not served", info->name);
    }
    rpc::RequestContext context;
    context.shard = local.shard;
    context.api_version = info->max_version;
    context.peer = Address{"local", 0};
    if (local.shard == &shard_) context.cancellation = &cancellation_;
    auto handle = [apis, context, message = std::move(request)]() mutable {
      return apis->call<key>(std::move(message), std::move(context));
    };
    co_return co_await call_on(shard_, *local.shard, std::move(handle));
  }

  const LocalServer* local_server(const Address& server) const;
  tl::unexpected<Error> closed_error() const;
  Task<Result<std::shared_ptr<rpc::Channel>>> channel_to(Address server);
  Task<Status> open_channel(Address server, std::shared_ptr<Peer> peer);
  void retire(const Address& server, const std::shared_ptr<rpc::Channel>& channel);
  void close_later(std::shared_ptr<rpc::Channel> channel);

  Env& env_;
  Shard& shard_;
  const ConnectionOptions& options_;
  std::map<std::string, std::shared_ptr<Peer>> peers_;
  rpc::Cancellation cancellation_;
  Notice closing_;
  Gate gate_;
};

}  // namespace lakestream::client
