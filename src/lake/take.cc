#include "lake/take.h"

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>

#include "format/arrow_error.h"

namespace lakestream {

Result<std::shared_ptr<arrow::RecordBatch>> take_rows(
    const std::shared_ptr<arrow::RecordBatch>& batch, std::span<const uint32_t> rows) {
  // Lent for the call.
  auto places = std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(rows.data()),
                                                static_cast<int64_t>(rows.size_bytes()));
  arrow::UInt32Array indices(static_cast<int64_t>(rows.size()), std::move(places));
  ASSIGN_OR_RETURN(arrow::Datum taken,
                   from_arrow(arrow::compute::Take(arrow::Datum(batch),
                                                   arrow::Datum(indices.data()),
                                                   arrow::compute::TakeOptions::NoBoundsCheck())));
  return taken.record_batch();
}

}  // namespace lakestream
