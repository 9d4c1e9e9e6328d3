#include "catalog/api/lookup.h"

namespace lakestream {

TablePath to_table_path(const wire::PbTablePath& path) {
  return TablePath{.database = path.database_name, .table = path.table_name};
}

Result<std::shared_ptr<const TableEntry>> require_table(const CatalogSnapshot& catalog,
                                                        const wire::PbTablePath& path) {
  TablePath table_path = to_table_path(path);
  std::shared_ptr<const TableEntry> table = catalog.find_table(table_path);
  if (table != nullptr) return table;
  return make_error(ErrorCode::kTableNotExist, "table {} does not exist", table_path);
}

Result<const DatabaseEntry*> require_database(const CatalogSnapshot& catalog,
                                              std::string_view name) {
  const DatabaseEntry* database = catalog.find_database(name);
  if (database != nullptr) return database;
  return make_error(ErrorCode::kDatabaseNotExist, "database {} does not exist", name);
}

}  // namespace lakestream
