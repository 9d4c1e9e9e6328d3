#include <utility>

#include "catalog/api/acl_messages.h"
#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::CreateAclsResponse>> create_acls_api(wire::CreateAclsRequest request,
                                                       rpc::RequestContext call,
                                                       Coordinator* coordinator) {
  wire::CreateAclsResponse response;
  std::vector<security::AclBinding> bindings;
  for (wire::PbAclInfo& message : request.acl) {
    response.acl_res.emplace_back().acl = message;
    CO_ASSIGN_OR_RETURN(security::AclBinding binding, to_binding(std::move(message)));
    bindings.push_back(std::move(binding));
  }
  auto create = [coordinator, caller = call.session, bindings = std::move(bindings)]() mutable {
    return coordinator->create_acls(std::move(caller), std::move(bindings));
  };
  CO_ASSIGN_OR_RETURN(std::vector<Status> results,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(create)));
  for (size_t i = 0; i < results.size(); ++i) {
    wire::PbCreateAclRespInfo& answer = response.acl_res[i];
    // Clients want it also where all is well.
    answer.error_code =
        static_cast<int32_t>(results[i] ? ErrorCode::kNone : results[i].error().code());
    if (!results[i]) answer.error_message = results[i].error().message();
  }
  co_return response;
}

}  // namespace lakestream::coordinator
