#include <algorithm>

#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"
#include "table/partition.h"

namespace lakestream {
namespace {

Result<PartitionSpec> to_filter(const TableEntry& table, const wire::PbPartitionSpec& spec) {
  const std::vector<std::string>& keys = table.descriptor.partition_keys;
  PartitionSpec filter;
  for (const wire::PbKeyValue& entry : spec.partition_key_values) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
      return make_error(ErrorCode::kPartitionSpecInvalidException,
                        "'{}' is no partition key of table {}, those are {}",
                        entry.key,
                        table.path,
                        fmt::join(keys, ", "));
    }
    filter.emplace_back(entry.key, entry.value);
  }
  return filter;
}

wire::PbPartitionInfo to_message(const PartitionEntry& partition,
                                 const ResolvedPartitionSpec& spec) {
  wire::PbPartitionInfo message;
  message.partition_id = partition.id.value();
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    message.partition_spec.partition_key_values.push_back({spec.keys[i], spec.values[i]});
  }
  message.remote_data_dir = partition.remote_data_dir;
  message.bucket_count = static_cast<int32_t>(partition.buckets.size());
  return message;
}

}  // namespace

Result<wire::ListPartitionInfosResponse> list_partition_infos(
    const wire::ListPartitionInfosRequest& request, const ReadContext& context) {
  ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table,
                   require_table(context.catalog, request.table_path));
  if (!table->descriptor.is_partitioned()) {
    return make_error(
        ErrorCode::kTableNotPartitionedException, "table {} is not partitioned", table->path);
  }
  PartitionSpec filter;
  if (request.partial_partition_spec) {
    ASSIGN_OR_RETURN(filter, to_filter(*table, *request.partial_partition_spec));
  }
  bool all = request.include_system_partitions.value_or(false);
  wire::ListPartitionInfosResponse response;
  if (all) response.system_partitions_included = true;
  for (const auto& partition : context.catalog.partitions(table->id).by_name()) {
    if (partition->name == kHistoricalPartition && !all) continue;
    ASSIGN_OR_RETURN(ResolvedPartitionSpec spec,
                     partition_of_name(table->descriptor.partition_keys, partition->name));
    if (spec.matches(filter)) response.partitions_info.push_back(to_message(*partition, spec));
  }
  return response;
}

}  // namespace lakestream
