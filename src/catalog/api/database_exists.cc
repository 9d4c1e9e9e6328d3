#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::DatabaseExistsResponse> database_exists(const wire::DatabaseExistsRequest& request,
                                                     const ReadContext& context) {
  wire::DatabaseExistsResponse response;
  response.exists = context.catalog.find_database(request.database_name) != nullptr;
  return response;
}

}  // namespace lakestream
