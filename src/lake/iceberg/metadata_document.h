#pragma once

#include <string>

#include "base/result.h"
#include "lake/iceberg/table_metadata.h"

// Metadata JSON files, for catalogs that keep them themselves.
//
// Thread rule: calls block; any thread.
//
//   ASSIGN_OR_RETURN(TableMetadata metadata, read_metadata(objects,
//   "/lake/db/t/metadata/v3.metadata.json"));
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

// kUnknownServerError when there is no such file; kInvalidTableException for one that is
// compressed.
Result<TableMetadata> read_metadata(ObjectStore& objects, const std::string& file);
// Whether files of old states go, as the options of the table say.
bool removes_old_metadata(const TableMetadata& metadata);
// Removes files of states that the log of the table does not name any more, where its options say
// so. Failures are logged.
void remove_old_metadata(ObjectStore& objects,
                         const TableMetadata& before,
                         const TableMetadata& after);

}  // namespace lakestream::iceberg
