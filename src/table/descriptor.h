#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/schema.h"

// What a user says about a table or a database: TableDescriptor is the content of `table_json` in
// requests and of the table's metadata record, DatabaseDescriptor that of `database_json`. They are
// plain values. normalize() settles what follows from the rest (the bucket keys of a primary-key
// table); the rules of CREATE TABLE are in validate.h, the JSON text is in json.h.
//
// Thread rule: values, any thread.
//
//   TableDescriptor table;
//   table.schema = schema;
//   table.distribution = Distribution{.bucket_count = 4, .bucket_keys = {}};
//   ASSIGN_OR_RETURN(table, normalize(std::move(table)));
namespace lakestream {

using Properties = std::map<std::string, std::string, std::less<>>;

// How rows are spread over buckets. Without keys a writer may choose any bucket.
struct Distribution {
  std::optional<int32_t> bucket_count;
  std::vector<std::string> bucket_keys;

  friend bool operator==(const Distribution&, const Distribution&) = default;
};

struct TableDescriptor {
  Schema schema;
  std::optional<std::string> comment;
  std::vector<std::string> partition_keys;
  std::optional<Distribution> distribution;
  Properties properties;         // options of the table, keys "table.*"
  Properties custom_properties;  // the user's own

  bool has_primary_key() const { return schema.has_primary_key(); }
  bool is_partitioned() const { return !partition_keys.empty(); }
  // Empty without a distribution.
  std::vector<std::string> bucket_keys() const;
  std::optional<int32_t> bucket_count() const;

  friend bool operator==(const TableDescriptor&, const TableDescriptor&) = default;
};

struct DatabaseDescriptor {
  std::optional<std::string> comment;
  Properties custom_properties;

  friend bool operator==(const DatabaseDescriptor&, const DatabaseDescriptor&) = default;
};

// The primary key without the partition keys, in primary key order; empty without a primary key.
std::vector<std::string> default_bucket_keys(const Schema& schema,
                                             const std::vector<std::string>& partition_keys);

// Checks partition and bucket keys against the schema and fills in the bucket keys of a
// primary-key table. kInvalidTableException when they do not fit.
Result<TableDescriptor> normalize(TableDescriptor descriptor);

}  // namespace lakestream
