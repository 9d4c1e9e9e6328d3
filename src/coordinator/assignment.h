#pragma once

#include <vector>

#include "base/result.h"
#include "io/random.h"
#include "meta/records.h"

// Which servers get the replicas of a table's buckets: the first replica goes round the servers
// from a random start, the others stand at a growing distance from it, so that the load of a lost
// server is shared by all.
//
// Thread rule: pure function.
//
//   ASSIGN_OR_RETURN(AssignmentRecord record, make_assignment({4, 1}, servers, random));
namespace lakestream::coordinator {

struct AssignmentRequest {
  int32_t bucket_count = 0;
  int32_t replication_factor = 0;
};

// kInvalidReplicationFactor when there are fewer servers than replicas.
Result<AssignmentRecord> make_assignment(const AssignmentRequest& request,
                                         const std::vector<ServerId>& servers,
                                         Random& random);

}  // namespace lakestream::coordinator
