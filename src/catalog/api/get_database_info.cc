#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::GetDatabaseInfoResponse> get_database_info(const wire::GetDatabaseInfoRequest& request,
                                                        const ReadContext& context) {
  ASSIGN_OR_RETURN(const DatabaseEntry* database,
                   require_database(context.catalog, request.database_name));
  wire::GetDatabaseInfoResponse response;
  response.database_json = database->json;
  response.created_time = database->created_time.value();
  response.modified_time = database->modified_time.value();
  return response;
}

}  // namespace lakestream
