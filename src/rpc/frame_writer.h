#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "io/network.h"
#include "io/shard.h"
#include "rpc/held_bytes.h"

// Sends frames of a stream in the order of put(). Frames that gather while a write is on its way
// leave together in the next one. Much at once leaves in pieces, so that it shows whether the peer
// takes any of it.
//
// Thread rule: shard-local. The owner keeps it alive until closed() ends.
//
//   writer.put(encode_response_frame(id, payload));
namespace lakestream::rpc {

class FrameWriter {
 public:
  // What is queued counts in `held`, which outlives this object.
  FrameWriter(Shard& shard, Stream& stream, HeldBytes& held)
      : shard_(shard), stream_(stream), held_(held) {}
  ~FrameWriter() { held_.release(queued_bytes()); }
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  void put(BytesChain frame);
  // Bytes that wait to be sent.
  size_t queued_bytes() const { return queued_.size() + sending_bytes_; }
  // Waits until nothing is queued or the stream broke. One caller at a time.
  Task<void> drained();
  bool failed() const { return failed_; }
  // A piece is on its way, and how many are done.
  bool is_sending() const { return sending_; }
  uint64_t piece_count() const { return piece_count_; }
  // No write runs afterwards; the stream should be closed before.
  Task<void> closed() { return gate_.closed(); }

 private:
  Task<void> send_all(Gate::Pass pass);
  Task<Status> send(BytesChain batch);

  Shard& shard_;
  Stream& stream_;
  HeldBytes& held_;
  BytesChain queued_;
  size_t sending_bytes_ = 0;
  bool sending_ = false;
  bool failed_ = false;
  bool someone_waits_ = false;
  uint64_t piece_count_ = 0;
  Waiter idle_;
  Gate gate_;
};

}  // namespace lakestream::rpc
