#pragma once

#include "base/result.h"
#include "format/predicate.h"
#include "table/condition.h"
#include "table/schema.h"

// The condition of --where on the columns of a table: literals become values of the columns' types,
// NOT goes down to the comparisons. Errors have the place in the text: "line 1, column 6: 'x' is no
// value of column id, which takes a whole number from … to …".
//
// Thread rule: pure function.
//
//   ASSIGN_OR_RETURN(SqlCondition condition, parse_condition(text));
//   ASSIGN_OR_RETURN(Predicate predicate, predicate_of(condition, schema));
namespace lakestream::cli {

// Errors: kInvalidColumnProjection for an unknown column, kUnknownServerError for a literal that
// does not fit.
Result<Predicate> predicate_of(const SqlCondition& condition, const Schema& schema);

}  // namespace lakestream::cli
