#pragma once

#include "base/result.h"
#include "cli/sql_runner.h"

// The prompt of `lakestream sql`: statements that end with a semicolon, over any number of lines.
//
// Thread rule: the main thread.
//
//   RETURN_IF_ERROR(run_sql_shell(runner));
namespace lakestream::cli {

// Until the input ends, or "exit". An error of a statement is shown, and the prompt comes again.
Status run_sql_shell(SqlRunner& runner);

}  // namespace lakestream::cli
