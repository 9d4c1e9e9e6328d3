#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/partition.h"
#include "table/schema.h"

// The data definition statements of SQL, as users know them from the Flink catalog: text becomes
// one of the structs of Statement, and show_create_table() is the way back. Keywords may have any
// case; names may stand in backticks or double quotes; "--" and "/* */" are comments. Errors are
// kUnknownServerError with the place and what was expected: "line 1, column 8: expected TABLE or
// DATABASE, found 'TABEL'". What the statement says about a table is checked as far as the
// statement alone can tell; validate.h has the rest.
//
// Thread rule: pure functions and values, any thread.
//
//   ASSIGN_OR_RETURN(std::vector<SqlText> parts, split_sql("USE d; SHOW TABLES"));
//   for (const SqlText& part : parts) {
//     if (!is_ddl(part)) continue;  // for the query engine
//     ASSIGN_OR_RETURN(Statement statement, parse_ddl(part));
//   }
namespace lakestream {

// A piece of a text, and where in the text it begins. Does not own.
struct SqlText {
  std::string_view text;
  int line = 1;
  int column = 1;
};

// A table; without a database it is in the current one.
struct TableName {
  std::optional<std::string> database;
  std::string table;

  friend bool operator==(const TableName&, const TableName&) = default;
};

struct CreateDatabase {
  std::string name;
  bool if_not_exists = false;
  DatabaseDescriptor descriptor;
};
struct DropDatabase {
  std::string name;
  bool if_exists = false;
  bool cascade = false;
};
struct ShowDatabases {};
struct UseDatabase {
  std::string name;
};

struct CreateTable {
  TableName name;
  bool if_not_exists = false;
  TableDescriptor descriptor;  // normalized
};
// The new table is apply_with() of the source's descriptor and these options.
struct CreateTableLike {
  TableName name;
  bool if_not_exists = false;
  TableName source;
  Properties with;
};
struct DropTable {
  TableName name;
  bool if_exists = false;
};
struct ShowTables {
  std::optional<std::string> database;
};
struct DescribeTable {
  TableName name;
};
struct ShowCreateTable {
  TableName name;
};

// Columns without ids, nullable, for the end of the table.
struct AddColumns {
  TableName name;
  std::vector<Column> columns;
};
struct DropColumn {
  TableName name;
  std::string column;
};
struct RenameColumn {
  TableName name;
  std::string column;
  std::string new_name;
};
struct SetOptions {
  TableName name;
  Properties options;
};
struct ResetOptions {
  TableName name;
  std::vector<std::string> keys;
};
struct AddPartition {
  TableName name;
  bool if_not_exists = false;
  PartitionSpec partition;
};
struct DropPartition {
  TableName name;
  bool if_exists = false;
  PartitionSpec partition;
};
// Those that have the values; all when there are none.
struct ShowPartitions {
  TableName name;
  PartitionSpec partition;
};

using Statement = std::variant<CreateDatabase,
                               DropDatabase,
                               ShowDatabases,
                               UseDatabase,
                               CreateTable,
                               CreateTableLike,
                               DropTable,
                               ShowTables,
                               DescribeTable,
                               ShowCreateTable,
                               AddColumns,
                               DropColumn,
                               RenameColumn,
                               SetOptions,
                               ResetOptions,
                               AddPartition,
                               DropPartition,
                               ShowPartitions>;

// The statements between the semicolons, without empty ones.
Result<std::vector<SqlText>> split_sql(std::string_view sql);

// Whether the statement begins like one that parse_ddl() reads; others are for the query engine.
bool is_ddl(const SqlText& statement);

Result<Statement> parse_ddl(const SqlText& statement);

// A type alone, "DECIMAL(10, 2) NOT NULL".
Result<DataType> parse_sql_type(std::string_view text);

// Puts the options of a WITH clause where they belong: bucket.num, bucket.key,
// auto-increment.fields and fields.<column>.agg into the descriptor's own parts, table.* into its
// properties, the others into its custom properties.
Result<TableDescriptor> apply_with(TableDescriptor table, const Properties& with);

// The statement that makes this table, but for the ids of columns.
std::string show_create_table(const TableName& name, TableDescriptor table);

}  // namespace lakestream
