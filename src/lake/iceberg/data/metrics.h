#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lake/iceberg/data/settings.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/types.h"
#include "lake/parquet/parquet_writer.h"

// What manifests say of the columns of a file, taken from what Parquet says of them.
//
// Thread rule: pure functions.
//
//   file.metrics = metrics_of(fields, settings, info);
namespace lakestream::iceberg {

// Of the columns that are not nested, by rising id. Those that tell where rows come from have all
// metrics whatever the settings say: the compaction of the official connector needs them.
std::vector<FieldMetrics> metrics_of(std::span<const NestedField> fields,
                                     const DataSettings& settings,
                                     const ParquetFileInfo& info);

// A bound in the plain encoding of Parquet as Iceberg serializes single values. Nothing when the
// bytes are no value of the type.
std::optional<std::string> single_value(const IcebergType& type, std::string_view plain);

}  // namespace lakestream::iceberg
