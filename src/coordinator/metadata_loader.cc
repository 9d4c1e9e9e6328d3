#include "coordinator/metadata_loader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "catalog/entries.h"
#include "catalog/kv_snapshots.h"
#include "catalog/lake_snapshots.h"
#include "coordinator/acl_nodes.h"
#include "table/json.h"

namespace lakestream::coordinator {
namespace {

constexpr int64_t kSchemaIdMax = std::numeric_limits<int16_t>::max();
constexpr int64_t kIdMax = std::numeric_limits<int64_t>::max() - 1;  // there is a next one

using Schemas = std::vector<std::shared_ptr<const SchemaEntry>>;

// The value of a node that has to be there.
Result<Bytes> read_node(MetaStore& store, const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
  if (node) return std::move(node->value);
  return make_error(ErrorCode::kUnknownServerError, "metadata node {} is missing", path);
}

// The decoded value, or an error that names the node.
template <typename T>
Result<T> decoded(Result<T> value, const std::string& path) {
  if (value) return value;
  return fail(std::move(value).error().with_context("metadata node " + path));
}

Result<Schemas> load_schemas(MetaStore& store, const TablePath& table) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::schemas(table)));
  std::vector<SchemaId> ids;
  for (const std::string& name : names) {
    std::string path = paths::schemas(table) + "/" + name;
    ASSIGN_OR_RETURN(int64_t number, decoded(decode_number(name, kSchemaIdMax), path));
    ids.emplace_back(static_cast<int16_t>(number));
  }
  // The store gives names in the order of texts.
  std::sort(ids.begin(), ids.end());
  Schemas schemas;
  for (SchemaId id : ids) {
    std::string path = paths::schema(table, id);
    ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
    ASSIGN_OR_RETURN(Schema schema, decoded(schema_from_json(value.view()), path));
    schemas.push_back(make_schema_entry(id, std::move(schema)));
  }
  return schemas;
}

Result<std::vector<BucketEntry>> load_buckets(MetaStore& store, const PhysicalTableId& id) {
  std::string path = paths::assignment(id);
  ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
  ASSIGN_OR_RETURN(AssignmentRecord assignment, decoded(decode_assignment(value), path));
  std::vector<BucketEntry> buckets;
  for (auto& [bucket, replicas] : assignment.buckets) {
    std::string place = paths::leader_isr(bucket_of(id, bucket));
    ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(place));
    // Without a record nobody was elected yet; the first election makes the epochs 0.
    LeaderIsrRecord record;
    record.leader_epoch = LeaderEpoch(-1);
    record.bucket_epoch = -1;
    record.isr = replicas;
    if (!node) RETURN_IF_ERROR(ensure_node(store, place));
    if (node && !node->value.empty()) {
      ASSIGN_OR_RETURN(record, decoded(decode_leader_isr(node->value), place));
    }
    buckets.push_back(make_bucket_entry(bucket, std::move(replicas), record));
  }
  return buckets;
}

Result<BucketSnapshots> load_snapshots(MetaStore& store, const TableBucket& bucket) {
  BucketSnapshots snapshots;
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(paths::kv_snapshots(bucket)));
  if (!node) return snapshots;
  snapshots.folder = std::string(node->value.view());
  ASSIGN_OR_RETURN(std::vector<KvSnapshotRecord> records, load_kv_snapshots(store, bucket));
  for (KvSnapshotRecord& record : records) {
    snapshots.registered.emplace(record.id, std::move(record));
  }
  return snapshots;
}

Status load_snapshots_of(MetaStore& store,
                         const PhysicalTableId& id,
                         const std::vector<BucketEntry>& buckets,
                         LoadedMetadata* loaded) {
  for (const BucketEntry& entry : buckets) {
    TableBucket bucket = bucket_of(id, entry.bucket);
    ASSIGN_OR_RETURN(loaded->snapshots[bucket], load_snapshots(store, bucket));
  }
  return ok();
}

Status load_remote_logs_of(MetaStore& store,
                           const PhysicalTableId& id,
                           const std::vector<BucketEntry>& buckets,
                           LoadedMetadata* loaded) {
  for (const BucketEntry& entry : buckets) {
    TableBucket bucket = bucket_of(id, entry.bucket);
    std::string path = paths::remote_log(bucket);
    ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
    if (!node) continue;
    ASSIGN_OR_RETURN(loaded->remote_logs[bucket], decoded(decode_remote_log(node->value), path));
  }
  return ok();
}

