#include <utility>

#include "coordinator/api/partition_request.h"
#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::CreatePartitionResponse>> create_partition_api(
    wire::CreatePartitionRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  auto create = [coordinator, wanted = to_partition_request(std::move(request))]() mutable {
    return coordinator->create_partition(
        std::move(wanted.path), std::move(wanted.spec), wanted.ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(create)));
  co_return wire::CreatePartitionResponse{};
}

}  // namespace lakestream::coordinator
