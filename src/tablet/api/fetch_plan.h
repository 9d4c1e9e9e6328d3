#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/clock.h"
#include "tablet/api/at_homes.h"
#include "tablet/replica_manager.h"
#include "wire/messages.h"

// What a FetchLog request asks for, by bucket, and one read of it.
//
// Thread rule: a plan is immutable and read by all homes; read_buckets runs on the home.
namespace lakestream {

inline constexpr int64_t kEarliestOffset = -2;

// What is done with an offset in remote storage. The numbers are those of read_preference.
enum class ReadPreference : int32_t {
  kLocalFirst = 0,   // the client is sent there when the offset is not local
  kRemoteFirst = 1,  // also when it is
  kServer = 2,       // the server reads it for the client; Lakestream's own
};

struct BucketFetch {
  TableBucket bucket;
  int64_t offset = 0;  // or kEarliestOffset
  size_t bytes_max = 0;
  const wire::PbFetchLogReqForTable* table = nullptr;
  // Up to there earlier reads of the same request found that nothing can match.
  Offset passed = {};
  std::optional<Error> refused = {};  // who asks may not read it
};

struct FetchPlan {
  size_t bytes_max = 0;
  size_t bytes_min = 0;
  Duration wait_max{0};
  ReadPreference preference = ReadPreference::kLocalFirst;
  std::vector<BucketFetch> buckets;  // in the order of the request
  std::vector<HomeGroup> groups;

  // Refers to the request. `bytes_limit` is the server's own limit. Errors: kUnknownServerError for
  // a filter without its schema.
  static Result<FetchPlan> make(const wire::FetchLogRequest& request,
                                const ReplicaManager& replicas,
                                size_t bytes_limit);
};

struct FetchBudget {
  size_t bytes_left = 0;
  bool at_least_one = true;  // nothing was read yet: the first batch comes even if it is larger
};

struct BucketRead {
  std::optional<Error> error;
  Offset high_watermark;
  Offset start_offset;
  std::optional<RemoteFetch> remote;  // in place of records
  BytesChain records;
  Offset records_end;     // behind the last batch of the records
  Offset end_offset;      // what lies between is left out, as no row in it can match
  bool has_more = false;  // the read ended before it came to an end of the log or of its budget
};

struct HomeRead {
  std::vector<BucketRead> reads;  // in the order of the positions
  FetchBudget budget;             // what is left
};

Task<HomeRead> read_buckets(ShardTablets* tablets,
                            const FetchPlan* plan,
                            const std::vector<size_t>* positions,
                            FetchBudget budget);

}  // namespace lakestream
