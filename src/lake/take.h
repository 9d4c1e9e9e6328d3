#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "format/arrow_fwd.h"

// Rows out of a batch by their places, column by column.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> sorted, take_rows(rows, order));
namespace lakestream {

// In the order of `rows`. Requires: each is below the number of rows.
Result<std::shared_ptr<arrow::RecordBatch>> take_rows(
    const std::shared_ptr<arrow::RecordBatch>& batch, std::span<const uint32_t> rows);

}  // namespace lakestream
