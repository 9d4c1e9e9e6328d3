#pragma once

#include <memory>

#include "base/result.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "table/descriptor.h"

// Tables as folders of a warehouse, <warehouse>/<namespace>/<table>, without a service:
//
//   metadata/v3.metadata.json     each state, made exclusively: who comes second sees it
//   metadata/version-hint.text    "3"; may be behind, readers look for the versions after it
//
// On stores whose put_if_absent is not atomic among processes only one process may write to a
// table.
//
// Thread rule: as IcebergCatalog.
//
//   ASSIGN_OR_RETURN(auto catalog, make_hadoop_catalog({{"warehouse", "/lake"}}, env, objects));
namespace lakestream::iceberg {

// kInvalidConfigException for a warehouse that is missing or no path.
Result<std::unique_ptr<IcebergCatalog>> make_hadoop_catalog(const Properties& options,
                                                            Env& env,
                                                            ObjectStore& objects);

}  // namespace lakestream::iceberg
