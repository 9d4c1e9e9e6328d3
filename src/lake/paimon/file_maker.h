#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/lake.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/table_settings.h"

// Makes the Parquet files of one place out of rows that come in their final order and columns. A
// new file begins when the one before has the table's target size. Files that were made and not
// taken over go with the maker.
//
// Thread rule: one thread at a time.
//
//   FileMaker maker(std::move(place), {.prefix = "data-"});
//   RETURN_IF_ERROR(maker.write(rows));
//   ASSIGN_OR_RETURN(std::vector<DataFile> files, maker.finish());
namespace lakestream {
class Clock;
class ObjectStore;
}  // namespace lakestream

namespace lakestream::paimon {

// Where one writer makes its files.
struct WritePlace {
  ObjectStore& objects;
  Clock& clock;
  std::shared_ptr<const PaimonSchema> schema;  // of the files that are made
  std::string table;                           // its folder in the object store
  FilePlace place;
  std::string uuid;  // in the names of this writer's files and of no other's
};

enum class FileUse : uint8_t { kData, kChangelog };

struct FileMakerOptions {
  FileUse use = FileUse::kData;
  int32_t level = 0;
  bool compacted = false;
  int64_t next_sequence = 0;  // of an append table: the number of the first row
  bool leaves_work = false;   // for take_work(); else write() does it
};

class FileMaker {
 public:
  // `columns`: as file_schema_of() gives them.
  static Result<FileMaker> make(const WritePlace& place, FileMakerOptions options);
  FileMaker(FileMaker&&) noexcept;
  FileMaker& operator=(FileMaker&&) noexcept;
  ~FileMaker();

  // Of what write() takes: the columns of the table, behind those of keys where it has keys.
  const std::shared_ptr<arrow::Schema>& columns() const;
  Status write(const std::shared_ptr<arrow::RecordBatch>& rows);
  // The next row begins a file.
  Status end_file();
  uint64_t held_bytes() const;
  // As LakeWriter::take_work().
  std::vector<LakeWork> take_work();
  // The files, which are the caller's from now on.
  Result<std::vector<DataFile>> finish();

 private:
  struct State;
  explicit FileMaker(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Removes files as far as they are there.
void remove_files(const WritePlace& place, const std::vector<DataFile>& files);

// The name of a file in the object store.
std::string file_path(const WritePlace& place, const DataFile& file);

}  // namespace lakestream::paimon
