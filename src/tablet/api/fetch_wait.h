#pragma once

#include <vector>

#include "rpc/api_table.h"
#include "tablet/api/fetch_plan.h"

// The waiting part of a long poll: ends when a bucket's high watermark has moved since `reads`, a
// replica stopped leading, the connection has gone, or `limit` has passed. A waiting fetch costs
// one timer and one entry a bucket.
//
// Thread rule: called on the shard of the connection; what the pointers show must outlive the task.
namespace lakestream {

Task<void> wait_for_records(const rpc::RequestContext* context,
                            ReplicaManager* replicas,
                            const FetchPlan* plan,
                            const std::vector<BucketRead>* reads,
                            Duration limit);

}  // namespace lakestream
