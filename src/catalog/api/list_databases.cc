#include "catalog/api/read_apis.h"

namespace lakestream {

// With summaries, they take the place of the names. A database whose tables alone may be seen is
// not shown, as in Fluss.
Result<wire::ListDatabasesResponse> list_databases(const wire::ListDatabasesRequest& request,
                                                   const ReadContext& context) {
  wire::ListDatabasesResponse response;
  for (const auto& [name, database] : context.catalog.databases()) {
    if (!context.shows(security::database_resource(name))) continue;
    if (!request.include_summary.value_or(false)) {
      response.database_name.push_back(name);
      continue;
    }
    response.database_summary.push_back(
        {.database_name = name,
         .created_time = database->created_time.value(),
         .table_count = static_cast<int32_t>(database->tables.size())});
  }
  return response;
}

}  // namespace lakestream
