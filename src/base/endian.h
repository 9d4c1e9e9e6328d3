#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

// Loads and stores of integers at any address. Formats are little-endian unless they say big.
//
// Thread rule: pure functions.
//
//   int32_t length = load_le<int32_t>(batch + 8);
namespace lakestream {

static_assert(std::endian::native == std::endian::little, "little-endian machines only");

template <typename T>
T load_le(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void store_le(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <std::integral T>
constexpr T byte_swap(T value) {
  using Unsigned = std::make_unsigned_t<T>;
  auto bits = static_cast<Unsigned>(value);
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(bits));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(bits));
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(bits));
  return value;
}

template <std::integral T>
T load_be(const void* from) {
  return byte_swap(load_le<T>(from));
}

template <std::integral T>
void store_be(void* to, T value) {
  store_le<T>(to, byte_swap(value));
}

}  // namespace lakestream
