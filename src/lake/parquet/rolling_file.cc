#include "lake/parquet/rolling_file.h"

#include <utility>

#include <arrow/record_batch.h>

#include "io/object_store.h"

namespace lakestream {

RollingFile::RollingFile(ObjectStore& objects, RollingFileOptions options)
    : objects_(objects), options_(std::move(options)), work_(options_.leaves_work) {}

RollingFile::~RollingFile() { remove_objects(objects_, paths_); }

Status RollingFile::intact() const {
  if (!is_broken_ && !work_.has_failed()) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "{}: a write before this one was in vain; begin anew",
                    options_.what);
}

Status RollingFile::write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  if (rows->num_rows() == 0) return ok();
  RETURN_IF_ERROR(intact());
  is_broken_ = true;
  if (writer_ == nullptr) {
    ASSIGN_OR_RETURN(writer_, ParquetFileWriter::make(options_.columns, options_.parquet));
    path_ = options_.next_path();
    upload_.emplace(objects_, path_);
  }
  RETURN_IF_ERROR(writer_->write(rows));
  RETURN_IF_ERROR(upload_->store_some(*writer_, &work_));
  is_broken_ = false;
  return writer_->file_bytes() >= options_.target_bytes ? end_file() : ok();
}

Status RollingFile::end_file() {
  RETURN_IF_ERROR(intact());
  if (writer_ == nullptr) return ok();
  is_broken_ = true;
  ASSIGN_OR_RETURN(ParquetFileInfo info, writer_->close());
  std::unique_ptr<ParquetFileWriter> writer = std::move(writer_);
  // Whether it is there or not when the rest fails, it will be removed.
  paths_.push_back(path_);
  options_.note(path_, info);
  RETURN_IF_ERROR(upload_->store_rest(*writer, &work_));
  is_broken_ = false;
  return ok();
}

Status RollingFile::finish() {
  RETURN_IF_ERROR(end_file());
  return work_.finish();
}

uint64_t RollingFile::held_bytes() const { return writer_ == nullptr ? 0 : writer_->held_bytes(); }

void remove_objects(ObjectStore& objects, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    // What can not be removed is no part of the table and lies in nobody's way.
    static_cast<void>(objects.remove(path));
  }
}

}  // namespace lakestream
