#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {
namespace {

wire::PbServerNode to_message(const ServerNode& node) {
  wire::PbServerNode message;
  message.node_id = node.id.value();
  message.host = node.host;
  message.port = node.port;
  message.rack = node.rack;
  return message;
}

std::vector<int32_t> values_of(const std::vector<ServerId>& ids) {
  std::vector<int32_t> values;
  values.reserve(ids.size());
  for (ServerId id : ids) values.push_back(id.value());
  return values;
}

wire::PbBucketMetadata to_message(const BucketEntry& bucket) {
  wire::PbBucketMetadata message;
  message.bucket_id = bucket.bucket.value();
  if (bucket.leader) message.leader_id = bucket.leader->value();
  message.replica_id = values_of(bucket.replicas);
  message.leader_epoch = bucket.leader_epoch.value();
  message.bucket_epoch = bucket.bucket_epoch;
  message.isr = values_of(bucket.isr);
  return message;
}

// Clients count the entries to learn the bucket count: buckets without a leader are listed, too.
wire::PbTableMetadata to_message(const TableEntry& table) {
  wire::PbTableMetadata message;
  message.table_path = {.database_name = table.path.database, .table_name = table.path.table};
  message.table_id = table.id.value();
  message.schema_id = table.latest_schema().id.value();
  message.table_json = table.json;
  message.created_time = table.created_time.value();
  message.modified_time = table.modified_time.value();
  message.remote_data_dir = table.remote_data_dir;
  message.bucket_metadata.reserve(table.buckets.size());
  for (const BucketEntry& bucket : table.buckets) {
    message.bucket_metadata.push_back(to_message(bucket));
  }
  return message;
}

}  // namespace

// A request for nothing is how a client asks for the servers.
Result<wire::MetadataResponse> get_metadata(const wire::MetadataRequest& request,
                                            const ReadContext& context) {
  wire::MetadataResponse response;
  if (context.catalog.coordinator()) {
    response.coordinator_server = to_message(*context.catalog.coordinator());
  }
  for (const ServerNode& node : context.catalog.tablet_servers()) {
    response.tablet_servers.push_back(to_message(node));
  }
  for (const wire::PbTablePath& path : request.table_path) {
    ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table, require_table(context.catalog, path));
    response.table_metadata.push_back(to_message(*table));
  }
  for (const wire::PbPhysicalTablePath& path : request.partitions_path) {
    return make_error(ErrorCode::kPartitionNotExists,
                      "partition {} of table {}.{} does not exist",
                      path.partition_name.value_or(""),
                      path.database_name,
                      path.table_name);
  }
  for (int64_t id : request.partitions_id) {
    return make_error(ErrorCode::kPartitionNotExists, "partition id {} does not exist", id);
  }
  return response;
}

}  // namespace lakestream
