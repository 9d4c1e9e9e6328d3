#pragma once

#include <cstddef>
#include <string>

#include "base/ids.h"
#include "base/result.h"

// What redis-benchmark is to a Redis server: lookups of random keys over some connections, one
// request on its way on each, encoded before the clock starts and answers not decoded.
//
// Thread rule: the calling thread does it all.
//
//   ASSIGN_OR_RETURN(LookupRun run, run_lookups({.address = server->address(), .table = id, …}));
namespace lakestream::bench {

struct LookupLoad {
  std::string address;
  TableId table;
  size_t keys = 0;  // 0, 1, … below it, in bucket 0
  size_t value_bytes = 100;
  size_t clients = 8;
  size_t pipeline = 1;  // keys of a request
  size_t requests = 0;
  double per_second = 0;  // requests; 0: as fast as the answers come
};

struct LookupRun {
  double seconds = 0;
  double p50_seconds = 0;
  double p99_seconds = 0;  // from when a request was due
};

// Errors: kUnknownServerError when a key is not found or the connection ends.
Result<LookupRun> run_lookups(const LookupLoad& load);

}  // namespace lakestream::bench
