#include "server/listeners.h"

#include <gtest/gtest.h>

#include "base/server_config.h"

namespace lakestream {
namespace {

std::string jaas(std::string_view user, std::string_view password) {
  return fmt::format("x.PlainLoginModule required user_{}=\"{}\";", user, password);
}

Result<ListenerSetups> setups(const TextMap& texts) {
  ASSIGN_OR_RETURN(ServerConfig config, parse_server_config(texts));
  return listener_setups(config.options, texts);
}

TextMap two_listeners() {
  return {{"bind.listeners", "INTERNAL://127.0.0.1:1,CLIENT://0.0.0.0:2"},
          {"advertised.listeners", "CLIENT://far:5"},
          {"internal.listener.name", "INTERNAL"},
          {"security.protocol.map", "CLIENT:sasl,INTERNAL:PLAINTEXT"},
          {"security.sasl.plain.credentials", "alice:secret"}};
}

// Proves that without options one listener lets everybody in, as a client and not as a server.
TEST(ListenersTest, One) {
  auto made = setups({});
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->listeners.size(), 1U);
  const ListenerSetup& only = made->listeners[0];
  EXPECT_EQ(only.rules.name, "FLUSS");
  EXPECT_EQ(only.bind, (Address{"127.0.0.1", 9123}));
  EXPECT_EQ(only.advertised, only.bind);
  EXPECT_FALSE(only.rules.is_internal);
  EXPECT_EQ(only.rules.login, nullptr);
  EXPECT_EQ(only.rules.tls, nullptr);
  EXPECT_EQ(made->tls, nullptr);
}

// Proves that each listener has an address, a protocol and users of its own.
TEST(ListenersTest, Several) {
  TextMap texts = two_listeners();
  auto made = setups(texts);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->listeners.size(), 2U);
  const ListenerSetup& inside = made->listeners[0];
  EXPECT_TRUE(inside.rules.is_internal);
  EXPECT_EQ(inside.rules.login, nullptr);
  const ListenerSetup& client = made->listeners[1];
  EXPECT_FALSE(client.rules.is_internal);
  EXPECT_EQ(client.bind, (Address{"0.0.0.0", 2}));
  EXPECT_EQ(client.advertised, (Address{"far", 5}));
  ASSERT_NE(client.rules.login, nullptr);
  EXPECT_EQ(client.rules.login->mechanisms, std::vector<std::string>{"PLAIN"});
  EXPECT_TRUE(client.rules.login->users->verify("alice", "secret"));
  EXPECT_FALSE(client.rules.login->users->verify("bob", "secret"));
}

// Proves that the users of one listener take the place of those of all, and that single passwords
// come before both.
TEST(ListenersTest, Users) {
  TextMap texts = two_listeners();
  texts["security.sasl.plain.jaas.config"] = jaas("bob", "b");
  auto made = setups(texts);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->listeners[1].rules.login->users->verify("bob", "b"));
  texts["security.sasl.listener.name.client.plain.jaas.config"] = jaas("alice", "other");
  made = setups(texts);
  ASSERT_TRUE(made) << made.error().message();
  const security::Credentials& users = *made->listeners[1].rules.login->users;
  EXPECT_FALSE(users.verify("bob", "b"));
  EXPECT_FALSE(users.verify("alice", "other"));
  EXPECT_TRUE(users.verify("alice", "secret"));
}

// Proves that a listener that nobody could log in to ends the start.
TEST(ListenersTest, NoUsers) {
  TextMap texts = two_listeners();
  texts.erase("security.sasl.plain.credentials");
  auto made = setups(texts);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("nobody could log in"), std::string::npos);
}

// Proves that what would leave a door open ends the start, with no password in the message.
TEST(ListenersTest, Refusals) {
  struct Case {
    TextMap change;
    std::string message;  // a part of it
  };
  const Case cases[] = {
      {{{"bind.listeners", "127.0.0.1:1"}}, "is not NAME://HOST:PORT"},
      {{{"bind.listeners", "A://h:1,A://h:2"}}, "names A twice"},
      {{{"advertised.listeners", "OTHER://h:1"}}, "OTHER, which bind.listeners does not have"},
      {{{"internal.listener.name", "OTHER"}}, "OTHER, which bind.listeners does not have"},
      {{{"security.protocol.map", "CLINT:SASL"}}, "CLINT, which bind.listeners does not have"},
      {{{"security.protocol.map", "CLIENT:SSL"}}, "it is PLAINTEXT or SASL"},
      {{{"security.sasl.enabled.mechanisms", "GSSAPI"}}, "'GSSAPI' is not known"},
      {{{"security.sasl.plain.jaas.config", "hunter2"}}, "PlainLoginModule"},
      {{{"security.sasl.listener.name.internal.plain.jaas.config", "hunter2"}},
       "is for no listener that asks for a login"},
      {{{"lakestream.tls.listeners", "CLIENT"}}, "lakestream.tls.certificate-file"},
      {{{"lakestream.tls.listeners", "CLIENT"},
        {"lakestream.tls.certificate-file", "/none.pem"},
        {"lakestream.tls.key-file", "/none.key"}},
       "/none.pem"},
      {{{"lakestream.tls.listeners", "CLIENT"},
        {"lakestream.tls.certificate-file", "/none.pem"},
        {"lakestream.tls.key-file", "/none.key"},
        {"lakestream.tls.require-client-certificate", "true"}},
       "lakestream.tls.client-ca-file"},
  };
  for (const Case& c : cases) {
    TextMap texts = two_listeners();
    for (const auto& [key, value] : c.change) texts[key] = value;
    auto made = setups(texts);
    ASSERT_FALSE(made) << c.message;
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidConfigException);
    EXPECT_NE(made.error().message().find(c.message), std::string::npos) << made.error().message();
    EXPECT_EQ(made.error().message().find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace lakestream
