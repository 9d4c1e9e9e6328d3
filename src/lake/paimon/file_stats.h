#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/arrow_fwd.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/table_settings.h"
#include "lake/parquet/column_bounds.h"

// What manifests say of the values in a data file, taken from what Parquet says of it.
//
// Thread rule: pure functions.
//
//   set_value_stats(schema, settings, info.columns, &file);
namespace lakestream::paimon {

// value_stats and value_stats_columns, of the columns of the table that are not nested.
void set_value_stats(const PaimonSchema& schema,
                     const TableSettings& settings,
                     const std::vector<ParquetColumn>& columns,
                     DataFile* file);
// key_stats, of the columns of the trimmed primary key, which are told whole.
void set_key_stats(const PaimonSchema& schema,
                   const std::vector<ParquetColumn>& columns,
                   DataFile* file);

// The columns of the trimmed primary key in one row of a data file, as a serialized BinaryRow.
std::string key_row_of(const PaimonSchema& schema, const arrow::RecordBatch& rows, int64_t row);

}  // namespace lakestream::paimon
