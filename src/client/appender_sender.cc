#include <algorithm>

#include <fmt/format.h>

#include "base/config.h"
#include "client/appender_state.h"
#include "client/leader_calls.h"
#include "client/metadata.h"

namespace lakestream::client::internal {
namespace {

constexpr Duration kLongWait = std::chrono::hours(1);
// The server answers within the time limit of the request; this is for the way.
constexpr Duration kGrace = std::chrono::seconds(5);
// Of a bucket whose server asks for less.
constexpr Duration kThrottleMax = std::chrono::seconds(3);

}  // namespace

void AppenderState::start() { session_->shard().spawn(run(shared_from_this())); }

void AppenderState::wake_sender() {
  work_wanted_ = true;
  work_.wake_all();
}

Task<void> AppenderState::run(std::shared_ptr<AppenderState> self) {
  while (!self->stopped_) {
    self->work_wanted_ = false;
    Duration until_old = self->end_old_gathers();
    Duration until_due = self->send_ready();
    if (self->work_wanted_ || self->stopped_) continue;
    Duration wait = std::min(until_old, until_due);
    co_await self->work_.wait_for(&self->session_->clock(), &self->session_->shard(), wait);
  }
}

Duration AppenderState::end_old_gathers() {
  Duration now = session_->clock().monotonic();
  Duration next = kLongWait;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (!buckets_[i].gather) continue;
    Duration left = buckets_[i].gathered_since + options_.batch_timeout - now;
    if (left <= Duration(0)) {
      end_gather(i);
    } else {
      next = std::min(next, left);
    }
  }
  return next;
}

Duration AppenderState::send_ready() {
  if (session_->is_closed()) {
    fail_all(Error(ErrorCode::kNetworkException, "the client is closed"));
    return kLongWait;
  }
  Duration now = session_->clock().monotonic();
  Duration next = kLongWait;
  std::map<ServerId, std::vector<Items>> rounds;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    Bucket& bucket = buckets_[i];
    if (bucket.queue.empty()) continue;
    expire(bucket, now);
    if (bucket.queue.wants_restart() && !bucket.restarting) {
      bucket.restarting = true;
      session_->shard().spawn(restart_writer(shared_from_this(), i));
    }
    if (bucket.not_before <= now) collect(i, now, &rounds);
    if (bucket.not_before > now) next = std::min(next, bucket.not_before - now);
  }
  for (auto& [leader, requests] : rounds) {
    for (Items& items : requests) {
      session_->shard().spawn(exchange(shared_from_this(), leader, std::move(items)));
    }
  }
  return next;
}

// Puts what the bucket may send into the requests for its leader. A request has at most one batch
// of a bucket; several requests to a server arrive in the order of their sending.
void AppenderState::collect(size_t index,
                            Duration now,
                            std::map<ServerId, std::vector<Items>>* rounds) {
  Bucket& bucket = buckets_[index];
  std::shared_ptr<PendingBatch> batch = bucket.queue.next();
  if (batch == nullptr) return;
  const std::optional<ServerId>& leader = metadata_->buckets[index].leader;
  if (!leader) {
    bucket.not_before = now + bucket.backoff.next(session_->random());
    refresh_later();
    return;
  }
  std::vector<Items>& requests = (*rounds)[*leader];
  size_t position = 0;
  for (; batch != nullptr; batch = bucket.queue.next()) {
    size_t size = batch->bytes.size();
    auto fits = [this, size](const Items& items) {
      size_t total = size;
      for (const Item& item : items) total += item.batch->bytes.size();
      return total <= options_.request_bytes_max;
    };
    while (position < requests.size() && !fits(requests[position])) ++position;
    if (position == requests.size()) requests.emplace_back();
    bucket.queue.sent(*batch);
    requests[position++].push_back({index, std::move(batch)});
  }
}

Error AppenderState::too_late(const PendingBatch& batch) const {
  auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(options_.delivery_timeout);
  std::string why = batch.last_error
                        ? fmt::format("the last attempt: {}", batch.last_error->message())
                        : "no server leads the bucket";
  return Error(
      ErrorCode::kRequestTimeOut,
      fmt::format("bucket {} of table {}: {} not acknowledged within the delivery timeout "
                  "of {} ({}); see that the server runs, or allow more time",
                  batch.outcome->bucket,
                  plan_->table().path,
                  batch.row_count == 1 ? "1 row was" : fmt::format("{} rows were", batch.row_count),
                  format_duration(limit),
                  why));
}

// Gives up batches that wait for too long.
void AppenderState::expire(Bucket& bucket, Duration now) {
  if (options_.delivery_timeout <= Duration(0) && !fatal_) return;
  std::vector<std::shared_ptr<PendingBatch>> waiting(bucket.queue.batches().begin(),
                                                     bucket.queue.batches().end());
  for (const auto& batch : waiting) {
    if (batch->in_flight) continue;
    if (fatal_) {
      bucket.queue.fail(batch, *fatal_);
    } else if (now - batch->created >= options_.delivery_timeout) {
      bucket.queue.fail(batch, too_late(*batch));
    } else {
      continue;
    }
    settled(*batch);
  }
}

wire::ProduceLogRequest AppenderState::request_of(ServerId leader, const Items& items) {
  std::optional<Address> address = session_->address_of(leader);
  bool local = address && session_->transport().is_local(*address);
  auto timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(session_->options().request_timeout);
  wire::ProduceLogRequest request;
  request.acks = static_cast<int32_t>(options_.acks);
  request.table_id = plan_->table().id.value();
  request.timeout_ms = static_cast<int32_t>(timeout.count());
  for (const Item& item : items) {
    wire::PbProduceLogReqForBucket& bucket = request.buckets_req.emplace_back();
    bucket.bucket_id = item.batch->outcome->bucket.value();
    // A local server has stamped the memory of the first attempt and may still serve it to readers.
    bool shared = local && item.batch->attempts > 1;
    bucket.records = shared ? Bytes::copy_of(item.batch->bytes.view()) : item.batch->bytes;
    ++counters_.batches_sent;
    counters_.bytes_sent += item.batch->bytes.size();
  }
  ++counters_.requests_sent;
  return request;
}

