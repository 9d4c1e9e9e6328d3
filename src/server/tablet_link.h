#pragma once

#include "coordinator/links.h"
#include "tablet/replica_manager.h"

namespace lakestream {

// Connects the coordinator to the tablets of the same process.
// Thread rule: control shard.
class LocalTabletLink final : public coordinator::TabletLink {
 public:
  LocalTabletLink(Shard& control, ServerId self) : control_(control), self_(self) {}
  void connect(ReplicaManager& replicas) { replicas_ = &replicas; }

  Task<Result<std::vector<coordinator::BucketOutcome>>> notify_leader_and_isr(
      ServerId server, coordinator::LeadershipNotice notice) override;
  Task<Result<std::vector<coordinator::BucketOutcome>>> stop_replicas(
      ServerId server, coordinator::StopNotice notice) override;
  Task<Status> notify_lake_offsets(ServerId server, coordinator::LakeNotice notice) override;

 private:
  Shard& control_;
  ServerId self_;
  ReplicaManager* replicas_ = nullptr;
};

}  // namespace lakestream
