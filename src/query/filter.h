#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/predicate.h"
#include "query/duckdb_api.h"
#include "table/schema.h"

// Conditions of the engine as conditions on the rows of a table, so that servers leave out what a
// query does not want. Comparisons of a column with constants, IN, BETWEEN, IS NULL, prefixes,
// suffixes and parts of texts are understood, under AND, OR and NOT.
//
// Thread rule: pure functions, inside a callback of the engine.
//
//   Filter filter = filter_of(expression, columns);
//   if (filter.is_exact) accept(index);
namespace lakestream::query {

struct Filter {
  Predicate predicate;    // true of all rows that the expression is true of
  bool is_exact = false;  // and of no others
  std::string text;       // what it says, as SQL; empty when it says nothing
};

// The column that a reference of an expression means; nullptr when it is none of the table's.
using ColumnOfReference = std::function<const Column*(uint64_t)>;

Filter filter_of(duck::Expression expression, const ColumnOfReference& column_of);

}  // namespace lakestream::query
