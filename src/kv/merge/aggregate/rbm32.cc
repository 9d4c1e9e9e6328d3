// rbm32: the union of 32-bit Roaring bitmaps in the portable format (RoaringFormatSpec).

#include <algorithm>
#include <optional>
#include <vector>

#include "base/endian.h"
#include "kv/merge/aggregate/aggregate.h"
#include "kv/merge/aggregate/roaring_union.h"

namespace lakestream {
namespace {

constexpr uint32_t kCookieRuns = 12347;  // in the low half, container count - 1 in the high one
constexpr uint32_t kCookiePlain = 12346;
constexpr uint32_t kContainersMax = 65536;
constexpr uint32_t kOffsetsMin = 4;  // fewer containers have no offsets when there are runs
constexpr size_t kDescriptorBytes = 4;

bool has_bit(std::span<const uint8_t> bits, size_t index) {
  return (bits[index / 8] >> index % 8 & 1) != 0;
}

std::optional<std::vector<RoaringPart>> read_bitmap(std::span<const uint8_t> bytes) {
  RoaringReader reader(bytes);
  auto cookie = reader.get<uint32_t>();
  if (!cookie) return std::nullopt;
  std::optional<uint32_t> count;
  std::optional<std::span<const uint8_t>> runs;
  if ((*cookie & 0xffff) == kCookieRuns) {
    count = (*cookie >> 16) + 1;
    runs = reader.take((*count + 7) / 8);
    if (!runs) return std::nullopt;
  } else if (*cookie == kCookiePlain) {
    count = reader.get<uint32_t>();
  }
  if (!count || *count > kContainersMax) return std::nullopt;
  auto descriptors = reader.take(kDescriptorBytes * *count);
  if (!descriptors) return std::nullopt;
  // Containers follow in order, so their offsets tell nothing new.
  if ((!runs || *count >= kOffsetsMin) && !reader.take(size_t{4} * *count)) return std::nullopt;
  std::vector<RoaringPart> parts(*count);
  for (size_t i = 0; i < parts.size(); ++i) {
    const uint8_t* descriptor = descriptors->data() + kDescriptorBytes * i;
    parts[i].key = load_le<uint16_t>(descriptor);
    if (i != 0 && parts[i].key <= parts[i - 1].key) return std::nullopt;
    uint32_t cardinality = load_le<uint16_t>(descriptor + 2) + 1U;
    RoaringKind kind = cardinality > kRoaringArrayMax ? RoaringKind::kBits : RoaringKind::kArray;
    if (runs && has_bit(*runs, i)) kind = RoaringKind::kRuns;
    auto container = read_container(kind, cardinality, &reader);
    if (!container) return std::nullopt;
    parts[i].container = *container;
  }
  return parts;
}

bool is_runs(const RoaringUnion::Part& part) { return part.form.kind == RoaringKind::kRuns; }

void write_bitmap(const RoaringUnion& bitmap, ByteWriter* out) {
  const std::vector<RoaringUnion::Part>& parts = bitmap.parts;
  auto count = static_cast<uint32_t>(parts.size());
  bool runs = std::ranges::any_of(parts, is_runs);
  if (runs) {
    out->put(kCookieRuns | (count - 1) << 16);
    size_t bits = out->size();
    out->put_zeros((count + 7) / 8);
    for (size_t i = 0; i < count; ++i) {
      if (is_runs(parts[i])) out->set_bit(bits, i);
    }
  } else {
    out->put(kCookiePlain);
    out->put(count);
  }
  for (const RoaringUnion::Part& part : parts) {
    out->put(static_cast<uint16_t>(part.key));
    out->put(static_cast<uint16_t>(part.form.cardinality - 1));
  }
  if (!runs || count >= kOffsetsMin) {
    size_t start = out->size() + size_t{4} * count;
    for (const RoaringUnion::Part& part : parts) {
      out->put(static_cast<uint32_t>(start + part.begin));
    }
  }
  out->put_bytes(bitmap.bytes.span());
}

Result<Value> unite(const Aggregate& /*self*/,
                    const Value& old,
                    const Value& update,
                    Arena* arena) {
  constexpr RoaringFormat kFormat = {"32-bit", read_bitmap, write_bitmap};
  return unite_bitmaps(kFormat, old, update, arena);
}

}  // namespace

Aggregate make_rbm32(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = unite};
}

}  // namespace lakestream
