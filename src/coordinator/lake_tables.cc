#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"
#include "lake/lake_catalog.h"

// Tables that have a table in the lake. Lake first: what is there and not here yet is found by the
// same change when it is made again; nothing is here without being there.

namespace lakestream::coordinator {
namespace {

struct LakeChange {
  TablePath path;
  TableDescriptor before;
  TableDescriptor after;
  bool was_enabled = false;
  bool is_enabled = false;
};

// True when there was no table in the lake, and one was made.
Result<bool> switch_on(LakeCatalog& lake, const LakeChange& change) {
  ASSIGN_OR_RETURN(bool exists, lake.table_exists(change.path, change.after));
  RETURN_IF_ERROR(lake.create_table(change.path, change.after, LakeTableUse::kExistingTable));
  // The options of one that was there have to follow.
  RETURN_IF_ERROR(lake.alter_table(change.path, change.before, change.after));
  return !exists;
}

Result<bool> change_lake(LakeCatalog& lake, const LakeChange& change) {
  if (change.is_enabled && !change.was_enabled) return switch_on(lake, change);
  Status changed = lake.alter_table(change.path, change.before, change.after);
  if (changed) return false;
  ErrorCode code = changed.error().code();
  bool is_absent = code == ErrorCode::kTableNotExist;
  if (change.is_enabled && is_absent) {
    return make_error(ErrorCode::kInvalidAlterTableException,
                      "table {}: its table in the lake is gone; set table.datalake.enabled to "
                      "false, then to true, to make a new one",
                      change.path);
  }
  bool may_differ = is_absent || code == ErrorCode::kInvalidAlterTableException;
  if (change.is_enabled || !may_differ) return fail(std::move(changed).error());
  // A lake that is off may be anything. Whether it fits is looked at when it is switched on.
  LOG_INFO("coordinator",
           "the lake of a table that is not copied to it stays as it is",
           KV("table", change.path),
           KV("reason", changed.error().message()));
  return false;
}

}  // namespace

Task<Status> Coordinator::create_with_lake(TablePath path,
                                           TableDescriptor descriptor,
                                           bool ignore_if_exists) {
  CO_ASSIGN_OR_RETURN(Change turn, co_await begin_change(path));
  std::shared_ptr<LakeCatalog> lake = options_.lake;
  if (lake == nullptr) {
    co_return make_error(ErrorCode::kInvalidTableException,
                         "table {}: the cluster has no lake (datalake.format)",
                         path);
  }
  // The descriptor was completed before the turn came, and the lake may be another by now.
  CO_ASSIGN_OR_RETURN(TableOptions options, parse_table_options(descriptor.properties));
  std::optional<LakeFormatKind> format = options.lake.format;
  if (!format || !has_lake_format(options_.rules, *format)) {
    co_return make_error(ErrorCode::kInvalidTableException,
                         "table {}: the lake of the cluster has just got another format "
                         "(datalake.format); create it again",
                         path);
  }
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_ASSIGN_OR_RETURN(TablePlan plan, co_await plan_table(path, descriptor, ignore_if_exists));
    if (plan.exists) co_return ok();
  }
  auto create = [lake, path, descriptor] {
    return lake->create_table(path, descriptor, LakeTableUse::kNewTable);
  };
  CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, control_, std::move(create)));
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_ASSIGN_OR_RETURN(TablePlan plan, co_await plan_table(path, descriptor, ignore_if_exists));
  if (plan.exists) co_return ok();
  co_return co_await write_new_table(
      std::move(path), std::move(descriptor), std::move(plan.assignment));
}

// Also while the lake is off, as it would not fit any more when it is switched on again.
bool Coordinator::concerns_lake(const Alteration& alteration) const {
  if (alteration.after->options.lake.enabled) return true;
  return options_.lake != nullptr &&
         (alteration.before->descriptor.properties.contains(kLakeEnabled) ||
          alteration.after->descriptor.properties.contains(kLakeEnabled));
}

Task<Result<Coordinator::LakeState>> Coordinator::alter_in_lake(
    std::shared_ptr<const Alteration> alteration) {
  LakeChange change;
  change.path = alteration->before->path;
  change.before = alteration->before->descriptor;
  change.after = alteration->after->descriptor;
  change.was_enabled = alteration->before->options.lake.enabled;
  change.is_enabled = alteration->after->options.lake.enabled;
  std::shared_ptr<LakeCatalog> lake = options_.lake;
  if (lake == nullptr) {
    co_return make_error(ErrorCode::kInvalidAlterTableException,
                         "table {} has a lake, and the cluster has none any more "
                         "(datalake.format); set table.datalake.enabled to false first",
                         change.path);
  }
  auto job = [lake, change] { return change_lake(*lake, change); };
  CO_ASSIGN_OR_RETURN(bool is_new, co_await run_on_pool(env_.pool, control_, std::move(job)));
  co_return is_new ? LakeState::kNew : LakeState::kAsKnown;
}

