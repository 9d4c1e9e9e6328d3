#pragma once

#include <memory>

#include "base/result.h"
#include "lake/lake.h"

// Iceberg tables of format version 2, in one of its catalogs. What is written is in
// docs/formats/lake_iceberg.md.
//
// Thread rule: as LakeFormat.
//
//   ASSIGN_OR_RETURN(auto format, make_iceberg_format({.catalog = {{"warehouse", "/lake"}}}, env,
//   objects));
namespace lakestream::iceberg {

// The layout is not looked at: tables always have the columns of the system. Errors: as
// make_iceberg_catalog.
Result<std::unique_ptr<LakeFormat>> make_iceberg_format(LakeFormatOptions options,
                                                        Env& env,
                                                        ObjectStore& objects);

}  // namespace lakestream::iceberg
