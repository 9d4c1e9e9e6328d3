#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "security/credentials.h"
#include "security/sasl.h"
#include "wire/api.h"
#include "wire/frame.h"
#include "wire/messages.h"

// Reads the input as a frame without its length: as a request, whose key chooses the message, and
// as a response. An odd version stands for the API's response message. What the decoder accepts it
// has to write and read again to the same bytes. A request to log in goes on to the login, which
// opens to the password alone. wire_mutator.cc changes frames field by field.
namespace lakestream::wire {
namespace {

using std::string_view_literals::operator""sv;

template <typename Message>
void check_message(const Bytes& payload) {
  const Result<Message> message = Message::decode(payload);
  if (!message.has_value()) return;
  const BytesChain written = message->encode();
  const Result<Message> again = Message::decode(written.flatten());
  CHECK(again.has_value(), "what was written can be read");
  CHECK(again->encode() == written, "reading and writing settle");
}

void check_login(const Bytes& payload) {
  Result<AuthenticateRequest> request = AuthenticateRequest::decode(payload);
  if (!request) return;
  auto users = std::make_shared<security::Credentials>();
  CHECK(users->add({{"alice", "secret"}}).has_value(), "a user");
  auto exchange = security::make_sasl_server(request->protocol, std::move(users));
  if (!exchange) return;
  std::string_view token = request->token.view();
  bool opened = (*exchange)->evaluate(token).has_value() && (*exchange)->is_complete();
  CHECK(!opened || token.ends_with("alice\0secret"sv), "only the password opens");
}

template <ApiKey key>
void check_api(const RequestHeader& header, const Bytes& payload) {
  if (header.api_key != static_cast<int16_t>(key)) return;
  if (header.api_version % 2 == 0) {
    check_message<typename ApiTraits<key>::Request>(payload);
    if constexpr (key == ApiKey::kAuthenticate) check_login(payload);
  } else {
    check_message<typename ApiTraits<key>::Response>(payload);
  }
}

constexpr auto kFirstKey = static_cast<int16_t>(ApiKey::kApiVersions);
constexpr int16_t kKeyCount = static_cast<int16_t>(ApiKey::kRemoveServerTagByRack) - kFirstKey + 1;

template <int16_t... offsets>
void check_apis(const RequestHeader& header,
                const Bytes& payload,
                std::integer_sequence<int16_t, offsets...>) {
  (check_api<ApiKey{kFirstKey + offsets}>(header, payload), ...);
}

void check_frame(const Bytes& frame) {
  if (const Result<ResponseHeader> header = parse_response_header(frame.span())) {
    if (header->type != ResponseType::kSuccess) {
      check_message<ErrorResponse>(response_payload(frame, *header));
    }
  }
  if (const Result<RequestHeader> header = parse_request_header(frame.span())) {
    check_apis(*header, request_payload(frame), std::make_integer_sequence<int16_t, kKeyCount>());
  }
}

}  // namespace
}  // namespace lakestream::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lakestream::wire::check_frame(lakestream::Bytes::copy_of(data, size));
  return 0;
}
