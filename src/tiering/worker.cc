#include "tiering/worker.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"

namespace lakestream::tiering {

WorkerState::WorkerState(RoundContext context)
    : context_(std::move(context)), lake_(context_.connection) {}

void WorkerState::start() {
  std::optional<Gate::Pass> pass = gate_.enter();
  if (pass) context_.shard.spawn(run(shared_from_this(), *std::move(pass)));
}

Task<Status> WorkerState::stop(std::shared_ptr<WorkerState> self) {
  self->is_stopping_ = true;
  for (auto& [id, held] : self->held_) {
    held.retry.reset();
    Error why(ErrorCode::kUnknownServerError, "the worker stops");
    held.round->cancel(std::move(why));
  }
  self->hurry();
  self->gate_.close();
  co_await self->gate_.closed();
  co_return ok();
}

std::vector<TieringProgress> WorkerState::progress() const {
  std::vector<TieringProgress> all;
  for (const auto& [id, progress] : progress_) {
    all.push_back(progress);
    auto held = held_.find(id);
    if (held == held_.end() || held->second.is_waiting) continue;
    all.back().rows = held->second.round->rows();
    all.back().bytes = held->second.round->bytes();
  }
  std::sort(all.begin(), all.end(), [](const TieringProgress& a, const TieringProgress& b) {
    return a.path < b.path;
  });
  return all;
}

void WorkerState::hurry() {
  if (!is_waiting_) return;
  is_waiting_ = false;
  hurry_.wake();
}

Task<void> WorkerState::run(std::shared_ptr<WorkerState> self, Gate::Pass) {
  while (!self->is_stopping_) {
    co_await self->exchange();
    if (self->is_stopping_) break;
    self->is_waiting_ = true;
    Timer timer = self->context_.env.clock.start_timer(
        self->context_.shard, self->context_.options.heartbeat_interval, [self] { self->hurry(); });
    co_await self->hurry_.wait();
  }
}

Task<void> WorkerState::exchange() {
  client::TieringReport report;
  for (const auto& [id, held] : held_) report.running.push_back(held.round->task().ticket);
  report.finished = std::exchange(finished_, {});
  report.failed = std::exchange(failed_, {});
  report.failures = failures_;
  report.wants_table = running_count() < context_.options.tables_at_once;
  std::vector<client::FinishedTiering> finished = report.finished;
  std::vector<client::TieringTicket> failed = report.failed;
  auto answer = co_await lake_.heartbeat(std::move(report));
  if (answer) {
    take_answer(*std::move(answer));
    co_return;
  }
  // Told again with the next one; a table that it may have handed out comes again, too.
  finished_.insert(finished_.end(), finished.begin(), finished.end());
  failed_.insert(failed_.end(), failed.begin(), failed.end());
  LOG_WARN("tiering", "no answer to a heartbeat", KV("error", answer.error().message()));
}

void WorkerState::take_answer(client::TieringAnswer answer) {
  for (client::TieringRefusal& refusal : answer.refused) {
    auto held = held_.find(refusal.table);
    if (held == held_.end()) continue;
    if (held->second.is_waiting) {
      held_.erase(held);
    } else {
      held->second.round->cancel(std::move(refusal.error));
    }
  }
  if (answer.task && !is_stopping_) begin(*std::move(answer.task));
}

void WorkerState::begin(client::TieringTask task) {
  // The coordinator took it from us and gives it back: the old round ends first.
  if (held_.contains(task.ticket.table)) {
    failed_.push_back(task.ticket);
    return;
  }
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass) return;
  TieringProgress& progress = progress_[task.ticket.table];
  progress.path = task.path;
  progress.table = task.ticket.table;
  progress.state = TieringProgress::State::kRunning;
  progress.since = context_.env.clock.now();
  progress.rows = 0;
  progress.bytes = 0;
  bool removes_orphans = is_to_be_cleaned(task.ticket.table);
  auto round = std::make_shared<Round>(context_, std::move(task), removes_orphans);
  held_[round->task().ticket.table].round = round;
  context_.shard.spawn(run_round(shared_from_this(), std::move(round), *std::move(pass)));
}

