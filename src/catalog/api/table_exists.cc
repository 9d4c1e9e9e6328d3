#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::TableExistsResponse> table_exists(const wire::TableExistsRequest& request,
                                               const ReadContext& context) {
  wire::TableExistsResponse response;
  TablePath path = to_table_path(request.table_path);
  response.exists = context.catalog.find_table(path) != nullptr &&
                    context.shows(security::table_resource(path.database, path.table));
  return response;
}

}  // namespace lakestream