void Coordinator::follow_lake(const TableEntry& table) {
  const TableRules& rules = options_.rules;
  std::optional<LakeFormatKind> format = table.options.lake.format;
  // The cluster may not have its lake any more.
  bool has_lake = rules.lake_enabled && (!format || has_lake_format(rules, *format));
  if (table.options.lake.enabled && has_lake) {
    tiering_.follow(table.id, table.path, table.options.lake.freshness, env_.clock.monotonic());
  } else {
    tiering_.forget(table.id);
  }
}

void Coordinator::follow_lakes() {
  tiering_.forget_unless([&](TableId id) { return catalog_->find_table(id) != nullptr; });
  for (const auto& [name, database] : catalog_->databases()) {
    for (const auto& [table_name, table] : database->tables) follow_lake(*table);
  }
}

void Coordinator::forget_lake(TableId table) {
  tiering_.forget(table);
  lake_tables_.erase(table);
}

namespace {

TieringOutcome outcome_of(const TieringClaim& claim, Status status) {
  return {claim.table, std::move(status)};
}

}  // namespace

Task<Result<TieringAnswer>> Coordinator::tiering_heartbeat(TieringReport report) {
  if (!started_ || gate_.is_closed()) {
    co_return make_error(ErrorCode::kNotCoordinatorLeaderException,
                         "the coordinator is not running; ask again later");
  }
  Duration now = env_.clock.monotonic();
  auto check = [this](const TieringClaim& claim) -> Status {
    if (claim.coordinator_epoch == epoch()) return ok();
    return make_error(ErrorCode::kInvalidCoordinatorException,
                      "coordinator epoch {} of table {} is not {}, that of this coordinator; drop "
                      "the round",
                      claim.coordinator_epoch,
                      claim.table,
                      epoch());
  };
  TieringAnswer answer;
  answer.coordinator_epoch = epoch();
  for (const TieringClaim& claim : report.failed) {
    Status done = check(claim);
    if (done) done = tiering_.fail(claim.table, claim.tiering_epoch, now);
    note_failure(report, claim, done);
    answer.failed.push_back(outcome_of(claim, std::move(done)));
  }
  for (const TieringClaim& claim : report.running) {
    Status done = check(claim);
    if (done) done = tiering_.renew(claim.table, claim.tiering_epoch, now);
    note_failure(report, claim, done);
    answer.running.push_back(outcome_of(claim, std::move(done)));
  }
  for (const FinishedTiering& finished : report.finished) {
    const TieringClaim& claim = finished.claim;
    TieringEnd end = finished.is_forced ? TieringEnd::kOutOfTime : TieringEnd::kDone;
    Status done = check(claim);
    if (done) done = tiering_.finish(claim.table, claim.tiering_epoch, end, now);
    answer.finished.push_back(outcome_of(claim, std::move(done)));
  }
  if (!report.wants_table) co_return answer;
  if (auto task = tiering_.next(now)) {
    answer.task = TieringTask{task->table, std::move(task->path), task->epoch};
  }
  co_return answer;
}

void Coordinator::note_failure(const TieringReport& report,
                               const TieringClaim& claim,
                               const Status& outcome) {
  auto why = report.failures.find(claim.table);
  if (outcome && why != report.failures.end()) tiering_.note_failure(claim.table, why->second);
}

Task<Result<std::vector<TieringView>>> Coordinator::tiering_views() {
  if (!started_ || gate_.is_closed()) {
    co_return make_error(ErrorCode::kNotCoordinatorLeaderException,
                         "the coordinator is not running; ask again later");
  }
  std::vector<TieringView> views;
  Duration now = env_.clock.monotonic();
  auto add = [&](TableId id, const TablePath& path, const LakeTiering::View& view) {
    Duration in_state = now - view.since;
    views.push_back({id, path, name_of(view.state), in_state, view.failures, view.last_failure});
  };
  tiering_.for_each(now, add);
  co_return views;
}

}  // namespace lakestream::coordinator
