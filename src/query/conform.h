#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "table/schema.h"
#include "table/types.h"

// Columns between the types of tables and those of the SQL engine, which has one unit of time for
// most precisions and knows time zones: 1. what the engine is given of a table, 2. what a table is
// given of the engine, 3. what text formats show of an answer (query.h).
//
// Thread rule: pure functions.
//
//   auto type = engine_type_of(column.type);
//   ASSIGN_OR_RETURN(auto given, conform(column_of_table, type));
namespace lakestream::query {

// The Arrow type under which the engine gets a column: microseconds, or nanoseconds where the
// column has more than six digits; times with local time zone are in UTC.
std::shared_ptr<arrow::DataType> engine_type_of(const DataType& type);
std::shared_ptr<arrow::Schema> engine_schema_of(const Schema& schema);

// The engine's name of the type, to cast to: what conform() can turn into the table's own type.
std::string engine_type_name(const DataType& type);

// The same values as another type: fields of nested types one by one in their order, leaves by a
// cast; digits of a second that the type does not have are cut off. Errors: kUnknownServerError for
// a value that the type can not hold.
Result<std::shared_ptr<arrow::Array>> conform(const std::shared_ptr<arrow::Array>& array,
                                              const std::shared_ptr<arrow::DataType>& type);
// Each column; names are those of the schema.
Result<std::shared_ptr<arrow::RecordBatch>> conform(const std::shared_ptr<arrow::RecordBatch>& rows,
                                                    const std::shared_ptr<arrow::Schema>& schema);

// The type that shows the values of an answer; STRING for those that tables do not have.
DataType shown_type_of(const arrow::DataType& type);

}  // namespace lakestream::query
