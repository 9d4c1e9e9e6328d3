#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/disk.h"
#include "log/log.h"

// Reads of one segment's files, with copies of all they need: the same code answers from the page
// cache on the shard and from the disk on the pool.
//
// Thread rule: try_read_batches and visit_batches never block; the others do and belong on the
// pool.
//
//   ASSIGN_OR_RETURN(FileReadResult result, read_batches(disk, plan, request));
namespace lakestream::log_internal {

struct FileReadPlan {
  std::string directory;
  Offset base_offset;
  std::shared_ptr<File> file;  // empty: opened
  std::optional<uint64_t>
      position;             // of a batch at or before what is looked for; empty: in the index files
  size_t index_points = 0;  // that the index files hold
  uint64_t end = 0;         // bytes of whole batches in the file
};

struct FileReadResult {
  std::shared_ptr<File> file;
  Bytes batches;  // empty when the request's limits leave nothing
  Offset first_offset;
  Offset end_offset;
  uint64_t end_position = 0;   // of what comes behind
  bool would_block = false;    // nothing was read, because the disk would have to be waited for
  bool index_damaged = false;  // the index named a batch that is not there
};

// Requires: plan.file and plan.position.
Result<FileReadResult> try_read_batches(const FileReadPlan& plan, const ReadRequest& request);
struct VisitEnd {
  Offset offset;  // behind the last batch that was taken
  uint64_t position = 0;
};
// Gives the batches from `from` on to the visitor until it says no, a batch is small, or the disk
// would have to be waited for. Requires: plan.file and plan.position.
Result<VisitEnd> visit_batches(const FileReadPlan& plan,
                               Offset from,
                               Offset limit,
                               const VisitRules& rules,
                               BatchVisitor& visitor);

struct FrontsRead {
  std::shared_ptr<File> file;
  uint64_t position = 0;  // of the batch that was looked for
  size_t count = 0;       // of batches that the rules let be visited, as far as was looked
};
// Leaves the fronts in the page cache. Errors: kStorageException.
Result<FrontsRead> read_fronts(Disk& disk,
                               const FileReadPlan& plan,
                               Offset from,
                               const VisitRules& rules);

// Errors: kStorageException; kCorruptRecordException when no batch is where one should be.
Result<FileReadResult> read_batches(Disk& disk,
                                    const FileReadPlan& plan,
                                    const ReadRequest& request);

struct FoundTime {
  std::shared_ptr<File> file;
  std::optional<Offset> offset;  // of the first batch at or after the time
};
Result<FoundTime> find_time(Disk& disk, const FileReadPlan& plan, TimestampMs timestamp);

}  // namespace lakestream::log_internal
