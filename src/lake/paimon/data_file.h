#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What a manifest says of one data or changelog file of a Paimon table. Keys and statistics are
// serialized BinaryRows (binary_row.h).
//
// Thread rule: values, any thread.
//
//   DataFile file{.name = "data-5e1c-0.parquet", .size = 4711, .rows = 12};
namespace lakestream::paimon {

struct SimpleStats {
  std::string min_values;  // empty: the empty row
  std::string max_values;
  std::vector<std::optional<int64_t>> null_counts = {};

  friend bool operator==(const SimpleStats&, const SimpleStats&) = default;
};

struct DataFile {
  std::string name;
  int64_t size = 0;
  int64_t rows = 0;
  std::string min_key = {};  // empty: the empty row, as of append tables
  std::string max_key = {};
  SimpleStats key_stats = {};
  SimpleStats value_stats = {};
  // The columns that value_stats are of; nothing: all.
  std::optional<std::vector<std::string>> value_stats_columns = std::vector<std::string>();
  int64_t min_sequence = 0;
  int64_t max_sequence = 0;
  int64_t schema_id = 0;
  int32_t level = 0;
  int64_t created_ms = 0;   // since 1970, UTC
  int64_t delete_rows = 0;  // of kind -U or -D; below 0: not known
  bool compacted = false;   // source: COMPACT, not APPEND

  friend bool operator==(const DataFile&, const DataFile&) = default;
};

// Where a file lies: the partition's values and the physical bucket.
struct FilePlace {
  std::string partition;  // serialized BinaryRow; of a table without partitions the empty row
  std::string folder;     // below the table: "dt=2026-11-30/bucket-0"
  int32_t bucket = 0;
  int32_t total_buckets = -1;

  friend auto operator<=>(const FilePlace&, const FilePlace&) = default;
};

// What one writer made in one place.
struct WrittenFiles {
  FilePlace place;
  std::vector<DataFile> added;
  std::vector<DataFile> removed;    // of a compaction: must be live when it is committed
  std::vector<DataFile> changelog;  // of a table with a primary key
};

}  // namespace lakestream::paimon
