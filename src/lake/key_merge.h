#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/parquet/parquet_reader.h"
#include "lake/sort_keys.h"

// The rows of several runs, each sorted by key, in the order of keys: of each key the row with the
// highest sequence number, unless it is one that takes the row away. Where the keys of runs lie
// apart, ranges of rows are found by search and handed on whole.
//
// Memory: a batch of each run whose keys have been reached, and a batch of what comes out; besides,
// what the runs hold.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(auto merge, KeyMerge::open(std::move(runs)));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
namespace lakestream {

// Rows of a run, in the order of their keys, which are all different.
struct KeyBatch {
  int64_t sequence_of(size_t row) const { return sequences == nullptr ? sequence : sequences[row]; }

  std::shared_ptr<arrow::RecordBatch> rows;
  SortKeys keys;
  const int64_t* sequences = nullptr;  // one a row, as long as `rows` lives
  int64_t sequence = 0;                // without `sequences`: of all rows
  // One a row: 1 when it takes the row of its key away. Empty: none does.
  std::vector<uint8_t> takes_away = {};
};

class KeyRun {
 public:
  virtual ~KeyRun() = default;
  virtual const std::string& name() const = 0;  // for errors
  // No key of the run is below it; asked for before the first batch. Nothing: that is not known.
  virtual Result<std::optional<SortKeys>> bound() = 0;
  // Nothing at the end; no batch is empty.
  virtual Result<std::optional<KeyBatch>> next() = 0;
};

// Rows of one run at a time, at most.
inline constexpr int64_t kKeyBatchRows = 8192;
// A file up to here is fetched at once when so many files are merged, so that many small ones do
// not fill the memory.
uint64_t whole_bytes_of_each(size_t files);
// The least value of a column of the file, as a key of the type: the beginning of one comes before
// it. Nothing where the file does not tell.
Result<std::optional<SortKeys>> least_key_of(const ParquetFileReader& reader,
                                             const std::string& column,
                                             const std::shared_ptr<arrow::DataType>& type);

class KeyMerge {
 public:
  // The rows of all runs have the same columns, but for those that take rows away. Errors: those of
  // the runs.
  static Result<std::unique_ptr<KeyMerge>> open(std::vector<std::unique_ptr<KeyRun>> runs);

  // Nothing at the end. Errors: those of the runs, and kUnknownServerError for a run that is not
  // sorted.
  Result<std::shared_ptr<arrow::RecordBatch>> next();

 private:
  struct Batch {
    KeyBatch run;
    double row_bytes;  // on average
  };
  struct Cursor {
    bool is_started() const { return batch != nullptr; }
    const SortKeys& keys() const { return is_started() ? batch->run.keys : *bound; }

    std::unique_ptr<KeyRun> run;
    std::shared_ptr<const Batch> batch;
    size_t row = 0;  // the next one
    // Nothing is read yet.
    std::optional<SortKeys> bound;
  };
  struct Range {
    std::shared_ptr<const Batch> batch;
    size_t begin;
    size_t end;
  };

  KeyMerge() = default;
  // The next batch of the run; the cursor has none at the end.
  static Status load(Cursor* cursor);
  // Reads the first batch and puts the cursor back.
  Status start(std::unique_ptr<Cursor> cursor);
  // Moves the cursor on to a row of its batch, and puts it back unless its run is at the end.
  Status put_back(std::unique_ptr<Cursor> cursor, size_t row);
  void push(std::unique_ptr<Cursor> cursor);
  std::unique_ptr<Cursor> take_least();
  static int compare(const Cursor& a, const Cursor& b);
  static bool is_greater(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b);
  Status step();
  Status step_same_key(std::unique_ptr<Cursor> least);
  // Rows of the cursor's batch from its place on, without those that take rows away.
  void emit(const Cursor& cursor, size_t end);
  void emit_range(const std::shared_ptr<const Batch>& batch, size_t begin, size_t end);
  Result<std::shared_ptr<arrow::RecordBatch>> gather();

  std::vector<std::unique_ptr<Cursor>> heap_;  // the least key is on top
  std::vector<Range> ranges_;                  // that come out next
  size_t emitted_ = 0;                         // rows of ranges_
  double emitted_bytes_ = 0;
};

}  // namespace lakestream
