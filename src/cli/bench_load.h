#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "cli/latency.h"
#include "client/connection.h"
#include "client/types.h"
#include "io/env.h"
#include "io/random.h"
#include "io/task.h"
#include "table/path.h"
#include "table/schema.h"

// The load of `lakestream bench`: each flow is a connection of its own that writes a share of the
// rows, and afterwards reads a share of the buckets or looks up a share of the keys.
//
// Thread rule: a flow belongs to its shard.
//
//   CO_ASSIGN_OR_RETURN(auto result,
//                       co_await run_load(LoadKind::kAppend, &env, &shard, connection, plan, 1));
namespace lakestream::cli {

struct LoadPlan {
  TablePath table;
  uint64_t rows = 0;       // of this flow
  uint64_t first_key = 0;  // of its upserts; those of all flows are 0 to key_count - 1
  uint64_t key_count = 0;
  size_t row_bytes = 0;
  size_t batch_bytes = 0;  // of one append or upsert
  size_t in_flight = 0;    // calls on their way
  Duration timeout{0};     // of a batch, and of a bucket that cannot be read; 0: none
  client::Acks acks = client::Acks::kAll;
  // Of reading: the buckets whose number modulo flow_count is flow.
  int32_t flow = 0;
  int32_t flow_count = 1;
};

struct FlowResult {
  uint64_t rows = 0;
  uint64_t calls = 0;       // appends, upserts, lookups, or polls that gave rows
  uint64_t wire_bytes = 0;  // of encoded batches
  Latency latency;          // of a call
};

// What a flow does.
enum class LoadKind : uint8_t { kAppend, kUpsert, kRead, kLookup };

// Two columns: a number, which may be the primary key, and a text of what is left of the row.
Result<Schema> load_schema(bool keyed);

Task<Result<FlowResult>> run_load(LoadKind kind,
                                  Env* env,
                                  Shard* shard,
                                  std::shared_ptr<client::Connection> connection,
                                  LoadPlan plan,
                                  uint64_t seed);

}  // namespace lakestream::cli
