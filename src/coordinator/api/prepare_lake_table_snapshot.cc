#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {
namespace {

LakeRound to_round(wire::PbTableOffsets message) {
  LakeRound round;
  round.table = TableId(message.table_id);
  round.path = {.database = std::move(message.table_path.database_name),
                .table = std::move(message.table_path.table_name)};
  for (const wire::PbBucketOffset& entry : message.bucket_offsets) {
    if (entry.log_end_offset.value_or(kNoLakeOffset) == kNoLakeOffset) continue;
    TableBucket bucket{round.table, std::nullopt, BucketId(entry.bucket_id)};
    if (entry.partition_id) bucket.partition = PartitionId(*entry.partition_id);
    round.offsets[bucket] = Offset(*entry.log_end_offset);
  }
  return round;
}

}  // namespace

Task<Result<wire::PrepareLakeTableSnapshotResponse>> prepare_lake_table_snapshot_api(
    wire::PrepareLakeTableSnapshotRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  LakeOffsetsBase base = request.ignore_previous_table_offsets.value_or(false)
                             ? LakeOffsetsBase::kNone
                             : LakeOffsetsBase::kLatest;
  wire::PrepareLakeTableSnapshotResponse response;
  for (wire::PbTableOffsets& message : request.bucket_offsets) {
    wire::PbPrepareLakeTableRespForTable table;
    table.table_id = message.table_id;
    auto prepare = [coordinator, round = to_round(std::move(message)), base]() mutable {
      return coordinator->prepare_lake_snapshot(std::move(round), base);
    };
    Result<std::string> path =
        co_await call_on(*call.shard, coordinator->shard(), std::move(prepare));
    if (path) {
      table.lake_table_offsets_path = std::move(*path);
    } else {
      table.error_code = static_cast<int32_t>(path.error().code());
      table.error_message = path.error().message();
    }
    response.prepare_lake_table_resp.push_back(std::move(table));
  }
  co_return response;
}

}  // namespace lakestream::coordinator
