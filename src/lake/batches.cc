#include "lake/batches.h"

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"

namespace lakestream {
namespace {

// Of `length` values from `offset` on, which counts from the buffers' beginning.
int64_t data_bytes(const arrow::ArrayData& data, int64_t offset, int64_t length) {
  int64_t bytes = data.buffers[0] == nullptr ? 0 : length / 8;
  switch (data.type->id()) {
    case arrow::Type::NA:
      return 0;
    case arrow::Type::STRUCT:
      for (const std::shared_ptr<arrow::ArrayData>& child : data.child_data) {
        bytes += data_bytes(*child, child->offset + offset, length);
      }
      return bytes;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LIST:
    case arrow::Type::MAP: {
      if (length == 0) return bytes;
      const int32_t* ends = data.GetValues<int32_t>(1, offset);
      int64_t count = ends[length] - ends[0];
      bytes += length * int64_t{sizeof(int32_t)};
      if (data.child_data.empty()) return bytes + count;
      const arrow::ArrayData& child = *data.child_data[0];
      return bytes + data_bytes(child, child.offset + ends[0], count);
    }
    default:
      return bytes + length * data.type->bit_width() / 8;
  }
}

}  // namespace

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

int64_t batch_bytes(const arrow::RecordBatch& batch) {
  int64_t bytes = 0;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const std::shared_ptr<arrow::ArrayData>& data = batch.column_data(i);
    bytes += data_bytes(*data, data->offset, data->length);
  }
  return bytes;
}

}  // namespace lakestream
