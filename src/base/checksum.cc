#include "base/checksum.h"

#include <array>

#include "base/endian.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lakestream {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr auto kTable = make_table();

uint32_t extend_portable(uint32_t state, const uint8_t* data, size_t size) {
  for (size_t i = 0; i < size; ++i) state = (state >> 8) ^ kTable[(state ^ data[i]) & 0xff];
  return state;
}

#if defined(__x86_64__)

// Three independent streams hide the 3-cycle latency of the crc32 instruction; the partial states
// are joined by "append kLane zero bytes", a linear map that is tabulated a byte at a time. See M.
// Adler, "crc32c.c", and V. Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32
// Instruction", Intel 2011.
constexpr size_t kLane = 1024;

using ShiftTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr uint32_t append_zeros(uint32_t state, size_t count) {
  for (size_t i = 0; i < count; ++i) state = (state >> 8) ^ kTable[state & 0xff];
  return state;
}

constexpr ShiftTable make_shift_table() {
  std::array<uint32_t, 32> of_bit{};
  for (uint32_t bit = 0; bit < 32; ++bit) of_bit[bit] = append_zeros(1U << bit, kLane);
  ShiftTable table{};
  for (uint32_t byte = 0; byte < 4; ++byte) {
    for (uint32_t value = 0; value < 256; ++value) {
      uint32_t sum = 0;
      for (uint32_t bit = 0; bit < 8; ++bit) {
        if ((value >> bit & 1) != 0) sum ^= of_bit[byte * 8 + bit];
      }
      table[byte][value] = sum;
    }
  }
  return table;
}

constexpr ShiftTable kShift = make_shift_table();

uint32_t shift_lane(uint32_t state) {
  return kShift[0][state & 0xff] ^ kShift[1][state >> 8 & 0xff] ^ kShift[2][state >> 16 & 0xff] ^
         kShift[3][state >> 24];
}

__attribute__((target("sse4.2"))) uint32_t extend_sse42(uint32_t state,
                                                        const uint8_t* data,
                                                        size_t size) {
  while (size >= 3 * kLane) {
    uint64_t a = state;
    uint64_t b = 0;
    uint64_t c = 0;
    for (size_t i = 0; i < kLane; i += 8) {
      a = _mm_crc32_u64(a, load_le<uint64_t>(data + i));
      b = _mm_crc32_u64(b, load_le<uint64_t>(data + kLane + i));
      c = _mm_crc32_u64(c, load_le<uint64_t>(data + 2 * kLane + i));
    }
    state = shift_lane(shift_lane(static_cast<uint32_t>(a)) ^ static_cast<uint32_t>(b)) ^
            static_cast<uint32_t>(c);
    data += 3 * kLane;
    size -= 3 * kLane;
  }
  uint64_t wide = state;
  for (; size >= 8; data += 8, size -= 8) wide = _mm_crc32_u64(wide, load_le<uint64_t>(data));
  state = static_cast<uint32_t>(wide);
  for (; size > 0; ++data, --size) state = _mm_crc32_u8(state, *data);
  return state;
}

#endif

uint32_t extend(uint32_t state, const uint8_t* data, size_t size) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0) return extend_sse42(state, data, size);
#endif
  return extend_portable(state, data, size);
}

}  // namespace

uint32_t crc32c_extend(uint32_t crc, std::span<const uint8_t> bytes) {
  return ~extend(~crc, bytes.data(), bytes.size());
}

uint32_t crc32c(std::span<const uint8_t> bytes) { return crc32c_extend(0, bytes); }

}  // namespace lakestream
