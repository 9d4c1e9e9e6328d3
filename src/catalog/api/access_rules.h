#pragma once

#include "catalog/catalog.h"
#include "rpc/api_table.h"
#include "security/authorizer.h"

// What right each API needs, on what: the one table of it. Rights on what a request does not name,
// and what an answer leaves out, are the business of the handlers that the table says.
//
// Thread rule: called after the APIs were registered and before the server starts; authorizer and
// catalog must outlive it.
//
//   guard_apis(apis, authorizer, catalog);
namespace lakestream {

// Requires: the table knows every API of `apis`.
void guard_apis(rpc::ApiTable& apis,
                const security::Authorizer& authorizer,
                const Catalog& catalog);

}  // namespace lakestream
