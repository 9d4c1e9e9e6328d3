#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {
namespace {

TableBucket bucket_of(int64_t table, const wire::PbLakeTableOffsetForBucket& entry) {
  TableBucket bucket{TableId(table), std::nullopt, BucketId(entry.bucket_id)};
  if (entry.partition_id) bucket.partition = PartitionId(*entry.partition_id);
  return bucket;
}

std::map<TableBucket, TimestampMs> times_of(
    int64_t table, const std::vector<wire::PbLakeTableSnapshotInfo>& infos) {
  std::map<TableBucket, TimestampMs> times;
  for (const wire::PbLakeTableSnapshotInfo& info : infos) {
    if (info.table_id != table) continue;
    for (const auto& entry : info.buckets_req) {
      if (entry.max_timestamp.value_or(-1) < 0) continue;
      times[bucket_of(table, entry)] = TimestampMs(*entry.max_timestamp);
    }
  }
  return times;
}

LakeSnapshotCommit to_commit(wire::PbLakeTableSnapshotMetadata message,
                             const std::vector<wire::PbLakeTableSnapshotInfo>& infos) {
  LakeSnapshotCommit commit;
  commit.table = TableId(message.table_id);
  commit.id = LakeSnapshotId(message.snapshot_id);
  commit.tiered_path = std::move(message.tiered_bucket_offsets_file_path);
  commit.readable_path = std::move(message.readable_bucket_offsets_file_path);
  if (message.earliest_snapshot_id_to_keep) {
    commit.keep_from = LakeSnapshotId(*message.earliest_snapshot_id_to_keep);
  }
  commit.max_timestamps = times_of(message.table_id, infos);
  return commit;
}

LakeOffsetsCommit to_offsets_commit(const wire::PbLakeTableSnapshotInfo& info, int64_t table) {
  LakeOffsetsCommit commit;
  commit.table = TableId(table);
  commit.id = LakeSnapshotId(info.snapshot_id);
  for (const auto& entry : info.buckets_req) {
    if (entry.log_end_offset.value_or(kNoLakeOffset) == kNoLakeOffset) continue;
    commit.offsets[bucket_of(table, entry)] = Offset(*entry.log_end_offset);
  }
  return commit;
}

wire::PbCommitLakeTableSnapshotRespForTable to_message(int64_t table, const Status& done) {
  wire::PbCommitLakeTableSnapshotRespForTable message;
  message.table_id = table;
  if (done) return message;
  message.error_code = static_cast<int32_t>(done.error().code());
  message.error_message = done.error().message();
  return message;
}

// Of clients that have no documents.
Task<Result<wire::CommitLakeTableSnapshotResponse>> commit_offsets(
    wire::CommitLakeTableSnapshotRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  wire::CommitLakeTableSnapshotResponse response;
  for (const wire::PbLakeTableSnapshotInfo& info : request.tables_req) {
    if (!info.table_id) {
      co_return make_error(ErrorCode::kUnknownServerError,
                           "lake snapshot {}: the request does not name its table",
                           info.snapshot_id);
    }
    auto commit = [coordinator, made = to_offsets_commit(info, *info.table_id)]() mutable {
      return coordinator->commit_lake_offsets(std::move(made));
    };
    Status done = co_await call_on(*call.shard, coordinator->shard(), std::move(commit));
    response.table_resp.push_back(to_message(*info.table_id, done));
  }
  co_return response;
}

}  // namespace

Task<Result<wire::CommitLakeTableSnapshotResponse>> commit_lake_table_snapshot_api(
    wire::CommitLakeTableSnapshotRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  if (request.lake_table_snapshot_metadata.empty()) {
    co_return co_await commit_offsets(std::move(request), std::move(call), coordinator);
  }
  wire::CommitLakeTableSnapshotResponse response;
  for (wire::PbLakeTableSnapshotMetadata& message : request.lake_table_snapshot_metadata) {
    int64_t table = message.table_id;
    auto commit = [coordinator,
                   made = to_commit(std::move(message), request.tables_req)]() mutable {
      return coordinator->commit_lake_snapshot(std::move(made));
    };
    Status done = co_await call_on(*call.shard, coordinator->shard(), std::move(commit));
    response.table_resp.push_back(to_message(table, done));
  }
  co_return response;
}

}  // namespace lakestream::coordinator
