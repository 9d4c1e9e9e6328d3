#include "client/batch_sender.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/config.h"
#include "client/leader_calls.h"

namespace lakestream::client::internal {
namespace {

constexpr Duration kLongWait = std::chrono::hours(1);
// The server answers within the time limit of the request; this is for the way.
constexpr Duration kGrace = std::chrono::seconds(5);
// Of a bucket whose server asks for less.
constexpr Duration kThrottleMax = std::chrono::seconds(3);
constexpr size_t kServerRemembers = 5;  // batches of a writer, by which repetitions are recognised

}  // namespace

Status check_options(const WriteOptions& options, std::string_view who) {
  auto refuse = [who](std::string_view name, std::string_view rule) {
    return make_error(ErrorCode::kInvalidConfigException, "{} option {}: {}", who, name, rule);
  };
  if (options.batch_bytes == 0) return refuse("batch_bytes", "it has to be above 0");
  if (options.memory_bytes_max == 0) return refuse("memory_bytes_max", "it has to be above 0");
  if (options.in_flight_max < 1 || options.in_flight_max > kServerRemembers) {
    return refuse("in_flight_max", "it has to be 1 to 5");
  }
  return ok();
}

BatchSender::BatchSender(std::shared_ptr<Session> session,
                         std::shared_ptr<const TableMetadata> metadata,
                         const WriteOptions& options,
                         NumberedWriter writer,
                         std::string_view who)
    : session_(std::move(session)),
      opened_(std::move(metadata)),
      options_(options),
      writer_(writer),
      who_(who) {
  if (!opened_->info.descriptor.is_partitioned()) add_place(opened_);
}

size_t BatchSender::add_place(std::shared_ptr<const TableMetadata> metadata) {
  Backoff backoff(session_->options().backoff_min, session_->options().backoff_max);
  Backoff throttle(2 * session_->options().backoff_min, kThrottleMax);
  size_t index = places_.size();
  size_t count = metadata->buckets.size();
  places_.push_back({metadata, metadata, buckets_.size(), std::nullopt, false});
  for (size_t i = 0; i < count; ++i) {
    buckets_.emplace_back(index, options_.in_flight_max, writer_, backoff, throttle);
  }
  return index;
}

Duration BatchSender::call_timeout() const { return session_->options().request_timeout + kGrace; }

void BatchSender::start() { session_->shard().spawn(run(shared_from_this())); }

void BatchSender::wake_sender() {
  work_wanted_ = true;
  work_.wake_all();
}

Task<void> BatchSender::run(std::shared_ptr<BatchSender> self) {
  while (!self->stopped_) {
    self->work_wanted_ = false;
    Duration until_old = self->end_old_gathers();
    Duration until_due = self->send_ready();
    if (self->work_wanted_ || self->stopped_) continue;
    Duration wait = std::min(until_old, until_due);
    co_await self->work_.wait_for(&self->session_->clock(), &self->session_->shard(), wait);
  }
}

Duration BatchSender::end_old_gathers() {
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

Duration BatchSender::send_ready() {
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
void BatchSender::collect(size_t index,
                          Duration now,
                          std::map<ServerId, std::vector<Items>>* rounds) {
  Bucket& bucket = buckets_[index];
  std::shared_ptr<PendingBatch> batch = bucket.queue.next();
  if (batch == nullptr) return;
  const std::optional<ServerId>& leader = leader_of(index);
  if (!leader) {
    bucket.not_before = now + bucket.backoff.next(session_->random());
    refresh_later(bucket.place);
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

PhysicalTablePath BatchSender::path_of(const PendingBatch& batch) const {
  for (const Place& place : places_) {
    if (place.opened->partition_id() == batch.outcome->partition) return place.opened->path();
  }
  return opened_->path();
}

Error BatchSender::too_late(const PendingBatch& batch) const {
  auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(options_.delivery_timeout);
  std::string why = batch.last_error
                        ? fmt::format("the last attempt: {}", batch.last_error->message())
                        : "no server leads the bucket";
  return Error(
      ErrorCode::kRequestTimeOut,
      fmt::format("bucket {} of table {}: {} not acknowledged within the delivery timeout "
                  "of {} ({}); see that the server runs, or allow more time",
                  batch.outcome->bucket,
                  path_of(batch),
                  batch.row_count == 1 ? "1 row was" : fmt::format("{} rows were", batch.row_count),
                  format_duration(limit),
                  why));
}

// Gives up batches that wait for too long.
void BatchSender::expire(Bucket& bucket, Duration now) {
  const std::optional<Error>& error = error_of_bucket(bucket);
  if (options_.delivery_timeout <= Duration(0) && !error) return;
  std::vector<std::shared_ptr<PendingBatch>> waiting(bucket.queue.batches().begin(),
                                                     bucket.queue.batches().end());
  for (const auto& batch : waiting) {
    if (batch->in_flight) continue;
    if (error) {
      bucket.queue.fail(batch, *error);
    } else if (now - batch->created >= options_.delivery_timeout) {
      bucket.queue.fail(batch, too_late(*batch));
    } else {
      continue;
    }
    settled(*batch);
  }
}

Task<void> BatchSender::exchange(std::shared_ptr<BatchSender> self, ServerId leader, Items items) {
  for (const Item& item : items) {
    ++self->counters_.batches_sent;
    self->counters_.bytes_sent += item.batch->bytes.size();
  }
  ++self->counters_.requests_sent;
  Result<std::vector<Answer>> answers = co_await self->send(leader, items);
  if (self->stopped_) co_return;
  for (size_t i = 0; i < items.size(); ++i) {
    if (answers) {
      self->take_answer(items[i], (*answers)[i]);
    } else {
      self->refuse(items[i], answers.error());
    }
  }
  self->wake_sender();
}

void BatchSender::take_answer(const Item& item, const Answer& answer) {
  Bucket& bucket = buckets_[item.bucket];
  if (answer.error) return refuse(item, *answer.error);
  bucket.backoff.reset();
  bucket.throttle.reset();
  if (answer.pressure > 0) {
    // Gentle at first: with the square of the pressure.
    double share = std::min(static_cast<double>(answer.pressure), 1.0);
    auto pause = std::chrono::duration_cast<Duration>(share * share * kThrottleMax);
    bucket.not_before = std::max(bucket.not_before, session_->clock().monotonic() + pause);
  }
  item.batch->outcome->log_end = answer.log_end;
  bucket.queue.acknowledged(item.batch, answer.base_offset);
  settled(*item.batch);
}

void BatchSender::refuse(const Item& item, Error error) {
  Bucket& bucket = buckets_[item.bucket];
  ErrorCode code = error.code();
  item.batch->last_error = error;
  if (code == ErrorCode::kInvalidBucketRouting && !fatal_) fatal_ = error;
  bool may_repeat = !error_of_bucket(bucket) && item.batch->attempts <= options_.retries_max;
  Error described = Error(error).with_context(
      fmt::format("bucket {} of table {}", item.batch->outcome->bucket, path_of(*item.batch)));
  Verdict verdict = bucket.queue.refused(item.batch, std::move(described), may_repeat);
  if (verdict == Verdict::kSettled) {
    settled(*item.batch);
    return;
  }
  ++counters_.batches_retried;
  if (is_retriable(code)) delay(bucket, error);
}

// The bucket pauses before it sends again.
void BatchSender::delay(Bucket& bucket, const Error& error) {
  if (refreshes_metadata(error.code())) refresh_later(bucket.place);
  Duration now = session_->clock().monotonic();
  // Of several answers of one moment the first counts.
  if (bucket.not_before > now) return;
  bool throttled = error.code() == ErrorCode::kStorageBackpressureException;
  Backoff& backoff = throttled ? bucket.throttle : bucket.backoff;
  bucket.not_before = now + backoff.next(session_->random());
}

// A batch got its outcome.
void BatchSender::settled(const PendingBatch& batch) {
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

Task<void> BatchSender::restart_writer(std::shared_ptr<BatchSender> self, size_t bucket) {
  auto writer = co_await init_writer(self->session_, self->table().path);
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
void BatchSender::fail_all(const Error& error) {
  if (!fatal_) fatal_ = error;
  end_all_gathers();
  Duration now = session_->clock().monotonic();
  for (Bucket& bucket : buckets_) expire(bucket, now);
}

}  // namespace lakestream::client::internal
