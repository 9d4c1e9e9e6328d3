#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/data/deletes.h"
#include "lake/iceberg/data/file_rows.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/types.h"
#include "lake/key_merge.h"

// Data and delete files of a table with a primary key as runs of a merge. Files of ours are in the
// order of the key; others are sorted in memory.
//
// Thread rule: as KeyMerge.
//
//   ASSIGN_OR_RETURN(auto merge, BucketMerge::open(objects, files, fields, key));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

struct KeyRunOptions {
  std::vector<NestedField> key = {};
  FileRowsOptions rows = {};  // the columns have those of the key
  int64_t sequence = 0;       // of its rows
  bool takes_away = false;    // each row the row of its key
};

Result<std::unique_ptr<KeyRun>> open_key_run(ObjectStore& objects,
                                             const DataFile& file,
                                             KeyRunOptions options);

// The order of versions: rows of a later commit are newer; of one commit a row is newer than a
// delete, which is of those before it alone.
inline int64_t row_sequence(const LiveFile& file) { return 2 * file.sequence + 1; }
inline int64_t delete_sequence(const LiveFile& file) { return 2 * file.sequence; }

// The newest row of each key that is not deleted, in the order of keys. `fields`: the columns that
// come out, with those of `key`. Errors: as equality_deletes() and FileRows.
class BucketMerge {
 public:
  static Result<std::unique_ptr<BucketMerge>> open(ObjectStore& objects,
                                                   const BucketFiles& files,
                                                   const std::vector<NestedField>& fields,
                                                   const std::vector<NestedField>& key);

  // Nothing at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> next() { return merge_->next(); }

 private:
  explicit BucketMerge(DeletedRows deleted) : deleted_(std::move(deleted)) {}

  DeletedRows deleted_;
  std::unique_ptr<KeyMerge> merge_;
};

}  // namespace lakestream::iceberg
