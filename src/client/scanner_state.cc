#include "client/scanner_state.h"

#include <algorithm>

#include <arrow/record_batch.h>

#include "client/condition.h"
#include "client/leader_calls.h"

namespace lakestream::client::internal {

ScannerState::ScannerState(std::shared_ptr<Session> session,
                           std::shared_ptr<const TableMetadata> metadata,
                           std::shared_ptr<RowReader> reader,
                           ScannerOptions options)
    : session_(std::move(session)),
      table_(std::move(metadata)),
      reader_(std::move(reader)),
      options_(std::move(options)),
      pushdown_(!reader_->projection().empty()) {
  // Other formats have no statistics, and servers may refuse conditions on them.
  if (reader_->table().options.log_format == LogFormat::kArrow) {
    condition_ = condition_of(options_.condition);
  }
}

int32_t ScannerState::bucket_count() const {
  if (table_->info.descriptor.is_partitioned()) {
    return table_->info.descriptor.bucket_count().value_or(1);
  }
  return static_cast<int32_t>(table_->buckets.size());
}

Task<Status> ScannerState::stop_at_latest(std::shared_ptr<ScannerState> self) {
  std::map<std::optional<PartitionId>, std::vector<BucketId>> ids;
  for (const auto& [id, bucket] : self->buckets_) ids[id.partition].push_back(id.bucket);
  for (auto& [partition, buckets] : ids) {
    std::shared_ptr<const TableMetadata> place = self->places_.at(partition).opened;
    auto ends = co_await list_offsets(
        self->session_, place->path(), OffsetSpec::latest(), std::move(buckets));
    if (!ends && partition && ends.error().code() == ErrorCode::kPartitionNotExists) {
      self->drop_place(partition);
      continue;
    }
    if (!ends) co_return fail(std::move(ends).error());
    for (const BucketOffset& end : *ends) {
      TableBucket id = place->bucket(end.bucket);
      if (self->buckets_.contains(id)) self->stop_at(id, end.offset);
    }
  }
  co_return ok();
}

void ScannerState::unsubscribe(const TableBucket& bucket) {
  buckets_.erase(bucket);
  changed_.wake_all();
}

void ScannerState::stop_at(const TableBucket& bucket, Offset end) {
  auto found = buckets_.find(bucket);
  CHECK(found != buckets_.end(), "a bucket that is subscribed");
  found->second.stop = end;
  drop_finished();
}

std::optional<Offset> ScannerState::position(const TableBucket& bucket) const {
  auto found = buckets_.find(bucket);
  if (found == buckets_.end()) return std::nullopt;
  return found->second.position;
}

std::optional<Offset> ScannerState::high_watermark(const TableBucket& bucket) const {
  auto found = buckets_.find(bucket);
  if (found == buckets_.end()) return std::nullopt;
  return found->second.high_watermark;
}

void ScannerState::wakeup() {
  woken_ = true;
  changed_.wake_all();
}

void ScannerState::drop_finished() {
  std::erase_if(buckets_, [](const auto& entry) {
    const Bucket& bucket = entry.second;
    return bucket.stop && bucket.position >= *bucket.stop;
  });
}

std::optional<Error> ScannerState::take_first_error() {
  for (auto& [id, bucket] : buckets_) {
    if (!bucket.error || !bucket.ready.empty()) continue;
    Error error = *std::exchange(bucket.error, std::nullopt);
    std::string place = text_of(id);
    return std::move(error).with_context(place);
  }
  if (fatal_) return fatal_;
  return std::nullopt;
}

// The front batch of the bucket was given, or nothing of it is wanted.
void ScannerState::took_front(Bucket& bucket) {
  const BatchView& view = bucket.ready.front().view;
  bucket.position = std::max(bucket.position, view.next_offset());
  bucket.ready_bytes -= view.size();
  bucket.ready.pop_front();
}

// What the server has left out behind the last batch is done with.
void ScannerState::pass_over(Bucket& bucket) {
  if (bucket.ready.empty()) bucket.position = std::max(bucket.position, bucket.next);
}

std::optional<SchemaId> ScannerState::missing_schema() const {
  for (const auto& [id, bucket] : buckets_) {
    for (const FetchedBatch& batch : bucket.ready) {
      if (batch.view.record_count() > 0 && !reader_->has(batch.view.schema_id())) {
        return batch.view.schema_id();
      }
    }
  }
  return std::nullopt;
}

// Ends when the schemas of all batches that are ready are there.
Task<Status> ScannerState::load_schemas(std::shared_ptr<ScannerState> self) {
  while (std::optional<SchemaId> schema = self->missing_schema()) {
    CO_RETURN_IF_ERROR(co_await RowReader::load(self->reader_, *schema));
  }
  co_return ok();
}

Status ScannerState::take_rows_of(const TableBucket& id,
                                  Bucket& bucket,
                                  size_t* budget,
                                  std::vector<ScanBatch>* rows) {
  while (!bucket.ready.empty() && *budget > 0) {
    const FetchedBatch& batch = bucket.ready.front();
    size_t size = batch.view.size();
    if (batch.view.record_count() > 0) {
      auto decoded = reader_->decode(batch, bucket.position, bucket.stop);
      if (!decoded) {
        std::string place = text_of(id);
        return fail(std::move(decoded).error().with_context(place));
      }
      if (*decoded) {
        (*decoded)->bucket = id;
        counters_.rows += static_cast<uint64_t>((*decoded)->rows->num_rows());
        rows->push_back(**std::move(decoded));
        *budget -= std::min(*budget, size);
      }
    }
    took_front(bucket);
  }
  pass_over(bucket);
  return ok();
}

// Decodes what is ready, up to poll_bytes_max, beginning with another bucket each time. An error is
// kept for the next time when there are rows.
Result<std::vector<ScanBatch>> ScannerState::take_rows() {
  std::vector<ScanBatch> rows;
  size_t budget = options_.poll_bytes_max;
  std::vector<TableBucket> ids;
  for (const auto& [id, bucket] : buckets_) ids.push_back(id);
  if (!ids.empty()) {
    size_t first = first_polled_++ % ids.size();
    std::rotate(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(first), ids.end());
  }
  for (const TableBucket& id : ids) {
    Status taken = take_rows_of(id, buckets_.at(id), &budget, &rows);
    if (!taken && rows.empty()) return fail(std::move(taken).error());
  }
  drop_finished();
  return rows;
}

RawBatches ScannerState::take_raw_of(const TableBucket& id, Bucket& bucket, size_t* budget) {
  RawBatches raw;
  raw.bucket = id;
  raw.from = bucket.position;
  raw.high_watermark = bucket.high_watermark.value_or(Offset(0));
  const FetchedBatch first = bucket.ready.front();
  size_t end = first.position;
  // What lies one behind the other in one answer.
  while (!bucket.ready.empty() && *budget > 0) {
    const FetchedBatch& batch = bucket.ready.front();
    bool stopped = bucket.stop && batch.view.base_offset() >= *bucket.stop;
    bool behind = batch.records.data() == first.records.data() && batch.position == end;
    if (stopped || !behind) break;
    end += batch.view.size();
    *budget -= std::min(*budget, batch.view.size());
    took_front(bucket);
  }
  raw.records = first.records.slice(first.position, end - first.position);
  raw.end_offset = bucket.position;
  return raw;
}

std::vector<RawBatches> ScannerState::take_raw() {
  std::vector<RawBatches> result;
  size_t budget = options_.poll_bytes_max;
  for (auto& [id, bucket] : buckets_) {
    while (!bucket.ready.empty() && budget > 0) {
      if (bucket.stop && bucket.ready.front().view.base_offset() >= *bucket.stop) break;
      result.push_back(take_raw_of(id, bucket, &budget));
    }
    pass_over(bucket);
  }
  drop_finished();
  return result;
}

Task<bool> ScannerState::wait_for_change(std::shared_ptr<ScannerState> self, Duration deadline) {
  // Partitions may come while nothing is subscribed.
  bool is_finished = self->buckets_.empty() && !self->table_->info.descriptor.is_partitioned();
  if (self->woken_ || self->stopped_ || is_finished) {
    self->woken_ = false;
    co_return false;
  }
  Duration left = deadline - self->session_->clock().monotonic();
  if (left <= Duration(0)) co_return false;
  co_await self->changed_.wait_for(&self->session_->clock(), &self->session_->shard(), left);
  co_return true;
}

Task<Result<std::vector<ScanBatch>>> ScannerState::poll(std::shared_ptr<ScannerState> self,
                                                        Duration timeout) {
  Duration deadline = self->session_->clock().monotonic() + timeout;
  self->polled_ = true;
  for (;;) {
    CO_RETURN_IF_ERROR(co_await load_schemas(self));
    CO_ASSIGN_OR_RETURN(std::vector<ScanBatch> rows, self->take_rows());
    self->wake_fetcher();
    if (!rows.empty()) co_return rows;
    std::optional<Error> error = self->take_first_error();
    if (error) co_return fail(*std::move(error));
    bool more = co_await wait_for_change(self, deadline);
    if (!more) co_return rows;
  }
}

Task<Result<std::vector<RawBatches>>> ScannerState::poll_raw(std::shared_ptr<ScannerState> self,
                                                             Duration timeout) {
  Duration deadline = self->session_->clock().monotonic() + timeout;
  self->polled_ = true;
  for (;;) {
    std::vector<RawBatches> raw = self->take_raw();
    self->wake_fetcher();
    if (!raw.empty()) co_return raw;
    std::optional<Error> error = self->take_first_error();
    if (error) co_return fail(*std::move(error));
    bool more = co_await wait_for_change(self, deadline);
    if (!more) co_return raw;
  }
}

Task<Status> ScannerState::close(std::shared_ptr<ScannerState> self) {
  self->stop();
  co_await self->gate_.closed();
  co_return ok();
}

}  // namespace lakestream::client::internal
