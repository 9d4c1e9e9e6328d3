#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {

// The life of a dropped table: its metadata node is removed (the name is free), its replicas are
// removed from all servers, its folder from remote storage, its assignment node. Each step is
// repeated until it is done; after a restart the assignment node without a table says what is left
// to do.

void Coordinator::add_deletion(TableId id, Deletion deletion) {
  deletions_.emplace(id, std::move(deletion));
}

void Coordinator::run_deletions() {
  for (auto& [id, deletion] : deletions_) {
    if (deletion.is_running) continue;
    std::optional<Gate::Pass> pass = gate_.enter();
    if (!pass) return;
    deletion.is_running = true;
    control_.spawn(run_deletion(id, std::move(*pass)));
  }
}

// No event touches the replicas of a dropped table any more, so only the last step takes a turn.
Task<void> Coordinator::run_deletion(TableId id, Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  Status done = co_await delete_replicas(id);
  if (done) done = co_await remove_remote(id);
  if (done) done = co_await remove_assignment(id);
  if (done) {
    deletions_.erase(id);
    co_return;
  }
  deletions_.at(id).is_running = false;
  LOG_WARN("coordinator",
           "a dropped table is not removed yet",
           KV("table_id", id),
           KV("error", done.error().to_string()));
  retry_deletions_later();
}

Task<Status> Coordinator::delete_replicas(TableId id) {
  const Deletion& deletion = deletions_.at(id);
  std::map<ServerId, StopNotice> notices;
  for (const auto& [bucket, servers] : deletion.assignment.buckets) {
    StopNotice::Bucket stop;
    if (deletion.path) stop.path = PhysicalTablePath{.table = *deletion.path, .partition = {}};
    stop.bucket = TableBucket{id, std::nullopt, bucket};
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

Task<Status> Coordinator::remove_assignment(TableId id) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  MetaStore* store = &store_;
  auto plan = [store, id] { return removal_of(*store, paths::table_assignment(id)); };
  Result<std::vector<MetaOp>> ops = co_await run_on_pool(env_.pool, control_, std::move(plan));
  if (!ops) co_return fail(std::move(ops).error());
  // Children first: the assignment itself goes last.
  co_return co_await commit_in_parts(std::move(*ops));
}

void Coordinator::retry_deletions_later() {
  if (deletion_retry_ || gate_.is_closed()) return;
  deletion_retry_ = env_.clock.start_timer(control_, options_.deletion_retry, [this] {
    deletion_retry_.reset();
    run_deletions();
    run_removals();
  });
}

}  // namespace lakestream::coordinator
