#include "catalog/api/read_apis.h"

namespace lakestream {
namespace {

enum class Health : int32_t { kGreen = 0, kYellow = 1, kRed = 2 };

}  // namespace

// Red when a bucket has no leader, yellow when a replica is not in sync.
Result<wire::GetClusterHealthResponse> get_cluster_health(const wire::GetClusterHealthRequest&,
                                                          const ReadContext& context) {
  wire::GetClusterHealthResponse response;
  context.catalog.visit_buckets([&](const PhysicalTableId&, const auto& buckets) {
    for (const BucketEntry& bucket : buckets) {
      response.num_replicas += static_cast<int32_t>(bucket.replicas.size());
      response.in_sync_replicas += static_cast<int32_t>(bucket.isr.size());
      response.num_leader_replicas += 1;
      response.active_leader_replicas += bucket.leader ? 1 : 0;
    }
  });
  Health health = Health::kGreen;
  if (response.in_sync_replicas < response.num_replicas) health = Health::kYellow;
  if (response.active_leader_replicas < response.num_leader_replicas) health = Health::kRed;
  response.status = static_cast<int32_t>(health);
  return response;
}

}  // namespace lakestream
