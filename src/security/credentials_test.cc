#include "security/credentials.h"

#include <gtest/gtest.h>

#include "security/login_limiter.h"
#include "security/principal.h"

namespace lakestream::security {
namespace {

// Proves that users are read out of the form that Fluss is configured with.
TEST(CredentialsTest, Jaas) {
  Credentials users;
  ASSERT_TRUE(
      users.add_jaas("org.apache.fluss.security.auth.sasl.plain.PlainLoginModule required\n"
                     "  user_admin=\"admin-secret\" user_bob = \"a \\\"b\\\" \\\\;=\" "
                     "username=\"x\" user_c=plain;"));
  EXPECT_TRUE(users.verify("admin", "admin-secret"));
  EXPECT_TRUE(users.verify("bob", "a \"b\" \\;="));
  EXPECT_TRUE(users.verify("c", "plain"));
  EXPECT_FALSE(users.verify("name", "x"));
  EXPECT_FALSE(users.verify("admin", ""));
  EXPECT_FALSE(users.verify("", "admin-secret"));
}

// Proves that a broken text is refused without a word of what may be a password.
TEST(CredentialsTest, BrokenJaas) {
  for (const char* text : {"",
                           "hunter2",
                           "com.sun.Krb5LoginModule required user_a=\"hunter2\";",
                           "x.PlainLoginModule user_a=\"hunter2\";",
                           "x.PlainLoginModule required user_a=\"hunter2\"",
                           "x.PlainLoginModule required user_a=\"hunter2",
                           "x.PlainLoginModule required user_a \"hunter2\";",
                           "x.PlainLoginModule required user_a=\"hunter2\"; user_b=\"hunter2\";",
                           "x.PlainLoginModule required user_a=\"\";",
                           "x.PlainLoginModule required user_a=; user_b=\"hunter2\";",
                           "x.PlainLoginModule required user_a=\"hunter2\" user_b=\"\";",
                           "x.PlainLoginModule required =user_a=\"hunter2\";",
                           "x.PlainLoginModule required user_=\"hunter2\";"}) {
    Credentials users;
    Status added = users.add_jaas(text);
    ASSERT_FALSE(added) << text;
    EXPECT_EQ(added.error().code(), ErrorCode::kInvalidConfigException);
    EXPECT_EQ(added.error().message().find("hunter2"), std::string::npos) << text;
    EXPECT_TRUE(users.empty()) << text;
  }
}

// Proves that an address that guesses is stopped, others are not, and that time heals.
TEST(LoginLimiterTest, Failures) {
  using Ms = LoginLimiter::Milliseconds;
  LoginLimiter limiter(10, Ms(60'000), 7);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(limiter.wait_of("10.0.0.1", Ms(1000)), Ms(0)) << i;
    limiter.note_failure("10.0.0.1", Ms(1000));
  }
  EXPECT_EQ(limiter.wait_of("10.0.0.1", Ms(1000)), Ms(6000));
  EXPECT_EQ(limiter.wait_of("10.0.0.2", Ms(1000)), Ms(0));
  EXPECT_EQ(limiter.wait_of("10.0.0.1", Ms(7000)), Ms(0));
  limiter.note_failure("10.0.0.1", Ms(7000));
  EXPECT_EQ(limiter.wait_of("10.0.0.1", Ms(7000)), Ms(6000));
  EXPECT_EQ(limiter.wait_of("10.0.0.1", Ms(100'000)), Ms(0));
  LoginLimiter none(0, Ms(60'000), 7);
  for (int i = 0; i < 100; ++i) none.note_failure("10.0.0.1", Ms(1000));
  EXPECT_EQ(none.wait_of("10.0.0.1", Ms(1000)), Ms(0));
}

// Proves how principals are written.
TEST(PrincipalTest, Text) {
  auto several = parse_principals("User:a; User:b:c;");
  ASSERT_TRUE(several);
  EXPECT_EQ(*several, (std::vector<Principal>{user("a"), user("b:c")}));
  EXPECT_EQ(to_string(anonymous()), "User:ANONYMOUS");
  for (const char* text : {"alice", ":alice", "User:", ""}) EXPECT_FALSE(parse_principal(text));
}

}  // namespace
}  // namespace lakestream::security
