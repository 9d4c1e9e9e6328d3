#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/function.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/lake.h"
#include "lake/parquet/parquet_upload.h"
#include "lake/parquet/parquet_writer.h"

// Makes the Parquet files of one writer out of rows that come in their final order and columns. A
// new file begins when the one before has the target size. Who owns it says where files go and
// notes what a manifest says of each. Files that were made and not released go with it.
//
// Thread rule: one thread at a time.
//
//   RollingFile files(objects, std::move(options));
//   RETURN_IF_ERROR(files.write(rows));
//   RETURN_IF_ERROR(files.finish());
//   files.release();
namespace lakestream {

struct RollingFileOptions {
  std::shared_ptr<arrow::Schema> columns;
  ParquetWriteOptions parquet = {};
  uint64_t target_bytes = 0;
  bool leaves_work = false;  // for take_work(); else write() does it
  std::string what = {};     // is written, for messages
  // The path of a file that begins.
  UniqueFunction<std::string()> next_path = {};
  // Of one that is ended; whether it gets into the store is seen later.
  UniqueFunction<void(const std::string& path, const ParquetFileInfo& info)> note = {};
};

class RollingFile {
 public:
  RollingFile(ObjectStore& objects, RollingFileOptions options);
  RollingFile(const RollingFile&) = delete;
  RollingFile& operator=(const RollingFile&) = delete;
  ~RollingFile();

  const std::shared_ptr<arrow::Schema>& columns() const { return options_.columns; }
  // The next row goes to a file that has rows already.
  bool is_open() const { return writer_ != nullptr; }
  // After an error all further calls fail: rows were lost.
  Status write(const std::shared_ptr<arrow::RecordBatch>& rows);
  // The next row begins a file.
  Status end_file();
  // As LakeWriter::take_work().
  std::vector<LakeWork> take_work() { return work_.take(); }
  // end_file(), and what nobody took.
  Status finish();
  uint64_t held_bytes() const;
  // The files that are ended are the caller's from now on.
  void release() { paths_.clear(); }

 private:
  Status intact() const;

  ObjectStore& objects_;
  RollingFileOptions options_;
  StoreWork work_;
  std::vector<std::string> paths_;
  std::unique_ptr<ParquetFileWriter> writer_;  // of the file in hand
  std::string path_;
  std::optional<ParquetUpload> upload_;  // its way into the store
  bool is_broken_ = false;
};

// Removes objects as far as they are there.
void remove_objects(ObjectStore& objects, const std::vector<std::string>& paths);

}  // namespace lakestream
