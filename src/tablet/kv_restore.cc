#include <utility>

#include "base/logging.h"
#include "io/disk.h"
#include "io/pool.h"
#include "tablet/kv_replica.h"
#include "tablet/remote_log.h"

// How a bucket's database comes into being: the one on the disk when it is whole and the log goes
// on where it ends, else the last snapshot, else an empty one. What is missing is replayed. The one
// on the disk goes only when it is known to be of no use: what can not be read now stays for the
// next try.

namespace lakestream {

// Of what can be replayed.
Task<Result<Offset>> KvReplica::log_start() {
  if (options_.remote == nullptr) co_return log_.start_offset();
  co_return co_await options_.remote->start_offset();
}

// The same; while remote storage can not be read, what is local has to do.
Task<Offset> KvReplica::known_log_start() {
  Result<Offset> start = co_await log_start();
  if (start) co_return *start;
  LOG_WARN("tablet",
           "changelog in remote storage can not be read",
           KV("bucket", bucket_),
           KV("reason", start.error().message()));
  co_return log_.start_offset();
}

// The log has everything from where the state ends.
Status KvReplica::check_covered(const KvEngine& engine, Offset start) const {
  Offset applied = engine.mark().applied;
  if (applied >= start && applied <= log_.durable_end_offset()) return ok();
  return make_error(ErrorCode::kKvStorageException,
                    "{}: the key-value state covers the log up to offset {}, and the log has {} to "
                    "{}",
                    bucket_,
                    applied,
                    start,
                    log_.durable_end_offset());
}

Task<Result<std::unique_ptr<KvEngine>>> KvReplica::open_engine() {
  const KvReplicaOptions* options = &options_;
  auto look = [options]() -> Result<std::unique_ptr<KvEngine>> {
    ASSIGN_OR_RETURN(bool exists, options->engines->exists(options->directory));
    if (!exists) return std::unique_ptr<KvEngine>();
    return options->engines->open(options->directory);
  };
  Result<std::unique_ptr<KvEngine>> local = co_await run_on_pool(env_.pool, home_, std::move(look));
  if (!local && !is_damaged(local.error())) co_return fail(std::move(local).error());
  Status usable = local ? ok() : Status(fail(local.error()));
  if (local && *local != nullptr) {
    // Nothing but the local log is needed most of the time.
    usable = check_covered(**local, log_.start_offset());
    if (!usable && (*local)->mark().applied < log_.start_offset()) {
      CO_ASSIGN_OR_RETURN(Offset start, co_await log_start());
      usable = check_covered(**local, start);
    }
    if (usable) co_return std::move(*local);
    local->reset();
  }
  if (!usable) {
    LOG_WARN("tablet",
             "key-value state on the disk is of no use, it is made anew",
             KV("bucket", bucket_),
             KV("reason", usable.error().message()));
  }
  co_return co_await restore_engine();
}

Task<Result<std::unique_ptr<KvEngine>>> KvReplica::restore_engine() {
  std::vector<KvSnapshot> snapshots;
  if (options_.coordinator != nullptr) {
    CO_ASSIGN_OR_RETURN(snapshots, co_await options_.coordinator->snapshots(&home_, bucket_));
  }
  Offset start = co_await known_log_start();
  const KvReplicaOptions* options = &options_;
  for (KvSnapshot& snapshot : snapshots) {
    auto fetch =
        [options, disk = &env_.disk, wanted = &snapshot]() -> Result<std::unique_ptr<KvEngine>> {
      RETURN_IF_ERROR(options->engines->remove(options->directory));
      RETURN_IF_ERROR(download_snapshot(*disk, *options->objects, *wanted, options->directory));
      ASSIGN_OR_RETURN(auto restored, options->engines->open(options->directory));
      RETURN_IF_ERROR(restored->verify());
      return restored;
    };
    Result<std::unique_ptr<KvEngine>> engine =
        co_await run_on_pool(env_.pool, home_, std::move(fetch));
    Status usable = engine ? check_covered(**engine, start) : Status(fail(engine.error()));
    if (usable) {
      LOG_INFO("tablet",
               "key-value state restored from a snapshot",
               KV("bucket", bucket_),
               KV("snapshot", snapshot.id),
               KV("offset", (*engine)->mark().applied));
      last_snapshot_ = std::move(snapshot);
      co_return std::move(*engine);
    }
    LOG_ERROR("tablet",
              "snapshot of no use, trying the one before",
              KV("bucket", bucket_),
              KV("snapshot", snapshot.id),
              KV("reason", usable.error().message()));
  }
  if (start > Offset(0)) {
    co_return make_error(
        ErrorCode::kKvStorageException,
        "{}: there is no usable state on the disk, none of {} snapshots can be restored, and the "
        "log begins at offset {}, so the rows before it are lost here; put back the files below "
        "remote.data.dir and start again",
        bucket_,
        snapshots.size(),
        start);
  }
  auto make = [options]() -> Result<std::unique_ptr<KvEngine>> {
    RETURN_IF_ERROR(options->engines->remove(options->directory));
    return options->engines->open(options->directory);
  };
  co_return co_await run_on_pool(env_.pool, home_, std::move(make));
}

}  // namespace lakestream
