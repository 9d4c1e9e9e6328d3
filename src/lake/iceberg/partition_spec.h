#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/schema.h"
#include "table/json_reader.h"
#include "table/json_writer.h"

// How the files of a table are told apart and what their rows are sorted by. A table of ours has
// one field for each partition key, identity of a string, and behind them one for the bucket:
// bucket[N] of the bucket key or identity of __bucket.
//
// Thread rule: values, any thread; functions are pure.
//
//   PartitionTuple tuple{.values = {"2026-11-30"}, .bucket = 3};
//   partition_folder(spec, tuple);  // "day=2026-11-30/id_bucket=3"
namespace lakestream::iceberg {

inline constexpr std::string_view kIdentity = "identity";
inline constexpr int32_t kFirstPartitionFieldId = 1000;

struct PartitionField {
  int32_t source_id = 0;
  int32_t field_id = 0;
  std::string name;
  std::string transform;  // "identity", "bucket[4]"

  friend bool operator==(const PartitionField&, const PartitionField&) = default;
};

struct IcebergPartitionSpec {
  int32_t id = 0;
  std::vector<PartitionField> fields = {};

  friend bool operator==(const IcebergPartitionSpec&, const IcebergPartitionSpec&) = default;
};

// The N of "bucket[N]"; nothing for another transform.
std::optional<int32_t> bucket_count_of(std::string_view transform);
// Whether the last field tells buckets and those before it are identities: what tables of ours
// have, and what rows can be written to. Else kInvalidTableException.
Status check_spec(const IcebergPartitionSpec& spec, const IcebergSchema& schema);

struct SortField {
  int32_t source_id = 0;
  std::string transform{kIdentity};
  std::string direction = "asc";
  std::string null_order = "nulls-first";

  friend bool operator==(const SortField&, const SortField&) = default;
};

struct SortOrder {
  int32_t id = 0;  // 0: unsorted
  std::vector<SortField> fields = {};

  friend bool operator==(const SortOrder&, const SortOrder&) = default;
};

// Where the rows of a file belong, under a spec that check_spec() takes.
struct PartitionTuple {
  std::vector<std::string> values = {};  // of the partition keys, in their order
  int32_t bucket = 0;

  friend auto operator<=>(const PartitionTuple&, const PartitionTuple&) = default;
};

// Below the data of the table, values as Java's URLEncoder has them.
std::string partition_folder(const IcebergPartitionSpec& spec, const PartitionTuple& tuple);

void write_partition_fields(const IcebergPartitionSpec& spec, JsonWriter* json);  // an array
void write_spec(const IcebergPartitionSpec& spec, JsonWriter* json);
Result<IcebergPartitionSpec> spec_of(const JsonValue& json);
void write_sort_order(const SortOrder& order, JsonWriter* json);
Result<SortOrder> sort_order_of(const JsonValue& json);

}  // namespace lakestream::iceberg
