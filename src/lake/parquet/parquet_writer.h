#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/parquet/column_bounds.h"

// One Parquet file. Columns are encoded as they come, without a look at single rows; small batches
// are gathered first, so that each call of the encoder has enough to do, and the first ones of a
// file so that they tell which columns have a use for a dictionary. A row group that is full leaves
// the encoder as parts of the file, which the caller may store while the next one is encoded; or
// all of it is put into an object store at the end. A field of the schema whose metadata has
// "PARQUET:field_id" gets that id.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(auto writer, ParquetFileWriter::make(schema, {.level = 3}));
//   RETURN_IF_ERROR(writer->write(rows));
//   ASSIGN_OR_RETURN(ParquetFileInfo file, writer->finish(objects, "/lake/t/a.parquet"));
namespace lakestream {

class ObjectStore;

enum class ParquetCodec : uint8_t { kNone, kSnappy, kGzip, kBrotli, kLz4, kZstd };

// "zstd", "none", any case.
std::optional<ParquetCodec> parquet_codec_of(std::string_view name);

struct ParquetWriteOptions {
  ParquetCodec codec = ParquetCodec::kZstd;
  std::optional<int32_t> level = 1;  // of the codec; nothing: its own default
  int64_t row_group_rows = int64_t{1} << 20;
  int64_t row_group_bytes = int64_t{128} << 20;  // of the columns in memory
  // Integers of which the differences from row to row are stored, and no dictionary is tried.
  std::vector<std::string> delta_columns = {};
  // What the end of the file says besides.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // Timestamps with nanoseconds become INT96, as older readers want them.
  bool nanos_as_int96 = false;
};

struct ParquetFileInfo {
  uint64_t bytes = 0;
  int64_t rows = 0;
  std::vector<ParquetColumn> columns;      // with counts of NaN
  std::vector<int64_t> row_group_offsets;  // where they begin
};

class ParquetFileWriter {
 public:
  // Errors: kUnknownServerError for a type that Parquet does not have.
  static Result<std::unique_ptr<ParquetFileWriter>> make(std::shared_ptr<arrow::Schema> schema,
                                                         const ParquetWriteOptions& options);
  ~ParquetFileWriter();

  // Requires: the batch is of the schema. Errors: kUnknownServerError, such as for a null in a
  // column that has none; then the file can not be finished.
  Status write(std::shared_ptr<arrow::RecordBatch> batch);
  int64_t rows() const;
  // What the file would have if it were finished now, by estimate.
  uint64_t file_bytes() const;
  // Memory: parts that are still in use, what the encoders hold, batches that wait.
  uint64_t held_bytes() const;

  // Bytes of take_parts().
  uint64_t ready_bytes() const;
  // Of the file, behind those that were taken before.
  std::vector<Bytes> take_parts();
  // Once; the last parts are ready then.
  Result<ParquetFileInfo> close();
  // close(), and all of the file into the store. Requires: no parts were taken. Errors:
  // kStorageException.
  Result<ParquetFileInfo> finish(ObjectStore& objects, const std::string& path);

  struct State;
  explicit ParquetFileWriter(std::unique_ptr<State> state);

 private:
  Status write_pending();
  Status encode(const arrow::RecordBatch& batch);

  std::unique_ptr<State> state_;
};

}  // namespace lakestream
