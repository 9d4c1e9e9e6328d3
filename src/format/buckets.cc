#include <bit>

#include "format/keys.h"

namespace lakestream {
namespace {

uint32_t mix_key(uint32_t key) { return std::rotl(key * 0xcc9e2d51, 15) * 0x1b873593; }

uint32_t mix_hash(uint32_t hash, uint32_t key) {
  return std::rotl(hash ^ key, 13) * 5 + 0xe6546b64;
}

uint32_t finish(uint32_t hash) {
  hash ^= hash >> 16;
  hash *= 0x85ebca6b;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35;
  return hash ^ hash >> 16;
}

uint32_t hash_words(uint32_t seed, std::span<const uint8_t> bytes) {
  uint32_t hash = seed;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    hash = mix_hash(hash, mix_key(load_le<uint32_t>(bytes.data() + i)));
  }
  return hash;
}

// MurmurHash3_x86_32 with seed 0.
uint32_t murmur3(std::span<const uint8_t> bytes) {
  uint32_t hash = hash_words(0, bytes);
  uint32_t tail = 0;
  for (size_t i = bytes.size(); i > bytes.size() / 4 * 4; --i) tail = tail << 8 | bytes[i - 1];
  if (bytes.size() % 4 != 0) hash ^= mix_key(tail);
  return finish(hash ^ static_cast<uint32_t>(bytes.size()));
}

int32_t fluss_bucket(std::span<const uint8_t> key, int32_t count) {
  uint32_t code = mix_hash(0, mix_key(murmur42(key)));
  auto bucket = static_cast<int32_t>(finish(code ^ 4));
  if (bucket == INT32_MIN) return 0;
  return (bucket < 0 ? -bucket : bucket) % count;
}

tl::unexpected<Error> refused(std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "bucket key: {}", rule);
}

}  // namespace

uint32_t murmur42(std::span<const uint8_t> bytes) {
  uint32_t hash = hash_words(42, bytes);
  for (uint8_t byte : bytes.subspan(bytes.size() / 4 * 4)) {
    hash = mix_hash(hash, mix_key(static_cast<uint32_t>(static_cast<int8_t>(byte))));
  }
  return finish(hash ^ static_cast<uint32_t>(bytes.size()));
}

Result<BucketId> bucket_of(Bucketing bucketing, std::span<const uint8_t> key, int32_t count) {
  CHECK(count > 0, "number of buckets");
  switch (bucketing) {
    case Bucketing::kFluss:
      if (key.empty()) return refused("it is empty");
      return BucketId(fluss_bucket(key, count));
    case Bucketing::kPaimon: {
      int32_t remainder = static_cast<int32_t>(murmur42(key)) % count;
      return BucketId(remainder < 0 ? -remainder : remainder);
    }
    case Bucketing::kIceberg:
      if (key.empty()) return refused("it is empty");
      return BucketId(static_cast<int32_t>(murmur3(key) & INT32_MAX) % count);
    case Bucketing::kHudi: {
      if (key.size() != 4) return refused("it has to be 4 bytes of hash");
      auto hash = load_be<uint32_t>(key.data());
      return BucketId(static_cast<int32_t>(hash & INT32_MAX) % count);
    }
  }
  return refused("unknown bucketing");
}

}  // namespace lakestream
