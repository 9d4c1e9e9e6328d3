#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

Result<wire::GetTableInfoResponse> get_table_info(const wire::GetTableInfoRequest& request,
                                                  const ReadContext& context) {
  ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table,
                   require_table(context.catalog, request.table_path));
  wire::GetTableInfoResponse response;
  response.table_id = table->id.value();
  response.schema_id = table->latest_schema().id.value();
  response.table_json = table->json;
  response.created_time = table->created_time.value();
  response.modified_time = table->modified_time.value();
  response.remote_data_dir = table->remote_data_dir;
  return response;
}

}  // namespace lakestream
