#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/data/row_set.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/types.h"
#include "lake/iceberg/write_place.h"

// What the delete files of a bucket delete, and those that are written of rows by their positions.
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

// Some rows of a data file.
struct FoundRows {
  const DataFile* file = nullptr;
  std::vector<int64_t> rows;  // in their order
};

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

// Files that delete these rows, of which there are some, by their positions. `found`: by the paths
// of files. `first_number`: of their names.
Result<std::vector<DataFile>> write_position_deletes(const WritePlace& place,
                                                     const std::vector<FoundRows>& found,
                                                     int first_number);

// In the names of delete files.
inline constexpr std::string_view kDeletesSuffix = "-deletes";

// Equality deletes that may delete a row. Errors: kUnknownServerError for one that goes by other
// columns than `key`, ids.
Result<std::vector<LiveFile>> equality_deletes(const BucketFiles& files, std::vector<int32_t> key);

}  // namespace lakestream::iceberg
