#include "io/http_client.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

// Proves that messages show neither passwords nor tokens of a URL.
TEST(HttpUrls, Shown) {
  EXPECT_EQ(shown_url("https://host:1/v1/a?token=x#y"), "https://host:1/v1/a");
  EXPECT_EQ(shown_url("https://me:secret@host/v1/a@b"), "https://host/v1/a@b");
  EXPECT_EQ(shown_url("http://host"), "http://host");
}

// Proves that what is no plain character of a path is escaped, byte by byte.
TEST(HttpUrls, Encoded) {
  EXPECT_EQ(url_encoded("a-b_c.d~1"), "a-b_c.d~1");
  EXPECT_EQ(url_encoded("a/b c+ö"), "a%2Fb%20c%2B%C3%B6");
  EXPECT_EQ(url_encoded("a/b c", true), "a/b%20c");
}

// Proves that a service which does not listen gives no answer, and is known not to have acted.
TEST(HttpClients, NobodyListens) {
  std::unique_ptr<HttpClient> http = make_http_client({});
  HttpAnswer answer = http->send({.method = "POST", .url = "http://127.0.0.1:1/", .body = "{}"});
  EXPECT_FALSE(answer.came());
  EXPECT_FALSE(answer.may_have_arrived);
  EXPECT_NE(answer.trouble, "");
  EXPECT_FALSE(http->send({.url = "file:///etc/hostname"}).came());
}

}  // namespace
}  // namespace lakestream
