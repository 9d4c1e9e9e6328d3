#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/clock.h"

// What a log knows of its idempotent writers: the last five batches of each, as many as a client
// has in flight. A sequence that is among them is a duplicate; else it must be the next one, 0
// after 2147483647 and 0 for a writer that is not known.
//
// Thread rule: belongs to one thread at a time.
//
//   ASSIGN_OR_RETURN(auto duplicate, writers.check(id, sequence));
//   if (!duplicate) undo.push_back(writers.add(id, batch));
namespace lakestream::log_internal {

struct WriterBatch {
  int32_t sequence = -1;
  int32_t offset_delta = 0;  // last offset - base offset
  Offset last_offset;
  TimestampMs timestamp;

  Offset base_offset() const { return Offset(last_offset.value() - offset_delta); }
  friend bool operator==(const WriterBatch&, const WriterBatch&) = default;
};

class WriterStates {
 public:
  // Takes back one add().
  struct Undo {
    WriterId writer;
    std::optional<WriterBatch> pushed_out;
  };

  // The remembered batch when it is a duplicate, empty when it may be appended. Errors:
  // kOutOfOrderSequenceException.
  Result<std::optional<WriterBatch>> check(WriterId writer, int32_t sequence) const;
  std::optional<WriterBatch> find(WriterId writer, int32_t sequence) const;
  // Without a check: for what a leader or the log itself has accepted already.
  Undo add(WriterId writer, const WriterBatch& batch);
  // In the reverse order of the adds.
  void undo(const Undo& undo);

  void expire(TimestampMs now, Duration silence_max);
  // Forgets the longest silent ones until `count` are left.
  void shrink(size_t count);
  size_t size() const { return writers_.size(); }

  // The content of a writer snapshot. Little-endian; kind "lswrite1", u32 writers, for each by
  // ascending id i64 id, u8 batches and for each i32 sequence, i32 offset delta, i64 last offset,
  // i64 time; CRC-32C.
  Bytes encode() const;
  // Empty when the content is damaged.
  static std::optional<WriterStates> decode(Bytes content);

  friend bool operator==(const WriterStates&, const WriterStates&) = default;

 private:
  static constexpr size_t kRemembered = 5;
  struct Writer {
    std::array<WriterBatch, kRemembered> batches;  // oldest first
    uint8_t count = 0;

    const WriterBatch& last() const { return batches[count - 1U]; }
    friend bool operator==(const Writer& a, const Writer& b) {
      return std::equal(a.batches.begin(),
                        a.batches.begin() + a.count,
                        b.batches.begin(),
                        b.batches.begin() + b.count);
    }
  };
  std::unordered_map<WriterId, Writer> writers_;
};

}  // namespace lakestream::log_internal
