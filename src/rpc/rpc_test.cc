#include <gtest/gtest.h>

#include "base/endian.h"
#include "io/sim/sim_world.h"
#include "rpc/channel.h"
#include "rpc/neighbourhood.h"
#include "rpc/server.h"

namespace lakestream::rpc {
namespace {

struct Running {
  int running = 0;
  int most = 0;
};

Task<Result<wire::TableExistsResponse>> slow_exists(SimNode* node,
                                                    Running* slow,
                                                    wire::TableExistsRequest request,
                                                    RequestContext context) {
  if (request.table_path.table_name.starts_with("slow")) {
    slow->most = std::max(slow->most, ++slow->running);
    co_await sleep_for(node->env().clock, *context.shard, std::chrono::seconds(1));
    --slow->running;
  }
  if (request.table_path.table_name == "error") {
    co_return make_error(ErrorCode::kTableNotExist, "table d.error does not exist");
  }
  co_return wire::TableExistsResponse{true};
}

// A request for tables waits until the connection ends, another one for a second.
Task<Result<wire::MetadataResponse>> slow_metadata(SimNode* node,
                                                   Running* slow,
                                                   wire::MetadataRequest request,
                                                   RequestContext context) {
  if (!request.table_path.empty()) {
    Waiter ended;
    auto place = context.cancellation->on_cancel([&ended] { ended.wake(); });
    co_await ended.wait();
    context.cancellation->forget(place);
    co_return wire::MetadataResponse{};
  }
  slow->most = std::max(slow->most, ++slow->running);
  co_await sleep_for(node->env().clock, *context.shard, std::chrono::seconds(1));
  --slow->running;
  co_return wire::MetadataResponse{};
}

class RpcTest : public testing::Test {
 protected:
  void SetUp() override {
    apis_.add<wire::ApiKey::kGetMetadata>(
        [this](wire::MetadataRequest request, RequestContext context) {
          return slow_metadata(&server_node_, &slow_, std::move(request), std::move(context));
        });
    auto handler = [this](wire::TableExistsRequest request, RequestContext context) {
      return slow_exists(&server_node_, &slow_, std::move(request), std::move(context));
    };
    apis_.add<wire::ApiKey::kTableExists>(handler);
    options_.request_bytes_max = 1 << 20;
    options_.bytes_max = 100'000;
    server_ = std::make_unique<Server>(
        server_node_.env(), std::vector<Shard*>{&server_node_.shard(0)}, apis_, options_);
    auto bound = server_->listen({"server", 9123}, {.name = "FLUSS", .login = login_});
    ASSERT_TRUE(bound) << bound.error().to_string();
    address_ = *bound;
    server_->serve();
  }

  void TearDown() override {
    if (server_ != nullptr) stop();
  }

  void stop() {
    struct Run {
      static Task<bool> stop(Server* server) {
        co_await server->stop();
        co_return true;
      }
    };
    world_.run(server_node_.shard(0), Run::stop(server_.get()));
    server_ = nullptr;
  }

  Shard& here() { return client_.shard(0); }

  // Sends raw bytes and gives everything that comes back until the server closes or is silent.
  std::string talk(std::string bytes) {
    struct Run {
      static Task<std::string> task(SimNode* client, Address address, std::string bytes) {
        auto stream =
            co_await client->env().network.connect(client->shard(0), address, Duration(0));
        (void)co_await (*stream)->write(BytesChain(Bytes::copy_of(bytes)));
        std::string all;
        std::vector<uint8_t> buffer(4096);
        Stream* raw = stream->get();
        Timer limit = client->env().clock.start_timer(
            client->shard(0), std::chrono::seconds(10), [raw] { raw->close(); });
        for (;;) {
          auto count = co_await (*stream)->read_some(buffer);
          if (!count || *count == 0) break;
          all.append(reinterpret_cast<const char*>(buffer.data()), *count);
        }
        co_return all;
      }
    };
    return world_.run(here(), Run::task(&client_, address_, std::move(bytes)));
  }

