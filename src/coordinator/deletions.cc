#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {

// The end of a dropped table or partition: its metadata node is removed (the name is free), its
// replicas are removed from all servers, its folder from remote storage, its assignment node. Each
// step is repeated until it is done; after a restart the assignment node without a table or
// partition says what is left to do.

namespace {

// A table may be dropped with very many partitions, and others want their turn meanwhile.
constexpr size_t kDeletionsAtOnce = 16;

}  // namespace

void Coordinator::add_deletion(const PhysicalTableId& id, Deletion deletion) {
  deletions_.emplace(id, std::move(deletion));
}

void Coordinator::run_deletions() {
  for (auto& [id, deletion] : deletions_) {
    if (running_deletions_ == kDeletionsAtOnce) return;
    if (deletion.is_running || deletion.has_failed) continue;
    std::optional<Gate::Pass> pass = gate_.enter();
    if (!pass) return;
    deletion.is_running = true;
    ++running_deletions_;
    control_.spawn(run_deletion(id, std::move(*pass)));
  }
}

// No event touches the replicas of what is dropped any more, so only the last step takes a turn.
Task<void> Coordinator::run_deletion(PhysicalTableId id, Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  Status done = co_await delete_replicas(id);
  if (done) done = co_await remove_remote(id);
  if (done) done = co_await remove_assignment(id);
  --running_deletions_;
  if (done) {
    deletions_.erase(id);
  } else {
    deletions_.at(id).is_running = false;
    deletions_.at(id).has_failed = true;
    LOG_WARN("coordinator",
             "what was dropped is not removed yet",
             KV("dropped", id),
             KV("error", done.error().to_string()));
    retry_deletions_later();
  }
  run_deletions();
}

Task<Status> Coordinator::delete_replicas(PhysicalTableId id) {
  const Deletion& deletion = deletions_.at(id);
  std::map<ServerId, StopNotice> notices;
  for (const auto& [bucket, servers] : deletion.assignment.buckets) {
    StopNotice::Bucket stop;
    stop.path = deletion.path;
    stop.bucket = bucket_of(id, bucket);
    stop.leader_epoch = kDroppedEpoch;
    for (ServerId server : servers) notices[server].buckets.push_back(stop);
  }
  Status done = ok();
  for (auto& [server, notice] : notices) {
    if (!is_live(server)) {
      done = make_error(ErrorCode::kServerNotExistException, "server {} is not there", server);
      continue;
    }
    notice.coordinator_epoch = epoch();
    notice.delete_data = true;
    size_t count = notice.buckets.size();
    Result<std::vector<BucketOutcome>> outcomes =
        co_await tablets_.stop_replicas(server, std::move(notice));
    if (!outcomes) {
      done = fail(std::move(outcomes).error());
      continue;
    }
    if (outcomes->size() < count) {
      done = make_error(ErrorCode::kUnknownServerError, "server {} left out buckets", server);
    }
    for (BucketOutcome& outcome : *outcomes) {
      if (!outcome.status) done = std::move(outcome.status);
    }
  }
  co_return done;
}

Task<Status> Coordinator::remove_assignment(PhysicalTableId id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  MetaStore* store = &store_;
  auto plan = [store, id] { return removal_of(*store, paths::assignment(id)); };
  Result<std::vector<MetaOp>> ops = co_await run_on_pool(env_.pool, control_, std::move(plan));
  if (!ops) co_return fail(std::move(ops).error());
  // Children first: the assignment itself goes last.
  co_return co_await commit_in_parts(std::move(*ops));
}

void Coordinator::retry_deletions_later() {
  if (deletion_retry_ || gate_.is_closed()) return;
  deletion_retry_ = env_.clock.start_timer(control_, options_.deletion_retry, [this] {
    deletion_retry_.reset();
    for (auto& [id, deletion] : deletions_) deletion.has_failed = false;
    run_deletions();
    run_removals();
  });
}

}  // namespace lakestream::coordinator
