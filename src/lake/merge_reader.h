#pragma once

#include <memory>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/result.h"
#include "format/arrow_schema.h"
#include "lake/lake.h"
#include "lake/parquet/cast.h"

// The end that readers of every format have: rows in the columns that the caller wants.
//
// Thread rule: as LakeReader.
//
//   return std::make_unique<MergeReader<KeyMerge>>(std::move(merge), output_columns(columns));
namespace lakestream {

// Of columns with a name and a type of ours.
template <typename Columns>
std::shared_ptr<arrow::Schema> output_columns(const Columns& columns) {
  arrow::FieldVector fields;
  for (const auto& column : columns) {
    fields.push_back(arrow::field(column.name, arrow_type_of(column.type), column.type.nullable()));
  }
  return arrow::schema(std::move(fields));
}

// What a merge gives out: next() is a batch, or nothing at the end.
template <typename Merge>
class MergeReader final : public LakeReader {
 public:
  MergeReader(std::unique_ptr<Merge> merge, std::shared_ptr<arrow::Schema> columns)
      : merge_(std::move(merge)), columns_(std::move(columns)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge_->next());
    if (rows == nullptr) return rows;
    return cast_columns(rows, columns_);
  }

 private:
  std::unique_ptr<Merge> merge_;
  std::shared_ptr<arrow::Schema> columns_;
};

}  // namespace lakestream
