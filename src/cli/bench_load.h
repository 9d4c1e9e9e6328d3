#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "cli/latency.h"
#include "client/appender.h"
#include "client/connection.h"
#include "io/env.h"
#include "io/random.h"
#include "io/task.h"
#include "table/path.h"
#include "table/schema.h"

// The load of `lakestream bench`: each flow is a connection of its own that appends a share of the
// rows, and afterwards reads a share of the buckets.
//
// Thread rule: a flow belongs to its shard.
//
//   CO_ASSIGN_OR_RETURN(FlowResult result, co_await append_flow(&env, connection, plan, random));
namespace lakestream::cli {

struct LoadPlan {
  TablePath table;
  uint64_t rows = 0;  // of this flow
  size_t row_bytes = 0;
  size_t batch_bytes = 0;  // of one append
  size_t in_flight = 0;    // appends on their way
  Duration timeout{0};     // of a batch, and of a bucket that cannot be read; 0: none
  client::Acks acks = client::Acks::kAll;
  // Of reading: the buckets whose number modulo flow_count is flow.
  int32_t flow = 0;
  int32_t flow_count = 1;
};

struct FlowResult {
  uint64_t rows = 0;
  uint64_t calls = 0;       // appends, or polls that gave rows
  uint64_t wire_bytes = 0;  // of encoded batches
  Latency latency;          // of a call
};

// Two columns: a number and a text of what is left of the row.
Result<Schema> load_schema();

Task<Result<FlowResult>> append_flow(Env* env,
                                     Shard* shard,
                                     std::shared_ptr<client::Connection> connection,
                                     LoadPlan plan,
                                     uint64_t seed);
Task<Result<FlowResult>> read_flow(Env* env,
                                   std::shared_ptr<client::Connection> connection,
                                   LoadPlan plan);

}  // namespace lakestream::cli
