#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/commit.h"
#include "table/descriptor.h"

// Removes snapshots that the table's options call old, and the files that no other snapshot needs:
//
//   history.expire.max-snapshot-age-ms       5 days; what is younger stays
//   history.expire.min-snapshots-to-keep     1, of each branch
//
// A table with gc.enabled = false is left alone. Both may be overruled by a branch. What a branch
// or a tag points to stays. Before snapshots go, a note of them is left in the table's folder, so
// that a run after a crash can remove their files.
//
// Thread rule: pure but for the table; calls block; one at a time for one table.
//
//   ASSIGN_OR_RETURN(std::vector<std::string> done, expire(context, uuid, keep_from));
namespace lakestream::iceberg {

// kInvalidTableException, naming the option, for a value that is none.
Status check_retention(const Properties& properties);

// Whether other tables may have the same files, so that none may be removed.
bool shares_files(const TableMetadata& metadata);

// `keep_from`: this snapshot and newer ones stay in any case. What was done, in a sentence; nothing
// when there was nothing to do.
Result<std::vector<std::string>> expire(const CommitContext& context,
                                        const std::string& uuid,
                                        std::optional<int64_t> keep_from);

}  // namespace lakestream::iceberg
