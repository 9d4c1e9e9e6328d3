#pragma once

#include "base/result.h"
#include "table/ddl/token_reader.h"
#include "table/types.h"

// Reads a type of SQL with its NOT NULL, if any, up to where it ends.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(DataType type, parse_type(reader));
namespace lakestream {

Result<DataType> parse_type(TokenReader& reader);

}  // namespace lakestream
