#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {
namespace {

constexpr ErrorCode kFailed = ErrorCode::kRebalanceFailureException;

enum class Goal : int32_t { kReplicaDistribution = 0, kLeaderDistribution = 1, kRackAware = 2 };

Status check_goals(const std::vector<int32_t>& goals) {
  for (int32_t goal : goals) {
    if (goal >= 0 && goal <= static_cast<int32_t>(Goal::kRackAware)) continue;
    return make_error(kFailed,
                      "rebalance goal {}: there are REPLICA_DISTRIBUTION (0), "
                      "LEADER_DISTRIBUTION (1) and RACK_AWARE (2)",
                      goal);
  }
  if (!goals.empty()) return ok();
  return make_error(kFailed, "a rebalance without a goal; name what is to be reached");
}

}  // namespace

// One server holds every bucket, whatever the goal: the plan is empty and has been followed when it
// is made.
Task<Result<std::string>> Coordinator::rebalance(std::vector<int32_t> goals) {
  CO_RETURN_IF_ERROR(check_goals(goals));
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  size_t bucket_count = 0;
  catalog_->visit_buckets(
      [&](const PhysicalTableId&, const auto& buckets) { bucket_count += buckets.size(); });
  if (bucket_count > 0 && assignable_servers().empty()) {
    co_return make_error(kFailed,
                         "{} buckets can go nowhere: each live server is tagged as offline for "
                         "good; remove a tag, or add a server",
                         bucket_count);
  }
  if (live_servers().size() > 1) {
    co_return make_error(kFailed, "buckets do not move between servers yet");
  }
  RebalanceRecord next;
  uint64_t high = random_.next();
  next.id = uuid_text(high, random_.next());
  next.status = RebalanceStatus::kCompleted;
  std::vector<MetaOp> ops;
  if (rebalance_) {
    ops.push_back(MetaOp::put(paths::kRebalance, encode(next), kAnyVersion));
  } else {
    ops.push_back(MetaOp::create(paths::kRebalance, encode(next)));
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  rebalance_ = next;
  LOG_INFO("coordinator", "rebalanced", KV("id", next.id), KV("moved", 0));
  co_return std::move(next.id);
}

Status Coordinator::check_rebalance_id(const std::optional<std::string>& id) const {
  if (!id || !rebalance_ || *id == rebalance_->id) return ok();
  return make_error(ErrorCode::kNoRebalanceInProgressException,
                    "rebalance '{}' is not the last one, '{}'; ask without an id",
                    *id,
                    rebalance_->id);
}

Task<Result<std::optional<RebalanceRecord>>> Coordinator::rebalance_progress(
    std::optional<std::string> id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(check_rebalance_id(id));
  co_return rebalance_;
}

// None runs longer than the call that asked for it.
Task<Status> Coordinator::cancel_rebalance(std::optional<std::string> id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  co_return check_rebalance_id(id);
}

}  // namespace lakestream::coordinator
