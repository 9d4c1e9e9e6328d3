#include "rpc/frame_writer.h"

#include <algorithm>
#include <vector>

namespace lakestream::rpc {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

std::vector<BytesChain> cut(BytesChain batch) {
  std::vector<BytesChain> pieces(1);
  if (batch.size() <= kPieceBytes) {
    pieces.back() = std::move(batch);
    return pieces;
  }
  for (const Bytes& part : batch.parts()) {
    for (size_t at = 0; at < part.size();) {
      if (pieces.back().size() == kPieceBytes) pieces.emplace_back();
      size_t size = std::min(part.size() - at, kPieceBytes - pieces.back().size());
      pieces.back().append(part.slice(at, size));
      at += size;
    }
  }
  return pieces;
}

}  // namespace

void FrameWriter::put(BytesChain frame) {
  if (failed_) return;
  held_.add(frame.size());
  queued_.append(std::move(frame));
  if (sending_) return;
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass) return;
  sending_ = true;
  shard_.spawn(send_all(std::move(*pass)));
}

Task<Status> FrameWriter::send(BytesChain batch) {
  std::vector<BytesChain> pieces = cut(std::move(batch));
  for (BytesChain& piece : pieces) {
    size_t size = piece.size();
    CO_RETURN_IF_ERROR(co_await stream_.write(std::move(piece)));
    sending_bytes_ -= size;
    held_.release(size);
    ++piece_count_;
  }
  co_return ok();
}

Task<void> FrameWriter::send_all(Gate::Pass) {
  while (!queued_.empty() && !failed_) {
    BytesChain batch = std::exchange(queued_, {});
    sending_bytes_ = batch.size();
    Status sent = co_await send(std::move(batch));
    if (!sent) {
      failed_ = true;
      held_.release(queued_bytes());
      sending_bytes_ = 0;
      queued_ = {};
      stream_.close();
    }
  }
  sending_ = false;
  if (std::exchange(someone_waits_, false)) idle_.wake();
}

Task<void> FrameWriter::drained() {
  if (!sending_) co_return;
  someone_waits_ = true;
  co_await idle_.wait();
}

}  // namespace lakestream::rpc
