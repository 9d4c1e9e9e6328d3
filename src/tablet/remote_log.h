#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/env.h"
#include "io/random.h"
#include "io/task.h"
#include "log/log.h"
#include "table/remote_documents.h"
#include "tablet/links.h"
#include "tablet/remote_indexes.h"

// The part of a bucket's log that is in remote storage: complete segments are copied there, a
// manifest says which ones count, and their local files go when they may. What readers see of it is
// the segments of the committed manifest; they join the local log without a gap, or there are none.
//
//   copied        segment, index and writer snapshot are in a folder of their own, nobody knows
//   announced     a manifest that names it is uploaded and committed; readers may be sent there
//   local goes    the local segment is deleted
//   expired       a manifest without it is committed
//   gone          a run later its folder is removed: a reader may just have been sent there
//
// A folder or manifest that no commit made known is removed: at once when that is certain, else by
// the first run after a start.
//
// Thread rule: shard-local, on the bucket's home.
//
//   CO_ASSIGN_OR_RETURN(std::optional<RemoteFetch> fetch, co_await remote->find(offset));
//   CO_RETURN_IF_ERROR(co_await remote->run({.now = now, .ttl = ttl, .copied_below = watermark}));
namespace lakestream {

class ObjectStore;

struct RemoteLogOptions {
  CoordinatorLink* coordinator = nullptr;
  ObjectStore* objects = nullptr;
  Random random{0};
  uint64_t index_interval_bytes = 4 << 10;
  std::shared_ptr<RemoteIndexes> indexes;  // of the shard
};

inline constexpr Offset kAllMayExpire{std::numeric_limits<int64_t>::max()};

struct RemoteLogRules {
  TimestampMs now;
  Duration ttl{0};  // 0 or less: never
  std::optional<Duration> local_ttl;
  int32_t local_segments = 2;  // the newest, which stay
  size_t copies_max = 5;
  Offset copied_below;                          // high watermark
  Offset deleted_below;                         // no local record at or above it goes
  Offset expires_below = kAllMayExpire;         // no record at or above it is ever too old
  const std::atomic<bool>* stopping = nullptr;  // ends the run early; null: never
};

// Where a reader goes on.
struct RemoteFetch {
  std::string folder;  // of the bucket
  std::optional<std::string> partition;
  std::vector<RemoteLogSegment> segments;  // one behind the other; the first has the offset
  uint64_t first_position = 0;             // in the first one, of a batch at or before the offset
};

class RemoteLog {
 public:
  RemoteLog(Env& env,
            Shard& home,
            PhysicalTablePath path,
            TableBucket bucket,
            LogTablet& log,
            RemoteLogOptions options,
            RemoteLogPlace place);
  RemoteLog(const RemoteLog&) = delete;
  RemoteLog& operator=(const RemoteLog&) = delete;

  // Where the log begins, here or there. kStorageException while the store can not be read.
  Task<Result<Offset>> start_offset();
  // Nothing when the offset is not there.
  Task<Result<std::optional<RemoteFetch>>> find(Offset offset);
  // Batches of one segment; kLogOffsetOutOfRangeException when the offset is not there.
  Task<Result<LogRead>> read(ReadRequest request);
  // The first offset whose commit time is at or after `timestamp`; nothing when none is there.
  Task<Result<std::optional<Offset>>> offset_for_timestamp(TimestampMs timestamp);

  // Copies what is complete, lets go what is expired, deletes what local files may go. What worked
  // counts, whatever comes after it. At most one run at a time; another one is done at once.
  Task<Status> run(RemoteLogRules rules);
  // What was copied and announced ends here.
  Offset copied_end() const { return copied_end_; }

  // Refuses new work, waits for what runs.
  Task<void> stop();

 private:
  // A committed manifest; readers hold on to it.
  struct State {
    RemoteLogManifest manifest;
    size_t first = 0;  // from this segment on they follow one another without a gap
  };
  // A manifest on its way.
  struct Change {
    RemoteLogManifest manifest;
    std::string path;
    Offset copied_end;
    std::vector<std::string> made;  // folders of segments that it makes known
    std::vector<std::string> gone;  // folders and the manifest that it makes superfluous
  };
  using StatePtr = std::shared_ptr<const State>;

  tl::unexpected<Error> stopped() const;
  Task<Status> load();
  // The position of the segment with the offset, among those that readers see.
  std::optional<size_t> segment_with(const State& state, Offset offset) const;
  Offset begin_of(const State& state) const;
  RemoteSegment place_of(const RemoteLogSegment& segment) const;
  Task<Result<RemoteIndex>> index_of(RemoteSegment segment);
  void adopt(Change change);

  Task<Status> bring(const RemoteLogRules* rules);
  Task<Status> copy_segments(const RemoteLogRules* rules, Change* change);
  Task<Result<RemoteLogSegment>> copy_segment(LogSegment segment);
  void drop_expired(const RemoteLogRules& rules, Change* change);
  Task<Status> announce(Change change);
  Task<Status> commit(Change change);
  Task<Status> delete_local(const RemoteLogRules* rules);
  Task<Status> remove_garbage();
  Task<Status> find_orphans();
  std::string new_id();

  Env& env_;
  Shard& home_;
  PhysicalTablePath path_;
  TableBucket bucket_;
  LogTablet& log_;
  RemoteLogOptions options_;

  std::string folder_;  // empty until it is needed
  std::optional<std::string> manifest_path_;
  Offset copied_end_;
  StatePtr state_;                     // once it is loaded
  std::optional<Change> uncommitted_;  // the answer to its commit was lost
  bool orphans_found_ = false;
  std::vector<std::string> garbage_;       // folders and manifests nobody knows
  std::vector<std::string> next_garbage_;  // the same, but somebody may read them a little longer
  bool running_ = false;
  Gate gate_;
};

// Reads a log where it is: below what is local in `remote`, which may be null.
Task<Result<LogRead>> read_log(LogTablet* log, RemoteLog* remote, ReadRequest request);

}  // namespace lakestream
