#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/value.h"
#include "table/types.h"

// What a Parquet file says of one of its columns: the sum over its row groups.
//
// Thread rule: values, any thread.
//
//   if (column.bounds) return bound_value(type, column.bounds->min);
namespace parquet {
class FileMetaData;
}  // namespace parquet

namespace lakestream {

// Both in the plain encoding of Parquet: integers little endian, decimals of more than 18 digits
// big endian, texts as they are.
struct ColumnBounds {
  std::string min;
  std::string max;

  friend bool operator==(const ColumnBounds&, const ColumnBounds&) = default;
};

struct ParquetColumn {
  std::string name;
  std::optional<int64_t> null_count = std::nullopt;
  // Of floats, which are not in the bounds. Files do not say; who wrote one knows.
  std::optional<int64_t> nan_count = std::nullopt;
  // Nothing when all values are null, of values without an order, and when the file does not say.
  std::optional<ColumnBounds> bounds = std::nullopt;
  int32_t field_id = -1;  // -1: it has none
  int64_t bytes = 0;      // in the file

  friend bool operator==(const ParquetColumn&, const ParquetColumn&) = default;
};

// The columns that are not nested, in their order. Throws what Parquet throws.
std::vector<ParquetColumn> columns_of(const parquet::FileMetaData& file);

// An array of one value, in the type that Arrow has for it: no value of the column, which is not
// nested, is below it. Null where the file does not say, and where what is said depends on who
// wrote it. A text may be only the beginning of the least one. Throws what Parquet throws.
Result<std::shared_ptr<arrow::Array>> least_of(const parquet::FileMetaData& file,
                                               const std::string& name);

// A bound as a value of the type; texts point into `plain`. Nothing when it can be none, and of
// types whose bounds mean nothing: floats, whose NaN is not in them, bytes, and nested types.
std::optional<Value> bound_value(const DataType& type, std::string_view plain);

}  // namespace lakestream
