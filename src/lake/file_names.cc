#include "lake/file_names.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/endian.h"

namespace lakestream {

std::array<uint8_t, 16> FileNames::bytes() {
  // Neighbouring seeds give streams that have nothing in common.
  Random random(seed_ + count_.fetch_add(1, std::memory_order_relaxed));
  std::array<uint8_t, 16> bytes;
  store_le<uint64_t>(bytes.data(), random.next());
  store_le<uint64_t>(bytes.data() + 8, random.next());
  return bytes;
}

std::string FileNames::uuid() {
  std::array<uint8_t, 16> raw = bytes();
  raw[6] = static_cast<uint8_t>((raw[6] & 0x0f) | 0x40);
  raw[8] = static_cast<uint8_t>((raw[8] & 0x3f) | 0x80);
  std::string hex = to_hex(raw);
  return fmt::format("{}-{}-{}-{}-{}",
                     hex.substr(0, 8),
                     hex.substr(8, 4),
                     hex.substr(12, 4),
                     hex.substr(16, 4),
                     hex.substr(20));
}

}  // namespace lakestream
