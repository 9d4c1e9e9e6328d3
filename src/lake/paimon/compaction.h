#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/file_maker.h"

// Rewrites the files of one bucket to fewer ones that hold the same. What comes out is to be
// committed as a snapshot of its own.
//
// Thread rule: pure but for the object store; calls block.
//
//   for (std::vector<DataFile>& group : append_compactions(settings, live)) {
//     ASSIGN_OR_RETURN(WrittenFiles written, compact_append(place, std::move(group)));
//   }
//   if (wants_key_compaction(settings, live)) compact_keys(place, live);
namespace lakestream::paimon {

// Runs of small files that follow each other, each run to become one file; of the live files of a
// bucket of an append table.
std::vector<std::vector<DataFile>> append_compactions(const TableSettings& settings,
                                                      std::vector<DataFile> live);
// The rows of `files` in the order of their numbers. Requires: an append table.
Result<WrittenFiles> compact_append(const WritePlace& place, std::vector<DataFile> files);

// Whether the bucket has as many sorted runs as the option allows.
bool wants_key_compaction(const TableSettings& settings, const std::vector<DataFile>& live);
// Requires: all live files of a bucket of a table with a primary key. The newest row of each key,
// if it has one, goes to the top level.
Result<WrittenFiles> compact_keys(const WritePlace& place, std::vector<DataFile> live);

}  // namespace lakestream::paimon
