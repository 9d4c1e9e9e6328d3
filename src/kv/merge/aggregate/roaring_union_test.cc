#include "kv/merge/aggregate/roaring_union.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <roaring/roaring.hh>

#include "base/checksum.h"
#include "kv/merge/aggregate/aggregate.h"
#include "kv/merge/aggregate/roaring_vectors.h"

namespace lakestream {
namespace {

std::string from_hex(std::string_view hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

Result<std::string> unite(AggType type, std::string_view a, std::string_view b) {
  Arena arena;
  ASSIGN_OR_RETURN(Aggregate made, make_aggregate({type, {}}, DataType::bytes()));
  ASSIGN_OR_RETURN(Value united, made.combine(made, Value::bytes(a), Value::bytes(b), &arena));
  return std::string(united.as_bytes());
}

uint32_t crc_of(std::string_view bytes) {
  return crc32c({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

template <typename T>
void append(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// A 64-bit bitmap of one container, which is an array whatever its length.
std::string one_container(uint64_t key, const std::vector<uint16_t>& values) {
  std::string bytes;
  append<uint8_t>(1, &bytes);
  append<uint64_t>(1, &bytes);
  append<uint32_t>(4, &bytes);
  for (int i = 5; i >= 0; --i) append(static_cast<uint8_t>(key >> 8 * i), &bytes);
  append<uint64_t>(0, &bytes);
  append<uint32_t>(1, &bytes);
  append<uint8_t>(0xfe, &bytes);
  append<uint32_t>(1, &bytes);
  append<uint16_t>(0x0201, &bytes);
  append(static_cast<uint32_t>(values.size()), &bytes);
  for (uint16_t value : values) append(value, &bytes);
  append<uint64_t>(1, &bytes);
  append<uint64_t>(0, &bytes);
  return bytes;
}

// By unions of single containers, in the order of `shuffle`.
std::string bitmap64(const std::vector<uint64_t>& values, std::mt19937* shuffle) {
  std::map<uint64_t, std::vector<uint16_t>> sorted;
  for (uint64_t value : values) sorted[value >> 16].push_back(static_cast<uint16_t>(value));
  std::vector<std::string> parts;
  for (auto& [key, low] : sorted) {
    std::ranges::sort(low);
    parts.push_back(one_container(key, low));
  }
  std::ranges::shuffle(parts, *shuffle);
  std::string united(1, '\0');
  for (const std::string& part : parts) united = *unite(AggType::kRbm64, united, part);
  return united;
}

std::string bitmap32(const Roaring& bitmap) {
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  return bytes;
}

template <typename Vectors>
void check_vectors(AggType type, const Vectors& vectors) {
  for (const RoaringVector& vector : vectors) {
    SCOPED_TRACE(vector.name);
    std::string a = from_hex(vector.a);
    std::string b = from_hex(vector.b);
    std::string united = from_hex(vector.united);
    EXPECT_EQ(*unite(type, a, b), united);
    EXPECT_EQ(*unite(type, b, a), united);
    EXPECT_EQ(*unite(type, united, a), united);
  }
}

// Either way round, and again with a part of it.
TEST(RoaringUnion, IsTheBytesOfJava) {
  check_vectors(AggType::kRbm32, kRoaring32);
  check_vectors(AggType::kRbm64, kRoaring64);
}

// Sizes and checksums of what Java serialises for the same values, added in ascending order.
TEST(RoaringUnion, BuildsTheTreesOfJava) {
  std::mt19937 shuffle(1);
  std::vector<uint64_t> values;
  auto check = [&](size_t size, uint32_t crc) {
    std::string bytes = bitmap64(values, &shuffle);
    EXPECT_EQ(bytes.size(), size);
    EXPECT_EQ(crc_of(bytes), crc);
    values.clear();
  };
  for (uint64_t i = 0; i < 211; ++i) values.push_back((i + 1) * 0x9e3779b97f4a7c15);
  check(5660, 0xc22e7157);
  for (uint64_t i = 0; i < 42; ++i) values.push_back(i * 6 << 16 | i);
  check(1391, 0x5a5a2a08);
  for (uint64_t i = 0; i < 211; ++i) values.push_back(i << 32 | i);
  check(5559, 0xe104b13f);
  for (uint64_t i = 0; i < 65536; i += 2) values.push_back(i);
  for (uint64_t i = 70000; i < 90000; ++i) values.push_back(i);
  for (uint64_t i = 0; i < 5000; ++i) values.push_back((uint64_t{1} << 40) + i * 13);
  check(16516, 0xeadfa6ca);
}

// The same of the 32-bit format: arrays, bits and runs.
TEST(RoaringUnion, BuildsTheContainersOfJava) {
  Roaring a;
  for (uint32_t i = 0; i < 200000; i += 3) a.add(i);
  Roaring b;
  b.addRange(300000, 500000);
  b.add(static_cast<uint32_t>(-5));
  std::string bytes = *unite(AggType::kRbm32, bitmap32(b), bitmap32(a));
  EXPECT_EQ(bytes.size(), 26942U);
  EXPECT_EQ(crc_of(bytes), 0xdf13a0e2);
}

Roaring random_bitmap(std::mt19937* random) {
  Roaring bitmap;
  auto below = [&](uint32_t limit) { return static_cast<uint32_t>((*random)() % limit); };
  for (uint32_t parts = below(6); parts > 0; --parts) {
    uint32_t first = below(8) << 16 | below(65536);
    if (below(2) == 0) bitmap.addRange(first, first + 1 + below(100000));
    uint32_t step = 1 + below(40);
    for (uint32_t left = below(10000); left > 0; --left) bitmap.add(first += 1 + below(step));
  }
  if (below(2) == 0) bitmap.runOptimize();
  return bitmap;
}

// The peer is CRoaring.
TEST(RoaringUnion, HasTheValuesThatAnotherImplementationFinds) {
  constexpr unsigned kSeed = 42;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 100; ++round) {
    Roaring a = random_bitmap(&random);
    Roaring b = random_bitmap(&random);
    auto united = unite(AggType::kRbm32, bitmap32(a), bitmap32(b));
    ASSERT_TRUE(united) << "round " << round << " of seed " << kSeed;
    a |= b;
    a.runOptimize();
    EXPECT_TRUE(Roaring::readSafe(united->data(), united->size()) == a)
        << "round " << round << " of seed " << kSeed;
    EXPECT_LE(united->size(), a.getSizeInBytes());
  }
}

// What is stored depends on the values alone.
TEST(RoaringUnion, DoesNotDependOnTheOrder) {
  std::mt19937 random(7);
  std::mt19937_64 wide(8);
  for (int round = 0; round < 8; ++round) {
    std::vector<uint64_t> values;
    for (int i = 0; i < 300; ++i) values.push_back(wide() >> wide() % 50);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    std::string whole = bitmap64(values, &random);
    EXPECT_EQ(bitmap64(values, &random), whole);
    std::ranges::shuffle(values, random);
    auto middle = values.begin() + 150;
    std::string a = bitmap64({values.begin(), middle}, &random);
    std::string b = bitmap64({middle, values.end()}, &random);
    EXPECT_EQ(*unite(AggType::kRbm64, a, b), whole);
  }
}

// Every cut is found, and no change of a byte does harm.
template <typename Vectors>
void check_damage(AggType type, const Vectors& vectors) {
  for (const RoaringVector& vector : vectors) {
    std::string good = from_hex(vector.united);
    if (good.size() > 500) continue;  // the same kinds of nodes, only more
    for (size_t size = 0; size < good.size(); ++size) {
      bool trailer = type == AggType::kRbm64 && size + 16 >= good.size() && good[0] != 0;
      if (trailer) continue;  // counters that nothing reads
      EXPECT_FALSE(unite(type, good, good.substr(0, size))) << vector.name << " " << size;
    }
    for (size_t i = 0; i < good.size(); ++i) {
      for (unsigned flip : {1U, 0x80U, 0xffU}) {
        std::string bad = good;
        bad[i] = static_cast<char>(static_cast<uint8_t>(bad[i]) ^ flip);
        auto united = unite(type, bad, good);
        if (!united) continue;
        EXPECT_TRUE(unite(type, *united, good)) << vector.name << " " << i;
      }
    }
  }
}

// Over all forms of containers and nodes.
TEST(RoaringUnion, SurvivesDamage) {
  check_damage(AggType::kRbm32, kRoaring32);
  check_damage(AggType::kRbm64, kRoaring64);
}

// Errors that the lengths do not show.
TEST(RoaringUnion, RefusesContainersThatAreNotInOrder) {
  // One container each: 2, 1; bits with a wrong count; runs that end beyond 65535.
  EXPECT_FALSE(unite(AggType::kRbm64, std::string(1, '\0'), one_container(0, {2, 1})));
  EXPECT_FALSE(unite(AggType::kRbm64, std::string(1, '\0'), one_container(0, {})));
  std::string bits = from_hex("3a30000001000000000000100000000000000010");
  bits.resize(16 + 8192, '\x01');
  std::string none = from_hex("3a30000000000000");
  EXPECT_FALSE(unite(AggType::kRbm32, none, bits));
  EXPECT_FALSE(unite(AggType::kRbm32, none, from_hex("3b300000010000ffff0100ffff0100")));
  auto error = unite(AggType::kRbm32, none, "abc").error();
  EXPECT_EQ(error.code(), ErrorCode::kUnknownServerError);
  EXPECT_EQ(error.message(), "new value of 3 bytes is no serialised 32-bit Roaring bitmap");
}

}  // namespace
}  // namespace lakestream
