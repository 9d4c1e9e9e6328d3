#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/value.h"
#include "table/types.h"

// BinaryRow, the form of partitions, keys and statistics in the metadata of Paimon: the number of
// fields (4 bytes, big endian), a null bit a field behind a byte for the row kind, 8 bytes a field,
// and what is longer behind them, little endian.
//
// Thread rule: pure functions.
//
//   std::string row = binary_row(types, values);
//   ASSIGN_OR_RETURN(std::vector<Value> back, read_binary_row(types, row, &arena));
namespace lakestream::paimon {

// Requires: values of these types, none nested.
std::string binary_row(std::span<const DataType> types, std::span<const Value> values);
// kUnknownServerError when the bytes are no such row.
Result<std::span<const Value>> read_binary_row(std::span<const DataType> types,
                                               std::string_view bytes,
                                               Arena* arena);

}  // namespace lakestream::paimon
