#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "lake/iceberg/commit.h"

// Removes files that no snapshot names: data and delete files, manifests and their lists, as
// commits leave them that never came, and what unfinished writes left. A commit on its way names
// its files only in the end, so a file has to be older than any commit takes.
//
// Files are listed first and the table is loaded then: what a commit names in between is seen.
// Other files than those that commits write are left alone, and so is a table with gc.enabled =
// false, whose files other tables may have, too.
//
// Thread rule: pure but for the files of the table; calls block; any thread.
//
//   ASSIGN_OR_RETURN(std::vector<std::string> done, remove_orphans(context, uuid, a_day_ago));
namespace lakestream::iceberg {

// What was done, in sentences. kUnknownServerError, and nothing is removed, when a snapshot names a
// manifest that is not there: somebody may be removing the snapshot right now.
Result<std::vector<std::string>> remove_orphans(const CommitContext& context,
                                                const std::string& uuid,
                                                TimestampMs before);

}  // namespace lakestream::iceberg
