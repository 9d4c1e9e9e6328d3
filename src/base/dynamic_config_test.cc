#include "base/dynamic_config.h"

#include <gtest/gtest.h>

#include "base/server_config.h"
#include "base/server_options.h"

namespace lakestream {
namespace {

using Op = ConfigChange::Op;

const TextMap kStartedWith = {{"kv.snapshot.interval", "1 min"}, {"remote.data.dirs", "/a"}};

DynamicTexts changed(std::vector<ConfigChange> changes, DynamicTexts before = {}) {
  return change_dynamic(kStartedWith, std::move(before), changes).value();
}

std::string refusal(ConfigChange change) {
  Result<DynamicTexts> next = change_dynamic(kStartedWith, {}, {std::move(change)});
  EXPECT_FALSE(next);
  EXPECT_EQ(next.error().code(), ErrorCode::kConfigException);
  return next.error().message();
}

// Proves that only alterable options are changed, and that each refusal says why.
TEST(DynamicConfigTest, Refused) {
  EXPECT_NE(refusal({"data.dir", "/x"}).find("while the server runs"), std::string::npos);
  EXPECT_NE(refusal({"kv.snapshot.intervall", "1 s"}).find("'kv.snapshot.interval'"),
            std::string::npos);
  EXPECT_NE(refusal({"zookeeper.address", "h"}).find("no effect"), std::string::npos);
  EXPECT_NE(refusal({"datalake.parquet.x", "h"}).find("unknown"), std::string::npos);
  EXPECT_NE(refusal({"kv.snapshot.interval", "1 s", static_cast<Op>(9)}).find("9"),
            std::string::npos);
  for (Op op : {Op::kAppend, Op::kSubtract}) {
    EXPECT_NE(refusal({"kv.snapshot.interval", "1 s", op}).find("a list or a map"),
              std::string::npos);
    EXPECT_NE(refusal({"remote.data.dirs", std::nullopt, op}).find("a list or a map"),
              std::string::npos);
  }
}

// Proves that nothing is taken that could not be read back, and that no client costs much time.
TEST(DynamicConfigTest, Sizes) {
  const std::string key = "datalake.paimon.x";
  auto size_of = [&](size_t bytes) { return std::string(bytes - key.size(), 'v'); };
  EXPECT_EQ(changed({{key, size_of(256 << 10)}}).size(), 1U);
  EXPECT_NE(refusal({key, size_of((256 << 10) + 1)}).find("262145"), std::string::npos);
  EXPECT_NE(refusal({key, std::string((256 << 10) + 1, 'v')}).find("its value"), std::string::npos);
  EXPECT_NE(refusal({"datalake.paimon.a b", "v"}).find("letters"), std::string::npos);
  EXPECT_NE(refusal({"datalake.paimon.\xff", "v"}).find("letters"), std::string::npos);
  EXPECT_NE(refusal({key, "a\nb"}).find("control character"), std::string::npos);
  EXPECT_NE(refusal({key, std::string(1, '\0')}).find("control character"), std::string::npos);
  EXPECT_NE(refusal({std::string(50 << 20, 'k'), "v"}).find("at most 256"), std::string::npos);
  std::vector<ConfigChange> many(1001, ConfigChange{key, "v"});
  EXPECT_FALSE(change_dynamic(kStartedWith, {}, many));
  many.pop_back();
  EXPECT_TRUE(change_dynamic(kStartedWith, {}, many));
  EXPECT_NE(refusal({"", "v"}).find("unknown"), std::string::npos);
}

// Proves that nobody weakens the protection of a running server, whatever the option is called.
TEST(DynamicConfigTest, Protection) {
  for (const char* key : {"security.protocol.map",
                          "security.sasl.plain.jaas.config",
                          "security.sasl.listener.name.client.plain.jaas.config",
                          "security.unknown",
                          "authorizer.enabled",
                          "authorizer.type",
                          "super.users",
                          "lakestream.tls.listeners",
                          "lakestream.login.max-failures"}) {
    for (Op op : {Op::kSet, Op::kDelete, Op::kAppend, Op::kSubtract}) {
      EXPECT_NE(refusal({key, "false", op}).find("protects the server"), std::string::npos) << key;
    }
  }
}

// Proves that users come and go while the server runs, and that no refusal shows a password.
TEST(DynamicConfigTest, Users) {
  const std::string key = "security.sasl.plain.credentials";
  const TextMap first = {{key, "root:p"}};
  auto change = [&](Op op, std::string value) {
    return change_dynamic(first, {}, {{key, std::move(value), op}});
  };
  EXPECT_EQ(change(Op::kAppend, "bob:b")->at(key), "root:p,bob:b");
  EXPECT_EQ(change(Op::kSubtract, "nobody:x")->at(key), "root:p");
  EXPECT_EQ(change(Op::kSet, "eve:e")->at(key), "eve:e");
  for (Op op : {Op::kAppend, Op::kSubtract}) {
    auto refused = change(op, "hunter2");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message().find("hunter2"), std::string::npos);
  }
  auto twice = change(Op::kAppend, "root:hunter2");
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message().find("has key 'root' already"), std::string::npos);
  EXPECT_EQ(twice.error().message().find("hunter2"), std::string::npos);
}

