#include "server/coordinator_link.h"

#include <utility>

namespace lakestream {

using coordinator::ColumnIds;
using coordinator::Coordinator;
using coordinator::KvSnapshotPlace;

Task<Result<SnapshotTicket>> LocalCoordinatorLink::next_snapshot(Shard* home, TableBucket bucket) {
  Coordinator* to = coordinator_;
  auto next = [to, bucket] { return to->next_kv_snapshot(bucket); };
  CO_ASSIGN_OR_RETURN(KvSnapshotPlace place, co_await call_on(*home, to->shard(), std::move(next)));
  co_return SnapshotTicket{place.id, std::move(place.folder)};
}

Task<Status> LocalCoordinatorLink::commit_snapshot(Shard* home,
                                                   KvSnapshot snapshot,
                                                   LeaderEpoch leader_epoch) {
  Coordinator* to = coordinator_;
  auto commit = [to, snapshot = std::move(snapshot), leader_epoch]() mutable {
    // In one process there is no older coordinator to have heard of.
    coordinator::KvSnapshotCommit made{std::move(snapshot), to->epoch(), leader_epoch};
    return to->commit_kv_snapshot(std::move(made));
  };
  co_return co_await call_on(*home, to->shard(), std::move(commit));
}

Task<Result<std::vector<KvSnapshot>>> LocalCoordinatorLink::snapshots(Shard* home,
                                                                      TableBucket bucket) {
  Coordinator* to = coordinator_;
  auto read = [to, bucket] { return to->kv_snapshots(bucket); };
  co_return co_await call_on(*home, to->shard(), std::move(read));
}

Task<Result<RemoteLogPlace>> LocalCoordinatorLink::remote_log(Shard* home, TableBucket bucket) {
  Coordinator* to = coordinator_;
  auto read = [to, bucket] { return to->remote_log(bucket); };
  CO_ASSIGN_OR_RETURN(RemoteLogRecord record,
                      co_await call_on(*home, to->shard(), std::move(read)));
  co_return RemoteLogPlace{
      std::move(record.folder), std::move(record.manifest_path), record.end_offset};
}

Task<Result<std::string>> LocalCoordinatorLink::begin_remote_log(Shard* home, TableBucket bucket) {
  Coordinator* to = coordinator_;
  auto begin = [to, bucket] { return to->begin_remote_log(bucket); };
  co_return co_await call_on(*home, to->shard(), std::move(begin));
}

Task<Status> LocalCoordinatorLink::commit_remote_log(Shard* home,
                                                     RemoteLogCommit commit,
                                                     LeaderEpoch leader_epoch) {
  Coordinator* to = coordinator_;
  auto send = [to, commit = std::move(commit), leader_epoch]() mutable {
    // In one process there is no older coordinator to have heard of.
    coordinator::RemoteLogCommit made{commit.bucket,
                                      std::move(commit.manifest_path),
                                      commit.end_offset,
                                      to->epoch(),
                                      leader_epoch};
    return to->commit_remote_log(std::move(made));
  };
  co_return co_await call_on(*home, to->shard(), std::move(send));
}

Task<Result<Offset>> LocalCoordinatorLink::lake_end(Shard* home, TableBucket bucket) {
  Coordinator* to = coordinator_;
  auto ask = [to, bucket] { return to->lake_end(bucket); };
  co_return co_await call_on(*home, to->shard(), std::move(ask));
}

Task<Result<ReservedIds>> LocalCoordinatorLink::reserve_ids(Shard* home,
                                                            TableId table,
                                                            int32_t column_id,
                                                            int64_t count) {
  Coordinator* to = coordinator_;
  auto reserve = [to, table, column_id, count] { return to->reserve_ids(table, column_id, count); };
  CO_ASSIGN_OR_RETURN(ColumnIds ids, co_await call_on(*home, to->shard(), std::move(reserve)));
  co_return ReservedIds{ids.start, ids.end};
}

}  // namespace lakestream
