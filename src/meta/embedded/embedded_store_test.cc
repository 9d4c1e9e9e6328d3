#include "meta/embedded/embedded_store.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/disk.h"
#include "io/real_env.h"

namespace lakestream {
namespace {

class EmbeddedStoreTest : public testing::Test {
 protected:
  EmbeddedStoreTest() {
    std::string pattern = testing::TempDir() + "metaXXXXXX";
    CHECK(mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
  }
  ~EmbeddedStoreTest() override { std::filesystem::remove_all(directory_); }

  Result<std::unique_ptr<MetaStore>> open() {
    return open_embedded_store({env_.env().disk, directory_});
  }
  std::string file() { return directory_ + "/" + std::string(kEmbeddedStoreFile); }

  RealEnv env_{1};
  std::string directory_;
};

// Proves that an unknown kind of store is refused with the kinds there are.
TEST_F(EmbeddedStoreTest, UnknownKind) {
  auto store = open_meta_store("etcd", {env_.env().disk, directory_});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_NE(store.error().message().find("embedded"), std::string::npos);
}

// Proves that what was committed is there after closing, and that the folder is made.
TEST_F(EmbeddedStoreTest, Reopens) {
  directory_ += "/deep/er";
  {
    auto store = open().value();
    ASSERT_EQ(store->create("/a", Bytes::copy_of("v")).value(), MetaOutcome::kDone);
    ASSERT_EQ(store->put("/a", Bytes::copy_of("w"), 0).value(), MetaOutcome::kDone);
  }
  auto node = open().value()->get("/a").value();
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->value.view(), "w");
  EXPECT_EQ(node->version, 1);
}

// Proves that commits survive a process that ends without closing: the files are copied while the
// store is open, which is what a kill leaves behind.
TEST_F(EmbeddedStoreTest, SurvivesKill) {
  auto store = open().value();
  ASSERT_EQ(store->create("/a", Bytes::copy_of("v")).value(), MetaOutcome::kDone);
  std::string copy = directory_ + "/copy";
  std::filesystem::create_directory(copy);
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy(file() + suffix, copy + "/" + std::string(kEmbeddedStoreFile) + suffix);
  }
  auto other = open_embedded_store({env_.env().disk, copy}).value();
  EXPECT_TRUE(other->get("/a")->has_value());
}

// Proves that a second opener fails at once and says why.
TEST_F(EmbeddedStoreTest, SecondOpenerIsRefused) {
  auto first = open().value();
  auto second = open();
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message().find("in use by another process"), std::string::npos)
      << second.error().message();
  first.reset();
  EXPECT_TRUE(open().has_value());
}

// Proves that a file that is no database, a database of somebody else and one of a later format are
// refused and left as they are.
TEST_F(EmbeddedStoreTest, ForeignFilesAreRefused) {
  std::ofstream(file()) << std::string(4096, 'x');
  auto store = open();
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message().find("damaged"), std::string::npos) << store.error().message();
  EXPECT_FALSE(is_retriable(store.error().code()));
  EXPECT_EQ(std::filesystem::file_size(file()), 4096U);
  std::filesystem::remove(file());

  ASSERT_TRUE(open().has_value());
  auto patch = [this](std::streamoff at, char value) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream.put(value);
  };
  patch(63, 2);  // the last byte of user_version in the file's header
  store = open();
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message().find("format 2"), std::string::npos) << store.error().message();
  patch(71, 0);  // the last byte of application_id
  store = open();
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message().find("another program"), std::string::npos)
      << store.error().message();
}

// Proves that a damaged page is noticed at the start.
TEST_F(EmbeddedStoreTest, DamageIsNoticed) {
  {
    auto store = open().value();
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(store->create(fmt::format("/node{}", i), Bytes::copy_of(std::string(500, 'v'))));
    }
  }
  std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(4096 + 8);
  stream << std::string(2048, '\xee');
  stream.close();
  auto store = open();
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message().find("damaged"), std::string::npos) << store.error().message();
}

// Proves that a folder without write permission gives an error that says what to check.
TEST_F(EmbeddedStoreTest, ReadOnlyFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  chmod(directory_.c_str(), 0500);
  auto store = open();
  chmod(directory_.c_str(), 0700);
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message().find("check the rights"), std::string::npos);
}

// Proves that calls from several threads take turns: no increment is lost.
TEST_F(EmbeddedStoreTest, ThreadsTakeTurns) {
  auto store = open().value();
  ASSERT_TRUE(store->create("/counter", Bytes::copy_of("0")).has_value());
  auto count_up = [&store] {
    for (int done = 0; done < 20;) {
      auto node = store->get("/counter").value();
      int value = std::stoi(std::string(node->value.view()));
      Bytes next = Bytes::copy_of(std::to_string(value + 1));
      if (store->put("/counter", next, node->version).value() == MetaOutcome::kDone) ++done;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(count_up);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->get("/counter").value()->value.view(), "60");
}

}  // namespace
}  // namespace lakestream
