#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/shard.h"
#include "io/task.h"
#include "table/path.h"
#include "table/remote_documents.h"

// What tablets need of the coordinator. The server connects it to the coordinator of the same
// process directly, or through the network.
//
// A snapshot is made so: next_snapshot gives an id and a folder; the files are uploaded;
// commit_snapshot makes it known. From then on the coordinator owns the files. A snapshot that was
// not committed belongs to the one who uploaded it.
//
// The log goes to remote storage so: begin_remote_log gives a folder, which is written down, so
// that what is in it can be found when the table goes; segments and a manifest are uploaded;
// commit_remote_log makes the manifest the one that counts. What it does not name belongs to the
// leader, who removes it.
//
// Thread rule: called on `home`, any shard; the answer comes back there. Calls about one bucket are
// made one after the other.
//
//   CO_ASSIGN_OR_RETURN(SnapshotTicket ticket, co_await link.next_snapshot(&home, bucket));
//   upload to ticket.folder
//   Status done = co_await link.commit_snapshot(&home, snapshot, leader_epoch);
namespace lakestream {

struct SnapshotTicket {
  KvSnapshotId id;
  std::string folder;  // of the bucket in remote storage; the same for all its snapshots
};

// Values [start, end] of an auto-increment column that nobody else gets.
struct ReservedIds {
  int64_t start = 0;
  int64_t end = 0;
};

// The log of a bucket in remote storage, as it is written down.
struct RemoteLogPlace {
  std::string folder;  // empty: nothing was ever copied
  std::optional<std::string> manifest_path;
  Offset end_offset;  // of what was copied
};

struct RemoteLogCommit {
  TableBucket bucket;
  std::string manifest_path;
  Offset start_offset;  // of the segments that it names
  Offset end_offset;    // of what was copied; does not go back
};

class CoordinatorLink {
 public:
  virtual ~CoordinatorLink() = default;

  // An id is given once, whatever becomes of it. kUnknownTableOrBucketException.
  virtual Task<Result<SnapshotTicket>> next_snapshot(Shard* home, TableBucket bucket) = 0;

  // Ok: it is the bucket's latest snapshot now, or was committed by an earlier call whose answer
  // was lost. Refused for good, so that the files may be discarded (is_refusal):
  // kUnknownTableOrBucketException, kInvalidCoordinatorException, kFencedLeaderEpochException,
  // kKvSnapshotNotExist (it builds on files that are gone: upload everything anew). With any other
  // error it may be committed all the same: keep the files and ask again.
  virtual Task<Status> commit_snapshot(Shard* home,
                                       KvSnapshot snapshot,
                                       LeaderEpoch leader_epoch) = 0;

  // Those that are kept, the newest first: whoever restores a state takes the first one that is
  // whole. kUnknownTableOrBucketException.
  virtual Task<Result<std::vector<KvSnapshot>>> snapshots(Shard* home, TableBucket bucket) = 0;

  // Never waits for another event of the coordinator. kUnknownTableOrBucketException.
  virtual Task<Result<RemoteLogPlace>> remote_log(Shard* home, TableBucket bucket) = 0;
  // The folder to copy to. kUnknownTableOrBucketException.
  virtual Task<Result<std::string>> begin_remote_log(Shard* home, TableBucket bucket) = 0;
  // As commit_snapshot; kFencedLeaderEpochException also when the manifest is not in the
  // bucket's folder or goes back behind what was copied.
  virtual Task<Status> commit_remote_log(Shard* home,
                                         RemoteLogCommit commit,
                                         LeaderEpoch leader_epoch) = 0;

  // From where on a reader of the lake needs the log of the bucket, 0 when of all of it: rows from
  // there on stay, however old they are. Who serves the bucket is told when it moves. Never waits
  // for another event of the coordinator. kUnknownTableOrBucketException; other errors when it can
  // not be told now.
  virtual Task<Result<Offset>> lake_end(Shard* home, TableBucket bucket) = 0;

  // The next `count` values of a column; the first of a table is 1. kUnknownTableOrBucketException;
  // kUnknownServerError when there are not so many left.
  virtual Task<Result<ReservedIds>> reserve_ids(Shard* home,
                                                TableId table,
                                                int32_t column_id,
                                                int64_t count) = 0;
};

// Whether an error of commit_snapshot or commit_remote_log says that it is not committed and never
// will be.
inline bool is_refusal(const Error& error) {
  return error.code() == ErrorCode::kUnknownTableOrBucketException ||
         error.code() == ErrorCode::kInvalidCoordinatorException ||
         error.code() == ErrorCode::kFencedLeaderEpochException ||
         error.code() == ErrorCode::kKvSnapshotNotExist;
}

}  // namespace lakestream
