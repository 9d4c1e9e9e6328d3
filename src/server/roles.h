#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/result.h"

// What a process does of all that a cluster does (lakestream.roles).
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(Roles roles, roles_of(options));
//   if (roles == Roles::kOnlyTiering) return run_tiering(options);
namespace lakestream {

enum class Roles : uint8_t { kAll, kAllButTiering, kOnlyTiering };

// kInvalidConfigException for a role that there is not, and for a split that can not be.
Result<Roles> roles_of(const ConfigMap& options);

}  // namespace lakestream
