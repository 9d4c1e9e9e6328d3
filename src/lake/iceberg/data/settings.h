#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lake/parquet/parquet_writer.h"
#include "table/descriptor.h"

// What the properties of an Iceberg table say of the files that are written.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(DataSettings settings, data_settings(properties));
//   if (settings.metrics_of("name").has_bounds) …
namespace lakestream::iceberg {

struct MetricsMode {
  bool has_counts = true;
  bool has_bounds = true;
  int32_t chars = 16;  // to which bounds of texts and bytes are cut off; 0: they are not
};

struct DataSettings {
  int64_t target_file_bytes = int64_t{512} << 20;
  int64_t row_group_bytes = int64_t{128} << 20;  // in memory
  ParquetCodec codec = ParquetCodec::kZstd;
  std::optional<int32_t> codec_level = 1;
  bool has_position_deletes = false;  // of old versions of keys; else equality deletes
  MetricsMode metrics = {};
  std::map<std::string, MetricsMode, std::less<>> column_metrics = {};

  const MetricsMode& metrics_of(std::string_view column) const;
};

// Errors: kInvalidTableException, naming the property, for a value that is none and for what tables
// can not have here.
Result<DataSettings> data_settings(const Properties& properties);

}  // namespace lakestream::iceberg
