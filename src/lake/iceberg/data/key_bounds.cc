#include "lake/iceberg/data/key_bounds.h"

#include <algorithm>

#include <arrow/type.h>

#include "lake/iceberg/schema.h"
#include "lake/key_merge.h"

namespace lakestream::iceberg {
namespace {

// Rows that are looked at together before they are looked at one by one.
constexpr size_t kBlockRows = 1024;

}  // namespace

Result<KeyBounds> KeyBounds::of(const DataFile& file, const NestedField& first_column) {
  KeyBounds bounds;
  for (const FieldMetrics& metrics : file.metrics) {
    if (metrics.id != first_column.id) continue;
    std::shared_ptr<arrow::DataType> type = arrow_field_of(first_column)->type();
    if (metrics.lower) {
      ASSIGN_OR_RETURN(bounds.lower_, key_of_bound(first_column.name, *type, *metrics.lower));
    }
    if (metrics.upper) {
      ASSIGN_OR_RETURN(bounds.upper_, key_of_bound(first_column.name, *type, *metrics.upper));
    }
  }
  return bounds;
}

std::vector<uint32_t> rows_within(std::span<const KeyBounds> files, const SortKeys& first_columns) {
  std::vector<uint32_t> rows;
  auto any_has = [&](size_t first, size_t last) {
    return std::any_of(files.begin(), files.end(), [&](const KeyBounds& file) {
      return file.may_have(first_columns, first, last);
    });
  };
  for (size_t first = 0; first < first_columns.size(); first += kBlockRows) {
    size_t end = std::min(first_columns.size(), first + kBlockRows);
    if (!any_has(first, end - 1)) continue;
    for (size_t row = first; row < end; ++row) {
      if (any_has(row, row)) rows.push_back(static_cast<uint32_t>(row));
    }
  }
  return rows;
}

}  // namespace lakestream::iceberg
