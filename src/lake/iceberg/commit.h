#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "lake/iceberg/live_files.h"
#include "lake/iceberg/metadata_files.h"
#include "lake/lake.h"
#include "table/descriptor.h"
#include "table/path.h"

// Makes written files a snapshot:
//
//   1 the state of the table is loaded; what the files stand on is held against its files
//   2 manifests and their list are written: those of the snapshot before, and new ones
//   3 the catalog is asked for the next state; when another one was faster: again from 1
//
// Only 3 counts. A crash before it leaves files that nobody names.
//
// Thread rule: pure but for the table; calls block; many at a time, also of several processes.
//
//   ASSIGN_OR_RETURN(IcebergSnapshot made, commit_files({.catalog = catalog, …}, {.files = …}));
namespace lakestream {
class Clock;
}  // namespace lakestream

namespace lakestream::iceberg {

// Names of summary entries.
inline constexpr std::string_view kOperation = "operation";
inline constexpr std::string_view kCommitUser = "commit-user";
inline constexpr std::string_view kTotalRecords = "total-records";

struct CommitContext {
  IcebergCatalog& catalog;
  const TablePath& path;  // in the catalog
  const MetadataFiles& files;
  LiveCache& live;
  Clock& clock;
};

struct CommitRequest {
  std::vector<const WrittenFiles*> files = {};
  int32_t spec_id = 0;                              // of all files
  bool replace = false;                             // the rows stay the same
  std::optional<int32_t> schema_id = std::nullopt;  // whose columns, and no others, the files have
  std::string user = {};
  Properties properties = {};
  std::optional<LakeNewestKnown> newest_known = std::nullopt;
};

// kFencedTieringEpochException, and nothing is committed, when newest_known does not hold;
// kUnknownServerError, and nothing is committed, when
//  - a file that is to be removed is not live any more, or rows of it were deleted meanwhile;
//  - a file whose rows are deleted by position is not live any more;
//  - a bucket of keys has newer data than its writer knew;
//  - the table has another schema than is asked for.
// Any other error leaves open whether it is committed.
Result<IcebergSnapshot> commit_files(const CommitContext& context, CommitRequest request);

// The newest snapshot of this user, from the current one back; nullptr when there is none.
const IcebergSnapshot* newest_of(const TableMetadata& metadata, std::string_view user);
// The table's state. kUnknownServerError when it is gone, or when another one has its name.
Result<LoadedTable> load_same_table(IcebergCatalog& catalog,
                                    const TablePath& path,
                                    const std::string& uuid);

}  // namespace lakestream::iceberg
