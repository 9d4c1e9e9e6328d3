#include "wire/api.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace lakestream::wire {
namespace {

// Proves that the table is dense, sorted and found by key; the bounds are those of the protocol.
TEST(ApiTable, FindsEveryKey) {
  EXPECT_EQ(all_apis().size(), 67U);
  EXPECT_EQ(all_apis().front().key, ApiKey::kApiVersions);
  EXPECT_EQ(static_cast<int16_t>(ApiKey::kApiVersions), 1000);
  EXPECT_EQ(static_cast<int16_t>(ApiKey::kRemoveServerTagByRack), 1066);
  for (const ApiInfo& api : all_apis()) {
    EXPECT_EQ(find_api(static_cast<int16_t>(api.key)), &api) << api.name;
    EXPECT_LE(api.min_version, api.max_version) << api.name;
    EXPECT_TRUE(api.on_coordinator || api.on_tablet) << api.name;
  }
  for (int key : {-1, 0, 999, 1067, -32768, 32767}) {
    EXPECT_EQ(find_api(static_cast<int16_t>(key)), nullptr) << key;
  }
}

// Proves rows against the protocol's table of APIs and the ranges that may be advertised so far.
TEST(ApiTable, Rows) {
  const ApiInfo* produce = find_api(1014);
  EXPECT_EQ(produce->name, "PRODUCE_LOG");
  EXPECT_EQ(produce->max_version, 1);
  EXPECT_FALSE(produce->on_coordinator);
  EXPECT_TRUE(produce->on_tablet);
  EXPECT_TRUE(produce->is_public);
  EXPECT_EQ(find_api(1016)->max_version, 3);
  EXPECT_EQ(find_api(1017)->max_version, 1);
  EXPECT_EQ(find_api(1024)->max_version, 1);
  EXPECT_EQ(find_api(1044)->max_version, 1);
  EXPECT_FALSE(find_api(1018)->is_public);
  EXPECT_FALSE(find_api(1005)->on_tablet);
}

static_assert(std::is_same_v<ApiTraits<ApiKey::kGetMetadata>::Request, MetadataRequest>);
static_assert(std::is_same_v<ApiTraits<ApiKey::kScanKv>::Response, ScanKvResponse>);

}  // namespace
}  // namespace lakestream::wire
