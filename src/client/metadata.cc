#include "client/metadata.h"

#include <algorithm>

#include "table/json.h"

namespace lakestream::client {
namespace {

template <typename... Args>
tl::unexpected<Error> impossible(fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError,
                    "the server's answer can not be: {}",
                    fmt::format(format, std::forward<Args>(args)...));
}

Result<ServerNode> node_of(const wire::PbServerNode& message) {
  if (message.port < 0 || message.port > 65535 || message.host.empty()) {
    return impossible(
        "server {} is at \"{}\" port {}", message.node_id, message.host, message.port);
  }
  return ServerNode{ServerId(message.node_id),
                    Address{message.host, static_cast<uint16_t>(message.port)},
                    message.rack};
}

std::vector<ServerId> ids_of(const std::vector<int32_t>& values) {
  std::vector<ServerId> ids;
  ids.reserve(values.size());
  for (int32_t value : values) ids.emplace_back(value);
  return ids;
}

Result<std::vector<BucketInfo>> buckets_of(const std::vector<wire::PbBucketMetadata>& messages) {
  std::vector<BucketInfo> buckets;
  buckets.reserve(messages.size());
  for (const wire::PbBucketMetadata& bucket : messages) {
    BucketInfo info;
    info.id = BucketId(bucket.bucket_id);
    // Some servers say -1 where there is none.
    if (bucket.leader_id && *bucket.leader_id >= 0) info.leader = ServerId(*bucket.leader_id);
    if (bucket.leader_epoch) info.leader_epoch = LeaderEpoch(*bucket.leader_epoch);
    info.replicas = ids_of(bucket.replica_id);
    info.in_sync = ids_of(bucket.isr);
    buckets.push_back(std::move(info));
  }
  std::sort(buckets.begin(), buckets.end(), [](const BucketInfo& a, const BucketInfo& b) {
    return a.id < b.id;
  });
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i].id.value() != static_cast<int64_t>(i)) {
      return impossible(
          "{} buckets of a table, and bucket {} is not among them", buckets.size(), i);
    }
  }
  return buckets;
}

// Both messages name these fields alike.
template <typename Message>
Result<TableInfo> info_of(TablePath path, const Message& message) {
  int32_t schema_id = message.schema_id;
  if (schema_id < 0 || schema_id > INT16_MAX) {
    return impossible("table {} has schema id {}", path, schema_id);
  }
  auto descriptor = table_from_json(message.table_json.view());
  if (!descriptor) return impossible("table {}: {}", path, descriptor.error().message());
  auto options = parse_stored_table_options(descriptor->properties);
  if (!options) return impossible("table {}: {}", path, options.error().message());
  TableInfo info;
  info.path = std::move(path);
  info.id = TableId(message.table_id);
  info.schema_id = SchemaId(static_cast<int16_t>(schema_id));
  info.descriptor = *std::move(descriptor);
  info.options = *std::move(options);
  info.created = TimestampMs(message.created_time);
  info.modified = TimestampMs(message.modified_time);
  info.remote_data_dir = message.remote_data_dir;
  return info;
}

}  // namespace

Result<ClusterNodes> nodes_of(const wire::MetadataResponse& response) {
  ClusterNodes nodes;
  if (response.coordinator_server) {
    ASSIGN_OR_RETURN(nodes.coordinator, node_of(*response.coordinator_server));
  }
  for (const wire::PbServerNode& message : response.tablet_servers) {
    ASSIGN_OR_RETURN(ServerNode node, node_of(message));
    nodes.tablet_servers.push_back(std::move(node));
  }
  return nodes;
}

Result<TableMetadata> table_of(const wire::PbTableMetadata& message) {
  TableMetadata table;
  TablePath path{message.table_path.database_name, message.table_path.table_name};
  ASSIGN_OR_RETURN(table.info, info_of(std::move(path), message));
  ASSIGN_OR_RETURN(table.buckets, buckets_of(message.bucket_metadata));
  return table;
}

Result<TableMetadata> partition_of(TableMetadata table,
                                   const std::string& name,
                                   const std::vector<wire::PbPartitionMetadata>& messages) {
  for (const wire::PbPartitionMetadata& message : messages) {
    if (message.table_id != table.info.id.value() || message.partition_name != name) continue;
    auto spec = partition_of_name(table.info.descriptor.partition_keys, name);
    if (!spec) return impossible("table {}: {}", table.info.path, spec.error().message());
    PartitionInfo partition{PartitionId(message.partition_id), name, {}};
    for (size_t i = 0; i < spec->keys.size(); ++i) {
      partition.spec.emplace_back(spec->keys[i], spec->values[i]);
    }
    table.partition = std::move(partition);
    ASSIGN_OR_RETURN(table.buckets, buckets_of(message.bucket_metadata));
    if (table.buckets.empty()) {
      return impossible("partition '{}' of table {} has no buckets", name, table.info.path);
    }
    return table;
  }
  return make_error(
      ErrorCode::kPartitionNotExists, "table {} has no partition '{}'", table.info.path, name);
}

Result<TableInfo> table_info_of(TablePath path, const wire::GetTableInfoResponse& message) {
  return info_of(std::move(path), message);
}

wire::PbTablePath to_message(const TablePath& path) {
  return {.database_name = path.database, .table_name = path.table};
}

}  // namespace lakestream::client
