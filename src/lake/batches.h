#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "format/arrow_fwd.h"

// What is done to whole batches: rows out of one by their places, the memory that one takes.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> sorted, take_rows(rows, order));
//   held += batch_bytes(*sorted);
namespace lakestream {

// In the order of `rows`. Requires: each is below the number of rows.
Result<std::shared_ptr<arrow::RecordBatch>> take_rows(
    const std::shared_ptr<arrow::RecordBatch>& batch, std::span<const uint32_t> rows);

// Of the rows of the batch alone where it is part of a larger one. Takes nanoseconds a column, so
// that it can be asked for small batches.
int64_t batch_bytes(const arrow::RecordBatch& batch);

}  // namespace lakestream
