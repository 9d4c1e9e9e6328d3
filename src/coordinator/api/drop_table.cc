#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::DropTableResponse>> drop_table_api(wire::DropTableRequest request,
                                                     rpc::RequestContext call,
                                                     Coordinator* coordinator) {
  TablePath path{.database = std::move(request.table_path.database_name),
                 .table = std::move(request.table_path.table_name)};
  auto drop =
      [coordinator, path = std::move(path), ignore = request.ignore_if_not_exists]() mutable {
        return coordinator->drop_table(std::move(path), ignore);
      };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(drop)));
  co_return wire::DropTableResponse{};
}

}  // namespace lakestream::coordinator
