#include "client/appender_state.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "client/row_check.h"
#include "format/batch.h"
#include "io/pool.h"

namespace lakestream::client::internal {
namespace {

// Rows that are taken in without letting others of the shard run.
constexpr int64_t kRowsAtATime = 1024;

Task<void> let_others_run(Shard* shard) {
  Waiter waiter;
  shard->post([&waiter] { waiter.wake(); });
  co_await waiter.wait();
}

}  // namespace

AppenderState::AppenderState(std::shared_ptr<Session> session,
                             std::shared_ptr<const TableMetadata> metadata,
                             std::shared_ptr<const WritePlan> plan,
                             AppenderOptions options,
                             WriterId writer)
    : session_(std::move(session)),
      metadata_(std::move(metadata)),
      plan_(std::move(plan)),
      options_(options) {
  Backoff backoff(session_->options().backoff_min, session_->options().backoff_max);
  buckets_.reserve(plan_->bucket_count());
  for (size_t i = 0; i < plan_->bucket_count(); ++i) {
    buckets_.emplace_back(options_.in_flight_max, writer, backoff);
  }
  current_ = session_->random().below(buckets_.size());
}

Status AppenderState::check_open() const {
  if (fatal_) return fail(*fatal_);
  if (closing_ || stopped_) {
    return make_error(
        ErrorCode::kUnknownServerError, "the appender of table {} is closed", plan_->table().path);
  }
  return ok();
}

// The next bucket in turn, among those with a leader.
size_t AppenderState::next_in_turn() {
  for (size_t i = 0; i < buckets_.size(); ++i) {
    current_ = (current_ + 1) % buckets_.size();
    if (metadata_->buckets[current_].leader) break;
  }
  return current_;
}

// Another bucket with a leader, if there is one.
void AppenderState::change_sticky_bucket() {
  std::vector<size_t> others;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (i != current_ && metadata_->buckets[i].leader) others.push_back(i);
  }
  if (!others.empty()) current_ = others[session_->random().below(others.size())];
}

Result<size_t> AppenderState::choose_bucket(std::span<const Value> row) {
  if (plan_->has_bucket_key()) {
    ASSIGN_OR_RETURN(BucketId bucket, plan_->bucket_of(row, &key_));
    return static_cast<size_t>(bucket.value());
  }
  return is_sticky() ? current_ : next_in_turn();
}

RowGather& AppenderState::gather_of(size_t bucket) {
  Bucket& place = buckets_[bucket];
  if (!place.gather) {
    place.gather.emplace(plan_);
    place.outcome = std::make_shared<BatchOutcome>();
    place.outcome->bucket = BucketId(static_cast<int32_t>(bucket));
    place.gathered_since = session_->clock().monotonic();
    wake_sender();
  }
  return *place.gather;
}

// Books rows that have been added to the gather of a bucket.
void AppenderState::took(size_t bucket,
                         size_t bytes_before,
                         int32_t row_count,
                         Delivery* delivery) {
  Bucket& place = buckets_[bucket];
  memory_bytes_ += place.gather->bytes() - bytes_before;
  counters_.rows_appended += static_cast<uint64_t>(row_count);
  delivery->add({place.outcome, place.gather->row_count() - row_count, row_count});
  if (place.gather->bytes() >= options_.batch_bytes) end_gather(bucket);
}

Status AppenderState::take_row(std::span<const Value> row, Delivery* delivery) {
  ASSIGN_OR_RETURN(size_t bytes, check_row(plan_->types(), row));
  ASSIGN_OR_RETURN(size_t bucket, choose_bucket(row));
  RowGather& gather = gather_of(bucket);
  size_t before = gather.bytes();
  RETURN_IF_ERROR(gather.append_row(row, bytes));
  took(bucket, before, 1, delivery);
  return ok();
}

Result<Delivery> AppenderState::append_row(std::span<const Value> row) {
  RETURN_IF_ERROR(check_open());
  if (!has_room()) {
    end_all_gathers();
    return make_error(ErrorCode::kStorageBackpressureException,
                      "{} bytes of rows wait for their acknowledgement, {} is the limit; wait for "
                      "room and append again",
                      memory_bytes_,
                      options_.memory_bytes_max);
  }
  Delivery delivery;
  RETURN_IF_ERROR(take_row(row, &delivery));
  if (options_.batch_timeout == Duration(0)) end_all_gathers();
  return delivery;
}

// What is gathered becomes a batch. It has its place and number at once, its bytes perhaps later.
void AppenderState::end_gather(size_t bucket) {
  Bucket& place = buckets_[bucket];
  if (!place.gather) return;
  RowGather gather = std::move(*place.gather);
  place.gather.reset();
  auto batch = std::make_shared<PendingBatch>();
  batch->outcome = std::exchange(place.outcome, nullptr);
  batch->row_count = gather.row_count();
  batch->created = place.gathered_since;
  batch->memory_bytes = gather.bytes();
  if (is_sticky() && bucket == current_) change_sticky_bucket();
  if (gather.row_count() == 0) return;  // its only row was refused
  place.queue.push(batch);
  if (gather.bytes() >= options_.pool_bytes_min) {
    session_->shard().spawn(
        encode_on_pool(shared_from_this(), bucket, std::move(batch), std::move(gather)));
  } else {
    BatchWriter writer = batch->writer;
    encoded(bucket, batch, writer, gather.finish(writer));
  }
}

Task<void> AppenderState::encode_on_pool(std::shared_ptr<AppenderState> self,
                                         size_t bucket,
                                         std::shared_ptr<PendingBatch> batch,
                                         RowGather gather) {
  BatchWriter writer = batch->writer;
  auto job = [rows = std::move(gather), writer]() mutable { return rows.finish(writer); };
  Session& session = *self->session_;
  auto bytes = co_await run_on_pool(session.env().pool, session.shard(), std::move(job));
  self->encoded(bucket, batch, writer, std::move(bytes));
}

