#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/schema.h"
#include "table/types.h"

// How a table of ours changed, for a lake table that has to follow.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::vector<Column> added, added_columns(before.schema, after.schema));
//   OptionChanges changes = changed_options(old_options, new_options);
namespace lakestream {

// kInvalidAlterTableException.
tl::unexpected<Error> not_followed(std::string_view what);

// Equal but for ids and descriptions of nested fields.
bool same_type(const DataType& a, const DataType& b);

// The columns that `after` has more, which have to be the last ones and nullable; what else changed
// can not be followed. Requires: columns that were dropped are not among them (Schema::visible).
Result<std::vector<Column>> added_columns(const Schema& before, const Schema& after);

struct OptionChanges {
  Properties set;
  std::vector<std::string> removed;
};

OptionChanges changed_options(const Properties& before, const Properties& after);

}  // namespace lakestream
