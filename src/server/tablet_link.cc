#include "server/tablet_link.h"

#include <functional>

namespace lakestream {
namespace {

using Outcomes = std::vector<coordinator::BucketOutcome>;

struct Gathered {
  Outcomes outcomes;
  size_t left = 0;
  Waiter done;
};

Task<void> settle(Task<Status> work, size_t index, Gathered* gathered) {
  gathered->outcomes[index].status = co_await std::move(work);
  if (--gathered->left == 0) gathered->done.wake();
}

// Buckets are settled side by side: recovery of many logs is mostly waiting for the disk.
Task<Outcomes> settle_all(Shard* control,
                          std::vector<TableBucket> buckets,
                          std::function<Task<Status>(size_t)> work) {
  Gathered gathered;
  gathered.left = buckets.size();
  for (TableBucket& bucket : buckets) gathered.outcomes.push_back({bucket, ok()});
  for (size_t i = 0; i < buckets.size(); ++i) control->spawn(settle(work(i), i, &gathered));
  if (!buckets.empty()) co_await gathered.done.wait();
  co_return std::move(gathered.outcomes);
}

Task<Status> lead(ReplicaManager* replicas, coordinator::BucketLeadership bucket, ServerId self) {
  if (bucket.leader != self) {
    co_return co_await replicas->stop_replica(bucket.path, bucket.bucket, false);
  }
  co_return co_await replicas->become_leader(bucket.path, bucket.bucket, bucket.leader_epoch);
}

Task<Status> stop(ReplicaManager* replicas, coordinator::StopNotice::Bucket bucket, bool erase) {
  std::optional<PhysicalTablePath> path = replicas->path_of(bucket.bucket);
  if (!path) path = bucket.path;
  if (!path) co_return ok();  // nothing of it is here
  co_return co_await replicas->stop_replica(*path, bucket.bucket, erase);
}

}  // namespace

Task<Result<Outcomes>> LocalTabletLink::notify_leader_and_isr(
    ServerId, coordinator::LeadershipNotice notice) {
  std::vector<TableBucket> buckets;
  for (const auto& bucket : notice.buckets) buckets.push_back(bucket.bucket);
  std::function<Task<Status>(size_t)> work = [this, &notice](size_t i) {
    return lead(replicas_, notice.buckets[i], self_);
  };
  co_return co_await settle_all(&control_, std::move(buckets), std::move(work));
}

Task<Result<Outcomes>> LocalTabletLink::stop_replicas(ServerId, coordinator::StopNotice notice) {
  std::vector<TableBucket> buckets;
  for (const auto& bucket : notice.buckets) buckets.push_back(bucket.bucket);
  std::function<Task<Status>(size_t)> work = [this, &notice](size_t i) {
    return stop(replicas_, notice.buckets[i], notice.delete_data);
  };
  co_return co_await settle_all(&control_, std::move(buckets), std::move(work));
}

Task<Status> LocalTabletLink::notify_lake_offsets(ServerId, coordinator::LakeNotice notice) {
  std::vector<std::pair<TableBucket, Offset>> ends;
  for (const auto& bucket : notice.buckets) ends.emplace_back(bucket.bucket, bucket.end_offset);
  co_await replicas_->lakes_moved(std::move(ends));
  co_return ok();
}

}  // namespace lakestream
