#pragma once

#include <string>
#include <string_view>

#include "table/schema.h"

// Names of columns that a user gives.
//
// Thread rule: pure functions.
//
//   if (schema.find(name) == nullptr) complain(why_no_column(name, schema));
namespace lakestream::cli {

// "the table has no column 'nmae', did you mean 'name'". Requires: it has none of the name.
std::string why_no_column(std::string_view name, const Schema& schema);

}  // namespace lakestream::cli
