#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/options.h"
#include "table/table_choices.h"

// The rules of CREATE TABLE. The order of a whole creation is: the names (path.h), the JSON text
// (json.h, which also checks what holds of every schema), complete_table(), check_supported(); then
// what only the coordinator knows, such as how many servers there are.
//
// Thread rule: pure functions.
//
//   RETURN_IF_ERROR(check_new_table_path(path));
//   ASSIGN_OR_RETURN(TableDescriptor table, table_from_json(text));
//   ASSIGN_OR_RETURN(table, complete_table(std::move(table), rules));
//   RETURN_IF_ERROR(check_supported(table));
namespace lakestream {

// What the cluster allows and fills in.
struct TableRules {
  int32_t default_bucket_count = 1;
  int32_t default_replication_factor = 1;
  int32_t bucket_count_max = 4096;
  bool allow_log_tables = true;
  bool allow_kv_tables = true;
  std::optional<LakeFormatKind> lake_format;           // of the cluster: new tables get it
  std::vector<LakeFormatKind> more_lake_formats = {};  // that tables may ask for
  bool lake_enabled = false;
};

// Whether the cluster has a lake of the format.
bool has_lake_format(const TableRules& rules, LakeFormatKind format);

// Fills in the defaults, which become visible in the stored properties, and checks every rule of a
// table on the result. Errors: kInvalidConfigException for properties, kBucketMaxNumException for
// too many buckets, else kInvalidTableException.
Result<TableDescriptor> complete_table(TableDescriptor table, const TableRules& rules);

// Every rule of a table whose defaults are filled in; complete_table() ends with it, and so does a
// change of options (alter.h).
Status check_table(const TableDescriptor& table, const TableRules& rules);

// The rules of column names and aggregate functions alone, for a change of columns.
Status check_columns(const Schema& schema, const TableOptions& options);

// Refuses kinds of tables that this server cannot serve, with kInvalidTableException. Each reason
// is one line in validate.cc and goes when the feature comes.
Status check_supported(const TableDescriptor& table);

}  // namespace lakestream
