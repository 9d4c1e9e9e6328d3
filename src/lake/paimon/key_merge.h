#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/lake.h"
#include "lake/paimon/sort_keys.h"
#include "lake/parquet/parquet_reader.h"

// The rows of several data files that are sorted by key, in the order of keys: of each key the row
// with the highest sequence number, unless it is one that takes the row away. Where the keys of
// files lie apart, ranges of rows are found by search and handed on whole.
//
// Memory: of each file whose keys have been reached its wanted columns of one row group, and a
// batch of them; of the others, where the first column of the key is a number or a text, only what
// the end of the file says; a batch of what comes out.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(auto merge, KeyMerge::open(objects, files, key, columns));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
namespace lakestream::paimon {

class KeyMerge {
 public:
  // `columns`: what comes out, in the types of files; among them those of the key, the sequence
  // number and the kind. Errors: as ParquetFileReader::open.
  static Result<std::unique_ptr<KeyMerge>> open(ObjectStore& objects,
                                                const std::vector<LakeDataFile>& files,
                                                std::vector<std::string> key,
                                                const std::shared_ptr<arrow::Schema>& columns);

  // Nothing at the end. Errors: as ParquetFileReader::next, and kUnknownServerError for a file that
  // is not sorted.
  Result<std::shared_ptr<arrow::RecordBatch>> next();

 private:
  // Rows of one file with their keys.
  struct Batch {
    std::shared_ptr<arrow::RecordBatch> rows;
    SortKeys keys;
    const int64_t* sequences;
    const int8_t* kinds;
    double row_bytes;  // on average
  };
  struct Cursor {
    bool is_started() const { return batch != nullptr; }
    const SortKeys& keys() const { return is_started() ? batch->keys : *bound; }

    std::string path;
    std::unique_ptr<ParquetFileReader> reader;
    std::shared_ptr<const Batch> batch;
    size_t row = 0;  // the next one
    // No key of the file is below it, and nothing is read yet.
    std::optional<SortKeys> bound;
  };
  struct Range {
    std::shared_ptr<const Batch> batch;
    size_t begin;
    size_t end;
  };

  KeyMerge(std::vector<std::string> key, std::shared_ptr<arrow::Schema> columns)
      : key_(std::move(key)), columns_(std::move(columns)) {}
  Result<std::optional<SortKeys>> bound_of(const ParquetFileReader& reader) const;
  // The next batch of the file; the cursor has none at the end.
  Status load(Cursor* cursor) const;
  // Reads the first batch and puts the cursor back.
  Status start(std::unique_ptr<Cursor> cursor);
  // Moves the cursor on to a row of its batch, and puts it back unless its file is at the end.
  Status put_back(std::unique_ptr<Cursor> cursor, size_t row);
  void push(std::unique_ptr<Cursor> cursor);
  std::unique_ptr<Cursor> take_least();
  static int compare(const Cursor& a, const Cursor& b);
  static bool is_greater(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b);
  Status step();
  Status step_same_key(std::unique_ptr<Cursor> least);
  // The first row of the cursor's batch that is not below the other's key.
  static size_t first_not_below(const Cursor& cursor, const Cursor& other);
  // Rows of the cursor's batch from its place on, without those that take rows away.
  void emit(const Cursor& cursor, size_t end);
  void emit_range(const std::shared_ptr<const Batch>& batch, size_t begin, size_t end);
  Result<std::shared_ptr<arrow::RecordBatch>> gather();

  std::vector<std::string> key_;
  std::shared_ptr<arrow::Schema> columns_;
  std::vector<std::unique_ptr<Cursor>> heap_;  // the least key is on top
  std::vector<Range> ranges_;                  // that come out next
  size_t emitted_ = 0;                         // rows of ranges_
  double emitted_bytes_ = 0;
};

}  // namespace lakestream::paimon
