#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/endian.h"

// ByteWriter is a growing buffer for encoders: bytes are appended, earlier ones may be patched, and
// finish() hands the memory on as Bytes without a copy. clear() keeps the memory, so one writer
// serves many rows.
//
// Thread rule: belongs to one thread at a time.
//
//   ByteWriter out;
//   out.put<int32_t>(7);
//   out.put_uvarint(300);
//   Bytes bytes = std::move(out).finish();
namespace lakestream {

class ByteWriter {
 public:
  ByteWriter() = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const uint8_t* data() const { return memory_.data(); }
  std::span<const uint8_t> span() const { return {memory_.data(), size_}; }
  std::span<uint8_t> mutable_span() { return {memory_.data(), size_}; }
  std::string_view view() const { return {reinterpret_cast<const char*>(memory_.data()), size_}; }
  void clear() { size_ = 0; }
  // Gives up the tail. Requires: size <= size().
  void truncate(size_t size) {
    DCHECK(size <= size_);
    size_ = size;
  }

  template <typename T>
  void put(T value) {
    store_le<T>(extend(sizeof(T)), value);
  }
  void put_bytes(std::span<const uint8_t> bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void put_bytes(std::string_view text) {
    if (!text.empty()) std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void put_zeros(size_t count) {
    if (count != 0) std::memset(extend(count), 0, count);
  }
  // LEB128: seven bits a byte, the low group first.
  void put_uvarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) put<uint8_t>(static_cast<uint8_t>(value | 0x80));
    put<uint8_t>(static_cast<uint8_t>(value));
  }
  // Zeros up to the next multiple of 8 from `start`.
  void pad_to_8(size_t start) { put_zeros((8 - (size_ - start) % 8) % 8); }
  template <typename T>
  void patch(size_t position, T value) {
    DCHECK(position + sizeof(T) <= size_);
    store_le<T>(memory_.data() + position, value);
  }
  void set_bit(size_t base, size_t bit) {
    memory_.data()[base + bit / 8] =
        static_cast<uint8_t>(memory_.data()[base + bit / 8] | 1U << bit % 8);
  }
  // Room for `count` bytes behind the end, which now belong to the content. Not initialised.
  uint8_t* extend(size_t count) {
    if (count > memory_.size() - size_) grow(size_ + count);
    size_ += count;
    return memory_.data() + (size_ - count);
  }
  void reserve(size_t capacity) {
    if (capacity > memory_.size()) grow(capacity);
  }

  Bytes finish() && {
    memory_.shrink(size_);
    size_ = 0;
    return std::move(memory_).freeze();
  }

 private:
  void grow(size_t needed) {
    MutableBytes larger =
        MutableBytes::allocate(std::max({needed, 2 * memory_.size(), size_t{64}}));
    if (size_ != 0) std::memcpy(larger.data(), memory_.data(), size_);
    memory_ = std::move(larger);
  }

  MutableBytes memory_;  // capacity
  size_t size_ = 0;
};

}  // namespace lakestream
