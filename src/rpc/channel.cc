#include "rpc/channel.h"

#include <algorithm>
#include <utility>

namespace lakestream::rpc {
namespace {

constexpr size_t kAnswerBytesMax = wire::kFrameBytesMax;

Task<Result<std::unique_ptr<Stream>>> connect(Env* env,
                                              Shard* shard,
                                              Address address,
                                              ChannelOptions options) {
  CO_ASSIGN_OR_RETURN(auto stream, co_await env->network.connect(*shard, address, options.timeout));
  if (options.tls == nullptr) co_return stream;
  if (address.host.empty()) {
    co_return make_error(ErrorCode::kNetworkException,
                         "server {} has no name that its certificate could vouch for",
                         to_string(address));
  }
  std::unique_ptr<TlsStream> tls = make_tls_stream(std::move(stream), *options.tls, address.host);
  TlsStream* raw = tls.get();
  Timer limit = env->clock.start_timer(*shard, options.timeout, [raw] { raw->close(); });
  CO_RETURN_IF_ERROR(co_await tls->handshake());
  limit.cancel();
  std::unique_ptr<Stream> secured = std::move(tls);
  co_return secured;
}

}  // namespace

struct Channel::Call {
  Promise<Result<Bytes>> answer;
};

Channel::Channel(Env& env, Shard& shard, std::unique_ptr<Stream> stream)
    : env_(env),
      shard_(shard),
      stream_(std::move(stream)),
      reader_(env, shard, *stream_, held_, {.frame_bytes_max = kAnswerBytesMax}),
      writer_(shard, *stream_, held_) {}

Channel::~Channel() { CHECK(gate_.inside() == 0, "a channel is closed before it is destroyed"); }

Task<Result<std::shared_ptr<Channel>>> Channel::open(Env& env,
                                                     Shard& shard,
                                                     Address address,
                                                     ChannelOptions options) {
  CO_ASSIGN_OR_RETURN(auto stream, co_await connect(&env, &shard, address, options));
  auto channel = std::make_shared<Channel>(env, shard, std::move(stream));
  std::optional<Gate::Pass> pass = channel->gate_.enter();
  shard.spawn(channel->read_answers(std::move(*pass)));
  Status negotiated = co_await channel->negotiate(std::move(options));
  if (!negotiated) {
    co_await channel->close();
    co_return fail(std::move(negotiated).error().with_context(to_string(address)));
  }
  co_return channel;
}

Task<Status> Channel::negotiate(ChannelOptions options) {
  wire::ApiVersionsRequest request{"lakestream", "1.0.0"};
  CO_ASSIGN_OR_RETURN(
      auto response,
      co_await call<wire::ApiKey::kApiVersions>(std::move(request), options.timeout));
  served_ = std::move(response.api_versions);
  if (!options.login) co_return ok();
  co_return co_await log_in(std::move(*options.login), options.timeout);
}

Task<Status> Channel::log_in(security::Login login, Duration timeout) {
  CO_ASSIGN_OR_RETURN(auto exchange, security::make_sasl_client(login));
  std::optional<std::string> challenge;
  for (;;) {
    CO_ASSIGN_OR_RETURN(std::string token, exchange->evaluate(challenge));
    wire::AuthenticateRequest request{login.mechanism, Bytes::copy_of(token)};
    CO_ASSIGN_OR_RETURN(auto response,
                        co_await call<wire::ApiKey::kAuthenticate>(std::move(request), timeout));
    if (exchange->is_complete()) co_return ok();
    if (!response.challenge) {
      co_return make_error(ErrorCode::kAuthenticateException,
                           "the server ended the login before it was complete");
    }
    challenge = std::string(response.challenge->view());
  }
}

Result<int16_t> Channel::version_of(wire::ApiKey key) const {
  const wire::ApiInfo* mine = wire::find_api(static_cast<int16_t>(key));
  if (key == wire::ApiKey::kApiVersions) return mine->max_version;
  for (const wire::PbApiVersion& theirs : served_) {
    if (theirs.api_key != static_cast<int32_t>(key)) continue;
    int32_t version = std::min<int32_t>(mine->max_version, theirs.max_version);
    if (version >= std::max<int32_t>(mine->min_version, theirs.min_version)) {
      return static_cast<int16_t>(version);
    }
  }
  return make_error(ErrorCode::kUnsupportedVersion,
                    "{} does not serve {} in a version that this client knows",
                    to_string(stream_->peer()),
                    mine->name);
}

Task<Result<Bytes>> Channel::exchange(wire::ApiKey key, BytesChain payload, Duration timeout) {
  CO_ASSIGN_OR_RETURN(int16_t version, version_of(key));
  std::optional<Gate::Pass> pass = gate_.enter();
  if (broken_ || !pass) {
    co_return make_error(
        ErrorCode::kNetworkException, "the connection to {} is closed", to_string(stream_->peer()));
  }
  int32_t id = next_request_id_;
  next_request_id_ = next_request_id_ == INT32_MAX ? 0 : next_request_id_ + 1;
  wire::RequestHeader header{static_cast<int16_t>(key), version, id};
  CO_ASSIGN_OR_RETURN(BytesChain frame, wire::encode_request_frame(header, std::move(payload)));
  Call call;
  calls_[id] = &call;
  writer_.put(std::move(frame));
  Timer deadline = env_.clock.start_timer(shard_, timeout, [this, &call, key] {
    call.answer.set(make_error(ErrorCode::kRequestTimeOut,
                               "{} did not answer {} in time",
                               to_string(stream_->peer()),
                               wire::find_api(static_cast<int16_t>(key))->name));
  });
  Result<Bytes> answer = co_await call.answer.get();
  calls_.erase(id);
  co_return answer;
}

Task<void> Channel::read_answers(Gate::Pass) {
  for (;;) {
    Result<std::optional<Bytes>> frame = co_await reader_.next();
    Status taken = ok();
    if (!frame) {
      taken = fail(std::move(frame).error());
    } else if (!*frame) {
      taken = make_error(
          ErrorCode::kNetworkException, "{} closed the connection", to_string(stream_->peer()));
    } else {
      taken = take_answer(**frame);
    }
    if (!taken) {
      fail_all(taken.error());
      co_return;
    }
  }
}

Status Channel::take_answer(const Bytes& frame) {
  ASSIGN_OR_RETURN(wire::ResponseHeader header, wire::parse_response_header(frame.span()));
  Bytes payload = wire::response_payload(frame, header);
  if (header.type == wire::ResponseType::kServerFailure) {
    ASSIGN_OR_RETURN(Error error, wire::decode_error(std::move(payload)));
    return make_error(ErrorCode::kNetworkException,
                      "{} ended the connection: {}",
                      to_string(stream_->peer()),
                      error.message());
  }
  auto found = calls_.find(header.request_id);
  if (found == calls_.end()) return ok();  // it has timed out
  if (header.type == wire::ResponseType::kSuccess) {
    found->second->answer.set(std::move(payload));
    return ok();
  }
  ASSIGN_OR_RETURN(Error error, wire::decode_error(std::move(payload)));
  found->second->answer.set(fail(std::move(error)));
  return ok();
}

void Channel::fail_all(const Error& error) {
  broken_ = true;
  stream_->close();
  for (auto& [id, call] : calls_) {
    call->answer.set(make_error(ErrorCode::kNetworkException, "{}", error.message()));
  }
}

Task<void> Channel::close() {
  stream_->close();
  co_await gate_.closed();
  co_await writer_.closed();
}

}  // namespace lakestream::rpc
