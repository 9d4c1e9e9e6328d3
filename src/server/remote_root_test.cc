#include "server/remote_root.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/server_config.h"

namespace lakestream {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

ConfigMap options_of(const TextMap& texts) { return parse_server_config(texts).value().options; }

// Proves where remote storage is, and that what can not be a place is refused by its option.
TEST(RemoteStorage, Root) {
  EXPECT_EQ(remote_root(options_of({{"data.dir", "/d"}})).value(), "file:///d/remote");
  EXPECT_EQ(remote_root(options_of({{"remote.data.dir", "/r/"}})).value(), "file:///r");
  EXPECT_EQ(remote_root(options_of({{"remote.data.dir", "r"}})).value(),
            "file://" + std::filesystem::current_path().string() + "/r");
  EXPECT_EQ(remote_root(options_of({{"remote.data.dir", "s3://b/r/"}})).value(), "s3://b/r");
  for (const char* place : {"gs://b/r", "s3://", "s3://b/../r", "file://host/r/.."}) {
    Result<std::string> root = remote_root(options_of({{"remote.data.dir", place}}));
    ASSERT_FALSE(root.has_value()) << place;
    EXPECT_TRUE(root.error().message().starts_with("remote.data.dir: ")) << root.error().message();
  }
}

// Proves what clients are told about an object store, and whose keys they get.
TEST(RemoteStorage, Access) {
  EXPECT_EQ(remote_access(options_of({}), "file:///r").scheme, "file");

  RemoteAccess amazon = remote_access(options_of({{"s3.region", "eu-1"}}), "s3://b/r");
  EXPECT_EQ(amazon.scheme, "s3");
  EXPECT_FALSE(amazon.keys.has_value());
  EXPECT_EQ(amazon.settings,
            (Settings{{"fs.s3a.region", "eu-1"},
                      {"fs.s3a.endpoint.region", "eu-1"},
                      {"fs.s3a.path.style.access", "false"}}));

  TextMap own{
      {"s3.endpoint", "http://h:1"}, {"s3.access-key", "server"}, {"s3.secret-key", "secret"}};
  RemoteAccess near = remote_access(options_of(own), "s3a://b/r");
  EXPECT_EQ(near.scheme, "s3a");
  EXPECT_EQ(near.keys->id, "server");
  EXPECT_EQ(near.keys->secret, "secret");
  EXPECT_EQ(near.settings,
            (Settings{{"fs.s3a.endpoint", "http://h:1"},
                      {"fs.s3a.region", "us-east-1"},
                      {"fs.s3a.endpoint.region", "us-east-1"},
                      {"fs.s3a.path.style.access", "true"}}));

  own["lakestream.s3.client-access-key"] = "reader";
  own["lakestream.s3.client-secret-key"] = "other";
  EXPECT_EQ(remote_access(options_of(own), "s3://b/r").keys->id, "reader");
  EXPECT_EQ(remote_access(options_of(own), "s3://b/r").keys->secret, "other");
}

}  // namespace
}  // namespace lakestream
