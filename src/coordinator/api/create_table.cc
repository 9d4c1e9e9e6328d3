#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

namespace {

// On the control shard, where the rules are: they may change.
Task<Status> create(wire::CreateTableRequest request, Coordinator* coordinator) {
  TablePath path{.database = std::move(request.table_path.database_name),
                 .table = std::move(request.table_path.table_name)};
  CO_ASSIGN_OR_RETURN(TableDescriptor descriptor,
                      prepare_table(path, request.table_json.view(), coordinator->options().rules));
  co_return co_await coordinator->create_table(
      std::move(path), std::move(descriptor), request.ignore_if_exists);
}

}  // namespace

Task<Result<wire::CreateTableResponse>> create_table_api(wire::CreateTableRequest request,
                                                         rpc::RequestContext call,
                                                         Coordinator* coordinator) {
  auto job = [coordinator, request = std::move(request)]() mutable {
    return create(std::move(request), coordinator);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(job)));
  co_return wire::CreateTableResponse{};
}

}  // namespace lakestream::coordinator
