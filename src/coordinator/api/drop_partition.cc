#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::DropPartitionResponse>> drop_partition_api(wire::DropPartitionRequest request,
                                                             rpc::RequestContext call,
                                                             Coordinator* coordinator) {
  TablePath path{.database = std::move(request.table_path.database_name),
                 .table = std::move(request.table_path.table_name)};
  PartitionSpec spec;
  for (auto& entry : request.partition_spec.partition_key_values) {
    spec.emplace_back(std::move(entry.key), std::move(entry.value));
  }
  auto drop = [coordinator,
               path = std::move(path),
               spec = std::move(spec),
               ignore = request.ignore_if_not_exists]() mutable {
    return coordinator->drop_partition(std::move(path), std::move(spec), ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(drop)));
  co_return wire::DropPartitionResponse{};
}

}  // namespace lakestream::coordinator
