#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/lake.h"
#include "lake/paimon/schema.h"
#include "lake/row_columns.h"
#include "table/schema.h"
#include "table/types.h"

// The columns of data files and their Arrow types. Types differ from ours where Paimon keeps less:
// times are in milliseconds, timestamps with local time zone are in UTC, and binaries of a fixed
// length lie as those of any length.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(RowColumns columns, row_columns_of(schema, lake_schema, BucketId(0)));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, columns.apply(rows));
namespace lakestream::paimon {

// Before the columns of the table in files of a table with a primary key.
inline constexpr std::string_view kKeyPrefix = "_KEY_";
inline constexpr std::string_view kSequenceColumn = "_SEQUENCE_NUMBER";
inline constexpr std::string_view kKindColumn = "_VALUE_KIND";

// What kKindColumn holds.
enum class RowKind : int8_t { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3 };

inline RowKind row_kind_of(ChangeType change) {
  if (change == ChangeType::kAppend) return RowKind::kInsert;
  return static_cast<RowKind>(static_cast<int8_t>(change) - 1);
}
// The key has no row after it.
inline bool is_retraction(RowKind kind) {
  return kind == RowKind::kUpdateBefore || kind == RowKind::kDelete;
}

std::shared_ptr<arrow::DataType> file_type_of(const DataType& type);
// The columns of the table in its order.
std::shared_ptr<arrow::Schema> table_columns_of(const PaimonSchema& schema);
// All columns of a data file. `with_keys` for a table with a primary key: also a copy of each key
// column.
std::shared_ptr<arrow::Schema> file_columns_of(const PaimonSchema& schema, bool with_keys);

// How rows of ours come to have the columns of the table. Errors: as RowColumns::make.
Result<RowColumns> row_columns_of(const Schema& ours, const PaimonSchema& lake, BucketId bucket);

// A sequence number and a kind for each row, behind its columns.
Result<std::shared_ptr<arrow::RecordBatch>> with_sequences(
    const std::shared_ptr<arrow::RecordBatch>& rows,
    std::span<const int64_t> sequences,
    std::span<const RowKind> kinds);
// Rows as they lie in a data file. `columns`: as file_columns_of() gives them. Requires: `rows` has
// all of them but the copies of key columns, in any order.
std::shared_ptr<arrow::RecordBatch> arranged(const std::shared_ptr<arrow::Schema>& columns,
                                             const arrow::RecordBatch& rows);

}  // namespace lakestream::paimon
