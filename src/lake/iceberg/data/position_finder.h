#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/iceberg/data/key_runs.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/types.h"

// Finds where the rows of keys lie: reads the key columns of data files side by side with the keys,
// both in their order. A file whose bounds say that it has none of the keys is not opened.
//
// This is done anew for each commit and nothing is kept between: an index of a bucket would have to
// be as large as its keys, be built again after every start, and know of what others commit.
//
// Memory: a batch of keys of each file, and the places that were found.
//
// Thread rule: one thread at a time.
//
//   PositionFinder finder(objects, key);
//   finder.add({.file = file, .deleted = deleted.of(file->path)});
//   RETURN_IF_ERROR(finder.find(keys));
//   for (const FoundRows& found : finder.take()) …
namespace lakestream::iceberg {

struct SearchedFile {
  const DataFile* file = nullptr;   // outlives the finder
  const RowSet* deleted = nullptr;  // its rows are not found; outlives the finder
  // Only keys of a higher run are looked for.
  int64_t run = -1;
};

class PositionFinder {
 public:
  PositionFinder(ObjectStore& objects, std::vector<NestedField> key)
      : objects_(objects), key_(std::move(key)) {}

  void add(SearchedFile file) { files_.push_back({.file = file}); }
  // `keys` has the columns of the key, in its order, each key once, and comes behind those of the
  // call before. A column of the name kRunColumn, if there is one, says the run of each; without it
  // all are of a higher run than any file.
  Status find(const std::shared_ptr<arrow::RecordBatch>& keys);
  // Files with rows, by path.
  std::vector<FoundRows> take();

  static constexpr std::string_view kRunColumn = "_run";

 private:
  struct File {
    SearchedFile file;
    std::unique_ptr<KeyRun> run = nullptr;  // once it was opened
    std::optional<KeyBatch> batch = std::nullopt;
    size_t row = 0;
    bool is_at_end = false;
    std::vector<int64_t> found = {};
  };
  // Keys that are looked for.
  struct Wanted {
    SortKeys keys;
    // The first column alone, of the first and the last one.
    SortKeys edges;
    const int64_t* runs;
  };
  Status find_in(File* file, const Wanted& wanted);
  // The next batch, or the end.
  Status load(File* file) const;

  ObjectStore& objects_;
  std::vector<NestedField> key_;
  std::vector<File> files_;
};

}  // namespace lakestream::iceberg
