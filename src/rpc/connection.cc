#include "rpc/connection.h"

#include "base/logging.h"

namespace lakestream::rpc {

ServerConnection::ServerConnection(Env& env,
                                   Shard& shard,
                                   std::unique_ptr<Stream> stream,
                                   const ApiTable& apis,
                                   const ServerOptions& options,
                                   HeldBytes& held)
    : env_(env),
      shard_(shard),
      stream_(std::move(stream)),
      apis_(apis),
      options_(options),
      held_(held),
      reader_(*stream_, options.request_bytes_max),
      writer_(shard, *stream_, held) {}

Task<void> ServerConnection::run() {
  last_activity_ = env_.clock.monotonic();
  watch_idleness();
  Status ended = co_await read_requests();
  if (!ended && ended.error().code() != ErrorCode::kNetworkException) {
    LOG_WARN("rpc",
             "connection closed",
             KV("peer", to_string(stream_->peer())),
             KV("reason", ended.error().message()));
    writer_.put(wire::encode_server_failure_frame(ended.error()));
    co_await writer_.drained();
  }
  stream_->close();
  idle_timer_.cancel();
  cancellation_.cancel();
  co_await handlers_.closed();
  co_await writer_.closed();
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
  return handlers_.inside() < options_.connection_requests_max &&
         own < options_.connection_bytes_max && (own == 0 || held_.total() < options_.bytes_max);
}

// Back-pressure: a peer that sends more than it lets us answer is not read from.
Task<void> ServerConnection::wait_for_room() {
  while (!has_room()) {
    if (writer_.failed()) co_return;
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
  const ApiTable::Entry* entry = apis_.find(header->api_key);
  if (entry == nullptr) {
    const wire::ApiInfo* known = wire::find_api(header->api_key);
    answer(header->request_id,
           make_error(ErrorCode::kUnsupportedVersion,
                      "API {} ({}) is not served here; see the list that ApiVersions gives",
                      header->api_key,
                      known == nullptr ? "unknown" : known->name));
    return;
  }
  if (header->api_version < entry->info->min_version ||
      header->api_version > entry->info->max_version) {
    answer(header->request_id,
           make_error(ErrorCode::kUnsupportedVersion,
                      "version {} of {} is not served, versions {} to {} are",
                      header->api_version,
                      entry->info->name,
                      entry->info->min_version,
                      entry->info->max_version));
    return;
  }
  std::optional<Gate::Pass> pass = handlers_.enter();
  if (!pass) return;
  request_bytes_ += frame.size();
  held_.add(frame.size());
  shard_.spawn(handle(entry, *header, std::move(frame), std::move(*pass)));
}

Task<void> ServerConnection::handle(const ApiTable::Entry* entry,
                                    wire::RequestHeader header,
                                    Bytes frame,
                                    Gate::Pass) {
  size_t size = frame.size();
  RequestContext context;
  context.shard = &shard_;
  context.api_version = header.api_version;
  context.peer = stream_->peer();
  context.cancellation = &cancellation_;
  Bytes payload = wire::request_payload(frame);
  frame = {};
  Result<BytesChain> result = co_await entry->encoded(std::move(payload), std::move(context));
  answer(header.request_id, std::move(result));
  request_bytes_ -= size;
  held_.release(size);
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
  for (const auto& [key, entry] : apis_.entries()) add(*entry.info);
  add(*wire::find_api(static_cast<int16_t>(wire::ApiKey::kAuthenticate)));
  response.server_type = options_.server_type;
  return response.encode();
}

Result<BytesChain> ServerConnection::authenticate(Bytes payload) {
  ASSIGN_OR_RETURN(auto request, wire::AuthenticateRequest::decode(std::move(payload)));
  std::string protocol = request.protocol;
  for (char& c : protocol) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  if (protocol != "PLAINTEXT") {
    return make_error(ErrorCode::kAuthenticateException,
                      "mechanism \"{}\" is not enabled on this listener, PLAINTEXT is; set "
                      "client.security.protocol=PLAINTEXT",
                      request.protocol);
  }
  return wire::AuthenticateResponse{}.encode();
}

void ServerConnection::watch_idleness() {
  Duration quiet = env_.clock.monotonic() - last_activity_;
  if (quiet >= options_.idle_max && handlers_.inside() == 0) {
    stream_->close();
    return;
  }
  Duration rest = std::max(options_.idle_max - quiet, Duration(std::chrono::seconds(1)));
  idle_timer_ = env_.clock.start_timer(shard_, rest, [this] { watch_idleness(); });
}

}  // namespace lakestream::rpc
