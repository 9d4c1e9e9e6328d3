#include "cli/input/text_source.h"

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "cli/columns.h"

namespace lakestream::cli {
namespace {

// Of one gathered piece.
constexpr int64_t kRowsMax = 16'384;
constexpr size_t kBytesMax = size_t{1} << 20;

}  // namespace

tl::unexpected<Error> bad_cell(int64_t line, const Column& column, const Misfit& misfit) {
  return make_error(ErrorCode::kUnknownServerError,
                    "line {}, column '{}'{}: {}",
                    line,
                    column.name,
                    misfit.path,
                    misfit.to_string());
}

Status check_nulls(int64_t line, const Schema& schema, std::span<const Value> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    const Column& column = schema.column(i);
    if (row[i].is_null() && !column.type.nullable()) {
      return bad_cell(line, column, Misfit{"", "null", column.type});
    }
  }
  return ok();
}

tl::unexpected<Error> unknown_column(std::string_view place,
                                     std::string_view name,
                                     const Schema& schema) {
  return make_error(ErrorCode::kUnknownServerError,
                    "{}: {}; --ignore-unknown leaves it out",
                    place,
                    why_no_column(name, schema));
}

TextSource::TextSource(std::unique_ptr<RecordReader> reader,
                       const Schema* schema,
                       BadRows* bad_rows)
    : reader_(std::move(reader)),
      bad_rows_(bad_rows),
      rows_(*schema),
      column_count_(schema->size()) {}

Result<std::shared_ptr<arrow::RecordBatch>> TextSource::next() {
  size_t bytes = 0;
  while (!failure_ && rows_.size() < kRowsMax && bytes < kBytesMax) {
    auto step = reader_->next(rows_.size() == 0);
    if (!step) {
      failure_ = std::move(step).error();
      break;
    }
    if (*step != Step::kRecord) break;
    arena_.clear();
    std::span<Value> row = arena_.values(column_count_);
    Status filled = reader_->fill(row, &arena_);
    if (!filled) {
      Status goes_on = bad_rows_->take(std::move(filled).error());
      if (!goes_on) failure_ = std::move(goes_on).error();
      continue;
    }
    RETURN_IF_ERROR(rows_.append(row));
    bytes += reader_->record_bytes();
  }
  if (rows_.size() > 0) return rows_.finish();
  if (failure_) return fail(*failure_);
  return nullptr;
}

}  // namespace lakestream::cli
