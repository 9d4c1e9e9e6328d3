#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>

#include "base/result.h"
#include "format/arrow_error.h"

// Columns that are made, of one value a row.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(auto zeros, filled_array<arrow::Int32Array>(
//       arrow::int32(), 3, [](int32_t* out) { std::fill(out, out + 3, 0); }));
namespace lakestream {

// An array over memory of one value a row.
template <typename Array, typename Fill>
Result<std::shared_ptr<arrow::Array>> filled_array(const std::shared_ptr<arrow::DataType>& type,
                                                   int64_t rows,
                                                   const Fill& fill) {
  using Element = typename Array::value_type;
  ASSIGN_OR_RETURN(std::unique_ptr<arrow::Buffer> buffer,
                   from_arrow(arrow::AllocateBuffer(rows * int64_t{sizeof(Element)})));
  fill(reinterpret_cast<Element*>(buffer->mutable_data()));
  std::shared_ptr<arrow::Array> array =
      std::make_shared<Array>(type, rows, std::shared_ptr<arrow::Buffer>(std::move(buffer)));
  return array;
}

}  // namespace lakestream
