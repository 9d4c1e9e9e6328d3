#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "meta/meta.h"
#include "security/acl.h"

// How the entries of access control are written down: a node a resource.
//
// Thread rule: load blocks, on the pool; the others are pure functions.
//
//   ASSIGN_OR_RETURN(security::AclRules rules, load_acls(store));
namespace lakestream::coordinator {

// The nodes above all resources, which have to exist.
std::vector<std::string> acl_parents();
// An error names the node that can not be read: no entry is left out silently.
Result<security::AclRules> load_acls(MetaStore& store);
// The operation that makes the node what `after` says.
MetaOp acl_change(const security::Resource& resource,
                  bool is_there,
                  const security::AclEntries& after);
// kInvalidDatabaseException, kInvalidTableException, or kUnknownServerError: no resource can have
// the name.
Status check_resource(const security::Resource& resource);

}  // namespace lakestream::coordinator
