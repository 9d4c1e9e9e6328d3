#include "base/bytes.h"

#include <new>

namespace lakestream {
namespace {

// Header and memory in one allocation: the memory starts right after the object.
class alignas(16) Slab final : public BytesOwner {
 public:
  static Slab* make(size_t size) {
    void* memory = ::operator new(sizeof(Slab) + size, std::align_val_t{16});
    return new (memory) Slab();
  }
  uint8_t* memory() { return reinterpret_cast<uint8_t*>(this) + sizeof(Slab); }

 private:
  void destroy() override {
    this->~Slab();
    ::operator delete(static_cast<void*>(this), std::align_val_t{16});
  }
};

}  // namespace

MutableBytes MutableBytes::allocate(size_t size) {
  Slab* slab = Slab::make(size);
  MutableBytes bytes;
  bytes.data_ = slab->memory();
  bytes.size_ = size;
  bytes.owner_ = slab;
  return bytes;
}

Bytes Bytes::copy_of(const void* data, size_t size) {
  if (size == 0) return {};
  MutableBytes bytes = MutableBytes::allocate(size);
  std::memcpy(bytes.data(), data, size);
  return std::move(bytes).freeze();
}

Bytes BytesChain::flatten() const {
  if (parts_.empty()) return {};
  if (parts_.size() == 1) return parts_.front();
  MutableBytes whole = MutableBytes::allocate(size_);
  size_t position = 0;
  for (const Bytes& part : parts_) {
    std::memcpy(whole.data() + position, part.data(), part.size());
    position += part.size();
  }
  return std::move(whole).freeze();
}

std::string to_hex(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace lakestream
