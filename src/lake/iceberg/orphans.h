#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "lake/iceberg/commit.h"

// Removes data files, manifests and manifest lists that no snapshot of the table names (see
// lake/orphans.h). States of the table and statistics stay, as do files outside of its folder, and
// all files of a table with gc.enabled = false, which other tables may have, too.
//
// Thread rule: pure but for the table; calls block; any thread.
//
//   ASSIGN_OR_RETURN(std::vector<std::string> done, remove_orphans(context, uuid, a_day_ago));
namespace lakestream::iceberg {

// What was done, in sentences. kUnknownServerError, and nothing is removed, when a manifest is not
// there: somebody may be removing its snapshot right now.
Result<std::vector<std::string>> remove_orphans(const CommitContext& context,
                                                const std::string& uuid,
                                                TimestampMs before);

}  // namespace lakestream::iceberg
