#pragma once

#include <cstddef>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "io/network.h"

// Splits a stream into frames. Small frames are slices of one slab; a frame that does not fit gets
// a slab of its own, so the bytes of a request are written once, by the kernel.
//
// Thread rule: shard-local.
//
//   FrameReader reader(*stream, limit);
//   CO_ASSIGN_OR_RETURN(std::optional<Bytes> frame, co_await reader.next());
namespace lakestream::rpc {

class FrameReader {
 public:
  FrameReader(Stream& stream, size_t frame_bytes_max)
      : stream_(stream), frame_bytes_max_(frame_bytes_max) {}

  // What follows the length of the next frame; empty at the end of the stream. Errors:
  // kNetworkException when the stream breaks or ends inside a frame, kUnknownServerError for a
  // length that can not be.
  Task<Result<std::optional<Bytes>>> next();

 private:
  size_t buffered() const { return filled_ - consumed_; }
  void make_room(size_t frame_size);

  Stream& stream_;
  size_t frame_bytes_max_;
  Bytes slab_;  // [consumed_, filled_) is read but not returned; behind it nobody reads
  size_t consumed_ = 0;
  size_t filled_ = 0;
};

}  // namespace lakestream::rpc
