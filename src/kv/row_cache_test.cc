// Rows that a cache gives are those that were put last, whatever it had to throw away.

#include "kv/row_cache.h"

#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "io/random.h"

namespace lakestream {
namespace {

std::optional<std::string> find(RowCache& cache, uint32_t bucket, std::string_view key) {
  std::string_view keys[] = {key};
  std::string_view values[1];
  cache.find(bucket, keys, values);
  if (values[0].data() == nullptr) return std::nullopt;
  return std::string(values[0]);
}

RowCache cache_of(uint64_t bytes) { return RowCache(std::make_shared<RowCacheBudget>(bytes, 1)); }

// Against a map, with more rows than there is memory for.
TEST(RowCache, GivesWhatWasPutLast) {
  constexpr uint64_t kBytes = 1 << 20;
  RowCache cache = cache_of(kBytes);
  std::array<uint32_t, 2> buckets{cache.new_bucket(), cache.new_bucket()};
  std::map<std::pair<uint32_t, std::string>, std::string> model;
  Random random(7);
  size_t found = 0;
  for (int i = 0; i < 300'000; ++i) {
    uint32_t bucket = buckets[random.below(2)];
    std::string key = "key" + std::to_string(random.below(10'000));
    switch (random.below(4)) {
      case 0: {
        std::string head = "s" + std::to_string(i);
        std::string tail(random.below(200), 'x');
        auto room = random.below(2) == 0 ? RowCache::Room::kIfFree : RowCache::Room::kMake;
        cache.put(bucket, key, {head, tail}, room);
        model[{bucket, key}] = head + tail;
        break;
      }
      case 1:
        if (random.below(8) != 0) break;
        cache.erase(bucket, key);
        model.erase({bucket, key});
        break;
      default: {
        auto value = find(cache, bucket, key);
        if (!value) break;
        ++found;
        auto expected = model.find({bucket, key});
        ASSERT_NE(expected, model.end()) << key;
        ASSERT_EQ(*value, expected->second);
      }
    }
    ASSERT_LE(cache.bytes(), kBytes);
  }
  EXPECT_GT(found, 20'000u);
}

// A row that is found now and then outlives many that are not.
TEST(RowCache, KeepsRowsInUse) {
  RowCache cache = cache_of(1 << 20);
  uint32_t bucket = cache.new_bucket();
  cache.put(bucket, "used", {"value", ""}, RowCache::Room::kMake);
  cache.put(bucket, "idle", {"value", ""}, RowCache::Room::kMake);
  for (int i = 0; i < 100'000; ++i) {
    cache.put(bucket, std::to_string(i), {std::string(100, 'x'), ""}, RowCache::Room::kMake);
    if (i % 100 == 0) {
      ASSERT_TRUE(find(cache, bucket, "used"));
    }
  }
  EXPECT_FALSE(find(cache, bucket, "idle"));
}

// A new row that is not to make room comes in only while there is some.
TEST(RowCache, IsNotFloodedByNewRows) {
  RowCache cache = cache_of(1 << 20);
  uint32_t bucket = cache.new_bucket();
  for (int i = 0; i < 100'000; ++i) {
    cache.put(bucket, std::to_string(i), {std::string(100, 'x'), ""}, RowCache::Room::kIfFree);
  }
  EXPECT_TRUE(find(cache, bucket, "0"));
  EXPECT_FALSE(find(cache, bucket, "99999"));
}

// One cache can not take the memory that is another's.
TEST(RowCache, LeavesOthersTheirPart) {
  constexpr uint64_t kBytes = 4 << 20;
  auto budget = std::make_shared<RowCacheBudget>(kBytes, 2);
  RowCache greedy(budget);
  RowCache late(budget);
  for (RowCache* cache : {&greedy, &late}) {
    uint32_t bucket = cache->new_bucket();
    for (int i = 0; i < 100'000; ++i) {
      cache->put(bucket, std::to_string(i), {std::string(100, 'x'), ""}, RowCache::Room::kMake);
    }
    EXPECT_TRUE(find(*cache, bucket, "99999"));
  }
  EXPECT_GT(greedy.bytes(), kBytes / 2);
  EXPECT_GT(late.bytes(), kBytes / 8);
  EXPECT_LE(greedy.bytes() + late.bytes(), kBytes);
}

// Without memory it has nothing; rows of an earlier life of a bucket and large ones are not found.
TEST(RowCache, MayHaveNothing) {
  RowCache empty = cache_of(0);
  empty.put(empty.new_bucket(), "key", {"value", ""}, RowCache::Room::kMake);
  EXPECT_EQ(empty.bytes(), 0u);

  RowCache cache = cache_of(1 << 20);
  uint32_t first = cache.new_bucket();
  cache.put(first, "key", {"value", ""}, RowCache::Room::kMake);
  EXPECT_FALSE(find(cache, cache.new_bucket(), "key"));
  cache.put(first, "key", {std::string(100'000, 'x'), ""}, RowCache::Room::kMake);
  EXPECT_FALSE(find(cache, first, "key"));
}

}  // namespace
}  // namespace lakestream
