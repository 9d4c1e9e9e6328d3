#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::ListTablesResponse> list_tables(const wire::ListTablesRequest& request,
                                             const ReadContext& context) {
  ASSIGN_OR_RETURN(const DatabaseEntry* database,
                   require_database(context.catalog, request.database_name));
  wire::ListTablesResponse response;
  response.table_name.reserve(database->tables.size());
  for (const auto& [name, table] : database->tables) {
    bool is_shown = context.shows(security::table_resource(database->name, name));
    if (is_shown) response.table_name.push_back(name);
  }
  return response;
}

}  // namespace lakestream