Status load_partition(MetaStore& store,
                      const TableEntry& table,
                      std::string name,
                      CatalogBuilder* builder,
                      LoadedMetadata* loaded) {
  std::string path = paths::partition(table.path, name);
  ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
  ASSIGN_OR_RETURN(PartitionRecord record, decoded(decode_partition(value), path));
  if (record.table != table.id) {
    return make_error(ErrorCode::kUnknownServerError,
                      "metadata node {}: it names table {}, the table is {}",
                      path,
                      record.table,
                      table.id);
  }
  PhysicalTableId id{table.id, record.id};
  ASSIGN_OR_RETURN(std::vector<BucketEntry> buckets, load_buckets(store, id));
  if (table.descriptor.has_primary_key()) {
    RETURN_IF_ERROR(load_snapshots_of(store, id, buckets, loaded));
  }
  RETURN_IF_ERROR(load_remote_logs_of(store, id, buckets, loaded));
  // A counter that is behind would give an id a second time.
  loaded->next_partition_id =
      std::max(loaded->next_partition_id, PartitionId(record.id.value() + 1));
  builder->put_partition(make_partition_entry(std::move(name), record, std::move(buckets)));
  return ok();
}

// Requires: the table is in the builder.
Status load_partitions(MetaStore& store,
                       const TableEntry& table,
                       CatalogBuilder* builder,
                       LoadedMetadata* loaded) {
  std::string path = paths::partitions(table.path);
  RETURN_IF_ERROR(ensure_node(store, path));
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(path));
  for (std::string& name : names) {
    RETURN_IF_ERROR(load_partition(store, table, std::move(name), builder, loaded));
  }
  return ok();
}

// Nothing for a table whose creation was not finished.
Result<std::shared_ptr<const TableEntry>> load_table(MetaStore& store, const TablePath& table) {
  std::string path = paths::table(table);
  ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
  // A Fluss coordinator writes the schema first, which makes the table's node without a value.
  if (value.empty()) return std::shared_ptr<const TableEntry>();
  ASSIGN_OR_RETURN(TableRecord record, decoded(decode_table(value), path));
  ASSIGN_OR_RETURN(Schemas schemas, load_schemas(store, table));
  if (schemas.empty()) {
    return make_error(
        ErrorCode::kUnknownServerError, "metadata node {}: the table has no schema", path);
  }
  std::vector<BucketEntry> buckets;
  if (record.partition_keys.empty()) {
    ASSIGN_OR_RETURN(buckets, load_buckets(store, {record.id, std::nullopt}));
  }
  return make_table_entry(table, record, std::move(schemas), std::move(buckets));
}

Status load_database(MetaStore& store,
                     const std::string& name,
                     CatalogBuilder* builder,
                     LoadedMetadata* loaded) {
  std::string path = paths::database(name);
  ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
  ASSIGN_OR_RETURN(DatabaseRecord record, decoded(decode_database(value), path));
  builder->put_database(make_database_entry(name, record));
  ASSIGN_OR_RETURN(std::vector<std::string> tables, store.children(paths::tables(name)));
  for (std::string& table : tables) {
    TablePath table_path{.database = name, .table = std::move(table)};
    ASSIGN_OR_RETURN(auto entry, load_table(store, table_path));
    if (entry == nullptr) {
      loaded->unfinished.push_back(paths::table(table_path));
      continue;
    }
    // A counter that is behind would give an id a second time.
    loaded->next_table_id = std::max(loaded->next_table_id, TableId(entry->id.value() + 1));
    builder->put_table(entry);
    ASSIGN_OR_RETURN(std::optional<LakeTableRecord> lake, load_lake_table(store, entry->id));
    if (lake) loaded->lake_tables.emplace(entry->id, std::move(*lake));
    if (entry->descriptor.is_partitioned()) {
      RETURN_IF_ERROR(load_partitions(store, *entry, builder, loaded));
    } else if (entry->descriptor.has_primary_key()) {
      RETURN_IF_ERROR(load_snapshots_of(store, {entry->id, std::nullopt}, entry->buckets, loaded));
    }
    RETURN_IF_ERROR(load_remote_logs_of(store, {entry->id, std::nullopt}, entry->buckets, loaded));
  }
  return ok();
}

