#pragma once

#include "coordinator/coordinator.h"
#include "tablet/links.h"

// Connects tablets to the coordinator of the same process.
//
// Thread rule: as CoordinatorLink; connect() before the first call.
//
//   LocalCoordinatorLink link;
//   link.connect(coordinator);
namespace lakestream {

class LocalCoordinatorLink final : public CoordinatorLink {
 public:
  void connect(coordinator::Coordinator& coordinator) { coordinator_ = &coordinator; }

  Task<Result<SnapshotTicket>> next_snapshot(Shard* home, TableBucket bucket) override;
  Task<Status> commit_snapshot(Shard* home, KvSnapshot snapshot, LeaderEpoch leader_epoch) override;
  Task<Result<std::vector<KvSnapshot>>> snapshots(Shard* home, TableBucket bucket) override;
  Task<Result<RemoteLogPlace>> remote_log(Shard* home, TableBucket bucket) override;
  Task<Result<std::string>> begin_remote_log(Shard* home, TableBucket bucket) override;
  Task<Status> commit_remote_log(Shard* home,
                                 RemoteLogCommit commit,
                                 LeaderEpoch leader_epoch) override;
  Task<Result<Offset>> lake_end(Shard* home, TableBucket bucket) override;
  Task<Result<ReservedIds>> reserve_ids(Shard* home,
                                        TableId table,
                                        int32_t column_id,
                                        int64_t count) override;

 private:
  coordinator::Coordinator* coordinator_ = nullptr;
};

}  // namespace lakestream
