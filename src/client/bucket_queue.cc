#include "client/bucket_queue.h"

#include <algorithm>

namespace lakestream::client::internal {
namespace {

// After the highest sequence comes 0.
int32_t sequence_of(int64_t number) { return static_cast<int32_t>(number & INT32_MAX); }

}  // namespace

void BucketQueue::number(PendingBatch& batch) {
  if (batch.foreign || writer_ == kNoWriter) return;
  batch.number = next_number_++;
  batch.writer = {writer_, sequence_of(batch.number)};
}

void BucketQueue::push(std::shared_ptr<PendingBatch> batch) {
  number(*batch);
  batch->encoding = batch->bytes.empty();
  batches_.push_back(std::move(batch));
}

void BucketQueue::encoded(PendingBatch& batch, const BatchWriter& writer, Bytes bytes) {
  // The writer may have changed meanwhile.
  bool same = writer.id == batch.writer.id && writer.sequence == batch.writer.sequence;
  batch.bytes = same ? std::move(bytes) : restamp_(bytes, batch.writer);
  batch.encoding = false;
}

std::shared_ptr<PendingBatch> BucketQueue::next() const {
  if (restart_wanted_ || in_flight_ >= in_flight_max_) return nullptr;
  int64_t first = -1;
  for (const auto& batch : batches_) {
    if (first < 0) first = batch->number;
    if (batch->in_flight) continue;
    if (batch->encoding) return nullptr;
    bool too_far = batch->number >= 0 && first >= 0 &&
                   batch->number - first >= static_cast<int64_t>(in_flight_max_);
    return too_far ? nullptr : batch;
  }
  return nullptr;
}

void BucketQueue::sent(PendingBatch& batch) {
  batch.in_flight = true;
  batch.acked_at_send = last_acked_;
  ++batch.attempts;
  ++in_flight_;
}

void BucketQueue::settle(std::shared_ptr<PendingBatch> batch) {
  batch->outcome->done = true;
  batch->outcome->settled.wake_all();
  std::erase(batches_, batch);
}

void BucketQueue::acknowledged(const std::shared_ptr<PendingBatch>& batch,
                               std::optional<Offset> base_offset) {
  batch->in_flight = false;
  --in_flight_;
  last_acked_ = std::max(last_acked_, batch->number);
  // The server takes numbers without gaps, so what failed before this one had arrived.
  gap_ = gap_ && batch->number < 0;
  batch->outcome->base_offset = base_offset;
  settle(batch);
}

bool BucketQueue::is_first_numbered(const PendingBatch& batch) const {
  for (const auto& other : batches_) {
    if (other->number >= 0) return other.get() == &batch;
  }
  return false;
}

Verdict BucketQueue::refused(const std::shared_ptr<PendingBatch>& batch,
                             Error error,
                             bool may_repeat) {
  ErrorCode code = error.code();
  bool numbered = batch->number >= 0;
  bool out_of_order = numbered && (code == ErrorCode::kOutOfOrderSequenceException ||
                                   code == ErrorCode::kUnknownWriterIdException);
  bool there = numbered && (code == ErrorCode::kDuplicateSequenceException ||
                            (out_of_order && batch->number <= last_acked_));
  if (there) {
    acknowledged(batch, std::nullopt);
    return Verdict::kSettled;
  }
  batch->in_flight = false;
  --in_flight_;
  if (out_of_order) {
    if (!is_first_numbered(*batch) || batch->acked_at_send < last_acked_) return Verdict::kAgain;
    if (gap_) {
      restart_wanted_ = true;
      return Verdict::kAgain;
    }
  } else if (is_retriable(code) && may_repeat) {
    return Verdict::kAgain;
  }
  fail(batch, std::move(error));
  return Verdict::kSettled;
}

void BucketQueue::fail(const std::shared_ptr<PendingBatch>& batch, Error error) {
  CHECK(!batch->in_flight, "a batch in flight has its answer first");
  if (batch->number >= 0) gap_ = true;
  batch->outcome->error = std::move(error);
  settle(batch);
}

void BucketQueue::restart(WriterId writer) {
  CHECK(in_flight_ == 0, "nothing is in flight when a writer starts anew");
  writer_ = writer;
  next_number_ = 0;
  last_acked_ = -1;
  gap_ = false;
  restart_wanted_ = false;
  for (const auto& batch : batches_) {
    if (batch->foreign) continue;
    number(*batch);
    if (!batch->encoding) batch->bytes = restamp_(batch->bytes, batch->writer);
  }
}

}  // namespace lakestream::client::internal
