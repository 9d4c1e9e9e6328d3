#include "cli/print/text_writer.h"

#include <arrow/record_batch.h>

#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 20;

}  // namespace

Status TextWriter::write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  RETURN_IF_ERROR(begin(rows.get()));
  ASSIGN_OR_RETURN(ArrowRows cells, ArrowRows::make(rows, schema_));
  Arena arena;
  for (int64_t i = 0; i < cells.size(); ++i) {
    arena.clear();
    ASSIGN_OR_RETURN(std::span<const Value> row, cells.row(i, &arena));
    append_row(row, &out_);
    if (out_.size() >= kFlushBytes) RETURN_IF_ERROR(flush());
  }
  return flush();
}

Status TextWriter::finish() {
  RETURN_IF_ERROR(begin(nullptr));
  append_footer(&out_);
  return flush();
}

Status TextWriter::begin(const arrow::RecordBatch* first_rows) {
  if (begun_) return ok();
  begun_ = true;
  return append_header(first_rows, &out_);
}

Status TextWriter::flush() {
  Status written = put(out_);
  out_.clear();
  return written;
}

}  // namespace lakestream::cli
