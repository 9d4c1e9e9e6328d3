#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "wire/messages.h"

// Finds what a request names, or says that it is not there.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(auto table, require_table(context.catalog, request.table_path));
namespace lakestream {

TablePath to_table_path(const wire::PbTablePath& path);
// kTableNotExist.
Result<std::shared_ptr<const TableEntry>> require_table(const CatalogSnapshot& catalog,
                                                        const wire::PbTablePath& path);
// kDatabaseNotExist.
Result<const DatabaseEntry*> require_database(const CatalogSnapshot& catalog,
                                              std::string_view name);

}  // namespace lakestream
