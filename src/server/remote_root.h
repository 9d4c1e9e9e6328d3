#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "catalog/api/api.h"
#include "coordinator/coordinator.h"
#include "io/object_stores.h"

// Remote storage as the options describe it: where it is, how the server reaches it, and how
// clients do. The place is written as the protocol writes it down: a URI with a scheme, because
// some clients take nothing else.
//
// Thread rule: pure functions of the options and of the directory that the process runs in.
//
//   ASSIGN_OR_RETURN(std::string root, remote_root(options));  // "file:///data/remote"
//   auto store = make_object_stores(disk, object_store_options(options));
//   context.remote = remote_access(options, root);
namespace lakestream {

// remote.data.dir, or "remote" below data.dir. kInvalidConfigException for a scheme that there is
// not.
Result<std::string> remote_root(const ConfigMap& options);
// remote.data.dirs and their weights; none when it is not set. kInvalidConfigException.
Result<std::vector<coordinator::RemoteDir>> remote_dirs(const ConfigMap& options,
                                                        const std::string& root);
ObjectStoreOptions object_store_options(const ConfigMap& options);
// Without keys when the server itself takes its own from the environment.
RemoteAccess remote_access(const ConfigMap& options, const std::string& root);

}  // namespace lakestream
