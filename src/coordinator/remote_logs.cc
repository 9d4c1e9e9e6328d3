#include "coordinator/remote_logs.h"

#include <utility>

#include "coordinator/coordinator.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {

// The log of a bucket in remote storage: its folder is written down before the first file goes
// there, then each manifest that its leader commits. The files are the leader's; all of the folder
// is removed when the table is dropped.

namespace {

tl::unexpected<Error> unknown_bucket(const TableBucket& bucket) {
  return make_error(ErrorCode::kUnknownTableOrBucketException, "{} does not exist", bucket);
}

}  // namespace

Task<Result<RemoteLogRecord>> Coordinator::remote_log(TableBucket bucket) {
  if (find_bucket(bucket) == nullptr) co_return unknown_bucket(bucket);
  auto known = remote_logs_.find(bucket);
  co_return known == remote_logs_.end() ? RemoteLogRecord() : known->second;
}

Task<Result<std::string>> Coordinator::begin_remote_log(TableBucket bucket) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  if (find_bucket(bucket) == nullptr) co_return unknown_bucket(bucket);
  auto known = remote_logs_.find(bucket);
  if (known != remote_logs_.end()) co_return known->second.folder;
  RemoteLogRecord record;
  PhysicalTableId owner = owner_of(bucket);
  record.folder = remote_log_folder(remote_root(owner), *path_of(owner), bucket);
  CO_RETURN_IF_ERROR(co_await write_remote_log(bucket, record));
  co_return record.folder;
}

Task<Status> Coordinator::write_remote_log(TableBucket bucket, RemoteLogRecord record) {
  std::vector<MetaOp> ops;
  std::string path = paths::remote_log(bucket);
  Bytes value = encode(record);
  bool exists = remote_logs_.contains(bucket);
  ops.push_back(exists ? MetaOp::put(std::move(path), std::move(value), kAnyVersion)
                       : MetaOp::create(std::move(path), std::move(value)));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  remote_logs_[bucket] = std::move(record);
  co_return ok();
}

Status Coordinator::check_remote_log(const RemoteLogCommit& commit) const {
  const BucketEntry* bucket = find_bucket(commit.bucket);
  if (bucket == nullptr) return unknown_bucket(commit.bucket);
  // Leaders of Fluss may send the bucket epoch, which is never below the leader epoch.
  if (commit.coordinator_epoch > epoch() || commit.leader_epoch.value() > bucket->bucket_epoch) {
    return make_error(ErrorCode::kInvalidCoordinatorException,
                      "{}: coordinator epoch {} and leader epoch {} are newer than those of this "
                      "coordinator, {} and {}; ask the one that is active",
                      commit.bucket,
                      commit.coordinator_epoch,
                      commit.leader_epoch,
                      epoch(),
                      bucket->leader_epoch);
  }
  if (commit.leader_epoch < bucket->leader_epoch) {
    return make_error(ErrorCode::kFencedLeaderEpochException,
                      "{}: leader epoch {} is over, the bucket is at {}; discard the manifest",
                      commit.bucket,
                      commit.leader_epoch,
                      bucket->leader_epoch);
  }
  auto known = remote_logs_.find(commit.bucket);
  std::string folder = known == remote_logs_.end() ? "" : known->second.folder;
  if (folder.empty() || remote_log_folder_of(commit.manifest_path) != folder) {
    return make_error(ErrorCode::kFencedLeaderEpochException,
                      "{}: manifest {} is not in '{}'; ask for the folder first",
                      commit.bucket,
                      commit.manifest_path,
                      folder);
  }
  if (commit.end_offset >= known->second.end_offset) return ok();
  return make_error(ErrorCode::kFencedLeaderEpochException,
                    "{}: manifest {} ends at {}, and the log was copied up to {}; discard it",
                    commit.bucket,
                    commit.manifest_path,
                    commit.end_offset,
                    known->second.end_offset);
}

Task<Status> Coordinator::commit_remote_log(RemoteLogCommit commit) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  auto known = remote_logs_.find(commit.bucket);
  bool done = known != remote_logs_.end() && known->second.manifest_path == commit.manifest_path;
  if (done) co_return ok();
  CO_RETURN_IF_ERROR(check_remote_log(commit));
  RemoteLogRecord record = known->second;
  record.manifest_path = std::move(commit.manifest_path);
  record.end_offset = commit.end_offset;
  co_return co_await write_remote_log(commit.bucket, std::move(record));
}

Task<Result<std::vector<RemoteLogManifestPlace>>> Coordinator::list_remote_logs(
    PhysicalTableId id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_RETURN_IF_ERROR(check_listed(id));
  std::vector<RemoteLogManifestPlace> listed;
  for (const BucketEntry& entry : *catalog_->find_buckets(id)) {
    TableBucket bucket = bucket_of(id, entry.bucket);
    auto known = remote_logs_.find(bucket);
    if (known == remote_logs_.end() || !known->second.manifest_path) continue;
    listed.push_back({bucket, *known->second.manifest_path, known->second.end_offset});
  }
  co_return listed;
}

}  // namespace lakestream::coordinator
