#include <fmt/format.h>

#include "client/batch_sender.h"
#include "io/pool.h"

namespace lakestream::client::internal {

Task<void> let_others_run(Shard* shard) {
  Waiter waiter;
  shard->post([&waiter] { waiter.wake(); });
  co_await waiter.wait();
}

Status BatchSender::check_open() const {
  if (fatal_) return fail(*fatal_);
  if (closing_ || stopped_) {
    return make_error(
        ErrorCode::kUnknownServerError, "the {} of table {} is closed", who_, table().path);
  }
  return ok();
}

Status BatchSender::check_room() {
  RETURN_IF_ERROR(check_open());
  if (has_room()) return ok();
  end_all_gathers();
  return make_error(ErrorCode::kStorageBackpressureException,
                    "{} bytes of rows wait for their acknowledgement, {} is the limit; wait for "
                    "room and try again",
                    memory_bytes_,
                    options_.memory_bytes_max);
}

void BatchSender::describe(size_t bucket, BatchOutcome* outcome) const {
  const Place& place = places_[buckets_[bucket].place];
  outcome->bucket = BucketId(static_cast<int32_t>(bucket - place.first));
  outcome->partition = place.opened->partition_id();
}

Gather& BatchSender::gather_of(size_t bucket) {
  Bucket& place = buckets_[bucket];
  if (place.gather == nullptr) {
    place.gather = make_gather();
    place.outcome = std::make_shared<BatchOutcome>();
    describe(bucket, place.outcome.get());
    place.gathered_since = session_->clock().monotonic();
    wake_sender();
  }
  return *place.gather;
}

void BatchSender::took(size_t bucket, size_t bytes_before, int32_t row_count, Delivery* delivery) {
  Bucket& place = buckets_[bucket];
  memory_bytes_ += place.gather->bytes() - bytes_before;
  counters_.rows_taken += static_cast<uint64_t>(row_count);
  delivery->add({place.outcome, place.gather->row_count() - row_count, row_count});
  if (place.gather->bytes() >= options_.batch_bytes) end_gather(bucket);
}

// What is gathered becomes a batch. It has its place and number at once, its bytes perhaps later.
void BatchSender::end_gather(size_t bucket) {
  Bucket& place = buckets_[bucket];
  if (place.gather == nullptr) return;
  std::unique_ptr<Gather> gather = std::move(place.gather);
  auto batch = std::make_shared<PendingBatch>();
  batch->outcome = std::exchange(place.outcome, nullptr);
  batch->row_count = gather->row_count();
  batch->created = place.gathered_since;
  batch->memory_bytes = gather->bytes();
  gather_ended(bucket);
  if (gather->row_count() == 0) return;  // its only row was refused
  place.queue.push(batch);
  if (gather->bytes() >= options_.pool_bytes_min && gather->is_costly()) {
    session_->shard().spawn(
        encode_on_pool(shared_from_this(), bucket, std::move(batch), std::move(gather)));
  } else {
    BatchWriter writer = batch->writer;
    encoded(bucket, batch, writer, gather->finish(writer));
  }
}

Task<void> BatchSender::encode_on_pool(std::shared_ptr<BatchSender> self,
                                       size_t bucket,
                                       std::shared_ptr<PendingBatch> batch,
                                       std::unique_ptr<Gather> gather) {
  BatchWriter writer = batch->writer;
  auto job = [rows = std::move(gather), writer]() mutable { return rows->finish(writer); };
  Session& session = *self->session_;
  auto bytes = co_await run_on_pool(session.env().pool, session.shard(), std::move(job));
  self->encoded(bucket, batch, writer, std::move(bytes));
}

void BatchSender::encoded(size_t bucket,
                          const std::shared_ptr<PendingBatch>& batch,
                          const BatchWriter& writer,
                          Result<Bytes> bytes) {
  if (batch->outcome->done) return;  // given up meanwhile
  BucketQueue& queue = buckets_[bucket].queue;
  if (bytes) {
    memory_bytes_ -= batch->memory_bytes;
    batch->memory_bytes = bytes->size();
    memory_bytes_ += batch->memory_bytes;
    queue.encoded(*batch, writer, *std::move(bytes));
  } else {
    queue.fail(batch, std::move(bytes).error());
    settled(*batch);
  }
  wake_sender();
}

void BatchSender::end_all_gathers() {
  for (size_t i = 0; i < buckets_.size(); ++i) end_gather(i);
}

void BatchSender::push_foreign(size_t bucket, Bytes bytes, int32_t row_count, Delivery* delivery) {
  end_gather(bucket);
  auto batch = std::make_shared<PendingBatch>();
  batch->bytes = std::move(bytes);
  batch->row_count = row_count;
  batch->foreign = true;
  batch->created = session_->clock().monotonic();
  batch->outcome = std::make_shared<BatchOutcome>();
  describe(bucket, batch->outcome.get());
  batch->memory_bytes = batch->bytes.size();
  memory_bytes_ += batch->memory_bytes;
  counters_.rows_taken += static_cast<uint64_t>(row_count);
  delivery->add({batch->outcome, 0, row_count});
  buckets_[bucket].queue.push(std::move(batch));
  wake_sender();
}

Task<Status> BatchSender::room(std::shared_ptr<BatchSender> self) {
  for (;;) {
    CO_RETURN_IF_ERROR(self->check_open());
    if (self->has_room() && !self->is_opening()) co_return ok();
    if (!self->has_room()) self->end_all_gathers();
    co_await self->room_.wait();
  }
}

Task<Status> BatchSender::flush(std::shared_ptr<BatchSender> self) {
  self->end_all_gathers();
  std::vector<std::shared_ptr<BatchOutcome>> waits;
  for (const Bucket& bucket : self->buckets_) {
    for (const auto& batch : bucket.queue.batches()) waits.push_back(batch->outcome);
  }
  for (const auto& outcome : waits) {
    while (!outcome->done) co_await outcome->settled.wait();
  }
  if (!self->failure_) co_return ok();
  Error failure = *std::exchange(self->failure_, std::nullopt);
  co_return fail(std::move(failure));
}

Task<Status> BatchSender::close(std::shared_ptr<BatchSender> self) {
  self->closing_ = true;
  self->room_.wake_all();
  Status flushed = co_await flush(self);
  self->stopped_ = true;
  self->wake_sender();
  co_return flushed;
}

void BatchSender::abandon() {
  if (stopped_) return;
  stopped_ = true;
  Error error(ErrorCode::kNetworkException,
              fmt::format("the {} of table {} was given up before the answer", who_, table().path));
  fail_all(error);
  // Nobody waits for the answers that are still to come.
  for (const Bucket& bucket : buckets_) {
    for (const auto& batch : bucket.queue.batches()) {
      batch->outcome->done = true;
      batch->outcome->error = error;
      batch->outcome->settled.wake_all();
    }
  }
  room_.wake_all();
  wake_sender();
}

}  // namespace lakestream::client::internal
