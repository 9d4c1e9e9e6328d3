#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/data/row_set.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/types.h"

// What the delete files of a bucket delete.
//
// Thread rule: functions block; on the pool, any thread.
//
//   ASSIGN_OR_RETURN(DeletedRows deleted, deleted_rows(objects, files));
//   const RowSet* rows = deleted.of(file.path);
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

// The columns of position delete files.
const std::vector<NestedField>& position_delete_fields();

// By the paths of data files.
class DeletedRows {
 public:
  RowSet& add(const DataFile& file);
  // nullptr: all rows are there. Valid as long as this is.
  const RowSet* of(const std::string& path) const;

 private:
  std::map<std::string, RowSet, std::less<>> rows_;
};

// Those that position deletes name. A data file that was rewritten after the delete is not meant.
Result<DeletedRows> deleted_rows(ObjectStore& objects, const BucketFiles& files);

// Equality deletes that may delete a row. Errors: kUnknownServerError for one that goes by other
// columns than `key`, ids.
Result<std::vector<LiveFile>> equality_deletes(const BucketFiles& files, std::vector<int32_t> key);

}  // namespace lakestream::iceberg