Task<void> AppenderState::exchange(std::shared_ptr<AppenderState> self,
                                   ServerId leader,
                                   Items items) {
  wire::ProduceLogRequest request = self->request_of(leader, items);
  Duration timeout = self->session_->options().request_timeout + kGrace;
  auto response = co_await self->session_->ask_server<wire::ApiKey::kProduceLog>(
      leader, std::move(request), timeout);
  if (self->stopped_) co_return;
  if (response) {
    self->take_answer(items, *response);
  } else {
    for (const Item& item : items) self->refuse(item, response.error());
  }
  self->wake_sender();
}

void AppenderState::take_answer(const Items& items, const wire::ProduceLogResponse& response) {
  for (const Item& item : items) {
    const wire::PbProduceLogRespForBucket* answer = nullptr;
    for (const auto& candidate : response.buckets_resp) {
      if (candidate.bucket_id == item.batch->outcome->bucket.value()) answer = &candidate;
    }
    if (answer == nullptr) {
      refuse(item, Error(ErrorCode::kUnknownServerError, "the server's answer lacks the bucket"));
      continue;
    }
    if (std::optional<Error> error = error_of(*answer)) {
      refuse(item, *std::move(error));
      continue;
    }
    std::optional<Offset> base;
    if (answer->base_offset.value_or(-1) >= 0) base = Offset(*answer->base_offset);
    Bucket& bucket = buckets_[item.bucket];
    bucket.backoff.reset();
    bucket.queue.acknowledged(item.batch, base);
    settled(*item.batch);
  }
}

void AppenderState::refuse(const Item& item, Error error) {
  Bucket& bucket = buckets_[item.bucket];
  ErrorCode code = error.code();
  item.batch->last_error = error;
  if (code == ErrorCode::kInvalidBucketRouting && !fatal_) fatal_ = error;
  bool may_repeat = !fatal_ && item.batch->attempts <= options_.retries_max;
  Error described = Error(error).with_context(
      fmt::format("bucket {} of table {}", item.batch->outcome->bucket, plan_->table().path));
  Verdict verdict = bucket.queue.refused(item.batch, std::move(described), may_repeat);
  if (verdict == Verdict::kSettled) {
    settled(*item.batch);
    return;
  }
  ++counters_.batches_retried;
  if (is_retriable(code)) delay(bucket, error);
}

// The bucket pauses before it sends again.
void AppenderState::delay(Bucket& bucket, const Error& error) {
  if (refreshes_metadata(error.code())) refresh_later();
  Duration now = session_->clock().monotonic();
  // Of several answers of one moment the first counts.
  if (bucket.not_before > now) return;
  Duration pause = bucket.backoff.next(session_->random());
  if (error.code() == ErrorCode::kStorageBackpressureException) {
    pause = std::min(2 * pause, kThrottleMax);
  }
  bucket.not_before = now + pause;
}

// A batch got its outcome.
void AppenderState::settled(const PendingBatch& batch) {
  memory_bytes_ -= batch.memory_bytes;
  auto rows = static_cast<uint64_t>(batch.row_count);
  if (batch.outcome->error) {
    counters_.rows_failed += rows;
    if (!failure_) failure_ = batch.outcome->error;
  } else {
    counters_.rows_acknowledged += rows;
  }
  room_.wake_all();
}

void AppenderState::refresh_later() {
  if (refreshing_) return;
  refreshing_ = true;
  session_->shard().spawn(refresh(shared_from_this()));
}

Task<void> AppenderState::refresh(std::shared_ptr<AppenderState> self) {
  auto table = co_await self->session_->refresh_table(self->plan_->table().path);
  self->refreshing_ = false;
  if (self->stopped_) co_return;
  if (!table) {
    // A retriable one comes again with the next attempt to send.
    if (!is_retriable(table.error().code())) self->fatal_ = table.error();
  } else if ((*table)->info.id != self->plan_->table().id ||
             (*table)->buckets.size() != self->plan_->bucket_count()) {
    self->fatal_ = Error(
        ErrorCode::kTableNotExist,
        fmt::format("table {} was dropped and created anew, or its buckets changed; open it again",
                    self->plan_->table().path));
  } else {
    self->metadata_ = *table;
  }
  self->room_.wake_all();
  self->wake_sender();
}

Task<void> AppenderState::restart_writer(std::shared_ptr<AppenderState> self, size_t bucket) {
  auto writer = co_await init_writer(self->session_, self->plan_->table().path);
  self->buckets_[bucket].restarting = false;
  if (self->stopped_) co_return;
  if (writer) {
    self->buckets_[bucket].queue.restart(*writer);
  } else if (is_retriable(writer.error().code())) {
    co_await self->session_->sleep(self->session_->options().backoff_max);
  } else {
    self->fatal_ = writer.error();
  }
  self->wake_sender();
}

// What waits fails now, what is in flight when its answer comes.
void AppenderState::fail_all(const Error& error) {
  if (!fatal_) fatal_ = error;
  end_all_gathers();
  Duration now = session_->clock().monotonic();
  for (Bucket& bucket : buckets_) expire(bucket, now);
}

}  // namespace lakestream::client::internal
