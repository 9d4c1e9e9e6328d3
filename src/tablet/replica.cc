#include "tablet/replica.h"

#include <utility>
#include <vector>

#include "base/logging.h"

namespace lakestream {
namespace {

// Of the log's losses; an append that is older than all of these counts as lost.
constexpr size_t kLossesKept = 16;

}  // namespace

Replica::Replica(Env& env, Shard& home, TableBucket bucket, std::unique_ptr<LogTablet> log)
    : env_(env), home_(home), bucket_(bucket), log_(std::move(log)) {
  high_watermark_ = log_->durable_end_offset();
  log_->set_progress_listener([this](const LogProgress& progress) { log_moved(progress); });
}

void Replica::add_remote(PhysicalTablePath path, RemoteLogOptions options, RemoteLogPlace place) {
  remote_ = std::make_unique<RemoteLog>(
      env_, home_, std::move(path), bucket_, *log_, std::move(options), std::move(place));
}

void Replica::add_kv(KvReplicaOptions options) {
  options.remote = remote_.get();
  auto published = [this](Offset applied) { publish(applied); };
  kv_ = std::make_unique<KvReplica>(
      env_, home_, bucket_, *log_, std::move(options), std::move(published));
}

Status Replica::become_leader(LeaderEpoch epoch) {
  if (leading_ && epoch == epoch_) return ok();
  if (epoch < epoch_) {
    return make_error(ErrorCode::kFencedLeaderEpochException,
                      "{}: leader epoch {} is older than {}, which this server knows",
                      bucket_,
                      epoch,
                      epoch_);
  }
  RETURN_IF_ERROR(log_->assign_epoch(epoch));
  epoch_ = epoch;
  leading_ = true;
  return ok();
}

Status Replica::check_leader() const {
  if (is_leader()) return ok();
  return make_error(ErrorCode::kNotLeaderOrFollower,
                    "{} is not led by this server; read the metadata again",
                    bucket_);
}

Result<Appended> Replica::append(Bytes records, const SchemaShapes& shapes) {
  RETURN_IF_ERROR(check_leader());
  AppendRules rules;
  rules.leader_epoch = epoch_;
  rules.now = env_.clock.now();
  rules.shapes = &shapes;
  return log_->append(std::move(records), rules);
}

// Other rows may have the offsets of lost ones, and may be committed.
Status Replica::check_kept(const Appended& appended) const {
  if (losses_.empty() || losses_.back().number <= appended.losses) return ok();
  if (losses_.front().number > appended.losses + 1) {
    return make_error(ErrorCode::kLogStorageException,
                      "{}: the rows may be lost, as the disk failed often since; send them again "
                      "with the same sequence",
                      bucket_);
  }
  for (const LogLoss& loss : losses_) {
    if (loss.number > appended.losses && loss.from < appended.end_offset) return fail(loss.error);
  }
  return ok();
}

Task<Status> Replica::committed(Appended appended, Duration timeout) {
  CO_RETURN_IF_ERROR(check_kept(appended));
  Offset end = appended.end_offset;
  if (high_watermark_ >= end) co_return ok();
  CO_RETURN_IF_ERROR(check_leader());
  CommitWait wait{end, {}};
  auto place = commit_waits_.insert(commit_waits_.end(), &wait);
  Timer deadline = env_.clock.start_timer(home_, timeout, [this, &wait, timeout] {
    auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
    wait.promise.set(make_error(ErrorCode::kRequestTimeOut,
                                "{}: the rows are not committed after {} ms; send them again with "
                                "the same sequence",
                                bucket_,
                                waited.count()));
  });
  Status result = co_await wait.promise.get();
  commit_waits_.erase(place);
  co_return result;
}

Task<Result<Offset>> Replica::start_offset() {
  if (remote_ == nullptr) co_return log_->start_offset();
  co_return co_await remote_->start_offset();
}

Task<Result<LogRead>> Replica::read(ReadRequest request) {
  co_return co_await read_log(log_.get(), remote_.get(), request);
}

void Replica::log_moved(const LogProgress& progress) {
  if (progress.loss != nullptr) {
    losses_.push_back(*progress.loss);
    if (losses_.size() > kLossesKept) losses_.pop_front();
    for (CommitWait* wait : commit_waits_) {
      if (wait->end > progress.loss->from) wait->promise.set(fail(progress.loss->error));
    }
  }
  if (kv_ != nullptr) {
    kv_->log_moved(progress);  // and publishes when the rows are applied
  } else {
    publish(progress.durable_end);
  }
}

void Replica::publish(Offset high_watermark) {
  if (high_watermark <= high_watermark_) return;
  high_watermark_ = high_watermark;
  for (CommitWait* wait : commit_waits_) {
    if (wait->end <= high_watermark_) wait->promise.set(ok());
  }
  tell_observers();
}

void Replica::tell_observers() {
  for (auto place = observers_.begin(); place != observers_.end();) {
    ReplicaObserver* observer = *place++;  // it may leave while it is told
    observer->replica_changed();
  }
}

Task<Status> Replica::stop() {
  stopped_ = true;
  for (CommitWait* wait : commit_waits_) {
    wait->promise.set(make_error(ErrorCode::kNotLeaderOrFollower,
                                 "{} stopped on this server; read the metadata again",
                                 bucket_));
  }
  tell_observers();
  if (kv_ != nullptr) {
    Status stopped = co_await kv_->stop();
    if (!stopped) {
      LOG_WARN("tablet",
               "key-value state not flushed, the next start replays the log",
               KV("bucket", bucket_),
               KV("reason", stopped.error().message()));
    }
  }
  if (remote_ != nullptr) co_await remote_->stop();
  co_return co_await log_->close();
}

}  // namespace lakestream
