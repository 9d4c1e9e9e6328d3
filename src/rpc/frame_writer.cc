#include "rpc/frame_writer.h"

namespace lakestream::rpc {

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

Task<void> FrameWriter::send_all(Gate::Pass) {
  while (!queued_.empty() && !failed_) {
    BytesChain batch = std::exchange(queued_, {});
    sending_bytes_ = batch.size();
    Status sent = co_await stream_.write(std::move(batch));
    held_.release(std::exchange(sending_bytes_, 0));
    if (!sent) {
      failed_ = true;
      held_.release(queued_.size());
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
