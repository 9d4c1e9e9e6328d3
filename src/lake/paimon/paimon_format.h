#pragma once

#include <memory>

#include "base/result.h"
#include "lake/lake.h"

// Paimon tables of a filesystem catalog: <warehouse>/<database>.db/<table>. What is written is in
// docs/formats/lake_paimon.md.
//
// Thread rule: as LakeFormat.
//
//   ASSIGN_OR_RETURN(auto format, make_paimon_format({.catalog = {{"warehouse", "/lake"}}}, env,
//   objects));
namespace lakestream::paimon {

// kInvalidConfigException for a catalog other than "filesystem" and for a warehouse that is missing
// or no path.
Result<std::unique_ptr<LakeFormat>> make_paimon_format(LakeFormatOptions options,
                                                       Env& env,
                                                       ObjectStore& objects);

}  // namespace lakestream::paimon
