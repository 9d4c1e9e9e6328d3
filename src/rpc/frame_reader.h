#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "io/env.h"
#include "io/network.h"
#include "io/shard.h"
#include "rpc/held_bytes.h"

// Splits a stream into frames. Small frames are slices of one slab; a frame that does not fit gets
// a slab of its own, so the bytes of a request are written once, by the kernel. What has arrived of
// such a frame counts in `held`; while all together hold too much, the rest of it is not read.
//
// Thread rule: shard-local.
//
//   FrameReader reader(env, shard, *stream, held, {.frame_bytes_max = 16 << 10});
//   CO_ASSIGN_OR_RETURN(std::optional<Bytes> frame, co_await reader.next());
namespace lakestream::rpc {

class FrameReader {
 public:
  struct Limits {
    size_t frame_bytes_max = 0;
    // Of all that `held` counts: above it a frame with a slab of its own waits.
    size_t held_bytes_max = std::numeric_limits<size_t>::max();
  };

  // `held` outlives this object.
  FrameReader(Env& env, Shard& shard, Stream& stream, HeldBytes& held, Limits limits)
      : env_(env), shard_(shard), stream_(stream), held_(held), limits_(limits) {}
  ~FrameReader() { held_.release(counted_); }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // What follows the length of the next frame; empty at the end of the stream. Errors:
  // kNetworkException when the stream breaks or ends inside a frame; kUnknownServerError for a
  // length that can not be.
  Task<Result<std::optional<Bytes>>> next();
  // Waits for memory no more; the stream is closed after it.
  void stop() { stopped_ = true; }

  // Holds for frames whose length has not been looked at.
  void set_frame_bytes_max(size_t bytes) { limits_.frame_bytes_max = bytes; }

  // The peer has begun a frame, and the rest is not there.
  bool is_inside_frame() const { return reading_ && buffered() > 0; }
  // Everything that the peer ever sent.
  uint64_t received_bytes() const { return received_bytes_; }
  uint64_t frame_count() const { return frame_count_; }

 private:
  size_t buffered() const { return filled_ - consumed_; }
  void make_room(size_t frame_size);
  Task<void> wait_for_memory();
  Bytes take_frame(size_t length);

  Env& env_;
  Shard& shard_;
  Stream& stream_;
  HeldBytes& held_;
  Limits limits_;
  Bytes slab_;  // [consumed_, filled_) is read but not returned; behind it nobody reads
  size_t consumed_ = 0;
  size_t filled_ = 0;
  size_t counted_ = 0;  // of the bytes in held_
  bool reading_ = false;
  bool stopped_ = false;
  uint64_t received_bytes_ = 0;
  uint64_t frame_count_ = 0;
};

}  // namespace lakestream::rpc
