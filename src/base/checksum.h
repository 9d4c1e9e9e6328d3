#pragma once

#include <cstdint>
#include <span>

// CRC-32C (Castagnoli, reflected, initial and final xor ffffffff), the checksum of record batches.
// Uses the processor's instruction where it has one.
//
// Thread rule: pure functions.
//
//   uint32_t crc = crc32c(batch.span().subspan(25));
namespace lakestream {

uint32_t crc32c(std::span<const uint8_t> bytes);
// Continues a checksum: crc32c_extend(crc32c(a), b) == crc32c(a + b).
uint32_t crc32c_extend(uint32_t crc, std::span<const uint8_t> bytes);

}  // namespace lakestream
