#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::DropDatabaseResponse>> drop_database_api(wire::DropDatabaseRequest request,
                                                           rpc::RequestContext call,
                                                           Coordinator* coordinator) {
  auto drop = [coordinator, request = std::move(request)] {
    return coordinator->drop_database(
        request.database_name, request.ignore_if_not_exists, request.cascade);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(drop)));
  co_return wire::DropDatabaseResponse{};
}

}  // namespace lakestream::coordinator
