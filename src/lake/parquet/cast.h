#pragma once

#include <memory>

#include "base/result.h"
#include "format/arrow_fwd.h"

// Columns of one Arrow type under another: what differs only in how it is described (a time zone,
// the names inside a list) shares its buffers, the rest is converted.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, cast_columns(rows, schema));
namespace lakestream {

// Fields of a struct are matched by name; those that are missing are null. A time that a coarser
// unit can not hold is cut off. Errors: kUnknownServerError for types that do not go together and
// for a value that the type does not hold.
Result<std::shared_ptr<arrow::Array>> cast_array(std::shared_ptr<arrow::Array> array,
                                                 const std::shared_ptr<arrow::DataType>& type);

// The columns of `schema`, matched by name; those that `batch` lacks are null. Errors: as
// cast_array, naming the column; and for one that is missing and is not nullable.
Result<std::shared_ptr<arrow::RecordBatch>> cast_columns(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::shared_ptr<arrow::Schema>& schema);

}  // namespace lakestream
