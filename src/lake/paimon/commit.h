#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/lake.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/live_files.h"
#include "lake/paimon/snapshot.h"
#include "lake/paimon/table_files.h"
#include "table/descriptor.h"

// Makes written files a snapshot:
//
//   1 the newest snapshot is n; what the files stand on is held against its files
//   2 manifests and their lists are written: base = the manifests of n, delta = what is new
//   3 snapshot-(n+1) is made exclusively; when another one was faster: again from 1
//   4 the hint LATEST is moved
//
// Only 3 counts. A crash before it leaves files that nobody names.
//
// Thread rule: pure but for the files of the table; calls block; many at a time, also of several
// processes.
//
//   ASSIGN_OR_RETURN(PaimonSnapshot made, commit_files(files, live, clock, {.files = written, …}));
namespace lakestream {
class Clock;
}  // namespace lakestream

namespace lakestream::paimon {

inline constexpr std::string_view kAppendCommit = "APPEND";
inline constexpr std::string_view kCompactCommit = "COMPACT";
inline constexpr std::string_view kOverwriteCommit = "OVERWRITE";  // of partitions that go

struct CommitRequest {
  std::vector<const WrittenFiles*> files = {};
  std::string kind{kAppendCommit};
  std::string user = {};
  Properties properties = {};
  std::optional<LakeNewestKnown> newest_known = std::nullopt;
};

// kFencedTieringEpochException, and nothing is committed, when newest_known does not hold;
// kUnknownServerError, and nothing is committed, when
//  - a file that is to be removed is not live any more;
//  - rows of keys have numbers that rows in the bucket have already: whoever wrote them did not see
//    those, so which row is newer could not be told;
//  - files of a compaction would lie beside others at their level.
// Any other error leaves open whether it is committed.
Result<PaimonSnapshot> commit_files(const TableFiles& files,
                                    LiveCache& live,
                                    Clock& clock,
                                    CommitRequest request);

}  // namespace lakestream::paimon
