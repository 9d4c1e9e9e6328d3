#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/endian.h"
#include "base/ids.h"
#include "format/batch.h"

// The head of a batch, read from its first bytes alone: what a walk over a segment needs. Unlike
// BatchView it neither owns memory nor wants the whole batch.
//
// Thread rule: values, any thread.
//
//   std::optional<BatchHead> head = read_batch_head(bytes.subspan(position));
//   if (!head) return damaged(position);
//   position += head->size;
namespace lakestream::log_internal {

inline constexpr size_t kBatchHeadBytesMax = 56;

struct BatchHead {
  Offset base_offset;
  Offset next_offset;
  size_t size = 0;
  TimestampMs commit_timestamp;
  WriterId writer_id;
  int32_t batch_sequence = -1;
};

// Empty when there are too few bytes for a header or no batch can begin so.
inline std::optional<BatchHead> read_batch_head(std::span<const uint8_t> bytes) {
  if (bytes.size() < kBatchHeaderBytesMin) return std::nullopt;
  const uint8_t* at = bytes.data();
  auto magic = load_le<int8_t>(at + kBatchLengthEnd);
  if (magic < 0 || magic > kBatchMagicMax || bytes.size() < batch_header_size(magic)) {
    return std::nullopt;
  }
  auto base = load_le<int64_t>(at);
  int64_t size = int64_t{load_le<int32_t>(at + 8)} + static_cast<int64_t>(kBatchLengthEnd);
  const uint8_t* fields = at + batch_crc_position(magic);
  auto delta = load_le<int32_t>(fields + 7);
  if (base < 0 || base > INT64_MAX - INT32_MAX - 1 || delta < 0) return std::nullopt;
  if (size < static_cast<int64_t>(batch_header_size(magic))) return std::nullopt;
  return BatchHead{.base_offset = Offset(base),
                   .next_offset = Offset(base + delta + 1),
                   .size = static_cast<size_t>(size),
                   .commit_timestamp = TimestampMs(load_le<int64_t>(at + 13)),
                   .writer_id = WriterId(load_le<int64_t>(fields + 11)),
                   .batch_sequence = load_le<int32_t>(fields + 19)};
}

}  // namespace lakestream::log_internal
