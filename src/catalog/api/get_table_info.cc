#include "base/secrets.h"
#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"
#include "table/json.h"

namespace lakestream {

Properties lake_properties_of(std::string_view format, const Properties& catalog) {
  Properties properties;
  for (const auto& [key, value] : catalog) {
    if (is_secret_option(key)) continue;
    properties[fmt::format("table.datalake.{}.{}", format, key)] = value;
  }
  return properties;
}

Result<wire::GetTableInfoResponse> get_table_info(const wire::GetTableInfoRequest& request,
                                                  const ReadContext& context) {
  ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table,
                   require_table(context.catalog, request.table_path));
  wire::GetTableInfoResponse response;
  response.table_id = table->id.value();
  response.schema_id = table->latest_schema().id.value();
  response.table_json = table->json;
  if (table->options.lake.enabled && table->options.lake.format) {
    TableDescriptor descriptor = table->descriptor;
    // The cluster may have another format by now.
    std::string prefix = fmt::format("table.datalake.{}.", name_of(*table->options.lake.format));
    for (const auto& [key, value] : context.lake_properties) {
      if (key.starts_with(prefix)) descriptor.properties.emplace(key, value);
    }
    response.table_json = Bytes::copy_of(to_json(descriptor));
  }
  response.created_time = table->created_time.value();
  response.modified_time = table->modified_time.value();
  response.remote_data_dir = table->remote_data_dir;
  response.bucket_count_epoch = table->bucket_count_epoch;
  return response;
}

}  // namespace lakestream
