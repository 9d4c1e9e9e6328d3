#include "wire/frame.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/endian.h"
#include "wire/messages.h"
#include "wire/utf8.h"

namespace lakestream::wire {
namespace {

// Long texts, such as a statement inside a message, help nobody at the other end.
constexpr size_t kErrorTextBytesMax = 4096;

BytesChain framed(MutableBytes head, BytesChain payload) {
  store_be(head.data(), static_cast<int32_t>(head.size() - kFrameLengthBytes + payload.size()));
  BytesChain frame(std::move(head).freeze());
  frame.append(std::move(payload));
  return frame;
}

BytesChain response_frame(ResponseType type, int32_t request_id, BytesChain payload) {
  MutableBytes head = MutableBytes::allocate(kFrameLengthBytes + kResponseHeaderBytes);
  head.data()[kFrameLengthBytes] = static_cast<uint8_t>(type);
  store_be(head.data() + kFrameLengthBytes + 1, request_id);
  return framed(std::move(head), std::move(payload));
}

BytesChain error_payload(const Error& error) {
  ErrorResponse response;
  response.error_code = static_cast<int32_t>(error.code());
  response.error_message = error_text(error);
  return response.encode();
}

}  // namespace

Result<size_t> parse_frame_length(std::span<const uint8_t> start, size_t bytes_max) {
  CHECK(start.size() >= kFrameLengthBytes, "frame length");
  const auto length = load_be<int32_t>(start.data());
  if (length < 0 || static_cast<size_t>(length) > bytes_max) [[unlikely]] {
    return make_error(ErrorCode::kUnknownServerError,
                      "frame of {} bytes is beyond the limit of {}",
                      length,
                      bytes_max);
  }
  return static_cast<size_t>(length);
}

Result<RequestHeader> parse_request_header(std::span<const uint8_t> frame) {
  if (frame.size() < kRequestHeaderBytes) [[unlikely]] {
    return make_error(ErrorCode::kUnknownServerError,
                      "request frame of {} bytes is shorter than its header of {}",
                      frame.size(),
                      kRequestHeaderBytes);
  }
  return RequestHeader{.api_key = load_be<int16_t>(frame.data()),
                       .api_version = load_be<int16_t>(frame.data() + 2),
                       .request_id = load_be<int32_t>(frame.data() + 4)};
}

Result<ResponseHeader> parse_response_header(std::span<const uint8_t> frame) {
  if (!frame.empty() && frame[0] == static_cast<uint8_t>(ResponseType::kServerFailure)) {
    return ResponseHeader{.type = ResponseType::kServerFailure,
                          .request_id = 0,
                          .payload_offset = kServerFailureHeaderBytes};
  }
  if (frame.size() < kResponseHeaderBytes || frame[0] > 1) [[unlikely]] {
    return make_error(ErrorCode::kUnknownServerError,
                      "response frame of {} bytes has no header of type 0, 1 or 2",
                      frame.size());
  }
  return ResponseHeader{.type = static_cast<ResponseType>(frame[0]),
                        .request_id = load_be<int32_t>(frame.data() + 1),
                        .payload_offset = kResponseHeaderBytes};
}

Result<BytesChain> encode_request_frame(const RequestHeader& header, BytesChain payload) {
  if (payload.size() > kFrameBytesMax - kRequestHeaderBytes) [[unlikely]] {
    return make_error(ErrorCode::kRecordTooLargeException,
                      "request of {} bytes is beyond the limit of a frame, {}",
                      payload.size(),
                      kFrameBytesMax);
  }
  MutableBytes head = MutableBytes::allocate(kFrameLengthBytes + kRequestHeaderBytes);
  uint8_t* at = head.data() + kFrameLengthBytes;
  store_be(at, header.api_key);
  store_be(at + 2, header.api_version);
  store_be(at + 4, header.request_id);
  return framed(std::move(head), std::move(payload));
}

BytesChain encode_response_frame(int32_t request_id, BytesChain payload) {
  if (payload.size() > kFrameBytesMax - kResponseHeaderBytes) [[unlikely]] {
    return encode_error_frame(
        request_id,
        Error(ErrorCode::kUnknownServerError,
              fmt::format("response of {} bytes is beyond the limit of a frame, {}; ask for less",
                          payload.size(),
                          kFrameBytesMax)));
  }
  return response_frame(ResponseType::kSuccess, request_id, std::move(payload));
}

BytesChain encode_error_frame(int32_t request_id, const Error& error) {
  return response_frame(ResponseType::kError, request_id, error_payload(error));
}

BytesChain encode_server_failure_frame(const Error& error) {
  MutableBytes head = MutableBytes::allocate(kFrameLengthBytes + kServerFailureHeaderBytes);
  head.data()[kFrameLengthBytes] = static_cast<uint8_t>(ResponseType::kServerFailure);
  return framed(std::move(head), error_payload(error));
}

std::optional<std::string> error_text(const Error& error) {
  std::string_view rest = error.message();
  if (rest.empty()) return std::nullopt;
  std::string text;
  while (!rest.empty()) {
    const size_t bytes = character_bytes(rest);
    if (text.size() + std::max<size_t>(bytes, 1) > kErrorTextBytesMax) break;
    if (bytes == 0) {
      text.push_back('?');
    } else {
      text.append(rest.substr(0, bytes));
    }
    rest.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return text;
}

Result<Error> decode_error(Bytes payload) {
  ASSIGN_OR_RETURN(ErrorResponse response, ErrorResponse::decode(std::move(payload)));
  return Error(error_code_of(response.error_code),
               std::move(response.error_message).value_or(std::string()));
}

}  // namespace lakestream::wire
