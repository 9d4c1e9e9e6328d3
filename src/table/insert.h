#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/ddl.h"

// SQL text that is no data definition, as far as it is read here: what a statement begins with, the
// head of an INSERT, and names in the quotes that query engines know. Errors are those of ddl.h.
//
// Thread rule: pure functions and values, any thread.
//
//   if (begins_with(statement, {"INSERT", "INTO"})) {
//     ASSIGN_OR_RETURN(InsertInto insert, parse_insert(statement));
//     ASSIGN_OR_RETURN(std::string query, with_double_quotes(insert.source));
//   }
namespace lakestream {

// Whether these are the first words, in any case.
bool begins_with(const SqlText& statement, std::initializer_list<std::string_view> words);

struct InsertInto {
  TableName name;
  SqlText place;                     // of the name
  std::vector<std::string> columns;  // empty: all
  SqlText source;                    // a query, or VALUES
};

// INSERT INTO [TABLE] name [(column, …)] query
Result<InsertInto> parse_insert(const SqlText& statement);

// The same text with names in double quotes where they stand in backticks.
Result<std::string> with_double_quotes(const SqlText& statement);

}  // namespace lakestream
