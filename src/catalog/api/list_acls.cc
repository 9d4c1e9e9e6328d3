#include <utility>

#include "catalog/api/acl_messages.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::ListAclsResponse> list_acls(const wire::ListAclsRequest& request,
                                         const ReadContext& context) {
  const security::Authorizer off({});
  RETURN_IF_ERROR((context.authorizer != nullptr ? *context.authorizer : off).check_enabled());
  ASSIGN_OR_RETURN(security::AclFilter filter, to_filter(request.acl_filter));
  wire::ListAclsResponse response;
  for (const auto& [resource, entries] : context.catalog.acls()) {
    if (!filter.matches(resource) || !context.shows(resource)) continue;
    for (const security::AclEntry& entry : entries) {
      if (filter.matches(entry)) response.acl.push_back(to_message({resource, entry}));
    }
  }
  return response;
}

}  // namespace lakestream
