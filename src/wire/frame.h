#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

// Frames of the Fluss protocol: a big-endian length that counts everything after itself, a header,
// one message. Encoders put a header before a payload without copying it; parsers read the header
// of a frame whose length has been taken off already.
//
//   request          length | api key i16 | api version i16 | request id i32 | message
//   success, error   length | type i8 (0, 1) | request id i32 | message (error: ErrorResponse)
//   server failure   length | type i8 (2) | ErrorResponse; belongs to no request, the server closes
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(RequestHeader header, parse_request_header(frame.span()));
//   ASSIGN_OR_RETURN(FetchLogRequest request, FetchLogRequest::decode(request_payload(frame)));
//   BytesChain out = encode_response_frame(header.request_id, response.encode());
namespace lakestream::wire {

inline constexpr size_t kFrameLengthBytes = 4;
inline constexpr size_t kRequestHeaderBytes = 8;        // after the length
inline constexpr size_t kResponseHeaderBytes = 5;       // after the length
inline constexpr size_t kServerFailureHeaderBytes = 1;  // after the length
inline constexpr size_t kFrameBytesMax = 0x7fffffff;    // what the length field can say
inline constexpr size_t kRequestBytesMaxDefault = size_t{100}
                                                  << 20;  // of netty.server.max-request-size

enum class ResponseType : int8_t { kSuccess = 0, kError = 1, kServerFailure = 2 };

struct RequestHeader {
  int16_t api_key = 0;
  int16_t api_version = 0;
  int32_t request_id = 0;

  bool operator==(const RequestHeader&) const = default;
};

struct ResponseHeader {
  ResponseType type = ResponseType::kSuccess;
  int32_t request_id = 0;     // 0 in a server failure
  size_t payload_offset = 0;  // where the message starts in the frame

  bool operator==(const ResponseHeader&) const = default;
};

// The length field of a frame: the bytes that follow it. A negative length and one above bytes_max
// are errors. Requires: at least kFrameLengthBytes.
Result<size_t> parse_frame_length(std::span<const uint8_t> start, size_t bytes_max);

// `frame` is what follows the length.
Result<RequestHeader> parse_request_header(std::span<const uint8_t> frame);
Result<ResponseHeader> parse_response_header(std::span<const uint8_t> frame);
// Requires: a frame whose header was parsed.
inline Bytes request_payload(const Bytes& frame) { return frame.slice(kRequestHeaderBytes); }
inline Bytes response_payload(const Bytes& frame, const ResponseHeader& header) {
  return frame.slice(header.payload_offset);
}

Result<BytesChain> encode_request_frame(const RequestHeader& header, BytesChain payload);
// A payload that no frame can hold becomes an error response that says so.
BytesChain encode_response_frame(int32_t request_id, BytesChain payload);
BytesChain encode_error_frame(int32_t request_id, const Error& error);
BytesChain encode_server_failure_frame(const Error& error);

// The text for an error_message field, of ErrorResponse or of a bucket: absent when there is none,
// cut to a few kilobytes, bytes that are no UTF-8 replaced by '?' (the Rust client refuses a
// message with such a string).
std::optional<std::string> error_text(const Error& error);

// The Error that an ErrorResponse payload carries.
Result<Error> decode_error(Bytes payload);

}  // namespace lakestream::wire
