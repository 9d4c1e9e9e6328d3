#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "lake/paimon/table_files.h"

// Removes files that no snapshot names: data files, manifests and their lists, as commits leave
// them that never came, and what unfinished writes left. A commit on its way names its files only
// in the end, so a file has to be older than any commit takes.
//
// Files are listed first and snapshots read then: what a commit names in between is seen. Folders
// that this module does not write are left alone, and so is a table with branches or with a
// changelog that outlives its snapshots, whose files others count, too.
//
// Thread rule: pure but for the files of the table; calls block; any thread.
//
//   ASSIGN_OR_RETURN(std::vector<std::string> done, remove_orphans(files, a_day_ago));
namespace lakestream::paimon {

// What was done, in sentences. kUnknownServerError, and nothing is removed, when a snapshot names a
// manifest that is not there: somebody may be removing the snapshot right now.
Result<std::vector<std::string>> remove_orphans(const TableFiles& files, TimestampMs before);

}  // namespace lakestream::paimon
