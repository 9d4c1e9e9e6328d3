#pragma once

#include <string>

#include "base/config.h"
#include "base/result.h"

// Where remote storage is, as the protocol writes it down: a URI with a scheme, because some
// clients take nothing else.
//
// Thread rule: a pure function of the options and of the directory that the process runs in.
//
//   ASSIGN_OR_RETURN(std::string root, remote_root(options));  // "file:///data/remote"
namespace lakestream {

// remote.data.dir, or "remote" below data.dir. kInvalidConfigException for a scheme that there is
// not.
Result<std::string> remote_root(const ConfigMap& options);

}  // namespace lakestream
