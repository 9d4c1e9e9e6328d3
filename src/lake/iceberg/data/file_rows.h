#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/iceberg/data/row_set.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/types.h"
#include "lake/parquet/parquet_reader.h"

// The rows of one file that are not deleted by their position, in the columns that the table has
// now.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(auto rows, FileRows::open(objects, file, {.fields = fields}));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, rows->next());
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

// Where a row lies in its file; a name that no column of a table may have.
inline constexpr std::string_view kPositionColumn = "_pos";

struct FileRowsOptions {
  std::vector<NestedField> fields;
  const RowSet* deleted = nullptr;  // outlives the reader
  // Behind the columns: kPositionColumn, and a column of this name with this number.
  bool with_positions = false;
  std::optional<std::pair<std::string, int64_t>> number = std::nullopt;
  int64_t batch_rows = 1 << 16;
  uint64_t whole_bytes = kWholeParquetBytes;  // as of ParquetFileReader::open
};

class FileRows {
 public:
  // Errors: as ParquetFileReader::open, and kUnknownServerError for other rows than the table says.
  static Result<std::unique_ptr<FileRows>> open(ObjectStore& objects,
                                                const DataFile& file,
                                                FileRowsOptions options);

  // Nothing at the end; else some rows. Errors: as ParquetFileReader::next.
  Result<std::shared_ptr<arrow::RecordBatch>> next();
  // Whether its rows are in the order of these columns, each of these only once.
  bool is_sorted_by(const std::vector<int32_t>& ids) const;
  const ParquetFileReader& reader() const { return *reader_; }
  // The name that the file has for a column of ours.
  std::string name_in_file(size_t field) const;

 private:
  FileRows(std::unique_ptr<ParquetFileReader> reader, FileRowsOptions options);
  Result<std::shared_ptr<arrow::RecordBatch>> without_deleted(
      std::shared_ptr<arrow::RecordBatch> rows, int64_t first) const;
  Result<std::shared_ptr<arrow::RecordBatch>> with_added(std::shared_ptr<arrow::RecordBatch> rows,
                                                         int64_t first) const;

  std::unique_ptr<ParquetFileReader> reader_;
  FileRowsOptions options_;
  std::shared_ptr<arrow::Schema> columns_;  // of the table
  std::shared_ptr<arrow::Schema> in_file_;
  int64_t position_ = 0;  // of the next row in the file
};

}  // namespace lakestream::iceberg
