#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/schema.h"
#include "table/validate.h"

// The rules of ALTER TABLE: what a table looks like after a change of its options or columns.
//
// Thread rule: pure functions.
//
//   OptionChanges changes{.set = {{"table.log.ttl", "3 d"}}, .reset = {"owner"}};
//   ASSIGN_OR_RETURN(table, alter_options(std::move(table), changes, rules));
//   ASSIGN_OR_RETURN(table.schema, add_columns(table, {column}));
namespace lakestream {

struct OptionChanges {
  Properties set;
  std::vector<std::string> reset;  // back to the default; what is not set may be reset
};

// Keys that begin with "table." are options and have to be alterable, else
// kInvalidAlterTableException; all others are the user's own. The changed table obeys
// check_table().
Result<TableDescriptor> alter_options(TableDescriptor table,
                                      const OptionChanges& changes,
                                      const TableRules& rules);

// The next schema of the table: the columns, which must be new and nullable, come last and take new
// ids. kInvalidAlterTableException when a column is there, kUnknownServerError when it is NOT NULL.
Result<Schema> add_columns(const TableDescriptor& table, std::vector<Column> columns);

}  // namespace lakestream
