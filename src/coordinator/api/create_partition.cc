#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::CreatePartitionResponse>> create_partition_api(
    wire::CreatePartitionRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  TablePath path{.database = std::move(request.table_path.database_name),
                 .table = std::move(request.table_path.table_name)};
  PartitionSpec spec;
  for (auto& entry : request.partition_spec.partition_key_values) {
    spec.emplace_back(std::move(entry.key), std::move(entry.value));
  }
  // The flag is named so on the wire.
  auto create = [coordinator,
                 path = std::move(path),
                 spec = std::move(spec),
                 ignore = request.ignore_if_not_exists]() mutable {
    return coordinator->create_partition(std::move(path), std::move(spec), ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(create)));
  co_return wire::CreatePartitionResponse{};
}

}  // namespace lakestream::coordinator