  SimWorld world_{1};
  SimNode& server_node_ = world_.add_node("server");
  SimNode& client_ = world_.add_node("client");
  ApiTable apis_;
  Running slow_;
  ServerOptions options_;
  std::shared_ptr<const LoginRules> login_;
  std::unique_ptr<Server> server_;
  Address address_;
};

std::string frame(int16_t key, int16_t version, int32_t id, std::string_view payload) {
  std::string bytes(12, '\0');
  store_be<int32_t>(bytes.data(), static_cast<int32_t>(8 + payload.size()));
  store_be<int16_t>(bytes.data() + 4, key);
  store_be<int16_t>(bytes.data() + 6, version);
  store_be<int32_t>(bytes.data() + 8, id);
  return bytes.append(payload);
}

Task<std::string> ask_all(SimNode* client, Address address) {
  Shard& here = client->shard(0);
  ChannelOptions options;
  auto channel = co_await Channel::open(client->env(), here, address, options);
  if (!channel) co_return channel.error().to_string();
  std::string log;
  Waiter done;
  int open = 0;
  struct Run {
    static Task<void> ask(
        Channel* on, std::string name, std::string* log, int* open, Waiter* done) {
      wire::TableExistsRequest request{{"d", name}};
      auto answer = co_await on->call<wire::ApiKey::kTableExists>(request, std::chrono::seconds(5));
      *log += name + (answer ? "=yes " : "=" + answer.error().to_string() + " ");
      if (--*open == 0) done->wake();
    }
  };
  for (const char* name : {"slow", "fast", "error"}) {
    ++open;
    here.spawn(Run::ask(channel->get(), name, &log, &open, &done));
  }
  co_await done.wait();
  co_await (*channel)->close();
  co_return log;
}

// Proves that answers come as they get ready, and that errors keep code and message.
TEST_F(RpcTest, AnswersOutOfOrder) {
  EXPECT_EQ(world_.run(here(), ask_all(&client_, address_)),
            "fast=yes error=TABLE_NOT_EXIST: table d.error does not exist slow=yes ");
}

// Proves that large requests run as far as memory goes, all connections together, and one of each
// connection always does.
TEST_F(RpcTest, MemoryOfAllConnections) {
  struct Run {
    static Task<void> ask(SimNode* client, Address address, size_t count, size_t* answered) {
      Shard& here = client->shard(0);
      ChannelOptions options;
      auto channel = co_await Channel::open(client->env(), here, address, options);
      if (!channel) co_return;
      Gate calls;
      for (size_t i = 0; i < count; ++i) {
        auto pass = calls.enter();
        here.spawn(call(channel->get(), answered, std::move(*pass)));
      }
      co_await calls.closed();
      co_await (*channel)->close();
    }
    static Task<void> call(Channel* on, size_t* answered, Gate::Pass) {
      wire::TableExistsRequest request{{"d", "slow" + std::string(40'000, 'x')}};
      auto answer = co_await on->call<wire::ApiKey::kTableExists>(request, std::chrono::hours(1));
      if (answer) ++*answered;
    }
  };
  size_t answered = 0;
  here().spawn(Run::ask(&client_, address_, 20, &answered));
  ASSERT_TRUE(world_.run_until([&] { return answered == 20; }, std::chrono::minutes(1)));
  EXPECT_EQ(slow_.most, 3) << "2 of 40 KB leave room, 3 do not";
  slow_.most = 0;
  for (int i = 0; i < 5; ++i) here().spawn(Run::ask(&client_, address_, 20, &answered));
  ASSERT_TRUE(world_.run_until([&] { return answered == 120; }, std::chrono::minutes(5)));
  EXPECT_GE(slow_.most, 4) << "one of each connection, as far as twice the memory goes";
  EXPECT_LE(slow_.most, 3 + 4);
}

// Proves that a small request that names much counts for what is made of it, and that one that
// names more than there can be is refused.
TEST_F(RpcTest, RequestsOfManyParts) {
  auto asking = [](int32_t id, size_t parts) {
    wire::MetadataRequest request;
    request.partitions_id.assign(parts, 1);
    return frame(1012, 0, id, request.encode().flatten().view());
  };
  std::string all;
  for (int32_t id = 0; id < 6; ++id) all += asking(id, 80);
  ASSERT_LT(all.size(), 1000U);
  EXPECT_EQ(talk(all).size(), 6U * 9);
  EXPECT_EQ(slow_.most, 3) << "2 of 40 KB leave room, 3 do not";
  std::string refused = talk(asking(7, (1 << 18) + 1));
  EXPECT_NE(refused.find("262145 parts, at most 262144 are possible"), std::string::npos);
}

// Proves that answers that are made at the same time get what is left, and something always.
TEST(HeldShareTest, Grants) {
  HeldBytes held(100);
  HeldShare first(&held);
  EXPECT_EQ(first.grant(60, 10), 60U);
  {
    HeldShare second(&held);
    EXPECT_EQ(second.grant(60, 10), 40U);
    HeldShare third(&held);
    EXPECT_EQ(third.grant(60, 10), 10U);
    EXPECT_EQ(third.grant(5, 10), 5U);
    EXPECT_EQ(held.total(), 105U);
    first.settle(20);
    EXPECT_EQ(second.grant(60, 10), 60U);
  }
  EXPECT_EQ(held.total(), 20U);
  HeldShare unlimited(nullptr);
  EXPECT_EQ(unlimited.grant(60, 10), 60U);
}

// Proves that a server stops though a connection has no room, and its requests wait for its end.
TEST_F(RpcTest, StopsWithoutRoom) {
  wire::MetadataRequest request;
  request.table_path.assign(100, {"d", "t"});
  std::string all;
  for (int32_t id = 0; id < 6; ++id) {
    all += frame(1012, 0, id, request.encode().flatten().view());
  }
  struct Run {
    static Task<void> send(SimNode* client, Address address, std::string bytes) {
      auto stream = co_await client->env().network.connect(client->shard(0), address, Duration(0));
      (void)co_await (*stream)->write(BytesChain(Bytes::copy_of(bytes)));
      std::vector<uint8_t> buffer(4096);
      Result<size_t> count = 1;
      while (count && *count > 0) count = co_await (*stream)->read_some(buffer);
    }
  };
  here().spawn(Run::send(&client_, address_, all));
  world_.run_for(std::chrono::seconds(1));
  Duration begin = client_.env().clock.monotonic();
  stop();
  EXPECT_LT(client_.env().clock.monotonic() - begin, std::chrono::seconds(1));
  world_.run_for(std::chrono::seconds(1));  // the client hears of it
}

// Proves who shares the limits of an address: whoever has one of version 6 has its network.
TEST(NeighbourhoodTest, Hosts) {
  EXPECT_EQ(neighbourhood_of("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(neighbourhood_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(neighbourhood_of("2001:db8:1:2::9"), "2001:db8:1:2::/64");
  EXPECT_EQ(neighbourhood_of("2001:db8:1:3::9"), "2001:db8:1:3::/64");
  EXPECT_EQ(neighbourhood_of("fe80::1%eth0"), "fe80::/64");
  EXPECT_EQ(neighbourhood_of("server"), "server");
}

// Who may ask what, and what the session of a request says.
class LoginTest : public RpcTest {
 protected:
  void SetUp() override {
    auto rules = std::make_shared<LoginRules>();
    rules->mechanisms = {"PLAIN"};
    rules->users = users({{"alice", "secret"}});
    login_ = std::move(rules);
    options_.login_failures_max = 3;
    RpcTest::SetUp();
    apis_.guard<wire::ApiKey::kTableExists>(
        [this](const wire::TableExistsRequest& request, const RequestContext& context) -> Status {
          asked_by_ = to_string(context.session->principal);
          if (request.table_path.table_name != "forbidden") return ok();
          return make_error(ErrorCode::kAuthorizationException, "forbidden");
        });
  }

  static std::shared_ptr<const security::Credentials> users(const TextMap& passwords) {
    auto made = std::make_shared<security::Credentials>();
    EXPECT_TRUE(made->add(passwords));
    return made;
  }

  std::string ask(std::optional<security::Login> login, std::string table) {
    struct Run {
      static Task<std::string> task(SimNode* client,
                                    Address address,
                                    std::optional<security::Login> login,
                                    std::string table) {
        ChannelOptions options;
        options.login = std::move(login);
        auto channel = co_await Channel::open(client->env(), client->shard(0), address, options);
        if (!channel) co_return channel.error().to_string();
        wire::TableExistsRequest request{{"d", std::move(table)}};
        auto answer = co_await (*channel)->call<wire::ApiKey::kTableExists>(
            std::move(request), std::chrono::seconds(5));
        co_await (*channel)->close();
        co_return answer ? "yes" : answer.error().to_string();
      }
    };
    return world_.run(here(), Run::task(&client_, address_, std::move(login), std::move(table)));
  }

  std::string asked_by_;
};

// Proves that nothing is answered before the login, that handlers know who asks, and that a guard
// comes before them.
TEST_F(LoginTest, OnlyWhoLoggedIn) {
  EXPECT_EQ(ask(std::nullopt, "t").substr(0, 23), "AUTHENTICATE_EXCEPTION:");
  EXPECT_EQ(asked_by_, "");
  EXPECT_EQ(ask(security::Login{"PLAIN", "alice", "secret"}, "t"), "yes");
  EXPECT_EQ(asked_by_, "User:alice");
  EXPECT_EQ(ask(security::Login{"PLAIN", "alice", "secret"}, "forbidden"),
            "AUTHORIZATION_EXCEPTION: forbidden");
}

// Proves that users come and go while the server runs.
TEST_F(LoginTest, UsersChange) {
  server_->set_users("FLUSS", users({{"bob", "b"}}));
  EXPECT_EQ(ask(security::Login{"PLAIN", "bob", "b"}, "t"), "yes");
  EXPECT_EQ(ask(security::Login{"PLAIN", "alice", "secret"}, "t"),
            "AUTHENTICATE_EXCEPTION: server:9123: user name or password is wrong");
}

// Proves that who guesses is refused after some guesses, also with the right password, and may try
// again later.
TEST_F(LoginTest, Guessing) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(security::Login{"PLAIN", "alice", "guess"}, "t"),
              "AUTHENTICATE_EXCEPTION: server:9123: user name or password is wrong");
  }
  EXPECT_NE(ask(security::Login{"PLAIN", "alice", "secret"}, "t").find("too many failed logins"),
            std::string::npos);
  world_.run_for(std::chrono::minutes(1));
  EXPECT_EQ(ask(security::Login{"PLAIN", "alice", "secret"}, "t"), "yes");
}

// Proves that before the login a large frame ends the connection, and that a silent peer is cut
// off.
TEST_F(LoginTest, LittleForStrangers) {
  std::string length(4, '\0');
  store_be<int32_t>(length.data(), 17 << 10);
  std::string answers = talk(length);
  ASSERT_GE(answers.size(), 5U);
  EXPECT_EQ(answers[4], 2);
  Duration begin = client_.env().clock.monotonic();
  EXPECT_EQ(talk(""), "");
  EXPECT_LE(client_.env().clock.monotonic() - begin, std::chrono::seconds(11));
}

// Proves that an unknown API, a known one that is not served and a version above the range get
// error 2 with the request's id, and the connection stays usable.
TEST_F(RpcTest, UnsupportedIsAnswered) {
  std::string answers = talk(frame(7, 0, 11, "") + frame(1016, 0, 12, "") + frame(1010, 9, 13, "") +
                             frame(1000, 0, 14, ""));
  std::vector<std::pair<int, int>> types;
  for (size_t at = 0; at + 9 <= answers.size();) {
    types.emplace_back(answers[at + 4], load_be<int32_t>(answers.data() + at + 5));
    at += 4 + static_cast<size_t>(load_be<int32_t>(answers.data() + at));
  }
  EXPECT_EQ(types, (std::vector<std::pair<int, int>>{{1, 11}, {1, 12}, {1, 13}, {0, 14}}));
}

// Proves that a broken body gets an error with the request's id.
TEST_F(RpcTest, BrokenBodyIsAnswered) {
  std::string answers = talk(frame(1010, 0, 5, "\xff\xff\xff"));
  ASSERT_GE(answers.size(), 9U);
  EXPECT_EQ(answers[4], 1);
  EXPECT_EQ(load_be<int32_t>(answers.data() + 5), 5);
}

// Proves that a frame that lies about its length ends the connection with a server failure.
TEST_F(RpcTest, LyingLengthEndsTheConnection) {
  for (int32_t length : {-1, 0, 7, (1 << 20) + 1, INT32_MAX}) {
    std::string bytes(4, '\0');
    store_be<int32_t>(bytes.data(), length);
    std::string answers = talk(bytes + std::string(20, 'x'));
    ASSERT_GE(answers.size(), 5U) << length;
    EXPECT_EQ(answers[4], 2) << length;
  }
}

// Proves that a frame cut at any place neither answers nor hurts.
TEST_F(RpcTest, TruncatedFrames) {
  std::string whole = frame(1000, 0, 1, "");
  for (size_t cut = 0; cut < whole.size(); ++cut) EXPECT_EQ(talk(whole.substr(0, cut)), "") << cut;
}

}  // namespace
}  // namespace lakestream::rpc
