#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::CreateTableResponse>> create_table_api(wire::CreateTableRequest request,
                                                         rpc::RequestContext call,
                                                         Coordinator* coordinator) {
  TablePath path{.database = std::move(request.table_path.database_name),
                 .table = std::move(request.table_path.table_name)};
  CO_ASSIGN_OR_RETURN(TableDescriptor descriptor,
                      prepare_table(path, request.table_json.view(), coordinator->options().rules));
  auto create = [coordinator,
                 path = std::move(path),
                 descriptor = std::move(descriptor),
                 ignore = request.ignore_if_exists]() mutable {
    return coordinator->create_table(std::move(path), std::move(descriptor), ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(create)));
  co_return wire::CreateTableResponse{};
}

}  // namespace lakestream::coordinator
