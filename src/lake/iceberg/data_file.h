#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lake/iceberg/partition_spec.h"

// What a manifest says of one data or delete file of an Iceberg table.
//
// Thread rule: values, any thread.
//
//   DataFile file{.path = "/lake/db/t/data/id_bucket=0/00000-0-5e1c-00001.parquet", .rows = 12};
namespace lakestream::iceberg {

enum class FileContent : uint8_t { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };

// Of one column, also a nested one. Bounds are single values as the Iceberg specification
// serializes them: numbers little endian, timestamps in microseconds, texts in UTF-8, decimals big
// endian in as few bytes as they need. Bounds of texts and bytes may be cut off: the lower one to
// less, the upper one to more.
struct FieldMetrics {
  int32_t id = 0;
  std::optional<int64_t> bytes = std::nullopt;   // in the file
  std::optional<int64_t> values = std::nullopt;  // nulls too
  std::optional<int64_t> nulls = std::nullopt;
  std::optional<int64_t> nans = std::nullopt;
  std::optional<std::string> lower = std::nullopt;
  std::optional<std::string> upper = std::nullopt;

  friend bool operator==(const FieldMetrics&, const FieldMetrics&) = default;
};

struct DataFile {
  FileContent content = FileContent::kData;
  std::string path;  // as metadata spells it; what position deletes refer to
  std::string format = "PARQUET";
  PartitionTuple partition = {};
  int64_t rows = 0;
  int64_t bytes = 0;
  std::vector<FieldMetrics> metrics = {};  // by rising id; __offset and __bucket have bounds
  std::vector<int32_t> equality_ids = {};  // of kEqualityDeletes
  std::optional<int32_t> sort_order_id = std::nullopt;
  std::vector<int64_t> split_offsets = {};  // where row groups begin
  // Of kPositionDeletes: the one data file that all of them are of, if it is one.
  std::optional<std::string> referenced_file = std::nullopt;

  friend bool operator==(const DataFile&, const DataFile&) = default;
};

// A file that a snapshot has. An equality delete applies to data files of its partition with a
// smaller sequence number, a position delete to those with one that is not greater.
struct LiveFile {
  std::shared_ptr<const DataFile> file;
  int64_t snapshot_id = 0;    // that added it
  int64_t sequence = 0;       // of its data
  int64_t file_sequence = 0;  // of the snapshot that added it
  int32_t spec_id = 0;
};

// What one writer or one rewrite made.
struct WrittenFiles {
  std::vector<DataFile> data;
  std::vector<DataFile> deletes;
  // Of a rewrite: paths of data and delete files that must be live when it is committed, and are
  // not any more afterwards.
  std::vector<std::string> removed = {};
  // Of a rewrite: the data sequence number of what it made, that of the snapshot it has read, so
  // that equality deletes which others commit meanwhile still apply. Absent: that of the commit.
  std::optional<int64_t> data_sequence = std::nullopt;
  // Paths of data files of other commits that position deletes refer to: must be live.
  std::vector<std::string> referenced = {};
  // Of rows with keys: BucketFiles::sequence of what the writer knew of the bucket. When the bucket
  // has newer data by then, nothing is committed.
  std::optional<int64_t> seen_sequence = std::nullopt;
};

}  // namespace lakestream::iceberg
