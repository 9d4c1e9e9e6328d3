#include "rpc/connection.h"

#include <algorithm>

#include "base/letter_case.h"
#include "rpc/neighbourhood.h"
#include "wire/parts.h"

namespace lakestream::rpc {
namespace {

constexpr auto kRefused = ErrorCode::kAuthenticateException;
// A peer has to come so far in the time of ServerOptions::stall_max.
constexpr size_t kProgressBytes = 1 << 20;
// What a request takes beside its bytes, roughly: itself, and each bucket or row that it names.
constexpr size_t kRequestOverheadBytes = 4 << 10;
constexpr size_t kPartBytes = 512;
// Of one request: twice as many as a table may have buckets.
constexpr size_t kPartsMax = 1 << 18;
constexpr Duration kForever = std::chrono::hours(24);

std::unique_ptr<Stream> secured(std::unique_ptr<Stream> stream,
                                const ListenerRules& rules,
                                TlsStream** tls) {
  if (rules.tls == nullptr) return stream;
  std::unique_ptr<TlsStream> made = make_tls_stream(std::move(stream), *rules.tls);
  *tls = made.get();
  return made;
}

FrameReader::Limits reader_limits(const ServerOptions& options, const ListenerRules& rules) {
  FrameReader::Limits limits;
  limits.frame_bytes_max = rules.login ? options.login_bytes_max : options.request_bytes_max;
  limits.held_bytes_max = 2 * options.bytes_max;
  return limits;
}

}  // namespace

ServerConnection::ServerConnection(ConnectionContext& context,
                                   const ListenerRules& rules,
                                   const Users* users,
                                   std::unique_ptr<Stream> stream)
    : context_(context),
      env_(context.env),
      shard_(context.shard),
      options_(context.options),
      rules_(rules),
      users_(users),
      stream_(secured(std::move(stream), rules, &tls_)),
      reader_(env_, shard_, *stream_, context.held, reader_limits(options_, rules_)),
      writer_(shard_, *stream_, context.held) {}

Task<void> ServerConnection::run() {
  opened_ = last_activity_ = progress_seen_ = env_.clock.monotonic();
  watch();
  Status ended = co_await serve();
  if (!ended && ended.error().code() != ErrorCode::kNetworkException) {
    warn("connection closed", ended.error().message());
    writer_.put(wire::encode_server_failure_frame(ended.error()));
    co_await writer_.drained();
  }
  close();
  watch_timer_.cancel();
  cancellation_.cancel();
  co_await handlers_.closed();
  co_await writer_.closed();
}

void ServerConnection::close() {
  closed_ = true;
  reader_.stop();
  stream_->close();
  if (std::exchange(waits_for_room_, false)) room_.wake();
}

Task<Status> ServerConnection::serve() {
  Status opened = co_await open();
  if (!opened) {
    warn("no TLS", opened.error().message());
    co_return opened;
  }
  co_return co_await read_requests();
}

// What comes before the first request.
Task<Status> ServerConnection::open() {
  if (tls_ != nullptr) CO_RETURN_IF_ERROR(co_await tls_->handshake());
  if (rules_.login) co_return ok();
  std::optional<std::string> name;
  if (tls_ != nullptr) {
    CO_ASSIGN_OR_RETURN(name, tls_->peer_name());
  }
  let_in(name ? security::user(*std::move(name)) : security::anonymous());
  co_return ok();
}

Task<Status> ServerConnection::read_requests() {
  for (;;) {
    co_await wait_for_room();
    CO_ASSIGN_OR_RETURN(std::optional<Bytes> frame, co_await reader_.next());
    if (!frame) co_return ok();
    last_activity_ = env_.clock.monotonic();
    if (frame->size() < wire::kRequestHeaderBytes) {
      co_return make_error(ErrorCode::kUnknownServerError,
                           "frame of {} bytes is shorter than the request header of {} bytes",
                           frame->size(),
                           wire::kRequestHeaderBytes);
    }
    accept(std::move(*frame));
  }
}

// When all connections together hold too much, each may have one request or its answer.
bool ServerConnection::has_room() const {
  size_t own = request_bytes_ + writer_.queued_bytes();
  if (!session_) return own < options_.login_bytes_max;
  return handlers_.inside() < options_.connection_requests_max &&
         own < options_.connection_bytes_max &&
         (own == 0 || context_.held.total() < options_.bytes_max);
}

// Back-pressure: a peer that sends more than it lets us answer is not read from. The requests that
// take the room may wait for long, and end when the connection does.
Task<void> ServerConnection::wait_for_room() {
  while (!has_room()) {
    if (closed_ || writer_.failed()) co_return;
    if (handlers_.inside() == 0) {
      co_await writer_.drained();
      continue;
    }
    waits_for_room_ = true;
    co_await room_.wait();
  }
}

void ServerConnection::accept(Bytes frame) {
  Result<wire::RequestHeader> header = wire::parse_request_header(frame.span());
  CHECK(header.has_value(), "the size was checked");
  if (header->api_key == static_cast<int16_t>(wire::ApiKey::kApiVersions)) {
    answer(header->request_id, api_versions());
    return;
  }
  if (header->api_key == static_cast<int16_t>(wire::ApiKey::kAuthenticate)) {
    answer(header->request_id, authenticate(wire::request_payload(frame)));
    return;
  }
  if (!session_) {
    answer(header->request_id,
           make_error(kRefused,
                      "listener {} serves who has logged in; set client.security.protocol=SASL, "
                      "with a user name and a password",
                      rules_.name));
    return;
  }
  const ApiTable::Entry* entry = find_api(*header);
  if (entry == nullptr) return;
  size_t parts = wire::count_parts(entry->info->key, wire::request_payload(frame));
  if (parts > kPartsMax) {
    answer(header->request_id,
           make_error(ErrorCode::kUnknownServerError,
                      "a request of {} with {} parts, at most {} are possible; make more requests",
                      entry->info->name,
                      parts,
                      kPartsMax));
    return;
  }
  std::optional<Gate::Pass> pass = handlers_.enter();
  if (!pass) return;
  size_t weight = frame.size() + kRequestOverheadBytes + parts * kPartBytes;
  request_bytes_ += weight;
  context_.held.add(weight);
  shard_.spawn(handle(entry, *header, std::move(frame), weight, std::move(*pass)));
}

const ApiTable::Entry* ServerConnection::find_api(const wire::RequestHeader& header) {
  const ApiTable::Entry* entry = context_.apis.find(header.api_key);
  if (entry == nullptr) {
    const wire::ApiInfo* known = wire::find_api(header.api_key);
    answer(header.request_id,
           make_error(ErrorCode::kUnsupportedVersion,
                      "API {} ({}) is not served here; see the list that ApiVersions gives",
                      header.api_key,
                      known == nullptr ? "unknown" : known->name));
    return nullptr;
  }
  if (header.api_version < entry->info->min_version ||
      header.api_version > entry->info->max_version) {
    answer(header.request_id,
           make_error(ErrorCode::kUnsupportedVersion,
                      "version {} of {} is not served, versions {} to {} are",
                      header.api_version,
                      entry->info->name,
                      entry->info->min_version,
                      entry->info->max_version));
    return nullptr;
  }
  return entry;
}

Task<void> ServerConnection::handle(const ApiTable::Entry* entry,
                                    wire::RequestHeader header,
                                    Bytes frame,
                                    size_t weight,
                                    Gate::Pass) {
  RequestContext context;
  context.shard = &shard_;
  context.api_version = header.api_version;
  context.peer = stream_->peer();
  context.session = session_;
  context.cancellation = &cancellation_;
  context.held = &context_.held;
  Bytes payload = wire::request_payload(frame);
  frame = {};
  Result<BytesChain> result = co_await entry->encoded(std::move(payload), std::move(context));
  answer(header.request_id, std::move(result));
  request_bytes_ -= weight;
  context_.held.release(weight);
  last_activity_ = env_.clock.monotonic();
  if (std::exchange(waits_for_room_, false)) room_.wake();
}

void ServerConnection::answer(int32_t request_id, Result<BytesChain> payload) {
  writer_.put(payload ? wire::encode_response_frame(request_id, std::move(*payload))
                      : wire::encode_error_frame(request_id, payload.error()));
}

BytesChain ServerConnection::api_versions() const {
  wire::ApiVersionsResponse response;
  auto add = [&](const wire::ApiInfo& info) {
    response.api_versions.push_back(
        {static_cast<int32_t>(info.key), info.min_version, info.max_version});
  };
  add(*wire::find_api(static_cast<int16_t>(wire::ApiKey::kApiVersions)));
  for (const auto& [key, entry] : context_.apis.entries()) add(*entry.info);
  add(*wire::find_api(static_cast<int16_t>(wire::ApiKey::kAuthenticate)));
  response.server_type = options_.server_type;
  return response.encode();
}

Result<BytesChain> ServerConnection::authenticate(Bytes payload) {
  ASSIGN_OR_RETURN(auto request, wire::AuthenticateRequest::decode(std::move(payload)));
  RETURN_IF_ERROR(check_mechanism(request.protocol));
  // Without a challenge the client is content. One that is told to go on, or answers the empty
  // challenge that other servers send, asks once more: it is in already.
  if (rules_.login && !session_) RETURN_IF_ERROR(log_in(request));
  return wire::AuthenticateResponse{}.encode();
}

Status ServerConnection::check_mechanism(std::string_view mechanism) const {
  std::string wanted = upper(mechanism);
  if (!rules_.login) {
    if (wanted == "PLAINTEXT") return ok();
    return make_error(kRefused,
                      "mechanism \"{}\" is not enabled on this listener, {}, PLAINTEXT is; set "
                      "client.security.protocol=PLAINTEXT",
                      mechanism,
                      rules_.name);
  }
  const std::vector<std::string>& enabled = rules_.login->mechanisms;
  if (std::find(enabled.begin(), enabled.end(), wanted) != enabled.end()) return ok();
  return make_error(kRefused,
                    "mechanism \"{}\" is not enabled on this listener, {}; use one of {}",
                    mechanism,
                    rules_.name,
                    fmt::join(enabled, ", "));
}

Status ServerConnection::log_in(const wire::AuthenticateRequest& request) {
  using Milliseconds = security::LoginLimiter::Milliseconds;
  const std::string host = neighbourhood_of(stream_->peer().host);
  auto now = std::chrono::duration_cast<Milliseconds>(env_.clock.monotonic());
  Milliseconds wait = context_.logins.wait_of(host, now);
  if (wait.count() > 0) {
    warn("login refused", "too many failed logins");
    return make_error(
        kRefused, "too many failed logins from {}; try again in {} ms", host, wait.count());
  }
  if (!login_) {
    ASSIGN_OR_RETURN(login_, security::make_sasl_server(request.protocol, users_->hold(shard_)));
  }
  Result<std::string> challenge = login_->evaluate(request.token.view());
  if (!challenge) {
    login_.reset();
    context_.logins.note_failure(host, now);
    warn("login failed", challenge.error().message());
    return fail(std::move(challenge).error());
  }
  CHECK(login_->is_complete(), "every mechanism there is takes one message");
  let_in(login_->principal());
  return ok();
}

void ServerConnection::let_in(security::Principal principal) {
  session_ = std::make_shared<security::Session>(security::Session{
      std::move(principal), stream_->peer().host, rules_.name, rules_.is_internal});
  login_.reset();
  reader_.set_frame_bytes_max(options_.request_bytes_max);
}

// Looks at the peer again when the first of its times is up.
void ServerConnection::watch() {
  Duration now = env_.clock.monotonic();
  Duration rest = std::min({watch_login(now), watch_idleness(now), watch_progress(now)});
  if (rest <= Duration(0)) return;
  rest = std::max(rest, Duration(std::chrono::milliseconds(10)));
  watch_timer_ = env_.clock.start_timer(shard_, rest, [this] { watch(); });
}

// Each gives the time until it wants to look again, 0 when it has ended the connection.
Duration ServerConnection::watch_login(Duration now) {
  if (session_) return kForever;
  Duration rest = options_.login_time_max - (now - opened_);
  if (rest <= Duration(0)) cut_off("no login in time");
  return rest;
}

Duration ServerConnection::watch_idleness(Duration now) {
  if (options_.idle_max == Duration(0)) return kForever;
  Duration rest = options_.idle_max - (now - last_activity_);
  if (rest > Duration(0)) return rest;
  if (handlers_.inside() > 0) return std::chrono::seconds(1);
  close();
  return Duration(0);
}

Duration ServerConnection::watch_progress(Duration now) {
  if (options_.stall_max == Duration(0)) return kForever;
  Duration rest = options_.stall_max - (now - progress_seen_);
  if (rest > Duration(0)) return rest;
  Progress seen{reader_.frame_count(),
                reader_.received_bytes(),
                writer_.piece_count(),
                reader_.is_inside_frame(),
                writer_.is_sending()};
  bool no_request = progress_.was_receiving && seen.was_receiving &&
                    progress_.frames == seen.frames &&
                    seen.received_bytes - progress_.received_bytes < kProgressBytes;
  bool no_answer =
      progress_.was_sending && seen.was_sending && progress_.sent_pieces == seen.sent_pieces;
  if (no_request || no_answer) {
    cut_off(no_answer ? "answers are not taken" : "a request does not end");
    return Duration(0);
  }
  progress_ = seen;
  progress_seen_ = now;
  return options_.stall_max;
}

void ServerConnection::cut_off(std::string_view reason) {
  warn("connection cut off", reason);
  close();
}

void ServerConnection::warn(std::string_view message, std::string_view reason) {
  int64_t suppressed = 0;
  if (!context_.warnings.admit(env_.clock.now().value(), &suppressed)) return;
  LOG_WARN("rpc",
           message,
           KV("listener", rules_.name),
           KV("peer", to_string(stream_->peer())),
           KV("reason", reason),
           KV("suppressed", suppressed));
}

}  // namespace lakestream::rpc
