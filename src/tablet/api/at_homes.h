#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tablet/replica_manager.h"
#include "wire/frame.h"
#include "wire/messages.h"

// Splits a request by home shard: one hop to each home, whatever the number of buckets.
//
// Thread rule: called on the shard of the connection; jobs run on the homes.
namespace lakestream {

// The buckets of a request, by position in it, whose home is one shard.
struct HomeGroup {
  Shard* home;
  std::vector<size_t> positions;
};

inline std::vector<HomeGroup> group_by_home(const ReplicaManager& replicas,
                                            const std::vector<TableBucket>& buckets) {
  std::vector<HomeGroup> groups;
  for (size_t i = 0; i < buckets.size(); ++i) {
    Shard* home = &replicas.home(buckets[i]);
    auto same = [home](const HomeGroup& group) { return group.home == home; };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) found = groups.insert(groups.end(), HomeGroup{home, {}});
    found->positions.push_back(i);
  }
  return groups;
}

// What a home does with its part of a request: one answer for each position, in their order.
template <typename Answer>
using HomeJob = std::function<Task<std::vector<Answer>>(ShardTablets&, std::vector<size_t>)>;

namespace internal {

template <typename Answer>
struct Gathering {
  std::vector<std::optional<Answer>> answers;
  size_t groups_left = 0;
  Waiter done;

  void take(const HomeGroup& group, std::vector<Answer> part) {
    for (size_t i = 0; i < part.size(); ++i) answers[group.positions[i]] = std::move(part[i]);
    if (--groups_left == 0) done.wake();
  }
};

template <typename Answer>
Task<void> run_at_home(Shard* back,
                       ReplicaManager* replicas,
                       const HomeGroup* group,
                       const HomeJob<Answer>* job,
                       Gathering<Answer>* gathering) {
  std::vector<Answer> part = co_await (*job)(replicas->on(*group->home), group->positions);
  back->post([group, gathering, part = std::move(part)]() mutable {
    gathering->take(*group, std::move(part));
  });
}

}  // namespace internal

// Runs `job` at every home at the same time; the result is in the order of `buckets`. All homes
// have been told before this function waits for the first time, so two requests of a connection
// reach each home in their order. What `job` refers to must outlive the call.
template <typename Answer>
Task<std::vector<Answer>> at_homes(Shard& here,
                                   ReplicaManager& replicas,
                                   std::vector<TableBucket> buckets,
                                   HomeJob<Answer> job) {
  internal::Gathering<Answer> gathering;
  gathering.answers.resize(buckets.size());
  std::vector<HomeGroup> groups = group_by_home(replicas, buckets);
  gathering.groups_left = groups.size();
  const HomeGroup* mine = nullptr;
  for (const HomeGroup& group : groups) {
    if (group.home == &here) {
      mine = &group;
    } else {
      group.home->spawn(internal::run_at_home(&here, &replicas, &group, &job, &gathering));
    }
  }
  if (mine != nullptr) {
    std::vector<Answer> part = co_await job(replicas.on(here), mine->positions);
    gathering.take(*mine, std::move(part));
  }
  if (!groups.empty()) co_await gathering.done.wait();
  std::vector<Answer> answers;
  answers.reserve(buckets.size());
  for (std::optional<Answer>& answer : gathering.answers) answers.push_back(std::move(*answer));
  co_return answers;
}

inline std::optional<PartitionId> partition_of(const std::optional<int64_t>& id) {
  return id ? std::optional(PartitionId(*id)) : std::nullopt;
}

// The buckets that a request names, in its order.
template <typename BucketRequests>
std::vector<TableBucket> buckets_of(int64_t table, const BucketRequests& requests) {
  std::vector<TableBucket> buckets;
  buckets.reserve(requests.size());
  for (const auto& bucket : requests) {
    buckets.push_back(
        {TableId(table), partition_of(bucket.partition_id), BucketId(bucket.bucket_id)});
  }
  return buckets;
}

// Refuses rows and keys of a partition that expired and is in the lake only: there are no tables
// with such partitions.
inline Status check_not_historical(const std::optional<std::string>& original_partition) {
  if (!original_partition) return ok();
  return make_error(ErrorCode::kPartitionNotExists,
                    "partition '{}' is not there any more; this server does not write or read "
                    "expired partitions in the lake",
                    *original_partition);
}

// Sets the error fields that every per-bucket answer has.
template <typename Message>
void set_error(Message& message, const Error& error) {
  message.error_code = static_cast<int32_t>(error.code());
  message.error_message = wire::error_text(error);
}

}  // namespace lakestream
