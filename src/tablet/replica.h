#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/task.h"
#include "log/log.h"
#include "table/table.h"
#include "tablet/kv_replica.h"
#include "tablet/remote_log.h"

// One bucket on this server: its log, who leads it, and up to where readers may see it (the high
// watermark). The leader of a bucket with one replica publishes what its log has made durable and,
// in a primary-key table, what its key-value state has taken over.
//
// Thread rule: shard-local, on the bucket's home. Held by shared pointers of that shard, because a
// read or a wait may outlast the replica's place in the manager.
//
//   CO_ASSIGN_OR_RETURN(Appended appended, replica->append(records, shapes));
//   CO_RETURN_IF_ERROR(co_await replica->committed(appended, timeout));
namespace lakestream {

// Told when the high watermark moved or the replica stopped serving.
class ReplicaObserver {
 public:
  virtual ~ReplicaObserver() = default;
  virtual void replica_changed() = 0;
};

class Replica {
 public:
  using ObserverPlace = std::list<ReplicaObserver*>::iterator;

  Replica(Env& env, Shard& home, TableBucket bucket, std::unique_ptr<LogTablet> log);
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  const TableBucket& bucket() const { return bucket_; }
  LogTablet& log() { return *log_; }
  // nullptr without remote storage.
  RemoteLog* remote() { return remote_.get(); }
  // Before the first request and before add_kv.
  void add_remote(PhysicalTablePath path, RemoteLogOptions options, RemoteLogPlace place);
  // nullptr for a bucket of a log table.
  KvReplica* kv() { return kv_.get(); }
  // Before the first put.
  void add_kv(KvReplicaOptions options);

  // Takes the lead with this epoch, or keeps it when the epoch is the present one. Errors:
  // kFencedLeaderEpochException for an older epoch.
  Status become_leader(LeaderEpoch epoch);
  bool is_leader() const { return leading_ && !stopped_; }
  LeaderEpoch leader_epoch() const { return epoch_; }
  // kNotLeaderOrFollower unless this replica leads.
  Status check_leader() const;

  // Errors: kNotLeaderOrFollower and those of LogTablet::append.
  Result<Appended> append(Bytes records, const SchemaShapes& shapes);
  // Ends when what was appended is below the high watermark. Errors: kRequestTimeOut (the rows stay
  // and a retry is recognised), kNotLeaderOrFollower, what the log says about lost appends, also
  // when they were lost before this call.
  Task<Status> committed(Appended appended, Duration timeout);

  Offset high_watermark() const { return high_watermark_; }
  // Where the log begins, in remote storage included: RemoteLog::start_offset.
  Task<Result<Offset>> start_offset();
  // As LogTablet::read, of remote storage, too.
  Task<Result<LogRead>> read(ReadRequest request);

  // From where on a reader of the lake needs this log; nothing while that is not known.
  const std::optional<Offset>& lake_end() const { return lake_end_; }
  void lake_moved(Offset end) { lake_end_ = end; }

  ObserverPlace observe(ReplicaObserver* observer) {
    return observers_.insert(observers_.end(), observer);
  }
  void forget(ObserverPlace place) { observers_.erase(place); }

  // Refuses everything from here on, ends all waits, closes the log.
  Task<Status> stop();

 private:
  struct CommitWait {
    Offset end;
    Promise<Status> promise;
  };
  void log_moved(const LogProgress& progress);
  Status check_kept(const Appended& appended) const;
  void publish(Offset high_watermark);
  void tell_observers();

  Env& env_;
  Shard& home_;
  TableBucket bucket_;
  std::unique_ptr<LogTablet> log_;
  std::unique_ptr<RemoteLog> remote_;  // refers to the log
  std::unique_ptr<KvReplica> kv_;      // refers to both
  bool leading_ = false;
  bool stopped_ = false;
  LeaderEpoch epoch_ = kNoLeaderEpoch;
  Offset high_watermark_;
  std::optional<Offset> lake_end_;
  std::list<CommitWait*> commit_waits_;
  std::deque<LogLoss> losses_;  // the latest
  std::list<ReplicaObserver*> observers_;
};

}  // namespace lakestream
