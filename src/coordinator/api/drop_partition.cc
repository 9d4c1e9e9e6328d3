#include <utility>

#include "coordinator/api/partition_request.h"
#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::DropPartitionResponse>> drop_partition_api(wire::DropPartitionRequest request,
                                                             rpc::RequestContext call,
                                                             Coordinator* coordinator) {
  auto drop = [coordinator, wanted = to_partition_request(std::move(request))]() mutable {
    return coordinator->drop_partition(
        std::move(wanted.path), std::move(wanted.spec), wanted.ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(drop)));
  co_return wire::DropPartitionResponse{};
}

}  // namespace lakestream::coordinator
