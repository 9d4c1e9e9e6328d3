#include "lake/iceberg/data/file_rows.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/arrays.h"
#include "lake/batches.h"
#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/file_maker.h"

namespace lakestream::iceberg {

FileRows::FileRows(std::unique_ptr<ParquetFileReader> reader, FileRowsOptions options)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      columns_(table_columns(options_.fields)),
      in_file_(columns_in_file(options_.fields, *reader_->schema())) {}

Result<std::unique_ptr<FileRows>> FileRows::open(ObjectStore& objects,
                                                 const DataFile& file,
                                                 FileRowsOptions options) {
  ASSIGN_OR_RETURN(std::unique_ptr<ParquetFileReader> reader,
                   ParquetFileReader::open(objects,
                                           file.path,
                                           static_cast<uint64_t>(file.bytes),
                                           options.whole_bytes,
                                           Int96As::kMicros));
  if (reader->rows() != file.rows) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} has {} rows; the table says {}",
                      file.path,
                      reader->rows(),
                      file.rows);
  }
  int64_t batch_rows = options.batch_rows;
  auto rows = std::make_unique<FileRows>(FileRows(std::move(reader), std::move(options)));
  RETURN_IF_ERROR(rows->reader_->select(rows->in_file_, batch_rows));
  return rows;
}

bool FileRows::is_sorted_by(const std::vector<int32_t>& ids) const {
  return reader_->metadata(std::string(kSortKeyMetadata)) == sort_key_text(ids);
}

std::string FileRows::name_in_file(size_t field) const {
  return in_file_->field(static_cast<int>(field))->name();
}

Result<std::shared_ptr<arrow::RecordBatch>> FileRows::next() {
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader_->next());
    if (rows == nullptr) return rows;
    int64_t first = position_;
    position_ += rows->num_rows();
    rows = as_columns_of_table(columns_, *rows);
    ASSIGN_OR_RETURN(rows, with_added(std::move(rows), first));
    ASSIGN_OR_RETURN(rows, without_deleted(std::move(rows), first));
    if (rows->num_rows() > 0) return rows;
  }
}

Result<std::shared_ptr<arrow::RecordBatch>> FileRows::with_added(
    std::shared_ptr<arrow::RecordBatch> rows, int64_t first) const {
  if (!options_.with_positions && !options_.number) return rows;
  int64_t count = rows->num_rows();
  arrow::FieldVector fields = rows->schema()->fields();
  arrow::ArrayVector arrays = rows->columns();
  auto add = [&](const std::string& name, int64_t begin, int64_t step) -> Status {
    fields.push_back(arrow::field(name, arrow::int64(), false));
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> column,
                     filled_array<arrow::Int64Array>(arrow::int64(), count, [&](int64_t* out) {
                       for (int64_t i = 0; i < count; ++i) out[i] = begin + i * step;
                     }));
    arrays.push_back(std::move(column));
    return ok();
  };
  if (options_.with_positions) RETURN_IF_ERROR(add(std::string(kPositionColumn), first, 1));
  if (options_.number) RETURN_IF_ERROR(add(options_.number->first, options_.number->second, 0));
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), count, std::move(arrays));
}

Result<std::shared_ptr<arrow::RecordBatch>> FileRows::without_deleted(
    std::shared_ptr<arrow::RecordBatch> rows, int64_t first) const {
  int64_t count = rows->num_rows();
  if (options_.deleted == nullptr || !options_.deleted->has_any(first, first + count)) return rows;
  std::vector<uint32_t> kept;
  for (int64_t i = 0; i < count; ++i) {
    if (!options_.deleted->contains(first + i)) kept.push_back(static_cast<uint32_t>(i));
  }
  return take_rows(rows, kept);
}

}  // namespace lakestream::iceberg
