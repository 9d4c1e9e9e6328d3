#include "security/sasl.h"

#include <gtest/gtest.h>

namespace lakestream::security {
namespace {

using namespace std::string_literals;

std::shared_ptr<const Credentials> users() {
  auto made = std::make_shared<Credentials>();
  EXPECT_TRUE(made->add({{"alice", "secret"}, {"bob", "b"}}));
  return made;
}

// Proves that only a known user with the right password comes in, in one message, and that others
// do not learn what was wrong.
TEST(SaslTest, PlainServer) {
  struct Case {
    std::string token;
    std::string error;  // empty: comes in
  };
  const Case cases[] = {
      {"\0alice\0secret"s, ""},
      {"alice\0alice\0secret"s, ""},
      {"bob\0alice\0secret"s, "a user acts as nobody else; leave the authorization id empty"},
      {"\0alice\0wrong"s, "user name or password is wrong"},
      {"\0alice\0secret2"s, "user name or password is wrong"},
      {"\0alice\0secre"s, "user name or password is wrong"},
      {"\0alice\0secretsecret"s, "user name or password is wrong"},
      {"\0ALICE\0secret"s, "user name or password is wrong"},
      {"\0carol\0secret"s, "user name or password is wrong"},
      {"\0carol\0a password that nobody has"s, "user name or password is wrong"},
      {"bob\0alice\0wrong"s, "user name or password is wrong"},
      {"\0\0secret"s, "login without a user name; give one"},
      {"\0alice\0"s, "login without a password; give one"},
      {"", "the PLAIN message has not three parts, as RFC 4616 wants it"},
      {"alice\0secret"s, "the PLAIN message has not three parts, as RFC 4616 wants it"},
      {"\0alice\0secret\0"s, "the PLAIN message has not three parts, as RFC 4616 wants it"},
  };
  for (const Case& c : cases) {
    auto login = make_sasl_server("plain", users());
    ASSERT_TRUE(login);
    auto challenge = (*login)->evaluate(c.token);
    EXPECT_EQ((*login)->is_complete(), c.error.empty());
    if (c.error.empty()) {
      ASSERT_TRUE(challenge);
      EXPECT_EQ(*challenge, "");
      EXPECT_EQ(to_string((*login)->principal()), "User:alice");
    } else {
      ASSERT_FALSE(challenge);
      EXPECT_EQ(challenge.error().code(), ErrorCode::kAuthenticateException);
      EXPECT_EQ(challenge.error().message(), c.error);
    }
  }
}

// Proves that the client's message is the one of RFC 4616, and that an empty challenge ends well.
TEST(SaslTest, PlainClient) {
  auto client = make_sasl_client({"PLAIN", "alice", "secret"});
  ASSERT_TRUE(client);
  EXPECT_FALSE((*client)->is_complete());
  EXPECT_EQ(*(*client)->evaluate(std::nullopt), "\0alice\0secret"s);
  EXPECT_TRUE((*client)->is_complete());
  EXPECT_EQ(*(*client)->evaluate(""), "");
  EXPECT_FALSE((*client)->evaluate("more"));
}

// Proves that a mechanism that is not there is refused by name.
TEST(SaslTest, UnknownMechanism) {
  auto login = make_sasl_server("GSSAPI", users());
  ASSERT_FALSE(login);
  EXPECT_EQ(login.error().to_string(),
            "AUTHENTICATE_EXCEPTION: SASL mechanism \"GSSAPI\" is not known; use one of PLAIN");
}

}  // namespace
}  // namespace lakestream::security
