#include "kv/kv_mark.h"

#include "base/endian.h"

namespace lakestream {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kHeadBytes = 1 + 8 + 1 + 8 + 4;  // version, applied, flag, row count, ranges
constexpr size_t kRangeBytes = 4 + 8 + 8;

}  // namespace

std::string encode_mark(const KvMark& mark) {
  std::string bytes(kHeadBytes + mark.ids.size() * kRangeBytes, '\0');
  char* to = bytes.data();
  store_le<uint8_t>(to, kVersion);
  store_le<int64_t>(to + 1, mark.applied.value());
  store_le<uint8_t>(to + 9, mark.row_count ? 1 : 0);
  store_le<int64_t>(to + 10, mark.row_count.value_or(0));
  store_le<uint32_t>(to + 18, static_cast<uint32_t>(mark.ids.size()));
  to += kHeadBytes;
  for (const IdRange& range : mark.ids) {
    store_le<int32_t>(to, range.column_id);
    store_le<int64_t>(to + 4, range.start);
    store_le<int64_t>(to + 12, range.end);
    to += kRangeBytes;
  }
  return bytes;
}

Result<KvMark> parse_mark(std::string_view bytes) {
  const char* from = bytes.data();
  if (bytes.size() < kHeadBytes || load_le<uint8_t>(from) != kVersion) {
    return make_error(ErrorCode::kKvStorageException,
                      "mark of a key-value store {}: {} bytes, not one of version {}",
                      kDamagedMark,
                      bytes.size(),
                      kVersion);
  }
  size_t ranges = load_le<uint32_t>(from + 18);
  if (bytes.size() != kHeadBytes + ranges * kRangeBytes) {
    return make_error(ErrorCode::kKvStorageException,
                      "mark of a key-value store {}: {} bytes do not hold {} id ranges",
                      kDamagedMark,
                      bytes.size(),
                      ranges);
  }
  KvMark mark{.applied = Offset(load_le<int64_t>(from + 1))};
  if (load_le<uint8_t>(from + 9) != 0) mark.row_count = load_le<int64_t>(from + 10);
  for (from += kHeadBytes; ranges > 0; --ranges, from += kRangeBytes) {
    mark.ids.push_back({.column_id = load_le<int32_t>(from),
                        .start = load_le<int64_t>(from + 4),
                        .end = load_le<int64_t>(from + 12)});
  }
  return mark;
}

}  // namespace lakestream
