#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "lake/paimon/schema.h"
#include "lake/parquet/parquet_writer.h"

// What the options of a Paimon table say of its data files.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(TableSettings settings, table_settings(schema));
namespace lakestream::paimon {

enum class StatsMode : uint8_t { kNone, kCounts, kTruncated, kFull };

struct TableSettings {
  int64_t target_file_bytes = int64_t{128} << 20;
  int64_t row_group_bytes = int64_t{128} << 20;  // in memory
  int64_t write_buffer_bytes = int64_t{64} << 20;
  ParquetCodec codec = ParquetCodec::kZstd;
  std::optional<int32_t> codec_level = 1;
  std::string data_prefix = "data-";
  std::string changelog_prefix = "changelog-";
  bool has_changelog = false;  // changelog-producer=input
  bool has_key_columns = true;
  StatsMode stats_mode = StatsMode::kTruncated;
  int32_t stats_chars = 16;          // of kTruncated
  int32_t top_level = 5;             // where a full compaction puts its files
  int32_t compaction_trigger = 5;    // runs of a key table
  int32_t compaction_files_min = 5;  // small files of an append table
  double small_file_ratio = 0.7;     // of the target: what is smaller is small
};

// Errors: kInvalidTableException, naming the option, for a value that is none and for what tables
// can not have here: another file format, another way to merge the versions of a key.
Result<TableSettings> table_settings(const PaimonSchema& schema);

}  // namespace lakestream::paimon
