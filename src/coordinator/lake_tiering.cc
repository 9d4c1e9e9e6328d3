#include "coordinator/lake_tiering.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/logging.h"

namespace lakestream::coordinator {

std::string_view name_of(LakeTiering::State state) {
  switch (state) {
    case LakeTiering::State::kScheduled:
      return "scheduled";
    case LakeTiering::State::kPending:
      return "pending";
    case LakeTiering::State::kTiering:
      break;
  }
  return "tiering";
}

void LakeTiering::follow(TableId id, const TablePath& path, Duration freshness, Duration now) {
  advance(now);
  auto [place, is_new] = tables_.try_emplace(id);
  Table& table = place->second;
  table.path = path;
  table.freshness = freshness;
  if (!is_new) return;
  table.view.tiered_at = now;
  table.view.since = now;
}

void LakeTiering::forget(TableId table) { tables_.erase(table); }

void LakeTiering::enter(Table* table, State state, Duration at) {
  table->view.state = state;
  table->view.since = at;
}

void LakeTiering::make_pending(TableId id, Table* table, Duration at) {
  enter(table, State::kPending, at);
  ++table->view.epoch;
  pending_.push_back(id);
}

void LakeTiering::advance(Duration now) {
  std::vector<std::pair<Duration, TableId>> due;
  for (const auto& [id, table] : tables_) {
    Duration at = now;
    if (table.view.state == State::kScheduled) at = table.view.tiered_at + table.freshness;
    if (table.view.state == State::kTiering) at = table.heard_at + kTieringSilenceMax;
    if (table.view.state != State::kPending && at <= now) due.emplace_back(at, id);
  }
  std::sort(due.begin(), due.end());
  for (const auto& [at, id] : due) {
    Table& table = tables_.at(id);
    if (table.view.state == State::kTiering) {
      ++table.view.failures;
      table.view.last_failure = "its worker was silent for two minutes";
      LOG_WARN("coordinator",
               "a tiering worker is silent, its table goes to another one",
               KV("table", table.path),
               KV("epoch", table.view.epoch));
    }
    make_pending(id, &table, at);
  }
}

std::optional<LakeTiering::Handout> LakeTiering::next(Duration now) {
  advance(now);
  while (!pending_.empty()) {
    TableId id = pending_.front();
    pending_.pop_front();
    auto found = tables_.find(id);
    if (found == tables_.end() || found->second.view.state != State::kPending) continue;
    Table& table = found->second;
    enter(&table, State::kTiering, now);
    table.heard_at = now;
    return Handout{id, table.path, table.view.epoch};
  }
  return std::nullopt;
}

Result<LakeTiering::Table*> LakeTiering::check(TableId id, int64_t epoch) {
  auto found = tables_.find(id);
  if (found == tables_.end()) {
    return make_error(ErrorCode::kTableNotExist,
                      "table {} does not exist or is not copied to the lake; drop its round",
                      id);
  }
  Table& table = found->second;
  if (epoch == table.view.epoch) return &table;
  return make_error(ErrorCode::kFencedTieringEpochException,
                    "tiering epoch {} of table {} is over, it is at {}; drop the round",
                    epoch,
                    table.path,
                    table.view.epoch);
}

Status LakeTiering::renew(TableId id, int64_t epoch, Duration now) {
  advance(now);
  ASSIGN_OR_RETURN(Table * table, check(id, epoch));
  if (table->view.state != State::kTiering) {
    return make_error(ErrorCode::kUnknownServerError,
                      "table {} is {}, nobody tiers it; drop the round",
                      table->path,
                      name_of(table->view.state));
  }
  table->heard_at = now;
  return ok();
}

Status LakeTiering::finish(TableId id, int64_t epoch, TieringEnd end, Duration now) {
  advance(now);
  ASSIGN_OR_RETURN(Table * table, check(id, epoch));
  if (table->view.state != State::kTiering) return ok();
  table->view.tiered_at = now;
  table->view.failures = 0;
  table->view.last_failure.clear();
  enter(table, State::kScheduled, now);
  if (end == TieringEnd::kOutOfTime) make_pending(id, table, now);
  return ok();
}

Status LakeTiering::fail(TableId id, int64_t epoch, Duration now) {
  advance(now);
  ASSIGN_OR_RETURN(Table * table, check(id, epoch));
  if (table->view.state != State::kTiering) return ok();
  ++table->view.failures;
  make_pending(id, table, now);
  return ok();
}

void LakeTiering::note_failure(TableId id, std::string why) {
  auto found = tables_.find(id);
  if (found != tables_.end()) found->second.view.last_failure = std::move(why);
}

std::optional<LakeTiering::View> LakeTiering::find(TableId id, Duration now) {
  advance(now);
  auto found = tables_.find(id);
  if (found == tables_.end()) return std::nullopt;
  return found->second.view;
}

}  // namespace lakestream::coordinator