void AppenderState::encoded(size_t bucket,
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

void AppenderState::end_all_gathers() {
  for (size_t i = 0; i < buckets_.size(); ++i) end_gather(i);
}

Task<Status> AppenderState::room(std::shared_ptr<AppenderState> self) {
  for (;;) {
    CO_RETURN_IF_ERROR(self->check_open());
    if (self->has_room()) co_return ok();
    self->end_all_gathers();
    co_await self->room_.wait();
  }
}

// Whole columns of a table without a bucket key.
Task<Status> AppenderState::append_columns(std::shared_ptr<AppenderState> self,
                                           std::shared_ptr<arrow::RecordBatch> rows,
                                           Delivery* delivery) {
  auto referenced = arrow::util::ReferencedBufferSize(*rows);
  int64_t total = referenced.ok() ? *referenced : arrow::util::TotalBufferSize(*rows);
  int64_t row_bytes = std::max<int64_t>(total / rows->num_rows(), 1);
  CO_ASSIGN_OR_RETURN(size_t bucket, self->choose_bucket({}));
  for (int64_t from = 0; from < rows->num_rows();) {
    CO_RETURN_IF_ERROR(co_await room(self));
    if (self->is_sticky()) bucket = self->current_;
    RowGather& gather = self->gather_of(bucket);
    size_t before = gather.bytes();
    size_t space = self->options_.batch_bytes - std::min(before, self->options_.batch_bytes);
    int64_t count =
        std::clamp<int64_t>(static_cast<int64_t>(space) / row_bytes, 1, rows->num_rows() - from);
    CO_RETURN_IF_ERROR(
        gather.append_columns(rows->Slice(from, count), static_cast<size_t>(count * row_bytes)));
    from += count;
    self->took(bucket, before, static_cast<int32_t>(count), delivery);
  }
  co_return ok();
}

// Row by row: to the bucket of its key, or into a row format.
Task<Status> AppenderState::append_rows(std::shared_ptr<AppenderState> self,
                                        std::shared_ptr<arrow::RecordBatch> rows,
                                        Delivery* delivery) {
  CO_ASSIGN_OR_RETURN(ArrowRows reader, ArrowRows::make(rows, self->plan_->schema()));
  Arena arena;
  for (int64_t i = 0; i < reader.size(); ++i) {
    if (i % kRowsAtATime == kRowsAtATime - 1) co_await let_others_run(&self->session_->shard());
    CO_RETURN_IF_ERROR(co_await room(self));
    arena.clear();
    CO_ASSIGN_OR_RETURN(std::span<const Value> row, reader.row(i, &arena));
    CO_RETURN_IF_ERROR(self->take_row(row, delivery));
  }
  co_return ok();
}

Task<Result<Delivery>> AppenderState::append(std::shared_ptr<AppenderState> self,
                                             std::shared_ptr<arrow::RecordBatch> rows) {
  CO_RETURN_IF_ERROR(self->check_open());
  CO_ASSIGN_OR_RETURN(rows, self->plan_->check(std::move(rows)));
  Delivery delivery;
  if (rows->num_rows() == 0) co_return delivery;
  bool whole = self->plan_->is_arrow() && !self->plan_->has_bucket_key();
  Status taken = ok();
  if (whole) {
    taken = co_await append_columns(self, std::move(rows), &delivery);
  } else {
    taken = co_await append_rows(self, std::move(rows), &delivery);
  }
  if (!taken) co_return fail(std::move(taken).error());
  if (self->options_.batch_timeout == Duration(0)) self->end_all_gathers();
  co_return delivery;
}

Task<Result<Delivery>> AppenderState::append_encoded(std::shared_ptr<AppenderState> self,
                                                     BucketId bucket,
                                                     Bytes encoded) {
  CO_ASSIGN_OR_RETURN(BatchView view, BatchView::parse(encoded));
  auto index = static_cast<size_t>(bucket.value());
  if (bucket.value() < 0 || index >= self->buckets_.size() || view.record_count() < 0) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "encoded batch of {} records for bucket {}: the table has {} buckets",
                         view.record_count(),
                         bucket,
                         self->buckets_.size());
  }
  CO_RETURN_IF_ERROR(co_await room(self));
  self->end_gather(index);
  auto batch = std::make_shared<PendingBatch>();
  batch->bytes = std::move(encoded);
  batch->row_count = view.record_count();
  batch->foreign = true;
  batch->created = self->session_->clock().monotonic();
  batch->outcome = std::make_shared<BatchOutcome>();
  batch->outcome->bucket = bucket;
  batch->memory_bytes = batch->bytes.size();
  self->memory_bytes_ += batch->memory_bytes;
  self->counters_.rows_appended += static_cast<uint64_t>(batch->row_count);
  Delivery delivery;
  delivery.add({batch->outcome, 0, batch->row_count});
  self->buckets_[index].queue.push(std::move(batch));
  self->wake_sender();
  co_return delivery;
}

Task<Status> AppenderState::flush(std::shared_ptr<AppenderState> self) {
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

Task<Status> AppenderState::close(std::shared_ptr<AppenderState> self) {
  self->closing_ = true;
  self->room_.wake_all();
  Status flushed = co_await flush(self);
  self->stopped_ = true;
  self->wake_sender();
  co_return flushed;
}

void AppenderState::abandon() {
  if (stopped_) return;
  stopped_ = true;
  Error error(
      ErrorCode::kNetworkException,
      fmt::format("the appender of table {} was given up before the answer", plan_->table().path));
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
