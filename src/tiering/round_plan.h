#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "io/task.h"
#include "table/remote_documents.h"

// What a round has to copy: of each bucket the log from the offset that is in the lake to the
// present end, or the state of a bucket whose log does not go back to its beginning.
//
// Thread rule: shard-local.
//
//   CO_ASSIGN_OR_RETURN(RoundPlan plan, co_await plan_round(connection, info, offsets));
namespace lakestream::tiering {

struct RoundPlan {
  std::vector<client::LogRange> ranges;
  // Buckets of a table with a primary key whose rows are read from their state, by partition name;
  // the empty name is that of a table without partitions.
  std::map<std::string, std::vector<TableBucket>> states;
  // Buckets of a table without a primary key that never had a row and are not in the lake. A commit
  // says that they end at 0: Flink connectors up to 0.9.1 wait for ever for the first row of a
  // bucket that it says nothing of.
  std::vector<TableBucket> unused;
  // Values of the partition keys, in their order.
  std::map<PartitionId, std::vector<std::string>> partitions;

  bool is_empty() const { return ranges.empty() && states.empty(); }
};

// `offsets`: what is in the lake. Errors: kLogOffsetOutOfRangeException when changes of a bucket
// with a primary key are gone that are not in the lake.
Task<Result<RoundPlan>> plan_round(std::shared_ptr<client::Connection> connection,
                                   client::TableInfo info,
                                   LakeOffsets offsets);

}  // namespace lakestream::tiering
