#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "security/authorizer.h"

// Rights on a table that is known by its id.
//
// Thread rule: a pure function.
//
//   RETURN_IF_ERROR(check_table(authorizer, catalog, session, security::Operation::kRead, id));
namespace lakestream {

// kAuthorizationException, which names the table only to who may see it;
// kUnknownTableOrBucketException.
Status check_table(const security::Authorizer& authorizer,
                   const CatalogSnapshot& catalog,
                   const security::Session* session,
                   security::Operation operation,
                   TableId id);

}  // namespace lakestream
