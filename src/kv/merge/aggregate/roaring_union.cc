#include "kv/merge/aggregate/roaring_union.h"

namespace lakestream {
namespace {

constexpr size_t kPartBytes = 32;  // about what a container needs beside its own bytes

RoaringUnion unite(std::span<const RoaringPart> a, std::span<const RoaringPart> b) {
  RoaringUnion result;
  size_t size = 0;
  for (const RoaringPart& part : a) size += part.container.bytes.size();
  for (const RoaringPart& part : b) size += part.container.bytes.size();
  result.parts.reserve(a.size() + b.size());
  result.bytes.reserve(size);
  RoaringScratch scratch;
  while (!a.empty() || !b.empty()) {
    bool from_a = b.empty() || (!a.empty() && a.front().key <= b.front().key);
    bool from_b = a.empty() || (!b.empty() && b.front().key <= a.front().key);
    const RoaringPart& first = from_a ? a.front() : b.front();
    RoaringUnion::Part part;
    part.key = first.key;
    part.begin = result.bytes.size();
    part.form = from_a && from_b
                    ? write_union(a.front().container, b.front().container, &scratch, &result.bytes)
                    : write_container(first.container, &scratch, &result.bytes);
    part.end = result.bytes.size();
    result.parts.push_back(part);
    if (from_a) a = a.subspan(1);
    if (from_b) b = b.subspan(1);
  }
  return result;
}

Result<std::vector<RoaringPart>> read(const RoaringFormat& format,
                                      std::string_view role,
                                      const Value& value) {
  std::string_view bytes = value.as_bytes();
  auto parts = format.read({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (parts) return std::move(*parts);
  return make_error(ErrorCode::kUnknownServerError,
                    "{} value of {} bytes is no serialised {} Roaring bitmap",
                    role,
                    bytes.size(),
                    format.name);
}

}  // namespace

Result<Value> unite_bitmaps(const RoaringFormat& format,
                            const Value& old,
                            const Value& update,
                            Arena* arena) {
  ASSIGN_OR_RETURN(auto stored, read(format, "stored", old));
  ASSIGN_OR_RETURN(auto added, read(format, "new", update));
  RoaringUnion united = unite(stored, added);
  ByteWriter out;
  out.reserve(united.bytes.size() + united.parts.size() * kPartBytes);
  format.write(united, &out);
  return Value::bytes(arena->copy(out.view()));
}

}  // namespace lakestream
