#include <utility>

#include "base/failpoint.h"
#include "base/logging.h"
#include "io/disk.h"
#include "io/pool.h"
#include "tablet/kv_replica.h"

namespace lakestream {

Task<Result<KvCheckpoint>> KvReplica::take_checkpoint(std::string directory) {
  auto clear = [disk = &env_.disk, directory] { return disk->remove_all(directory); };
  CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, home_, std::move(clear)));
  CO_RETURN_IF_ERROR(check_open());  // nobody would hear the wish
  CheckpointWish wish{std::move(directory), {}};
  checkpoint_wish_ = &wish;
  start_apply();
  co_return co_await wish.taken.get();
}

Task<Status> KvReplica::snapshot(const std::atomic<bool>* stopping) {
  auto pass = gate_.enter();
  if (!pass || snapshotting_ || tablet_ == nullptr || options_.coordinator == nullptr) {
    co_return ok();
  }
  struct Flag {
    bool& flag;
    explicit Flag(bool& raised) : flag(raised) { flag = true; }
    ~Flag() { flag = false; }
  } running(snapshotting_);
  if (uncommitted_) {
    UploadedSnapshot again = *uncommitted_;
    CO_RETURN_IF_ERROR(co_await commit(std::move(again)));
  }
  CO_RETURN_IF_ERROR(co_await learn_covered());
  if (tablet_->applied().applied <= *covered_) co_return ok();

  CO_ASSIGN_OR_RETURN(SnapshotTicket ticket,
                      co_await options_.coordinator->next_snapshot(&home_, bucket_));
  KvUpload upload;
  upload.bucket = bucket_;
  upload.id = ticket.id;
  upload.folder = ticket.folder;
  upload.directory = kv_checkpoint_directory(options_.directory);
  upload.is_stopped = [stopped = &stopped_, stopping] {
    return *stopped || (stopping != nullptr && *stopping);
  };
  if (last_snapshot_) upload.previous.push_back(*last_snapshot_);
  CO_ASSIGN_OR_RETURN(upload.checkpoint, co_await take_checkpoint(upload.directory));
  // A log that power loss cuts below its snapshot would give the offsets to other rows.
  CO_RETURN_IF_ERROR(co_await log_.flush());
  CO_RETURN_IF_ERROR(failpoint("kv.after_checkpoint"));
  ObjectStore* objects = options_.objects;
  Random random = options_.random.fork();
  const KvUpload* shared = &upload;
  auto copy = [objects, random, shared] { return upload_snapshot(*objects, random, *shared); };
  Result<UploadedSnapshot> uploaded = co_await run_on_pool(env_.pool, home_, std::move(copy));
  auto clear = [disk = &env_.disk, shared] { return disk->remove_all(shared->directory); };
  Status cleared = co_await run_on_pool(env_.pool, home_, std::move(clear));
  if (!uploaded) co_return fail(std::move(uploaded).error());
  CO_RETURN_IF_ERROR(co_await commit(std::move(*uploaded)));
  co_return cleared;
}

Task<Status> KvReplica::commit(UploadedSnapshot uploaded) {
  uncommitted_ = uploaded;
  CO_RETURN_IF_ERROR(failpoint("kv.after_upload"));
  Status done = co_await options_.coordinator->commit_snapshot(
      &home_, uploaded.snapshot, log_.latest_epoch());
  if (done) {
    uncommitted_.reset();
    covered_before_ = covered_.value_or(Offset(0));
    covered_ = uploaded.snapshot.log_offset;
    last_snapshot_ = std::move(uploaded.snapshot);
    co_return failpoint("kv.after_commit");
  }
  if (!is_refusal(done.error())) co_return done;  // asked again before the next one
  uncommitted_.reset();
  last_snapshot_.reset();
  ObjectStore* objects = options_.objects;
  auto discard = [objects, made = std::move(uploaded)] { return discard_snapshot(*objects, made); };
  Status discarded = co_await run_on_pool(env_.pool, home_, std::move(discard));
  if (!discarded) {
    LOG_WARN("tablet",
             "files of a refused snapshot not deleted",
             KV("bucket", bucket_),
             KV("reason", discarded.error().message()));
  }
  co_return done;
}

Task<Status> KvReplica::learn_covered() {
  if (covered_) co_return ok();
  std::vector<KvSnapshot> snapshots;
  if (options_.coordinator != nullptr) {
    CO_ASSIGN_OR_RETURN(snapshots, co_await options_.coordinator->snapshots(&home_, bucket_));
  }
  if (covered_) co_return ok();  // a commit was faster
  covered_ = snapshots.empty() ? Offset(0) : snapshots.front().log_offset;
  covered_before_ = snapshots.size() < 2 ? Offset(0) : snapshots[1].log_offset;
  co_return ok();
}

Task<Result<Offset>> KvReplica::needed_from() {
  CO_RETURN_IF_ERROR(co_await learn_covered());
  co_return covered_before_;
}

}  // namespace lakestream
