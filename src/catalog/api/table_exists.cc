#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::TableExistsResponse> table_exists(const wire::TableExistsRequest& request,
                                               const ReadContext& context) {
  wire::TableExistsResponse response;
  response.exists = context.catalog.find_table(to_table_path(request.table_path)) != nullptr;
  return response;
}

}  // namespace lakestream
