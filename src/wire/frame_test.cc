#include "wire/frame.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "wire/api.h"
#include "wire/messages.h"

namespace lakestream::wire {
namespace {

std::string hex(const BytesChain& chain) { return to_hex(chain.flatten().span()); }
Bytes bytes(std::string_view text) { return Bytes::copy_of(text); }

// Proves the layouts of the four kinds of frames against bytes written by hand.
TEST(Frame, Layouts) {
  const RequestHeader header{.api_key = 1014, .api_version = 1, .request_id = 0x01020304};
  EXPECT_EQ(hex(*encode_request_frame(header, BytesChain(bytes("xyz")))),
            "0000000b"
            "03f6"
            "0001"
            "01020304"
            "78797a");
  EXPECT_EQ(hex(encode_response_frame(258, BytesChain(bytes("xyz")))),
            "00000008"
            "00"
            "00000102"
            "78797a");
  EXPECT_EQ(hex(encode_error_frame(-1, Error(ErrorCode::kTableNotExist, "no t"))),
            "0000000d"
            "01"
            "ffffffff"
            "0807"
            "12046e6f2074");
  EXPECT_EQ(hex(encode_error_frame(0, Error(ErrorCode::kTableNotExist, ""))),
            "00000007"
            "01"
            "00000000"
            "0807");
  EXPECT_EQ(hex(encode_server_failure_frame(Error(ErrorCode::kUnknownServerError, ""))),
            "0000000c"
            "02"
            "08ffffffffffffffffff01");
}

// Proves that the payload is not copied behind the header.
TEST(Frame, SharesThePayload) {
  const Bytes payload = bytes("payload");
  EXPECT_EQ(encode_response_frame(1, BytesChain(payload)).parts()[1].data(), payload.data());
}

// Proves that what was framed is parsed again, length first.
TEST(Frame, ParsesRequests) {
  const RequestHeader header{.api_key = -7, .api_version = 2, .request_id = -3};
  const Bytes frame = encode_request_frame(header, BytesChain(bytes("abc")))->flatten();
  Result<size_t> length = parse_frame_length(frame.span(), kRequestBytesMaxDefault);
  ASSERT_TRUE(length.has_value());
  EXPECT_EQ(*length, 11U);
  const Bytes rest = frame.slice(kFrameLengthBytes);
  EXPECT_EQ(*parse_request_header(rest.span()), header);
  EXPECT_EQ(request_payload(rest).view(), "abc");
  for (size_t size = 0; size < kRequestHeaderBytes; ++size) {
    EXPECT_FALSE(parse_request_header(rest.span().first(size)).has_value());
  }
}

// Proves that errors of the server arrive with code and text, and unknown codes as the unknown
// error.
TEST(Frame, ParsesResponses) {
  const Error error(ErrorCode::kNotLeaderOrFollower, "bucket 3 has moved");
  const Bytes frame = encode_error_frame(9, error).flatten().slice(kFrameLengthBytes);
  const Result<ResponseHeader> header = parse_response_header(frame.span());
  EXPECT_EQ(*header,
            (ResponseHeader{.type = ResponseType::kError, .request_id = 9, .payload_offset = 5}));
  const Result<Error> decoded = decode_error(response_payload(frame, *header));
  EXPECT_EQ(decoded->code(), error.code());
  EXPECT_EQ(decoded->message(), error.message());
  EXPECT_EQ(decode_error(bytes("\x08\xe7\x07"))->code(), ErrorCode::kUnknownServerError);
  EXPECT_FALSE(decode_error({}).has_value());

  const Bytes failure = encode_server_failure_frame(error).flatten().slice(kFrameLengthBytes);
  EXPECT_EQ(parse_response_header(failure.span())->type, ResponseType::kServerFailure);
  EXPECT_EQ(parse_response_header(failure.span())->payload_offset, 1U);
}

// Proves that the text of an error is valid UTF-8 of a limited length, cut between characters. The
// sequences are those of RFC 3629 and its forbidden neighbours.
TEST(Frame, ErrorText) {
  const auto text_of = [](std::string_view message) {
    return *error_text(Error(ErrorCode::kUnknownServerError, std::string(message)));
  };
  EXPECT_EQ(error_text(Error(ErrorCode::kUnknownServerError, "")), std::nullopt);
  for (std::string_view valid :
       {"plain", "\xc3\xa9", "\xe6\xb5\x81", "\xef\xbf\xbd", "\xf0\x9f\x8c\x8a"}) {
    EXPECT_EQ(text_of(valid), valid);
  }
  EXPECT_EQ(text_of("a\x80z"), "a?z");
  EXPECT_EQ(text_of("a\xc3"), "a?");
  EXPECT_EQ(text_of("\xc0\xaf"), "??");
  EXPECT_EQ(text_of("\xed\xa0\x80"), "???");
  EXPECT_EQ(text_of("\xe0\x9f\x80"), "???");
  EXPECT_EQ(text_of("\xf4\x90\x80\x80"), "????");
  EXPECT_EQ(text_of("\xff\xc3\xa9"), "?\xc3\xa9");
  std::string accents;
  for (int i = 0; i < 4000; ++i) accents += "\xc3\xa9";
  EXPECT_EQ(text_of("x" + accents), "x" + accents.substr(0, 4094));
}

// Proves that response frames without a header of a known type are refused.
TEST(Frame, RefusesBrokenResponses) {
  EXPECT_FALSE(parse_response_header({}).has_value());
  EXPECT_FALSE(parse_response_header(bytes(std::string(4, '\0')).span()).has_value());
  EXPECT_FALSE(parse_response_header(bytes("\x03"
                                           "abcd")
                                         .span())
                   .has_value());
}

// Proves the limits of the length field.
TEST(Frame, LengthLimits) {
  EXPECT_EQ(*parse_frame_length(bytes(std::string("\x00\x00\x00\x00", 4)).span(), 10), 0U);
  EXPECT_EQ(*parse_frame_length(bytes(std::string("\x00\x00\x00\x0a", 4)).span(), 10), 10U);
  EXPECT_FALSE(
      parse_frame_length(bytes(std::string("\x00\x00\x00\x0b", 4)).span(), 10).has_value());
  EXPECT_FALSE(parse_frame_length(bytes("\xff\xff\xff\xff").span(), kFrameBytesMax).has_value());
}

// Proves that a response which no frame can hold becomes an error of the same request.
TEST(Frame, ResponseTooLong) {
  const Bytes block = bytes(std::string(1 << 20, 'x'));
  BytesChain payload;
  for (int i = 0; i < 2048; ++i) payload.append(block);
  const Bytes frame = encode_response_frame(5, payload).flatten();
  EXPECT_LT(frame.size(), 200U);
  const Result<ResponseHeader> header =
      parse_response_header(frame.slice(kFrameLengthBytes).span());
  EXPECT_EQ(header->type, ResponseType::kError);
  EXPECT_EQ(header->request_id, 5);
  EXPECT_FALSE(encode_request_frame({}, payload).has_value());
}

}  // namespace
}  // namespace lakestream::wire
