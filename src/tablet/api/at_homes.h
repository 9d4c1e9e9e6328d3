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

// Runs `job` at every home at the same time; it gives one answer for each of its positions, in
// their order. The result is in the order of `buckets`. What `job` refers to must outlive the call.
template <typename Answer>
Task<std::vector<Answer>> at_homes(
    Shard& here,
    ReplicaManager& replicas,
    std::vector<TableBucket> buckets,
    std::function<Task<std::vector<Answer>>(ShardTablets&, std::vector<size_t>)> job) {
  struct State {
    std::vector<std::optional<Answer>> answers;
    size_t left = 0;
    Waiter done;
  };
  struct Run {
    static Task<void> group(
        Shard* from,
        ReplicaManager* manager,
        HomeGroup group,
        const std::function<Task<std::vector<Answer>>(ShardTablets&, std::vector<size_t>)>* work,
        State* state) {
      auto call = [manager, &group, work] {
        return (*work)(manager->on(*group.home), group.positions);
      };
      std::vector<Answer> part = co_await call_on(*from, *group.home, std::move(call));
      for (size_t i = 0; i < part.size(); ++i) {
        state->answers[group.positions[i]] = std::move(part[i]);
      }
      if (--state->left == 0) state->done.wake();
    }
  };
  State state;
  state.answers.resize(buckets.size());
  std::vector<HomeGroup> groups = group_by_home(replicas, buckets);
  state.left = groups.size();
  if (groups.size() == 1) {
    co_await Run::group(&here, &replicas, std::move(groups.front()), &job, &state);
  } else if (!groups.empty()) {
    for (HomeGroup& group : groups) {
      here.spawn(Run::group(&here, &replicas, std::move(group), &job, &state));
    }
    co_await state.done.wait();
  }
  std::vector<Answer> answers;
  answers.reserve(buckets.size());
  for (std::optional<Answer>& answer : state.answers) answers.push_back(std::move(*answer));
  co_return answers;
}

inline std::optional<PartitionId> partition_of(const std::optional<int64_t>& id) {
  return id ? std::optional(PartitionId(*id)) : std::nullopt;
}

// Sets the error fields that every per-bucket answer has.
template <typename Message>
void set_error(Message& message, const Error& error) {
  message.error_code = static_cast<int32_t>(error.code());
  message.error_message = wire::error_text(error);
}

}  // namespace lakestream