// Proves that steps see each other, a value of none hides, and a deleted one is that of the start.
TEST(DynamicConfigTest, SetAndDelete) {
  DynamicTexts texts = changed({{"datalake.format", "paimon"}, {"kv.snapshot.interval", {}}});
  EXPECT_EQ(texts, (DynamicTexts{{"datalake.format", "paimon"}, {"kv.snapshot.interval", {}}}));
  EXPECT_FALSE(effective_texts(kStartedWith, texts).contains("kv.snapshot.interval"));
  texts = changed({{"kv.snapshot.interval", "2 s"},
                   {"kv.snapshot.interval", {}, Op::kDelete},
                   {"datalake.format", {}, Op::kDelete},
                   {"datalake.format", {}, Op::kDelete}},
                  texts);
  EXPECT_TRUE(texts.empty());
  EXPECT_EQ(effective_texts(kStartedWith, texts), kStartedWith);
}

// Proves that items are added to and taken from what counts, dynamic or not.
TEST(DynamicConfigTest, Items) {
  const std::string key = "remote.data.dirs";
  DynamicTexts texts = changed({{key, "/b", Op::kAppend}});
  EXPECT_EQ(texts, (DynamicTexts{{key, "/a,/b"}}));
  texts = changed({{key, "/a", Op::kSubtract}, {key, "/c", Op::kSubtract}}, texts);
  EXPECT_EQ(texts, (DynamicTexts{{key, "/b"}}));
  texts = changed({{key, "/b", Op::kSubtract}}, texts);
  EXPECT_EQ(texts, (DynamicTexts{{key, std::nullopt}}));
  EXPECT_EQ(changed({{key, "/d", Op::kAppend}}, texts), (DynamicTexts{{key, "/d"}}));
}

// Proves that the rules of a whole configuration hold of what counts.
TEST(DynamicConfigTest, Together) {
  ServerConfig config = parse_dynamic(kStartedWith, {{"kv.snapshot.interval", "5 s"}}).value();
  EXPECT_EQ(config.options.get(server_options::kKvSnapshotInterval), std::chrono::seconds(5));
  for (const DynamicTexts& wrong :
       std::vector<DynamicTexts>{{{"kv.snapshot.interval", "soon"}},
                                 {{"datalake.enabled", "true"}},
                                 {{"server.data-disk.write-limit-ratio", "0.5"}}}) {
    Result<ServerConfig> refused = parse_dynamic(kStartedWith, wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kConfigException);
    EXPECT_NE(refused.error().message().find(wrong.rbegin()->first.substr(0, 16)),
              std::string::npos);
  }
  EXPECT_TRUE(parse_dynamic(kStartedWith, {{"datalake.paimon.warehouse", "/w"}}));
}

}  // namespace
}  // namespace lakestream
