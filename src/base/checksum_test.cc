#include "base/checksum.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lakestream {
namespace {

std::span<const uint8_t> span_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Proves the published check values: RFC 3720 appendix B.4 and the "123456789" check value.
TEST(Crc32c, PublishedValues) {
  EXPECT_EQ(crc32c({}), 0U);
  EXPECT_EQ(crc32c(span_of("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(std::vector<uint8_t>(32, 0x00)), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::vector<uint8_t>(32, 0xff)), 0x62a8ab43U);
}

// Proves that the three-lane path, the word path and the byte path agree, by cutting one long text
// at every kind of place.
TEST(Crc32c, ExtendAgreesWithWhole) {
  std::vector<uint8_t> text(10'000);
  uint32_t state = 1;
  for (uint8_t& byte : text) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<uint8_t>(state >> 24);
  }
  uint32_t by_bytes = 0;
  for (uint8_t byte : text) by_bytes = crc32c_extend(by_bytes, {&byte, 1});
  EXPECT_EQ(crc32c(text), by_bytes);
  for (size_t cut : {1UL, 7UL, 8UL, 1024UL, 3071UL, 3072UL, 3073UL, 9999UL}) {
    std::span<const uint8_t> all(text);
    EXPECT_EQ(crc32c_extend(crc32c(all.first(cut)), all.subspan(cut)), by_bytes) << cut;
  }
}

}  // namespace
}  // namespace lakestream
