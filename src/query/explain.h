#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/scan_function.h"

// What a statement would do: the engine's plan, and of each table what is read of its log and what
// is left out.
//
// Thread rule: the thread that runs statements.
//
//   ASSIGN_OR_RETURN(auto lines, explain(tables, "EXPLAIN SELECT count(*) FROM t"));
namespace lakestream::query {

// `sql` begins with EXPLAIN. EXPLAIN ANALYZE carries the statement out and tells what was read.
Result<std::vector<std::string>> explain(EngineTables& tables, const std::string& sql);

}  // namespace lakestream::query
