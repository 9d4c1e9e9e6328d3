#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "io/disk.h"
#include "io/real_env.h"
#include "meta/embedded/embedded_store.h"
#include "meta/meta.h"
#include "meta/model/model_store.h"

namespace lakestream {
namespace {

// A store and what it needs to live.
struct Fixture {
  std::unique_ptr<RealEnv> env;
  std::string directory;
  std::unique_ptr<MetaStore> store;

  ~Fixture() {
    store.reset();
    if (!directory.empty()) std::filesystem::remove_all(directory);
  }
};

std::unique_ptr<Fixture> make_embedded() {
  auto fixture = std::make_unique<Fixture>();
  fixture->env = std::make_unique<RealEnv>(1);
  std::string pattern = testing::TempDir() + "metaXXXXXX";
  CHECK(mkdtemp(pattern.data()) != nullptr);
  fixture->directory = pattern;
  auto store = open_meta_store("embedded", {fixture->env->env().disk, pattern + "/meta"});
  CHECK(store.has_value(), "embedded store");
  fixture->store = std::move(*store);
  return fixture;
}

std::unique_ptr<Fixture> make_model() {
  auto fixture = std::make_unique<Fixture>();
  fixture->store = std::make_unique<ModelStore>();
  return fixture;
}

struct Kind {
  const char* name;
  std::unique_ptr<Fixture> (*make)();
};

class MetaStoreConformance : public testing::TestWithParam<Kind> {
 protected:
  MetaStore& store() { return *fixture_->store; }
  MetaOutcome multi(std::vector<MetaOp> ops, size_t* failed = nullptr) {
    Result<MultiResult> result = store().multi(std::move(ops));
    EXPECT_TRUE(result.has_value());
    if (failed != nullptr) *failed = result->failed;
    return result->outcome;
  }
  // "value@version", "-" when absent.
  std::string read(const std::string& path) {
    auto node = store().get(path);
    if (!node) return node.error().to_string();
    if (!*node) return "-";
    return fmt::format("{}@{}", (*node)->value.view(), (*node)->version);
  }

