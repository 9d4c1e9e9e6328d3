#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "format/byte_writer.h"

// The containers of serialised Roaring bitmaps (RoaringFormatSpec): the low 16 bits of the values
// that share their high bits, as a sorted array, as 65536 bits or as runs. A container is checked
// when it is read, so what is made of it can rely on it; unions are written in the smallest form.
//
// Thread rule: values over foreign memory; they may not outlive it.
//
//   std::optional<RoaringContainer> a = read_container(RoaringKind::kArray, 3, &reader);
//   if (!a) return damaged();
//   RoaringForm form = write_union(*a, *b, &scratch, &out);
namespace lakestream {

// As the 64-bit format numbers them.
enum class RoaringKind : uint8_t { kRuns = 0, kBits = 1, kArray = 2 };

inline constexpr uint32_t kRoaringArrayMax = 4096;  // more values are bits or runs
inline constexpr size_t kRoaringBitsBytes = 8192;

struct RoaringForm {
  RoaringKind kind = RoaringKind::kArray;
  uint32_t cardinality = 0;  // 1..65536
};

struct RoaringContainer {
  RoaringForm form;
  uint32_t runs = 0;  // sequences without a gap
  std::span<const uint8_t> bytes;
};

// Takes the front of bytes that may end too early.
class RoaringReader {
 public:
  explicit RoaringReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Empty when there are fewer bytes.
  std::optional<std::span<const uint8_t>> take(size_t count);
  template <typename T>
  std::optional<T> get() {
    auto bytes = take(sizeof(T));
    if (!bytes) return std::nullopt;
    return load_le<T>(bytes->data());
  }

 private:
  std::span<const uint8_t> bytes_;
};

// Empty when the bytes are no container of that kind. The cardinality of runs is counted.
std::optional<RoaringContainer> read_container(RoaringKind kind,
                                               uint32_t cardinality,
                                               RoaringReader* reader);

// Memory for write_container() and write_union().
struct RoaringScratch {
  std::array<uint64_t, kRoaringBitsBytes / 8> words;
};

// Writes the values in the smallest form and tells which. Runs begin with their count.
RoaringForm write_container(const RoaringContainer& container,
                            RoaringScratch* scratch,
                            ByteWriter* out);
RoaringForm write_union(const RoaringContainer& a,
                        const RoaringContainer& b,
                        RoaringScratch* scratch,
                        ByteWriter* out);

}  // namespace lakestream
