#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/types.h"
#include "lake/iceberg/write_place.h"
#include "lake/lake.h"

// Makes the Parquet files of one place out of rows that come in their final order and columns. A
// new file begins when the one before has the table's target size. Files that were made and not
// taken go with the maker.
//
// Thread rule: one thread at a time.
//
//   ASSIGN_OR_RETURN(FileMaker maker, FileMaker::make(place, {.fields = known_fields(schema)}));
//   RETURN_IF_ERROR(maker.write(rows));
//   RETURN_IF_ERROR(maker.end_file());
//   written.data = maker.take();
namespace lakestream::iceberg {

struct FileMakerOptions {
  FileContent content = FileContent::kData;
  std::vector<NestedField> fields;  // the columns
  // Ids of the columns in the order of which the rows come, each of these only once; empty: there
  // is none. Of equality deletes, what they name.
  std::vector<int32_t> key = {};
  // The name of the first file has it.
  int first_number = 1;
  std::string_view suffix = "";
  bool leaves_work = false;  // for take_work(); else write() does it
};

class FileMaker {
 public:
  // Errors: kInvalidTableException for properties of the table.
  static Result<FileMaker> make(const WritePlace& place, FileMakerOptions options);
  FileMaker(FileMaker&&) noexcept;
  FileMaker& operator=(FileMaker&&) noexcept;
  ~FileMaker();

  // Of what write() takes.
  const std::shared_ptr<arrow::Schema>& columns() const;
  Status write(const std::shared_ptr<arrow::RecordBatch>& rows);
  // The next row begins a file.
  Status end_file();
  // As LakeWriter::take_work().
  std::vector<LakeWork> take_work();
  // end_file(), and what nobody took.
  Status finish();
  uint64_t held_bytes() const;
  // Those that are ended.
  const std::vector<DataFile>& files() const;
  // The same, which are the caller's from now on.
  std::vector<DataFile> take();

 private:
  struct State;
  explicit FileMaker(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Removes files as far as they are there.
void remove_files(ObjectStore& objects, const std::vector<DataFile>& files);

// The ids as the end of a file that is sorted by them has them, under this key.
inline constexpr std::string_view kSortKeyMetadata = "lakestream.sort-key";
std::string sort_key_text(const std::vector<int32_t>& ids);

}  // namespace lakestream::iceberg
