#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/byte_writer.h"
#include "format/value.h"
#include "kv/merge/aggregate/roaring_container.h"

// The union of two serialised Roaring bitmaps, whatever the format around the containers is.
//
// Thread rule: pure functions.
//
//   constexpr RoaringFormat kFormat = {"32-bit", read_bitmap, write_bitmap};
//   return unite_bitmaps(kFormat, old, update, arena);
namespace lakestream {

// A container and the high bits of its values. Parts ascend by key.
struct RoaringPart {
  uint64_t key = 0;
  RoaringContainer container;
};

struct RoaringUnion {
  struct Part {
    uint64_t key = 0;
    RoaringForm form;
    size_t begin = 0;  // of its bytes
    size_t end = 0;
  };
  std::vector<Part> parts;
  ByteWriter bytes;

  std::span<const uint8_t> bytes_of(const Part& part) const {
    return bytes.span().subspan(part.begin, part.end - part.begin);
  }
};

struct RoaringFormat {
  std::string_view name;
  // Empty when the bytes are no bitmap of the format.
  std::optional<std::vector<RoaringPart>> (*read)(std::span<const uint8_t> bytes);
  void (*write)(const RoaringUnion& bitmap, ByteWriter* out);
};

// Errors: kUnknownServerError for a value that is no bitmap.
Result<Value> unite_bitmaps(const RoaringFormat& format,
                            const Value& old,
                            const Value& update,
                            Arena* arena);

}  // namespace lakestream
