#include <utility>

#include "coordinator/api/write_apis.h"
#include "table/json.h"

namespace lakestream::coordinator {

Task<Result<wire::CreateDatabaseResponse>> create_database_api(wire::CreateDatabaseRequest request,
                                                               rpc::RequestContext call,
                                                               Coordinator* coordinator) {
  CO_RETURN_IF_ERROR(check_new_database_name(request.database_name));
  DatabaseDescriptor descriptor;
  if (request.database_json) {
    CO_ASSIGN_OR_RETURN(descriptor, database_from_json(request.database_json->view()));
  }
  auto create = [coordinator,
                 name = std::move(request.database_name),
                 descriptor = std::move(descriptor),
                 ignore = request.ignore_if_exists]() mutable {
    return coordinator->create_database(std::move(name), std::move(descriptor), ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(create)));
  co_return wire::CreateDatabaseResponse{};
}

}  // namespace lakestream::coordinator
