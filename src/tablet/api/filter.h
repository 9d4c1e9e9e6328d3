#pragma once

#include <optional>

#include "format/predicate.h"
#include "table/schema.h"
#include "wire/messages.h"

// The condition of a fetch as a Predicate, so far as the server understands it: a part with an
// unknown code, with a column that the schema lacks, or with literals that do not fit the column,
// is anything. So is one that would cost too much for each batch.
//
// Thread rule: pure function.
//
//   Predicate predicate = predicate_of(*table.filter_predicate, schema);
//   if (predicate.kind() == Predicate::Kind::kAnything) return read_all();
namespace lakestream {

// `schema` is the one that the request names.
Predicate predicate_of(const wire::PbPredicate& wanted, const Schema& schema);

}  // namespace lakestream
