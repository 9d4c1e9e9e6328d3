#include <utility>

#include "catalog/api/acl_messages.h"
#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {

Task<Result<wire::DropAclsResponse>> drop_acls_api(wire::DropAclsRequest request,
                                                   rpc::RequestContext call,
                                                   Coordinator* coordinator) {
  std::vector<security::AclFilter> filters;
  for (wire::PbAclFilter& message : request.acl_filter) {
    CO_ASSIGN_OR_RETURN(security::AclFilter filter, to_filter(std::move(message)));
    filters.push_back(std::move(filter));
  }
  auto drop = [coordinator, caller = call.session, filters = std::move(filters)]() mutable {
    return coordinator->drop_acls(std::move(caller), std::move(filters));
  };
  CO_ASSIGN_OR_RETURN(auto dropped,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(drop)));
  wire::DropAclsResponse response;
  for (const std::vector<security::AclBinding>& bindings : dropped) {
    wire::PbDropAclsFilterResult& answer = response.filter_results.emplace_back();
    for (const security::AclBinding& binding : bindings) {
      answer.matching_acls.emplace_back().acl = to_message(binding);
    }
  }
  co_return response;
}

}  // namespace lakestream::coordinator
