#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/predicate.h"
#include "table/descriptor.h"

// Rows that a condition names by their keys: each column of the key is compared with constants, by
// = or IN. They are looked up and nothing is scanned.
//
// Thread rule: pure functions.
//
//   std::optional<KeyAccess> access = key_access_of(descriptor, condition);
//   if (access) ASSIGN_OR_RETURN(auto keys, named_keys(condition, lookuper.key_schema()));
namespace lakestream::query {

struct KeyAccess {
  bool is_prefix = false;  // of the columns of the bucket key alone
  size_t keys = 0;         // how many are named
};

// Nothing for a table without a primary key, for a condition that leaves a column open, and for
// more keys than are worth it.
std::optional<KeyAccess> key_access_of(const TableDescriptor& table, const Predicate& condition);

// The keys in these columns, each once. Requires: key_access_of() has found all of them.
Result<std::shared_ptr<arrow::RecordBatch>> named_keys(const Predicate& condition,
                                                       const Schema& columns);

}  // namespace lakestream::query
