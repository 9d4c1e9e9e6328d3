#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/dynamic_config.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/task.h"
#include "table/path.h"
#include "table/remote_documents.h"

// What the coordinator needs of tablet servers. The server connects it to the tablets of the same
// process directly, or through the network.
//
// Thread rule: called on the control shard; the answer comes back there. Calls about one bucket are
// made one after the other.
//
//   auto answers = co_await tablets.notify_leader_and_isr(server, std::move(notice));
namespace lakestream::coordinator {

// Who leads a bucket from now on.
struct BucketLeadership {
  PhysicalTablePath path;
  TableBucket bucket;
  std::optional<ServerId> leader;  // empty: nobody now
  LeaderEpoch leader_epoch;
  std::vector<ServerId> replicas;
  std::vector<ServerId> isr;
  int32_t bucket_epoch = 0;
};

struct LeadershipNotice {
  int32_t coordinator_epoch = 0;
  std::vector<BucketLeadership> buckets;
};

// A dropped table has no later leader: its stop outranks every epoch.
inline constexpr LeaderEpoch kDroppedEpoch{std::numeric_limits<int32_t>::max()};

struct StopNotice {
  struct Bucket {
    // Unknown when a drop is resumed after a restart: the tablet server finds files by the ids.
    std::optional<PhysicalTablePath> path;
    TableBucket bucket;
    LeaderEpoch leader_epoch;  // kDroppedEpoch for a table that is dropped
  };
  int32_t coordinator_epoch = 0;
  bool delete_data = false;  // local and remote
  std::vector<Bucket> buckets;
};

// How far the lake behind buckets is: a reader of the lake needs their logs from there on. It goes
// back to 0 when the lake is made anew.
struct LakeNotice {
  struct Bucket {
    TableBucket bucket;
    LakeSnapshotId snapshot;
    Offset end_offset;
    std::optional<TimestampMs> max_timestamp;  // of the last row, where known
  };
  int32_t coordinator_epoch = 0;
  std::vector<Bucket> buckets;
};

struct BucketOutcome {
  TableBucket bucket;
  Status status;
};

class TabletLink {
 public:
  virtual ~TabletLink() = default;
  // Done for a bucket: the server leads or follows as told, and a leader takes requests. The
  // catalog that was published before the call has the table. One outcome a bucket, in any order.
  virtual Task<Result<std::vector<BucketOutcome>>> notify_leader_and_isr(
      ServerId server, LeadershipNotice notice) = 0;
  // Done for a bucket: the replica is stopped and, when told to delete, nothing of it is left on
  // the server's disk, power loss included. A replica that is not known is done.
  virtual Task<Result<std::vector<BucketOutcome>>> stop_replicas(ServerId server,
                                                                 StopNotice notice) = 0;
  // Buckets that are not there are left out. Whoever misses it asks for the offset himself.
  virtual Task<Status> notify_lake_offsets(ServerId server, LakeNotice notice) = 0;
};

// What the coordinator needs of the server it is in, for options that change while it runs.
//
// Thread rule: control shard.
class ConfigLink {
 public:
  virtual ~ConfigLink() = default;
  // Checks the change, writes it down through Coordinator::write_configs() and follows it.
  // kConfigException.
  virtual Task<Status> alter(std::vector<ConfigChange> changes) = 0;
};

}  // namespace lakestream::coordinator
