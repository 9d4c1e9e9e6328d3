#include "rpc/frame_reader.h"

#include <algorithm>
#include <cstring>

#include "wire/frame.h"

namespace lakestream::rpc {
namespace {

constexpr size_t kSlabBytes = 32 << 10;

}  // namespace

void FrameReader::make_room(size_t frame_size) {
  if (slab_.size() - consumed_ >= frame_size && slab_.size() > filled_) return;
  MutableBytes slab = MutableBytes::allocate(std::max(kSlabBytes, frame_size));
  size_t rest = buffered();
  if (rest > 0) std::memcpy(slab.data(), slab_.data() + consumed_, rest);
  slab_ = std::move(slab).freeze();
  consumed_ = 0;
  filled_ = rest;
}

Task<Result<std::optional<Bytes>>> FrameReader::next() {
  size_t wanted = wire::kFrameLengthBytes;
  for (;;) {
    if (buffered() >= wire::kFrameLengthBytes) {
      std::span<const uint8_t> start = slab_.span().subspan(consumed_, wire::kFrameLengthBytes);
      CO_ASSIGN_OR_RETURN(size_t length, wire::parse_frame_length(start, frame_bytes_max_));
      wanted = wire::kFrameLengthBytes + length;
      if (buffered() >= wanted) {
        Bytes frame = slab_.slice(consumed_ + wire::kFrameLengthBytes, length);
        consumed_ += wanted;
        co_return std::optional<Bytes>(std::move(frame));
      }
    }
    make_room(wanted);
    std::span<uint8_t> room(slab_.exclusive_data() + filled_, slab_.size() - filled_);
    CO_ASSIGN_OR_RETURN(size_t count, co_await stream_.read_some(room));
    if (count == 0) {
      if (buffered() == 0) co_return std::optional<Bytes>();
      co_return make_error(ErrorCode::kNetworkException,
                           "{} ended the stream inside a frame, after {} of {} bytes",
                           to_string(stream_.peer()),
                           buffered(),
                           wanted);
    }
    filled_ += count;
  }
}

}  // namespace lakestream::rpc
