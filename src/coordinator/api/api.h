#pragma once

#include "coordinator/coordinator.h"
#include "rpc/api_table.h"

// Puts the APIs that change the metadata into a server's table of APIs. A handler checks what needs
// no state on the shard of the connection, then hops to the control shard once.
//
// Thread rule: called before the server starts; the coordinator must outlive it.
//
//   register_coordinator_apis(apis, coordinator);
namespace lakestream::coordinator {

void register_coordinator_apis(rpc::ApiTable& apis, Coordinator& coordinator);

}  // namespace lakestream::coordinator
