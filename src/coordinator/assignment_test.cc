#include "coordinator/assignment.h"

#include <set>

#include <gtest/gtest.h>

namespace lakestream::coordinator {
namespace {

std::vector<ServerId> servers(int32_t count) {
  std::vector<ServerId> ids;
  for (int32_t i = 0; i < count; ++i) ids.emplace_back(i * 10);
  return ids;
}

// Proves that more replicas than servers, or none, are refused with 17.
TEST(Assignment, Refused) {
  Random random(1);
  for (int32_t factor : {-1, 0, 3}) {
    auto record =
        make_assignment({.bucket_count = 1, .replication_factor = factor}, servers(2), random);
    ASSERT_FALSE(record.has_value());
    EXPECT_EQ(record.error().code(), ErrorCode::kInvalidReplicationFactor);
  }
  EXPECT_FALSE(
      make_assignment({.bucket_count = 1, .replication_factor = 1}, {}, random).has_value());
}

// Proves that replicas of a bucket are on different servers and that first replicas are spread
// evenly.
TEST(Assignment, Even) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    for (int32_t count = 1; count <= 5; ++count) {
      for (int32_t factor = 1; factor <= count; ++factor) {
        auto record = make_assignment(
            {.bucket_count = 20, .replication_factor = factor}, servers(count), random);
        ASSERT_TRUE(record.has_value());
        ASSERT_EQ(record->buckets.size(), 20U);
        std::map<ServerId, int> leads;
        for (const auto& [bucket, replicas] : record->buckets) {
          EXPECT_EQ(std::set<ServerId>(replicas.begin(), replicas.end()).size(),
                    static_cast<size_t>(factor));
          ++leads[replicas.front()];
        }
        for (const auto& [server, buckets] : leads) {
          EXPECT_GE(buckets, 20 / count);
          EXPECT_LE(buckets, 20 / count + 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lakestream::coordinator
