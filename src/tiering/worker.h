#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tiering/round.h"
#include "tiering/tiering.h"

// The inside of a TieringWorker: a task that exchanges heartbeats, and one a round.
//
// Thread rule: shard-local.
//
//   auto state = std::make_shared<WorkerState>(context);
//   state->start();
namespace lakestream::tiering {

class WorkerState : public std::enable_shared_from_this<WorkerState> {
 public:
  explicit WorkerState(RoundContext context);

  void start();
  static Task<Status> stop(std::shared_ptr<WorkerState> self);
  std::vector<TieringProgress> progress() const;

 private:
  // A table that was handed out: its round runs, or it waits before its failure is told.
  struct Held {
    std::shared_ptr<Round> round;
    bool is_waiting = false;
    std::optional<Timer> retry;
  };

  static Task<void> run(std::shared_ptr<WorkerState> self, Gate::Pass pass);
  static Task<void> run_round(std::shared_ptr<WorkerState> self,
                              std::shared_ptr<Round> round,
                              Gate::Pass pass);
  Task<void> exchange();
  void take_answer(client::TieringAnswer answer);
  void begin(client::TieringTask task);
  bool is_to_be_cleaned(TableId table) const;
  void took(const Round& round, Result<RoundResult> result);
  void took_success(const Round& round, const RoundResult& result);
  void took_failure(const Round& round, const Error& error);
  size_t running_count() const;
  Duration retry_delay(int32_t failures) const;
  void hurry();

  RoundContext context_;
  client::LakeAdmin lake_;
  std::map<TableId, Held> held_;
  std::map<TableId, TieringProgress> progress_;
  std::map<TableId, Duration> cleaned_;  // when files that nothing names were last looked for
  // For the next heartbeat.
  std::vector<client::FinishedTiering> finished_;
  std::vector<client::TieringTicket> failed_;
  std::map<TableId, std::string> failures_;  // of the last round of a table, until one ends well
  bool is_stopping_ = false;
  Waiter hurry_;
  bool is_waiting_ = false;
  Gate gate_;
};

}  // namespace lakestream::tiering
