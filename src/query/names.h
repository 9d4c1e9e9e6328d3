#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "table/ddl.h"

// SQL text for the engine.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::string sql, engine_text(statement));
namespace lakestream::query {

// In double quotes.
std::string quoted_name(std::string_view name);
std::string quoted_literal(std::string_view text);

// The statement as the engine reads it: with names in double quotes.
Result<std::string> engine_text(const SqlText& statement);

// A message of the engine with the lines that it counts from the beginning of a statement
// ("LINE 2: FROM gone", and a mark below it) counted from that of the user's text.
std::string with_user_lines(std::string message, int first_line);

}  // namespace lakestream::query
