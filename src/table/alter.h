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
//   ASSIGN_OR_RETURN(table.schema, alter_columns(table, {.add = {column}}, rules));
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

struct ColumnRename {
  std::string from;
  std::string to;
};

// In this order. Every column keeps its place, so that positions which clients know stay right.
struct ColumnChanges {
  std::vector<ColumnRename> rename = {};
  // Out of sight: they keep their place under a name of kDroppedPrefix, and new rows have no value.
  std::vector<std::string> drop = {};
  std::vector<Column> add = {};  // new and nullable, at the end, with new ids

  bool empty() const { return rename.empty() && drop.empty() && add.empty(); }
};

// The next schema of the table. kInvalidAlterTableException when a column is there already or not
// there, or a key or an option names it, or it is to be renamed or dropped while the table has a
// lake; kUnknownServerError when one to add or drop is NOT NULL.
Result<Schema> alter_columns(const TableDescriptor& table,
                             ColumnChanges changes,
                             const TableRules& rules);

}  // namespace lakestream
