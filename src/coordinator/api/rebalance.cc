#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::RebalanceResponse>> rebalance_api(wire::RebalanceRequest request,
                                                    rpc::RequestContext call,
                                                    Coordinator* coordinator) {
  auto job = [coordinator, goals = std::move(request.goals)]() mutable {
    return coordinator->rebalance(std::move(goals));
  };
  CO_ASSIGN_OR_RETURN(std::string id,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(job)));
  wire::RebalanceResponse response;
  response.rebalance_id = std::move(id);
  co_return response;
}

// A rebalance that moved nothing has no progress of tables.
Task<Result<wire::ListRebalanceProgressResponse>> list_rebalance_progress_api(
    wire::ListRebalanceProgressRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  auto job = [coordinator, id = std::move(request.rebalance_id)]() mutable {
    return coordinator->rebalance_progress(std::move(id));
  };
  CO_ASSIGN_OR_RETURN(std::optional<RebalanceRecord> last,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(job)));
  wire::ListRebalanceProgressResponse response;
  if (last) {
    response.rebalance_id = std::move(last->id);
    response.rebalance_status = static_cast<int32_t>(last->status);
  }
  co_return response;
}

Task<Result<wire::CancelRebalanceResponse>> cancel_rebalance_api(
    wire::CancelRebalanceRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  auto job = [coordinator, id = std::move(request.rebalance_id)]() mutable {
    return coordinator->cancel_rebalance(std::move(id));
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(job)));
  co_return wire::CancelRebalanceResponse{};
}

}  // namespace lakestream::coordinator
