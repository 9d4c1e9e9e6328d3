#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "lake/paimon/table_files.h"

// Removes files of buckets, manifests and their lists that no snapshot and no tag names (see
// lake/orphans.h). Other folders are left alone, and so is a table with branches or with a
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
