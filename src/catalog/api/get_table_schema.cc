#include <algorithm>

#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {

// Without a schema id, the latest.
Result<wire::GetTableSchemaResponse> get_table_schema(const wire::GetTableSchemaRequest& request,
                                                      const ReadContext& context) {
  ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table,
                   require_table(context.catalog, request.table_path));
  const SchemaEntry* schema = &table->latest_schema();
  if (request.schema_id) {
    // Compared as the wider integer: an id outside the type of SchemaId is unknown, too.
    auto found = std::find_if(table->schemas.begin(), table->schemas.end(), [&](const auto& entry) {
      return entry->id.value() == *request.schema_id;
    });
    if (found == table->schemas.end()) {
      return make_error(ErrorCode::kSchemaNotExist,
                        "table {} has no schema {}; the latest is {}",
                        table->path,
                        *request.schema_id,
                        schema->id);
    }
    schema = found->get();
  }
  wire::GetTableSchemaResponse response;
  response.schema_id = schema->id.value();
  response.schema_json = schema->json;
  return response;
}

}  // namespace lakestream
