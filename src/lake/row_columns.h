#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/lake.h"
#include "table/schema.h"

// Rows of ours in the columns of the lake table: by name, what we lack is null, and the columns
// that say where a row comes from are made.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(RowColumns columns,
//                    RowColumns::make(schema, lake_columns, true, BucketId(0)));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, columns.apply(rows));
namespace lakestream {

class RowColumns {
 public:
  // `ours`: the schema of the rows; `columns`: those of the lake table in the types of its files.
  // Errors: kUnknownServerError for a column that the lake table does not have.
  static Result<RowColumns> make(const Schema& ours,
                                 std::shared_ptr<arrow::Schema> columns,
                                 bool has_system_columns,
                                 BucketId bucket);

  const std::shared_ptr<arrow::Schema>& columns() const { return columns_; }
  // Errors: kUnknownServerError when the rows are not of the schema or have other counts.
  Result<std::shared_ptr<arrow::RecordBatch>> apply(const LakeRows& rows) const;

 private:
  enum class Source : uint8_t { kRow, kNull, kBucket, kOffset, kTimestamp };
  struct Column {
    Source source = Source::kNull;
    int index = -1;  // of kRow
  };
  Result<std::shared_ptr<arrow::Array>> make_column(const Column& column,
                                                    const std::shared_ptr<arrow::DataType>& type,
                                                    const LakeRows& rows) const;

  std::shared_ptr<arrow::Schema> columns_;
  std::vector<Column> sources_;
  size_t our_columns_ = 0;
  BucketId bucket_;
};

}  // namespace lakestream
