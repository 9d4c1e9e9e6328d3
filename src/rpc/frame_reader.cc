#include "rpc/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/clock.h"
#include "wire/frame.h"

namespace lakestream::rpc {
namespace {

constexpr size_t kSlabBytes = 32 << 10;
constexpr Duration kMemoryWait = std::chrono::milliseconds(10);

}  // namespace

void FrameReader::make_room(size_t frame_size) {
  if (slab_.size() - consumed_ >= frame_size && slab_.size() > filled_) return;
  size_t small = std::min(kSlabBytes, limits_.frame_bytes_max + wire::kFrameLengthBytes);
  MutableBytes slab = MutableBytes::allocate(std::max(small, frame_size));
  size_t rest = buffered();
  if (rest > 0) std::memcpy(slab.data(), slab_.data() + consumed_, rest);
  slab_ = std::move(slab).freeze();
  consumed_ = 0;
  filled_ = rest;
}

// Others give memory back at any time: looking again is simple, and rare.
Task<void> FrameReader::wait_for_memory() {
  held_.add(buffered() - counted_);
  counted_ = buffered();
  while (held_.total() > limits_.held_bytes_max && !stopped_) {
    co_await sleep_for(env_.clock, shard_, kMemoryWait);
  }
}

Bytes FrameReader::take_frame(size_t length) {
  Bytes frame = slab_.slice(consumed_ + wire::kFrameLengthBytes, length);
  consumed_ += wire::kFrameLengthBytes + length;
  // A large one belongs to its request alone.
  if (slab_.size() > kSlabBytes && buffered() == 0) {
    slab_ = {};
    consumed_ = filled_ = 0;
  }
  held_.release(std::exchange(counted_, 0));
  ++frame_count_;
  return frame;
}

Task<Result<std::optional<Bytes>>> FrameReader::next() {
  size_t wanted = wire::kFrameLengthBytes;
  for (;;) {
    if (buffered() >= wire::kFrameLengthBytes) {
      std::span<const uint8_t> start = slab_.span().subspan(consumed_, wire::kFrameLengthBytes);
      CO_ASSIGN_OR_RETURN(size_t length, wire::parse_frame_length(start, limits_.frame_bytes_max));
      wanted = wire::kFrameLengthBytes + length;
      if (buffered() >= wanted) co_return std::optional<Bytes>(take_frame(length));
    }
    make_room(wanted);
    reading_ = true;
    if (wanted > kSlabBytes) co_await wait_for_memory();
    std::span<uint8_t> room(slab_.exclusive_data() + filled_, slab_.size() - filled_);
    Result<size_t> count = co_await stream_.read_some(room);
    reading_ = false;
    if (!count) co_return fail(std::move(count).error());
    if (*count == 0) {
      if (buffered() == 0) co_return std::optional<Bytes>();
      co_return make_error(ErrorCode::kNetworkException,
                           "{} ended the stream inside a frame, after {} of {} bytes",
                           to_string(stream_.peer()),
                           buffered(),
                           wanted);
    }
    filled_ += *count;
    received_bytes_ += *count;
  }
}

}  // namespace lakestream::rpc
