#pragma once

#include "base/result.h"
#include "security/acl.h"
#include "wire/messages.h"

// Entries of access control in messages.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(security::AclFilter filter, to_filter(request.acl_filter));
namespace lakestream {

// kUnknownServerError for a number that means nothing.
Result<security::AclBinding> to_binding(wire::PbAclInfo message);
Result<security::AclFilter> to_filter(wire::PbAclFilter message);
wire::PbAclInfo to_message(const security::AclBinding& binding);

}  // namespace lakestream
