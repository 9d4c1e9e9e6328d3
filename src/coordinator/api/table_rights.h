#pragma once

#include <vector>

#include "coordinator/coordinator.h"
#include "rpc/api_table.h"

// Rights on tables that a request does not name itself.
//
// Thread rule: called on the shard of the connection.
//
//   CO_RETURN_IF_ERROR(check_tables(*coordinator, call, security::Operation::kRead, tables));
namespace lakestream::coordinator {

bool checks_rights(const Coordinator& coordinator);
// A table that is gone belongs to nobody: no right is needed.
bool may_table(const Coordinator& coordinator,
               const rpc::RequestContext& call,
               security::Operation operation,
               TableId table);
// kAuthorizationException.
Status check_tables(const Coordinator& coordinator,
                    const rpc::RequestContext& call,
                    security::Operation operation,
                    const std::vector<TableId>& tables);

}  // namespace lakestream::coordinator