bool WorkerState::is_to_be_cleaned(TableId table) const {
  Duration age = context_.options.orphan_age;
  auto cleaned = cleaned_.find(table);
  if (age == Duration::zero()) return false;
  return cleaned == cleaned_.end() || context_.env.clock.monotonic() - cleaned->second >= age;
}

Task<void> WorkerState::run_round(std::shared_ptr<WorkerState> self,
                                  std::shared_ptr<Round> round,
                                  Gate::Pass) {
  Result<RoundResult> result = co_await Round::run(round);
  bool is_success = result.has_value();
  self->took(*round, std::move(result));
  // There may be the next one; what was given up is told in its time.
  if (is_success) self->hurry();
}

void WorkerState::took(const Round& round, Result<RoundResult> result) {
  progress_[round.task().ticket.table].since = context_.env.clock.now();
  if (result) {
    took_success(round, *result);
  } else {
    took_failure(round, result.error());
  }
}

void WorkerState::took_success(const Round& round, const RoundResult& result) {
  client::TieringTask task = round.task();
  const client::TieringTicket& ticket = task.ticket;
  TieringProgress& progress = progress_[ticket.table];
  progress.state = TieringProgress::State::kFinished;
  progress.rows = result.rows;
  progress.bytes = result.bytes;
  progress.failures = 0;
  progress.failure.clear();
  failures_.erase(ticket.table);
  client::FinishedTiering finished;
  finished.ticket = ticket;
  finished.stats =
      client::TieringStats{static_cast<int64_t>(result.bytes), static_cast<int64_t>(result.rows)};
  finished.is_forced = result.is_forced;
  finished_.push_back(std::move(finished));
  if (result.snapshot && round.removes_orphans()) {
    cleaned_[ticket.table] = context_.env.clock.monotonic();
  }
  held_.erase(ticket.table);
  if (!result.snapshot) return;
  LOG_INFO("tiering",
           "committed",
           KV("table", fmt::to_string(task.path)),
           KV("snapshot", result.snapshot->value()),
           KV("rows", result.rows),
           KV("bytes", result.bytes),
           KV("more", result.is_forced));
}

void WorkerState::took_failure(const Round& round, const Error& error) {
  const client::TieringTicket ticket = round.task().ticket;
  TieringProgress& progress = progress_[ticket.table];
  if (is_stopping_) {
    held_.erase(ticket.table);
    return;
  }
  bool is_gone = round.is_table_gone();
  bool is_fenced = error.code() == ErrorCode::kFencedTieringEpochException ||
                   error.code() == ErrorCode::kInvalidCoordinatorException;
  if (is_gone || is_fenced) {
    LOG_INFO("tiering", "given up", KV("reason", error.message()));
    failures_.erase(ticket.table);
    if (is_gone) {
      progress_.erase(ticket.table);
      cleaned_.erase(ticket.table);
    }
    failed_.push_back(ticket);
    held_.erase(ticket.table);
    return;
  }
  progress.state = TieringProgress::State::kWaitsToRetry;
  progress.failure = error.message();
  failures_[ticket.table] = error.message();
  ++progress.failures;
  Duration delay = retry_delay(progress.failures);
  LOG_WARN(
      "tiering",
      "failed",
      KV("error", error.message()),
      KV("failures", progress.failures),
      KV("retry_after_ms", std::chrono::duration_cast<std::chrono::milliseconds>(delay).count()));
  Held& held = held_[ticket.table];
  held.is_waiting = true;
  held.retry = context_.env.clock.start_timer(
      context_.shard, delay, [this, ticket, keep = weak_from_this()] {
        std::shared_ptr<WorkerState> self = keep.lock();
        if (!self) return;
        failed_.push_back(ticket);
        held_.erase(ticket.table);
        hurry();
      });
}

size_t WorkerState::running_count() const {
  return static_cast<size_t>(std::count_if(
      held_.begin(), held_.end(), [](const auto& entry) { return !entry.second.is_waiting; }));
}

Duration WorkerState::retry_delay(int32_t failures) const {
  Duration delay = context_.options.retry_min;
  for (int32_t i = 1; i < failures && delay < context_.options.retry_max; ++i) delay *= 2;
  return std::min(delay, context_.options.retry_max);
}

}  // namespace lakestream::tiering
