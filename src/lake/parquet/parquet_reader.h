#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/parquet/column_bounds.h"

// Reads a Parquet file of an object store, row group by row group: of each only the columns that
// are wanted, with few calls of the store. The file need not have been written here and nothing of
// it is trusted. Memory: the columns of one row group as they lie in the file, and one batch.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(auto reader, ParquetFileReader::open(objects, path, size,
//   kWholeParquetBytes)); RETURN_IF_ERROR(reader->select(wanted, 8192));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader->next());
namespace lakestream {

class ObjectStore;

// A file up to here is fetched with one call and kept.
inline constexpr uint64_t kWholeParquetBytes = uint64_t{1} << 20;

// What timestamps of the type INT96, which has no unit, become. Nanoseconds end in the year 2262.
enum class Int96As : uint8_t { kNanos, kMicros };

class ParquetFileReader {
 public:
  // `size` is that of the object; a file of up to `whole_bytes` is fetched at once. Errors, naming
  // the object: kStorageException; kUnknownServerError when it is no Parquet file.
  static Result<std::unique_ptr<ParquetFileReader>> open(ObjectStore& objects,
                                                         const std::string& path,
                                                         uint64_t size,
                                                         uint64_t whole_bytes,
                                                         Int96As int96 = Int96As::kNanos);
  ~ParquetFileReader();

  const std::shared_ptr<arrow::Schema>& schema() const;
  int64_t rows() const;
  std::vector<int64_t> row_groups() const;  // the rows of each
  // Of the whole file.
  Result<std::vector<ParquetColumn>> columns() const;
  // Of the whole file: as least_of().
  Result<std::shared_ptr<arrow::Array>> least(const std::string& column) const;
  // What the end of the file says under this key.
  std::optional<std::string> metadata(const std::string& key) const;

  // What next() gives: columns by name under other types where they differ; those that the file
  // lacks are null. Batches have fewer rows than `batch_rows` where rows are large. Errors:
  // kUnknownServerError for a column that is missing and is not nullable.
  Status select(std::shared_ptr<arrow::Schema> columns, int64_t batch_rows);
  // Nothing at the end. Requires: select() went well.
  Result<std::shared_ptr<arrow::RecordBatch>> next();
  uint64_t held_bytes() const;

  struct State;
  explicit ParquetFileReader(std::unique_ptr<State> state);

 private:
  Status open_row_group();
  Result<std::shared_ptr<arrow::RecordBatch>> next_in_file();

  std::unique_ptr<State> state_;
};

}  // namespace lakestream