  std::unique_ptr<Fixture> fixture_ = GetParam().make();
};

Bytes text(std::string_view value) { return Bytes::copy_of(value); }

// Proves that names that are no paths, values over the limit and changes of the root are refused
// and change nothing.
TEST_P(MetaStoreConformance, RefusesWhatIsNoPath) {
  for (const char* path : {"", "a", "/a/", "//a", "/a//b", "a/b"}) {
    EXPECT_FALSE(store().get(path).has_value()) << path;
    EXPECT_FALSE(store().children(path).has_value()) << path;
    EXPECT_FALSE(store().create(path, {}).has_value()) << path;
  }
  EXPECT_FALSE(store().get("/" + std::string(kMetaPathBytesMax, 'a')).has_value());
  EXPECT_FALSE(store().create("/a", text(std::string(kMetaValueBytesMax + 1, 'v'))).has_value());
  EXPECT_FALSE(store().create("/", {}).has_value());
  EXPECT_FALSE(store().put("/", {}, kAnyVersion).has_value());
  EXPECT_FALSE(store().remove("/", kAnyVersion).has_value());
  EXPECT_TRUE(store().children("/")->empty());
}

// Proves what each operation answers when its node, parent or children forbid it.
TEST_P(MetaStoreConformance, OutcomesOfSingleOperations) {
  EXPECT_EQ(read("/a"), "-");
  EXPECT_EQ(store().put("/a", text("x"), kAnyVersion).value(), MetaOutcome::kNoNode);
  EXPECT_EQ(store().remove("/a", kAnyVersion).value(), MetaOutcome::kNoNode);
  EXPECT_EQ(store().create("/a/b", {}).value(), MetaOutcome::kNoNode);
  EXPECT_EQ(store().create("/a", text("one")).value(), MetaOutcome::kDone);
  EXPECT_EQ(read("/a"), "one@0");
  EXPECT_EQ(store().create("/a", text("two")).value(), MetaOutcome::kNodeExists);
  EXPECT_EQ(read("/a"), "one@0");
  EXPECT_EQ(store().create("/a/b", {}).value(), MetaOutcome::kDone);
  EXPECT_EQ(read("/a/b"), "@0");
  EXPECT_EQ(store().remove("/a", kAnyVersion).value(), MetaOutcome::kNotEmpty);
  EXPECT_EQ(store().remove("/a/b", 0).value(), MetaOutcome::kDone);
  EXPECT_EQ(store().remove("/a", kAnyVersion).value(), MetaOutcome::kDone);
  EXPECT_EQ(read("/a"), "-");
}

// Proves that versions grow with each put, guard put and remove, and start again at 0 for a node
// that was made anew.
TEST_P(MetaStoreConformance, Versions) {
  ASSERT_EQ(store().create("/a", text("0")).value(), MetaOutcome::kDone);
  EXPECT_EQ(store().put("/a", text("x"), 1).value(), MetaOutcome::kBadVersion);
  EXPECT_EQ(store().put("/a", text("1"), 0).value(), MetaOutcome::kDone);
  EXPECT_EQ(store().put("/a", text("2"), kAnyVersion).value(), MetaOutcome::kDone);
  EXPECT_EQ(read("/a"), "2@2");
  EXPECT_EQ(store().remove("/a", 1).value(), MetaOutcome::kBadVersion);
  EXPECT_EQ(store().remove("/a", 2).value(), MetaOutcome::kDone);
  ASSERT_EQ(store().create("/a", text("new")).value(), MetaOutcome::kDone);
  EXPECT_EQ(read("/a"), "new@0");
}

// Proves that children are the names one level below, in order, and that names that are prefixes of
// each other are not mixed up.
TEST_P(MetaStoreConformance, Children) {
  for (const char* path : {"/b", "/a", "/a/y", "/a/x", "/a/x/z", "/ab", "/a!", "/a0"}) {
    ASSERT_EQ(store().create(path, {}).value(), MetaOutcome::kDone) << path;
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(store().children("/").value(), (Names{"a", "a!", "a0", "ab", "b"}));
  EXPECT_EQ(store().children("/a").value(), (Names{"x", "y"}));
  EXPECT_EQ(store().children("/a/x").value(), Names{"z"});
  EXPECT_EQ(store().children("/b").value(), Names{});
  EXPECT_EQ(store().children("/absent").value(), Names{});
  EXPECT_EQ(store().remove("/a!", kAnyVersion).value(), MetaOutcome::kDone);
  EXPECT_EQ(store().remove("/a", kAnyVersion).value(), MetaOutcome::kNotEmpty);
}

// Proves that values are bytes: zeros, high bits, a full mebibyte.
TEST_P(MetaStoreConformance, ValuesAreBytes) {
  std::string binary("\0\xff\0'\"\n", 6);
  ASSERT_EQ(store().create("/a", text(binary)).value(), MetaOutcome::kDone);
  EXPECT_EQ((*store().get("/a"))->value.view(), binary);
  std::string large(kMetaValueBytesMax, '\x80');
  ASSERT_EQ(store().put("/a", text(large), kAnyVersion).value(), MetaOutcome::kDone);
  EXPECT_EQ((*store().get("/a"))->value.view(), large);
}

// Proves that a multi sees its own effects, says which operation was refused, and then has changed
// nothing.
TEST_P(MetaStoreConformance, MultiIsAllOrNothing) {
  EXPECT_EQ(multi({}), MetaOutcome::kDone);
  EXPECT_EQ(multi({MetaOp::create("/a", text("1")),
                   MetaOp::create("/a/b", text("2")),
                   MetaOp::put("/a", text("3"), 0),
                   MetaOp::check("/a", 1)}),
            MetaOutcome::kDone);
  EXPECT_EQ(read("/a"), "3@1");
  size_t failed = 0;
  EXPECT_EQ(multi({MetaOp::put("/a", text("lost"), 1),
                   MetaOp::create("/c", text("lost")),
                   MetaOp::remove("/a/b", kAnyVersion),
                   MetaOp::check("/a", 1)},
                  &failed),
            MetaOutcome::kBadVersion);
  EXPECT_EQ(failed, 3U);
  EXPECT_EQ(read("/a"), "3@1");
  EXPECT_EQ(read("/a/b"), "2@0");
  EXPECT_EQ(read("/c"), "-");
  EXPECT_EQ(multi({MetaOp::create("/c", {}), MetaOp::check("/absent", kAnyVersion)}, &failed),
            MetaOutcome::kNoNode);
  EXPECT_EQ(failed, 1U);
  EXPECT_EQ(multi({MetaOp::remove("/a/b", 0), MetaOp::remove("/a", 1)}), MetaOutcome::kDone);
  EXPECT_TRUE(store().children("/")->empty());
}

// Proves the helpers: parents are made where they are missing, a subtree goes children first.
TEST_P(MetaStoreConformance, EnsureAndRemoveTree) {
  ASSERT_TRUE(ensure_node(store(), "/a/b/c").has_value());
  ASSERT_TRUE(ensure_node(store(), "/a/b/d").has_value());
  ASSERT_TRUE(ensure_node(store(), "/a/b/d").has_value());
  ASSERT_TRUE(ensure_node(store(), "/").has_value());
  EXPECT_EQ(read("/a/b/c"), "@0");
  std::vector<MetaOp> ops = removal_of(store(), "/a").value();
  ASSERT_EQ(ops.size(), 4U);
  EXPECT_EQ(multi(std::move(ops)), MetaOutcome::kDone);
  EXPECT_TRUE(store().children("/")->empty());
  EXPECT_TRUE(removal_of(store(), "/a")->empty());
}

// Proves that the store does what the model does over a long random run.
TEST_P(MetaStoreConformance, AgreesWithTheModel) {
  ModelStore model;
  std::mt19937 random(7);
  std::vector<std::string> names{"/a", "/b", "/a/x", "/a/y", "/b/x", "/a/x/1"};
  for (int round = 0; round < 400; ++round) {
    std::vector<MetaOp> ops;
    for (size_t count = 1 + random() % 3; count > 0; --count) {
      std::string path = names[random() % names.size()];
      int32_t version = random() % 2 == 0 ? kAnyVersion : static_cast<int32_t>(random() % 3);
      Bytes value = text(std::to_string(round));
      switch (random() % 4) {
        case 0:
          ops.push_back(MetaOp::check(path, version));
          break;
        case 1:
          ops.push_back(MetaOp::create(path, value));
          break;
        case 2:
          ops.push_back(MetaOp::put(path, value, version));
          break;
        default:
          ops.push_back(MetaOp::remove(path, version));
      }
    }
    MultiResult expected = model.multi(ops).value();
    MultiResult actual = store().multi(ops).value();
    ASSERT_EQ(actual.outcome, expected.outcome) << round;
    ASSERT_EQ(actual.failed, expected.failed) << round;
    for (const std::string& path : names) {
      auto mine = store().get(path).value();
      auto theirs = model.get(path).value();
      ASSERT_EQ(mine.has_value(), theirs.has_value()) << path;
      if (!mine) continue;
      ASSERT_EQ(mine->value, theirs->value);
      ASSERT_EQ(mine->version, theirs->version);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         MetaStoreConformance,
                         testing::Values(Kind{"embedded", make_embedded},
                                         Kind{"model", make_model}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace lakestream
