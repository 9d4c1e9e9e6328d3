#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

// Bytes is an immutable slice of memory with a shared owner (a slab, an Arrow buffer, a mapped
// file, a pinned value). Copying it costs one atomic increment and no allocation. MutableBytes is
// the unique, writable form; freeze() turns it into Bytes, and nobody writes to frozen memory.
// BytesChain is a few Bytes in a row, for gather writes.
//
// Thread rule: one Bytes object belongs to one thread at a time; the memory may be read by all.
//
//   MutableBytes slab = MutableBytes::allocate(size);
//   std::memcpy(slab.data(), source, size);
//   Bytes whole = std::move(slab).freeze();
//   Bytes head = whole.slice(0, 48);
namespace lakestream {

// What keeps memory alive. Derive from it to lend foreign memory to a Bytes.
class BytesOwner {
 public:
  BytesOwner() = default;
  BytesOwner(const BytesOwner&) = delete;
  BytesOwner& operator=(const BytesOwner&) = delete;
  virtual ~BytesOwner() = default;

  void acquire() { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

 private:
  virtual void destroy() { delete this; }
  std::atomic<int32_t> count_{1};
};

class Bytes {
 public:
  Bytes() = default;
  // Takes over one reference of the owner.
  Bytes(const uint8_t* data, size_t size, BytesOwner* owner)
      : data_(data), size_(size), owner_(owner) {}
  Bytes(const Bytes& other) : data_(other.data_), size_(other.size_), owner_(other.owner_) {
    if (owner_ != nullptr) owner_->acquire();
  }
  Bytes(Bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        owner_(std::exchange(other.owner_, nullptr)) {}
  Bytes& operator=(Bytes other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~Bytes() {
    if (owner_ != nullptr) owner_->release();
  }

  static Bytes copy_of(const void* data, size_t size);
  static Bytes copy_of(std::string_view text) { return copy_of(text.data(), text.size()); }
  // Memory that outlives the program, such as a literal.
  static Bytes of_static(std::string_view text) {
    return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size(), nullptr);
  }

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const uint8_t* begin() const { return data_; }
  const uint8_t* end() const { return data_ + size_; }
  uint8_t operator[](size_t index) const { return data_[index]; }
  std::span<const uint8_t> span() const { return {data_, size_}; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Write access for the one place that stamps a record batch before it is published to any reader.
  // Requires: nobody else reads or writes this slice, and its memory came from a MutableBytes.
  uint8_t* exclusive_data() const { return const_cast<uint8_t*>(data_); }

  // Shares the owner. Requires: offset + size <= size().
  Bytes slice(size_t offset, size_t size) const {
    CHECK(offset <= size_ && size <= size_ - offset, "slice of bytes");
    if (owner_ != nullptr) owner_->acquire();
    return Bytes(data_ + offset, size, owner_);
  }
  Bytes slice(size_t offset) const { return slice(offset, size_ - offset); }

  friend bool operator==(const Bytes& a, const Bytes& b) { return a.view() == b.view(); }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  BytesOwner* owner_ = nullptr;
};

class MutableBytes {
 public:
  MutableBytes() = default;
  MutableBytes(MutableBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        owner_(std::exchange(other.owner_, nullptr)) {}
  MutableBytes& operator=(MutableBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~MutableBytes() {
    if (owner_ != nullptr) owner_->release();
  }

  // Uninitialised memory, 16-byte aligned; one allocation holds memory and owner.
  static MutableBytes allocate(size_t size);

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<uint8_t> span() { return {data_, size_}; }
  // Gives up the tail. Requires: size <= size().
  void shrink(size_t size) {
    CHECK(size <= size_, "shrink of bytes");
    size_ = size;
  }
  Bytes freeze() && {
    return Bytes(
        std::exchange(data_, nullptr), std::exchange(size_, 0), std::exchange(owner_, nullptr));
  }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  BytesOwner* owner_ = nullptr;
};

class BytesChain {
 public:
  BytesChain() = default;
  explicit BytesChain(Bytes part) { append(std::move(part)); }

  void append(Bytes part) {
    if (part.empty()) return;
    size_ += part.size();
    parts_.push_back(std::move(part));
  }
  void append(BytesChain chain) {
    for (Bytes& part : chain.parts_) append(std::move(part));
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<Bytes>& parts() const { return parts_; }
  // One contiguous slice: no copy when the chain has a single part.
  Bytes flatten() const;

  // Compares the bytes; how they are cut into parts does not matter.
  friend bool operator==(const BytesChain& a, const BytesChain& b) {
    return a.size_ == b.size_ && a.flatten() == b.flatten();
  }

 private:
  std::vector<Bytes> parts_;
  size_t size_ = 0;
};

// Hex text of the bytes, for messages and tests.
std::string to_hex(std::span<const uint8_t> bytes);

}  // namespace lakestream
