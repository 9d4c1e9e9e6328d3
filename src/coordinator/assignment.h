#pragma once

#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "io/random.h"
#include "meta/meta.h"
#include "meta/records.h"

// Which servers get the replicas of a table's buckets: the first replica goes round the servers
// from a random start, the others stand at a growing distance from it, so that the load of a lost
// server is shared by all. And how that is written down.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(AssignmentRecord record, make_assignment({4, 1}, servers, random));
//   auto ops = placement_of(id, record, first_leaders(record), epoch);
namespace lakestream::coordinator {

struct AssignmentRequest {
  int32_t bucket_count = 0;
  int32_t replication_factor = 0;
};

// kInvalidReplicationFactor when there are fewer servers than replicas.
Result<AssignmentRecord> make_assignment(const AssignmentRequest& request,
                                         const std::vector<ServerId>& servers,
                                         Random& random);

// The first leader of each bucket: the first of its servers, all of which are alive.
std::vector<BucketEntry> first_leaders(const AssignmentRecord& assignment);
AssignmentRecord assignment_of(const std::vector<BucketEntry>& buckets);
// The nodes of the buckets; none where there are no buckets.
std::vector<MetaOp> placement_of(const PhysicalTableId& id,
                                 AssignmentRecord assignment,
                                 const std::vector<BucketEntry>& buckets,
                                 int32_t coordinator_epoch);

}  // namespace lakestream::coordinator
