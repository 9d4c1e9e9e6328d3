#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "meta/records.h"

// Entries of the catalog out of records of the metadata store, and back.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(auto entry, make_table_entry(path, record, schemas, buckets));
//   builder.put_table(entry);
namespace lakestream {

DatabaseEntry make_database_entry(std::string name, const DatabaseRecord& record);
DatabaseRecord record_of(const DatabaseEntry& entry);

std::shared_ptr<const SchemaEntry> make_schema_entry(SchemaId id, Schema schema);

// kUnknownServerError when the properties can not be read. Requires: at least one schema, in the
// order of their ids.
Result<std::shared_ptr<const TableEntry>> make_table_entry(
    const TablePath& path,
    const TableRecord& record,
    std::vector<std::shared_ptr<const SchemaEntry>> schemas,
    std::vector<BucketEntry> buckets);
TableRecord record_of(const TableEntry& entry);
// The same table after a change that the record and the schemas say. kUnknownServerError and the
// requirement as above.
Result<std::shared_ptr<const TableEntry>> with_record(
    const TableEntry& entry,
    const TableRecord& record,
    std::vector<std::shared_ptr<const SchemaEntry>> schemas);
std::shared_ptr<const PartitionEntry> make_partition_entry(std::string name,
                                                           const PartitionRecord& record,
                                                           std::vector<BucketEntry> buckets);

LeaderIsrRecord record_of(const BucketEntry& bucket, int32_t coordinator_epoch);
BucketEntry make_bucket_entry(BucketId bucket,
                              std::vector<ServerId> replicas,
                              const LeaderIsrRecord& record);

}  // namespace lakestream
