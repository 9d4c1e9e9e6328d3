#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "io/clock.h"
#include "io/env.h"
#include "io/network.h"
#include "io/tls.h"
#include "rpc/frame_reader.h"
#include "rpc/frame_writer.h"
#include "security/sasl.h"
#include "wire/api.h"
#include "wire/frame.h"
#include "wire/messages.h"

// The client side of a connection: requests with ids, answers in any order. open() asks the server
// which APIs it serves, so that call() sends a version both sides know, and logs in. When the
// connection breaks, every call that waits fails with kNetworkException (retriable) and the channel
// stays broken.
//
// Thread rule: shard-local. The caller keeps the channel alive until close() has ended.
//
//   CO_ASSIGN_OR_RETURN(auto channel, co_await Channel::open(env, shard, address, options));
//   auto answer = co_await channel->call<wire::ApiKey::kTableExists>(std::move(request), timeout);
//   co_await channel->close();
namespace lakestream::rpc {

struct ChannelOptions {
  Duration timeout = std::chrono::seconds(15);  // of each step of open()
  std::optional<security::Login> login = {};    // for servers that ask for one
  std::shared_ptr<const TlsClient> tls = {};    // null: no TLS
};

class Channel {
 public:
  // kAuthenticateException when the server does not take the login.
  static Task<Result<std::shared_ptr<Channel>>> open(Env& env,
                                                     Shard& shard,
                                                     Address address,
                                                     ChannelOptions options);
  Channel(Env& env, Shard& shard, std::unique_ptr<Stream> stream);
  ~Channel();

  // Errors: what the server answered; kNetworkException when the connection is lost;
  // kRequestTimeOut; kUnsupportedVersion when the server does not serve the API.
  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> call(
      typename wire::ApiTraits<key>::Request request, Duration timeout) {
    CO_ASSIGN_OR_RETURN(Bytes payload, co_await exchange(key, request.encode(), timeout));
    co_return wire::ApiTraits<key>::Response::decode(std::move(payload));
  }

  bool is_broken() const { return broken_; }
  const Address& address() const { return stream_->peer(); }
  Task<void> close();

 private:
  struct Call;
  Task<Result<Bytes>> exchange(wire::ApiKey key, BytesChain payload, Duration timeout);
  Task<Status> negotiate(ChannelOptions options);
  Task<Status> log_in(security::Login login, Duration timeout);
  Result<int16_t> version_of(wire::ApiKey key) const;
  Task<void> read_answers(Gate::Pass pass);
  Status take_answer(const Bytes& frame);
  void fail_all(const Error& error);

  Env& env_;
  Shard& shard_;
  std::unique_ptr<Stream> stream_;
  HeldBytes held_;
  FrameReader reader_;
  FrameWriter writer_;
  bool broken_ = false;
  int32_t next_request_id_ = 0;
  std::map<int32_t, Call*> calls_;
  std::vector<wire::PbApiVersion> served_;
  Gate gate_;
};

}  // namespace lakestream::rpc
