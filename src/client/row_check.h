#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "format/value.h"
#include "table/types.h"

// Whether a row fits the columns of a table, before anything of it is taken: encoders stop in the
// middle of a row that does not, and what other rows share with it would be lost.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(size_t bytes, check_row(types, row));
namespace lakestream::client {

// About how many bytes the row takes before compression. Errors: kUnknownServerError for another
// number of values, a null in a NOT NULL column, or a value that its type can not hold.
Result<size_t> check_row(std::span<const DataType> types, std::span<const Value> row);

}  // namespace lakestream::client