Status load_dropped(MetaStore& store, LoadedMetadata* loaded) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::kTableAssignments));
  for (const std::string& name : names) {
    std::string path = fmt::format("{}/{}", paths::kTableAssignments, name);
    ASSIGN_OR_RETURN(int64_t number, decoded(decode_number(name, kIdMax), path));
    TableId id(number);
    loaded->next_table_id = std::max(loaded->next_table_id, TableId(number + 1));
    if (loaded->catalog->find_table(id) != nullptr) continue;
    ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
    AssignmentRecord assignment;
    // Of a partitioned table, which has no buckets itself, it is only there for what is below.
    if (!value.empty()) {
      ASSIGN_OR_RETURN(assignment, decoded(decode_assignment(value), path));
    }
    loaded->dropped.emplace(PhysicalTableId{id, std::nullopt}, std::move(assignment));
  }
  return ok();
}

Status load_dropped_partitions(MetaStore& store, LoadedMetadata* loaded) {
  std::set<PartitionId> known;
  loaded->catalog->visit_buckets([&](const PhysicalTableId& id, const auto&) {
    if (id.partition) known.insert(*id.partition);
  });
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::kPartitionAssignments));
  for (const std::string& name : names) {
    std::string path = fmt::format("{}/{}", paths::kPartitionAssignments, name);
    ASSIGN_OR_RETURN(int64_t number, decoded(decode_number(name, kIdMax), path));
    PartitionId id(number);
    loaded->next_partition_id = std::max(loaded->next_partition_id, PartitionId(number + 1));
    if (known.contains(id)) continue;
    ASSIGN_OR_RETURN(Bytes value, read_node(store, path));
    ASSIGN_OR_RETURN(AssignmentRecord assignment, decoded(decode_assignment(value), path));
    if (!assignment.table) {
      return make_error(
          ErrorCode::kUnknownServerError, "metadata node {}: field 'table_id' is missing", path);
    }
    loaded->dropped.emplace(PhysicalTableId{*assignment.table, id}, std::move(assignment));
  }
  return ok();
}

Result<int64_t> load_counter(MetaStore& store, const char* path) {
  ASSIGN_OR_RETURN(Bytes counter, read_node(store, path));
  return decoded(decode_counter(counter), path);
}

Status load_cluster(MetaStore& store, LoadedMetadata* loaded) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> tags, store.get(paths::kServerTags));
  if (tags) {
    ASSIGN_OR_RETURN(loaded->server_tags,
                     decoded(decode_server_tags(tags->value), paths::kServerTags));
  }
  ASSIGN_OR_RETURN(std::optional<MetaNode> rebalance, store.get(paths::kRebalance));
  if (rebalance) {
    ASSIGN_OR_RETURN(loaded->rebalance,
                     decoded(decode_rebalance(rebalance->value), paths::kRebalance));
  }
  return ok();
}

}  // namespace

Status prepare_metadata(MetaStore& store) {
  for (const char* path : {paths::kDatabases,
                           paths::kTableCounter,
                           paths::kPartitionCounter,
                           paths::kTableAssignments,
                           paths::kPartitionAssignments,
                           paths::kProducers,
                           paths::kServerConfig,
                           paths::kCluster}) {
    RETURN_IF_ERROR(ensure_node(store, path));
  }
  for (const std::string& path : acl_parents()) RETURN_IF_ERROR(ensure_node(store, path));
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::kDatabases));
  for (const std::string& name : names) RETURN_IF_ERROR(ensure_node(store, paths::tables(name)));
  return ok();
}

Result<LoadedMetadata> load_metadata(MetaStore& store) {
  LoadedMetadata loaded;
  ASSIGN_OR_RETURN(int64_t next_table, load_counter(store, paths::kTableCounter));
  ASSIGN_OR_RETURN(int64_t next_partition, load_counter(store, paths::kPartitionCounter));
  loaded.next_table_id = TableId(next_table);
  loaded.next_partition_id = PartitionId(next_partition);
  CatalogBuilder builder;
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::kDatabases));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(load_database(store, name, &builder, &loaded));
  }
  ASSIGN_OR_RETURN(security::AclRules acls, load_acls(store));
  builder.set_acls(std::move(acls));
  loaded.catalog = builder.build();
  RETURN_IF_ERROR(load_cluster(store, &loaded));
  RETURN_IF_ERROR(load_dropped(store, &loaded));
  RETURN_IF_ERROR(load_dropped_partitions(store, &loaded));
  return loaded;
}

}  // namespace lakestream::coordinator
