#include "catalog/entries.h"

#include <utility>

#include "table/json.h"

namespace lakestream {

DatabaseEntry make_database_entry(std::string name, const DatabaseRecord& record) {
  DatabaseEntry entry;
  entry.name = std::move(name);
  entry.descriptor = record.descriptor;
  entry.created_time = record.created_time;
  entry.modified_time = record.modified_time;
  entry.json = Bytes::copy_of(to_json(record.descriptor));
  return entry;
}

DatabaseRecord record_of(const DatabaseEntry& entry) {
  return DatabaseRecord{.descriptor = entry.descriptor,
                        .created_time = entry.created_time,
                        .modified_time = entry.modified_time};
}

std::shared_ptr<const SchemaEntry> make_schema_entry(SchemaId id, Schema schema) {
  auto entry = std::make_shared<SchemaEntry>();
  entry->id = id;
  entry->json = Bytes::copy_of(to_json(schema));
  entry->schema = std::move(schema);
  return entry;
}

namespace {

// Everything but what says where the table is.
Status describe(const TableRecord& record,
                std::vector<std::shared_ptr<const SchemaEntry>> schemas,
                TableEntry* entry) {
  CHECK(!schemas.empty(), "a table has a schema");
  entry->descriptor = record.descriptor(schemas.back()->schema);
  Result<TableOptions> options = parse_stored_table_options(record.properties);
  if (!options) {
    return make_error(ErrorCode::kUnknownServerError,
                      "properties of table {}: {}",
                      entry->path,
                      options.error().message());
  }
  entry->options = std::move(*options);
  entry->schemas = std::move(schemas);
  entry->created_time = record.created_time;
  entry->modified_time = record.modified_time;
  entry->remote_data_dir = record.remote_data_dir;
  entry->bucket_count_epoch = record.bucket_count_epoch;
  entry->json = Bytes::copy_of(to_json(entry->descriptor));
  return ok();
}

}  // namespace

Result<std::shared_ptr<const TableEntry>> make_table_entry(
    const TablePath& path,
    const TableRecord& record,
    std::vector<std::shared_ptr<const SchemaEntry>> schemas,
    std::vector<BucketEntry> buckets) {
  auto entry = std::make_shared<TableEntry>();
  entry->path = path;
  entry->id = record.id;
  entry->buckets = std::move(buckets);
  RETURN_IF_ERROR(describe(record, std::move(schemas), entry.get()));
  return std::shared_ptr<const TableEntry>(std::move(entry));
}

TableRecord record_of(const TableEntry& entry) {
  TableRecord record = TableRecord::of(entry.id, entry.descriptor, entry.modified_time);
  record.created_time = entry.created_time;
  record.remote_data_dir = entry.remote_data_dir;
  record.bucket_count_epoch = entry.bucket_count_epoch;
  return record;
}

Result<std::shared_ptr<const TableEntry>> with_record(
    const TableEntry& entry,
    const TableRecord& record,
    std::vector<std::shared_ptr<const SchemaEntry>> schemas) {
  auto next = std::make_shared<TableEntry>(entry);
  RETURN_IF_ERROR(describe(record, std::move(schemas), next.get()));
  return std::shared_ptr<const TableEntry>(std::move(next));
}

std::shared_ptr<const PartitionEntry> make_partition_entry(std::string name,
                                                           const PartitionRecord& record,
                                                           std::vector<BucketEntry> buckets) {
  auto entry = std::make_shared<PartitionEntry>();
  entry->table = record.table;
  entry->id = record.id;
  entry->name = std::move(name);
  entry->remote_data_dir = record.remote_data_dir;
  entry->buckets = std::move(buckets);
  return entry;
}

LeaderIsrRecord record_of(const BucketEntry& bucket, int32_t coordinator_epoch) {
  LeaderIsrRecord record;
  record.leader = bucket.leader.value_or(kNoLeader);
  record.leader_epoch = bucket.leader_epoch;
  record.isr = bucket.isr;
  record.coordinator_epoch = coordinator_epoch;
  record.bucket_epoch = bucket.bucket_epoch;
  return record;
}

BucketEntry make_bucket_entry(BucketId bucket,
                              std::vector<ServerId> replicas,
                              const LeaderIsrRecord& record) {
  BucketEntry entry;
  entry.bucket = bucket;
  entry.replicas = std::move(replicas);
  if (record.leader != kNoLeader) entry.leader = record.leader;
  entry.leader_epoch = record.leader_epoch;
  entry.bucket_epoch = record.bucket_epoch;
  entry.isr = record.isr;
  return entry;
}

}  // namespace lakestream
