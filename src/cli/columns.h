#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "table/schema.h"

// Names of columns that a user gives.
//
// Thread rule: pure functions.
//
//   if (schema.find(name) == nullptr) complain(why_no_column(name, schema));
namespace lakestream::cli {

// "the table has no column 'nmae', did you mean 'name'". Requires: it has none of the name.
std::string why_no_column(std::string_view name, const Schema& schema);
// Of --columns. Errors: kInvalidColumnProjection for a name that the table does not have.
Status check_columns(std::span<const std::string> names, const Schema& schema);

}  // namespace lakestream::cli
