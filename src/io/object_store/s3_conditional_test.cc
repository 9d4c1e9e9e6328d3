#include "io/object_store/s3_conditional.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

// Gives the same answer to every request, and keeps the last one.
struct OneAnswer final : HttpClient {
  explicit OneAnswer(HttpAnswer its_answer) : answer(std::move(its_answer)) {}
  HttpAnswer send(const HttpRequest& request) override {
    last = request;
    ++requests;
    return answer;
  }
  HttpAnswer answer;
  HttpRequest last;
  int requests = 0;
};

constexpr TimestampMs kNow{1796036205123};  // 2026-11-30T10:56:45.123Z

S3Target target() {
  return {"http://127.0.0.1:5000/lake/a%20b/v1.metadata.json",
          "eu-test-1",
          {"the-key", "the-secret", "the-token"}};
}

std::string header_of(const HttpRequest& request, std::string_view name) {
  for (const HttpHeader& header : request.headers) {
    if (header.name == name) return header.value;
  }
  return "absent";
}

// Proves that a request is signed as botocore 1.44.8 signs the same one.
TEST(S3Conditional, Signature) {
  OneAnswer http{{.status = 200}};
  EXPECT_EQ(put_if_absent(http, target(), Bytes::copy_of("{}"), kNow).kind,
            PutIfAbsent::Kind::kDone);
  EXPECT_EQ(header_of(http.last, "If-None-Match"), "*");
  EXPECT_EQ(header_of(http.last, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=the-key/20261130/eu-test-1/s3/aws4_request, "
            "SignedHeaders=host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
            " Signature=021d2009aebc090e3f2f9769d136c1d59caac81b54244c6812b81175dbcd6e8d");
}

// Proves that the host is signed as it is sent, without the port of the scheme; botocore 1.43.11
// signs the same requests so.
TEST(S3Conditional, UsualPorts) {
  struct Case {
    const char* host;
    const char* signature;
  };
  const char* plain = "5931026f1df9626e0b0a9fd99af2f3e7dac2f6889eb8c99ab8a3b7a61249b39f";
  const Case cases[] = {
      {"https://store", plain},
      {"https://store:443", plain},
      {"http://store:80", plain},
      {"http://store:443", "9374c6bded0ee8ff608d71cfd993b3b2bc54699c20cb4b40d2c11724f6817f5f"},
  };
  for (const Case& one : cases) {
    OneAnswer http{{.status = 200}};
    S3Target at = target();
    at.url = fmt::format("{}/lake/a%20b/v1.metadata.json", one.host);
    EXPECT_EQ(put_if_absent(http, at, Bytes::copy_of("{}"), kNow).kind, PutIfAbsent::Kind::kDone);
    std::string authorization = header_of(http.last, "Authorization");
    EXPECT_TRUE(authorization.ends_with(fmt::format("Signature={}", one.signature))) << one.host;
  }
}

// Proves what each answer of a store means, and that only what had no effect is asked again.
TEST(S3Conditional, Answers) {
  using Kind = PutIfAbsent::Kind;
  struct Case {
    HttpAnswer answer;
    Kind kind;
    int requests;
  };
  const Case cases[] = {
      {{.status = 200}, Kind::kDone, 1},
      {{.status = 412}, Kind::kThere, 1},
      {{.status = 501}, Kind::kNotSupported, 1},
      {{.status = 500}, Kind::kFailed, 1},
      {{.status = 503}, Kind::kFailed, 3},
      {{.status = 409}, Kind::kFailed, 3},
      {{.trouble = "refused"}, Kind::kFailed, 3},
      {{.trouble = "timeout", .may_have_arrived = true}, Kind::kFailed, 1},
  };
  for (const Case& one : cases) {
    OneAnswer http{one.answer};
    PutIfAbsent done = put_if_absent(http, target(), Bytes::copy_of("{}"), kNow);
    EXPECT_EQ(done.kind, one.kind) << one.answer.status << one.answer.trouble;
    EXPECT_EQ(http.requests, one.requests) << one.answer.status << one.answer.trouble;
  }
  OneAnswer http{
      {.status = 404, .body = "<?xml?><Error><Code>NoSuchBucket</Code><Message>none</Message>"}};
  EXPECT_EQ(put_if_absent(http, target(), {}, kNow).reason, "404 NoSuchBucket none");
}

// Proves where the object of a path is asked for.
TEST(S3Conditional, Urls) {
  S3Place place{"bucket", "a b/c"};
  EXPECT_EQ(s3_url({}, "eu-west-1", place), "https://bucket.s3.eu-west-1.amazonaws.com/a%20b/c");
  EXPECT_EQ(s3_url({.path_style = true}, "eu-west-1", place),
            "https://s3.eu-west-1.amazonaws.com/bucket/a%20b/c");
  EXPECT_EQ(s3_url({.endpoint = "http://host:9000/"}, "x", place),
            "http://host:9000/bucket/a%20b/c");
  EXPECT_EQ(s3_url({.endpoint = "host", .path_style = false}, "x", place),
            "https://bucket.host/a%20b/c");
}

}  // namespace
}  // namespace lakestream
