#include "lake/row_columns.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/arrays.h"
#include "lake/parquet/cast.h"

namespace lakestream {
namespace {

Result<std::shared_ptr<arrow::Array>> offsets_of(const LakeRows& rows) {
  int64_t count = rows.rows->num_rows();
  return filled_array<arrow::Int64Array>(arrow::int64(), count, [&](int64_t* out) {
    if (rows.offsets.empty()) {
      for (int64_t i = 0; i < count; ++i) out[i] = rows.base_offset.value() + i;
    } else {
      for (size_t i = 0; i < rows.offsets.size(); ++i) out[i] = rows.offsets[i].value();
    }
  });
}

Result<std::shared_ptr<arrow::Array>> timestamps_of(const std::shared_ptr<arrow::DataType>& type,
                                                    const LakeRows& rows) {
  int64_t value = rows.timestamp.value();
  auto unit = static_cast<const arrow::TimestampType&>(*type).unit();
  if (unit == arrow::TimeUnit::MICRO) value *= 1000;
  if (unit == arrow::TimeUnit::NANO) value *= 1'000'000;
  int64_t count = rows.rows->num_rows();
  return filled_array<arrow::TimestampArray>(
      type, count, [&](int64_t* out) { std::fill(out, out + count, value); });
}

}  // namespace

Result<RowColumns> RowColumns::make(const Schema& ours,
                                    std::shared_ptr<arrow::Schema> columns,
                                    bool has_system_columns,
                                    BucketId bucket) {
  RowColumns made;
  made.our_columns_ = ours.size();
  made.bucket_ = bucket;
  made.sources_.resize(static_cast<size_t>(columns->num_fields()));
  auto source_of = [&](std::string_view name) -> Column* {
    int index = columns->GetFieldIndex(std::string(name));
    return index < 0 ? nullptr : &made.sources_[static_cast<size_t>(index)];
  };
  if (has_system_columns) {
    for (const auto& [name, source] : {std::pair(kLakeBucketColumn, Source::kBucket),
                                       std::pair(kLakeOffsetColumn, Source::kOffset),
                                       std::pair(kLakeTimestampColumn, Source::kTimestamp)}) {
      if (Column* column = source_of(name)) column->source = source;
    }
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    const lakestream::Column& column = ours.column(i);
    Column* made_of = source_of(column.name);
    if (made_of == nullptr && is_dropped(column)) continue;
    if (made_of == nullptr) {
      return make_error(
          ErrorCode::kUnknownServerError, "column {} is not in the lake table", column.name);
    }
    *made_of = {Source::kRow, static_cast<int>(i)};
  }
  made.columns_ = std::move(columns);
  return made;
}

Result<std::shared_ptr<arrow::Array>> RowColumns::make_column(
    const Column& column,
    const std::shared_ptr<arrow::DataType>& type,
    const LakeRows& rows) const {
  int64_t count = rows.rows->num_rows();
  switch (column.source) {
    case Source::kRow:
      return cast_array(rows.rows->column(column.index), type);
    case Source::kNull:
      break;
    case Source::kBucket:
      return filled_array<arrow::Int32Array>(
          type, count, [&](int32_t* out) { std::fill(out, out + count, bucket_.value()); });
    case Source::kOffset:
      return offsets_of(rows);
    case Source::kTimestamp:
      return timestamps_of(type, rows);
  }
  return from_arrow(arrow::MakeArrayOfNull(type, count));
}

Result<std::shared_ptr<arrow::RecordBatch>> RowColumns::apply(const LakeRows& rows) const {
  auto count = static_cast<size_t>(rows.rows->num_rows());
  if (static_cast<size_t>(rows.rows->num_columns()) != our_columns_ ||
      (!rows.changes.empty() && rows.changes.size() != count) ||
      (!rows.offsets.empty() && rows.offsets.size() != count)) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} rows of {} columns with {} changes and {} offsets; the table has {} "
                      "columns, and each row one of both or none",
                      count,
                      rows.rows->num_columns(),
                      rows.changes.size(),
                      rows.offsets.size(),
                      our_columns_);
  }
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const std::shared_ptr<arrow::Field>& field = columns_->field(static_cast<int>(i));
    Result<std::shared_ptr<arrow::Array>> array = make_column(sources_[i], field->type(), rows);
    if (!array) return fail(std::move(array).error().with_context("column " + field->name()));
    arrays.push_back(*std::move(array));
  }
  return arrow::RecordBatch::Make(columns_, rows.rows->num_rows(), std::move(arrays));
}

}  // namespace lakestream
