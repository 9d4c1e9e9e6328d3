#include <algorithm>

#include <fmt/format.h>

#include "base/config.h"
#include "client/leader_calls.h"
#include "client/metadata.h"
#include "client/scanner_state.h"

namespace lakestream::client::internal {
namespace {

constexpr Duration kLongWait = std::chrono::hours(1);
constexpr int32_t kClientReader = -1;  // in place of the id of a follower
// Lakestream's own preference: the server reads remote storage for the client.
constexpr int32_t kReadAtServer = 2;

int32_t milliseconds(Duration duration) {
  return static_cast<int32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

void ScannerState::start() { session_->shard().spawn(run(shared_from_this())); }

void ScannerState::stop() {
  stopped_ = true;
  buckets_.clear();
  changed_.wake_all();
  wake_fetcher();
}

void ScannerState::wake_fetcher() {
  work_wanted_ = true;
  work_.wake_all();
}

Task<void> ScannerState::run(std::shared_ptr<ScannerState> self) {
  std::optional<Gate::Pass> pass = self->gate_.enter();
  while (!self->stopped_) {
    self->work_wanted_ = false;
    Duration wait = self->polled_ ? self->fetch_ready() : kLongWait;
    if (self->work_wanted_ || self->stopped_) continue;
    co_await self->work_.wait_for(&self->session_->clock(), &self->session_->shard(), wait);
  }
}

bool ScannerState::wants_more(const Bucket& bucket) const {
  if (bucket.in_flight || bucket.settling || bucket.reading_remote || bucket.error) return false;
  if (bucket.stop && bucket.next >= *bucket.stop) return false;
  return bucket.ready_bytes < static_cast<size_t>(options_.bucket_bytes_max);
}

// Sends a fetch to each server that has none on its way and leads a bucket that wants more.
Duration ScannerState::fetch_ready() {
  if (session_->is_closed() && !fatal_) {
    fatal_ = Error(ErrorCode::kNetworkException, "the client is closed");
    changed_.wake_all();
  }
  if (fatal_) return kLongWait;
  size_t ready = 0;
  for (const auto& [id, bucket] : buckets_) ready += bucket.ready_bytes;
  if (ready >= static_cast<size_t>(options_.fetch_bytes_max)) return kLongWait;
  Duration now = session_->clock().monotonic();
  Duration next = kLongWait;
  std::map<ServerId, Items> fetches;
  for (auto& [id, bucket] : buckets_) {
    if (!wants_more(bucket)) continue;
    if (bucket.not_before > now) {
      next = std::min(next, bucket.not_before - now);
      continue;
    }
    const std::optional<ServerId>& leader = leader_of(id);
    if (!leader) {
      take_transient_error(id, bucket, Error(ErrorCode::kLeaderNotAvailableException, "no leader"));
      next = std::min(next, bucket.not_before - now);
      if (bucket.error) changed_.wake_all();
    } else if (!fetching_[*leader]) {
      fetches[*leader].push_back({id, bucket.subscription, bucket.next});
    }
  }
  for (auto& [leader, items] : fetches) {
    // The answer is filled in the order of the buckets, so each one has to be the first in turn.
    size_t first = first_bucket_++ % items.size();
    std::rotate(items.begin(), items.begin() + static_cast<ptrdiff_t>(first), items.end());
    for (const Item& item : items) buckets_.at(item.bucket).in_flight = true;
    fetching_[leader] = true;
    session_->shard().spawn(fetch(shared_from_this(), leader, std::move(items)));
  }
  return next;
}

wire::FetchLogRequest ScannerState::request_of(const Items& items, Asked asked) const {
  wire::FetchLogRequest request;
  request.follower_server_id = kClientReader;
  request.max_bytes = options_.fetch_bytes_max;
  request.min_bytes = options_.fetch_bytes_min;
  request.max_wait_ms = milliseconds(options_.fetch_wait);
  if (asked.at_server) request.read_preference = kReadAtServer;
  wire::PbFetchLogReqForTable& table = request.tables_req.emplace_back();
  table.table_id = reader_->table().id.value();
  table.projection_pushdown_enabled = asked.projected;
  if (asked.projected) table.projected_fields = reader_->projection();
  if (condition_) {
    table.filter_predicate = condition_;
    table.filter_schema_id = reader_->table().schema_id.value();
    // Who reads to an end that is there already does not wait for more when nothing matches.
    bool to_an_end = std::all_of(items.begin(), items.end(), [this](const Item& item) {
      return buckets_.at(item.bucket).stop.has_value();
    });
    if (to_an_end) request.min_bytes = 0;
  }
  for (const Item& item : items) {
    wire::PbFetchLogReqForBucket& bucket = table.buckets_req.emplace_back();
    bucket.bucket_id = item.bucket.bucket.value();
    if (item.bucket.partition) bucket.partition_id = item.bucket.partition->value();
    bucket.fetch_offset = item.from.value();
    bucket.max_fetch_bytes = options_.bucket_bytes_max;
  }
  return request;
}

Task<void> ScannerState::fetch(std::shared_ptr<ScannerState> self, ServerId leader, Items items) {
  std::optional<Gate::Pass> pass = self->gate_.enter();
  Asked asked{.projected = self->pushdown_, .at_server = self->remote_at_server_};
  wire::FetchLogRequest request = self->request_of(items, asked);
  ++self->counters_.fetches;
  Duration sent = self->session_->clock().monotonic();
  Duration timeout = self->session_->options().request_timeout + self->options_.fetch_wait;
  auto response = co_await self->session_->ask_server<wire::ApiKey::kFetchLog>(
      leader, std::move(request), timeout);
  self->fetching_[leader] = false;
  bool came = false;
  if (response) {
    came = self->take_answer(items, *response, asked);
  } else {
    for (const Item& item : items) {
      Bucket* bucket = self->find(item);
      if (bucket == nullptr) continue;
      self->take_error(item.bucket, *bucket, response.error(), asked.projected);
    }
  }
  // A server that answers "nothing" without waiting must not be asked in a busy loop.
  Duration taken = self->session_->clock().monotonic() - sent;
  if (!came && taken < self->options_.fetch_wait / 2) {
    for (const Item& item : items) {
      if (Bucket* bucket = self->find(item)) self->delay(*bucket);
    }
  }
  for (const Item& item : items) {
    if (Bucket* bucket = self->find(item)) bucket->in_flight = false;
  }
  self->changed_.wake_all();
  self->wake_fetcher();
}

ScannerState::Bucket* ScannerState::find(const Item& item) {
  auto found = buckets_.find(item.bucket);
  if (found == buckets_.end() || found->second.subscription != item.subscription) return nullptr;
  return &found->second;
}

bool ScannerState::take_answer(const Items& items,
                               const wire::FetchLogResponse& response,
                               Asked asked) {
  bool came = false;
  for (const Item& item : items) {
    Bucket* bucket = find(item);
    if (bucket == nullptr) continue;
    const wire::PbFetchLogRespForBucket* answer = nullptr;
    for (const auto& table : response.tables_resp) {
      if (table.table_id != reader_->table().id.value()) continue;
      for (const auto& candidate : table.buckets_resp) {
        std::optional<PartitionId> partition;
        if (candidate.partition_id) partition = PartitionId(*candidate.partition_id);
        if (candidate.bucket_id == item.bucket.bucket.value() &&
            partition == item.bucket.partition) {
          answer = &candidate;
        }
      }
    }
    if (answer == nullptr) {
      take_error(item.bucket,
                 *bucket,
                 Error(ErrorCode::kUnknownServerError, "the server's answer lacks the bucket"),
                 asked.projected);
    } else if (std::optional<Error> error = error_of(*answer)) {
      take_error(item.bucket, *bucket, *std::move(error), asked.projected);
    } else {
      came = take_records(item.bucket, *bucket, *answer, asked) || came;
    }
  }
  return came;
}

bool ScannerState::take_records(const TableBucket& id,
                                Bucket& bucket,
                                const wire::PbFetchLogRespForBucket& answer,
                                Asked asked) {
  bucket.failing_since.reset();
  if (answer.high_watermark) bucket.high_watermark = Offset(*answer.high_watermark);
  if (answer.remote_log_fetch_info) {
    take_remote(id, bucket, *answer.remote_log_fetch_info, asked.at_server);
    return true;
  }
  std::optional<Offset> passed;
  if (condition_ && answer.filtered_end_offset) passed = Offset(*answer.filtered_end_offset);
  return take_batches(bucket, answer.records.value_or(BytesChain()), passed, asked.projected);
}

bool ScannerState::take_batches(Bucket& bucket,
                                const BytesChain& records,
                                std::optional<Offset> passed,
                                bool projected) {
  Offset before = bucket.next;
  counters_.bytes += records.size();
  FetchRules rules{options_.check_crc, projected, condition_.has_value()};
  FetchedBatches fetched = cut_batches(records, before, rules);
  bucket.error = std::move(fetched.error);
  bucket.next = fetched.next;
  if (passed && !bucket.error) bucket.next = std::max(bucket.next, *passed);
  if (bucket.next == before) return false;
  bucket.from_earliest = false;
  bucket.backoff.reset();
  counters_.batches += fetched.batches.size();
  for (FetchedBatch& batch : fetched.batches) {
    bucket.ready_bytes += batch.view.size();
    bucket.ready.push_back(std::move(batch));
  }
  return true;
}

void ScannerState::take_error(const TableBucket& id, Bucket& bucket, Error error, bool projected) {
  ErrorCode code = error.code();
  if (code == ErrorCode::kLogOffsetOutOfRangeException) {
    bucket.settling = true;
    session_->shard().spawn(
        settle_range(shared_from_this(), id, bucket.subscription, std::move(error)));
  } else if (code == ErrorCode::kInvalidColumnProjection && projected) {
    // Batches of an older schema lack some of the columns: choose them here.
    pushdown_ = false;
  } else if (is_transient(code) || code == ErrorCode::kInvalidBucketRouting) {
    take_transient_error(id, bucket, std::move(error));
  } else {
    bucket.error = std::move(error);
  }
}

void ScannerState::take_transient_error(const TableBucket& id, Bucket& bucket, Error error) {
  delay(bucket);
  refresh_later(id.partition);
  Duration now = session_->clock().monotonic();
  if (!bucket.failing_since) bucket.failing_since = now;
  Duration limit = options_.retry_timeout;
  if (limit <= Duration(0) || now - *bucket.failing_since < limit) return;
  bucket.failing_since.reset();
  auto shown = std::chrono::duration_cast<std::chrono::milliseconds>(limit);
  bucket.error = Error(ErrorCode::kRequestTimeOut,
                       fmt::format("could not be read for {} (the last attempt: {}); see that the "
                                   "server runs, or allow more time",
                                   format_duration(shown),
                                   error.message()));
}

void ScannerState::delay(Bucket& bucket) {
  Duration now = session_->clock().monotonic();
  if (bucket.not_before > now) return;
  bucket.not_before = now + bucket.backoff.next(session_->random());
}

// The bucket does not hold the offset. Asks for the bounds: the beginning of the log may have moved
// on between the look-up of "earliest" and the first fetch, and the caller wants to know both.
Task<void> ScannerState::settle_range(std::shared_ptr<ScannerState> self,
                                      TableBucket id,
                                      uint64_t subscription,
                                      Error error) {
  std::optional<Gate::Pass> pass = self->gate_.enter();
  auto place = self->places_.find(id.partition);
  if (place == self->places_.end()) co_return;
  PhysicalTablePath path = place->second.opened->path();
  std::vector<BucketId> one{id.bucket};
  auto earliest = co_await list_offsets(self->session_, path, OffsetSpec::earliest(), one);
  auto latest = co_await list_offsets(self->session_, path, OffsetSpec::latest(), one);
  Bucket* bucket = self->find({id, subscription, Offset()});
  if (bucket == nullptr) co_return;
  bucket->settling = false;
  bool known = earliest && latest && !earliest->empty() && !latest->empty();
  if (known && bucket->from_earliest && earliest->front().offset > bucket->next) {
    bucket->next = earliest->front().offset;
    bucket->position = bucket->next;
  } else if (known) {
    bucket->error = Error(error.code(),
                          fmt::format("offset {} is outside of the log, which holds [{}, {})",
                                      bucket->next,
                                      earliest->front().offset,
                                      latest->front().offset));
  } else {
    bucket->error = std::move(error);
  }
  self->changed_.wake_all();
  self->wake_fetcher();
}

}  // namespace lakestream::client::internal
