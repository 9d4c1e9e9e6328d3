#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/iceberg/schema.h"
#include "lake/iceberg/types.h"

// The columns of a table and those of a file that was written under another version of its schema.
// A field of both has the same id; its name and its type may have changed since.
//
// Thread rule: pure functions.
//
//   std::shared_ptr<arrow::Schema> in_file = columns_in_file(fields, *reader->schema());
//   RETURN_IF_ERROR(reader->select(in_file, 8192));
//   rows = as_columns_of_table(table_columns(fields), *rows);
namespace lakestream::iceberg {

// All columns but those of a type that we have not.
std::vector<NestedField> known_fields(const IcebergSchema& schema);
// Those of the primary key.
std::vector<NestedField> key_fields(const IcebergSchema& schema);
std::vector<std::string> names_of(const std::vector<NestedField>& fields);
std::vector<int32_t> ids_of(const std::vector<NestedField>& fields);

std::shared_ptr<arrow::Schema> table_columns(const std::vector<NestedField>& fields);
// The same in their order and their types, under the names that a file with these columns has for
// them; those that it lacks under names that it has not. A field of the file without an id counts
// by its name, as NestedField::names_in_files says.
std::shared_ptr<arrow::Schema> columns_in_file(const std::vector<NestedField>& fields,
                                               const arrow::Schema& file);
// Rows with the columns of columns_in_file() under the names of the table.
std::shared_ptr<arrow::RecordBatch> as_columns_of_table(
    const std::shared_ptr<arrow::Schema>& columns, const arrow::RecordBatch& rows);

}  // namespace lakestream::iceberg
