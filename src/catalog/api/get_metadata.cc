#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "catalog/api/lookup.h"
#include "catalog/api/read_apis.h"

namespace lakestream {
namespace {

// As those see it who came over the listener; nothing when the server does not have it.
std::optional<wire::PbServerNode> to_message(const ServerNode& node,
                                             const security::Session* session) {
  wire::PbServerNode message;
  message.node_id = node.id.value();
  message.host = node.host;
  message.port = node.port;
  message.rack = node.rack;
  if (session == nullptr) return message;
  for (const ListenerPlace& place : node.listeners) {
    if (place.listener != session->listener) continue;
    message.host = place.host;
    message.port = place.port;
    return message;
  }
  return std::nullopt;
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
  message.bucket_count_epoch = table.bucket_count_epoch;
  message.bucket_metadata.reserve(table.buckets.size());
  for (const BucketEntry& bucket : table.buckets) {
    message.bucket_metadata.push_back(to_message(bucket));
  }
  return message;
}

wire::PbPartitionMetadata to_message(const PartitionEntry& partition) {
  wire::PbPartitionMetadata message;
  message.table_id = partition.table.value();
  message.partition_name = partition.name;
  message.partition_id = partition.id.value();
  message.bucket_count = static_cast<int32_t>(partition.buckets.size());
  message.bucket_metadata.reserve(partition.buckets.size());
  for (const BucketEntry& bucket : partition.buckets) {
    message.bucket_metadata.push_back(to_message(bucket));
  }
  return message;
}

// Writers create the partition when they get this error.
Result<wire::PbPartitionMetadata> partition_of(const CatalogSnapshot& catalog,
                                               const wire::PbPhysicalTablePath& path) {
  TablePath table_path{.database = path.database_name, .table = path.table_name};
  std::string name = path.partition_name.value_or("");
  std::shared_ptr<const TableEntry> table = catalog.find_table(table_path);
  if (table != nullptr) {
    std::shared_ptr<const PartitionEntry> found = catalog.partitions(table->id).find(name);
    if (found != nullptr) return to_message(*found);
  }
  return make_error(
      ErrorCode::kPartitionNotExists, "table {} has no partition '{}'", table_path, name);
}

bool shows(const ReadContext& context, std::string_view database, std::string_view table) {
  return context.shows(security::table_resource(database, table));
}

}  // namespace

// A request for nothing is how a client asks for the servers. What may not be seen is left out, and
// what is named again, so that the answer is never larger than all that there is.
Result<wire::MetadataResponse> get_metadata(const wire::MetadataRequest& request,
                                            const ReadContext& context) {
  wire::MetadataResponse response;
  if (context.catalog.coordinator()) {
    response.coordinator_server = to_message(*context.catalog.coordinator(), context.session);
  }
  for (const ServerNode& node : context.catalog.tablet_servers()) {
    auto message = to_message(node, context.session);
    if (message) response.tablet_servers.push_back(std::move(*message));
  }
  using Name = std::array<std::string_view, 3>;
  std::set<Name> told;
  for (const wire::PbTablePath& path : request.table_path) {
    if (!told.insert(Name{path.database_name, path.table_name, ""}).second) continue;
    if (!shows(context, path.database_name, path.table_name)) continue;
    ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table, require_table(context.catalog, path));
    response.table_metadata.push_back(to_message(*table));
  }
  told.clear();
  for (const wire::PbPhysicalTablePath& path : request.partitions_path) {
    std::string_view partition = path.partition_name ? *path.partition_name : std::string_view();
    if (!told.insert(Name{path.database_name, path.table_name, partition}).second) continue;
    if (!shows(context, path.database_name, path.table_name)) continue;
    ASSIGN_OR_RETURN(wire::PbPartitionMetadata found, partition_of(context.catalog, path));
    response.partition_metadata.push_back(std::move(found));
  }
  std::set<int64_t> told_ids;
  for (int64_t id : request.partitions_id) {
    if (!told_ids.insert(id).second) continue;
    std::shared_ptr<const PartitionEntry> found = context.catalog.find_partition(PartitionId(id));
    if (found == nullptr) {
      return make_error(ErrorCode::kPartitionNotExists, "partition id {} does not exist", id);
    }
    std::shared_ptr<const TableEntry> table = context.catalog.find_table(found->table);
    if (table == nullptr || !shows(context, table->path.database, table->path.table)) continue;
    response.partition_metadata.push_back(to_message(*found));
  }
  return response;
}

}  // namespace lakestream
