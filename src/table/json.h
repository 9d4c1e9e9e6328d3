#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/schema.h"
#include "table/types.h"

// The JSON documents of tables, as they travel in requests and lie in the metadata store. Writing
// gives the text of the Fluss protocol: no white space, fixed field order, optional fields left
// out. Reading is lenient: unknown fields are ignored, null counts as absent, order does not
// matter. Errors name the place: "columns[2].data_type.precision: 12 is outside 0..9".
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(TableDescriptor table, table_from_json(request.table_json));
//   std::string text = to_json(table);
namespace lakestream {

std::string to_json(const DataType& type);
std::string to_json(const Schema& schema);
std::string to_json(const TableDescriptor& table);
std::string to_json(const DatabaseDescriptor& database);

// kInvalidTableException when the text is not a valid document.
Result<DataType> data_type_from_json(std::string_view text);
// Columns without any ids (written by old versions) are numbered by position.
Result<Schema> schema_from_json(std::string_view text);
// The result is normalized.
Result<TableDescriptor> table_from_json(std::string_view text);
// kInvalidDatabaseException.
Result<DatabaseDescriptor> database_from_json(std::string_view text);

}  // namespace lakestream
