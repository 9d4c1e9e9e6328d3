#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/lake_admin.h"
#include "tiering/round_plan.h"
#include "tiering/round_writers.h"
#include "tiering/tiering.h"

// One round of one table: what is new since the latest lake snapshot, as one commit.
//
// Thread rule: shard-local.
//
//   auto round = std::make_shared<Round>(context, task);
//   Result<RoundResult> result = co_await Round::run(round);
namespace lakestream::tiering {

// What all rounds of a worker share.
struct RoundContext {
  Env& env;
  Shard& shard;
  std::shared_ptr<client::Connection> connection;
  LakeFormat& format;
  TieringOptions options;
};

struct RoundResult {
  std::optional<LakeSnapshotId> snapshot = std::nullopt;  // nothing: there was nothing to tier
  uint64_t rows = 0;
  uint64_t bytes = 0;
  bool is_forced = false;  // it ended before all of it was tiered
};

class Round {
 public:
  // `removes_orphans`: also files that rounds of before have left.
  Round(const RoundContext& context, client::TieringTask task, bool removes_orphans);

  // Holds the round until its end. Errors name the table.
  static Task<Result<RoundResult>> run(std::shared_ptr<Round> self);
  // Ends it with this error, unless its commit has begun.
  void cancel(Error why);

  const client::TieringTask& task() const { return task_; }
  bool removes_orphans() const { return removes_orphans_; }
  // It failed because there is no such table of ours any more.
  bool is_table_gone() const { return is_table_gone_; }
  uint64_t rows() const { return writers_ ? writers_->rows() : 0; }
  uint64_t bytes() const { return writers_ ? writers_->bytes() : 0; }

 private:
  static Task<Result<RoundResult>> steps(std::shared_ptr<Round> self);
  Task<Status> open_table();
  // Makes known what an earlier round has committed and did not report.
  Task<Status> recover_commit();
  Task<Status> load_offsets();
  Task<Status> copy_state();
  Task<Status> copy_log();
  Task<Status> write(std::vector<client::ScanBatch> batches);
  Task<Result<LakeSnapshot>> commit();
  Task<void> abort_files();
  Task<void> keep_up(LakeSnapshotId committed);

  Status check_running() const;
  Status check_id(TableId found);
  Error checked(Error error);
  bool is_enough() const;
  Offset reached(const client::LogRange& range) const;
  Result<std::optional<LakeSnapshot>> newest_of_ours();

  const RoundContext& context_;
  client::TieringTask task_;
  bool removes_orphans_;
  client::LakeAdmin lake_;
  std::optional<client::TableInfo> info_;
  std::shared_ptr<LakeTable> table_;
  std::optional<LakeSnapshotId> known_;
  LakeOffsets offsets_;  // of the snapshot that is known
  RoundPlan plan_;
  std::shared_ptr<RoundWriters> writers_;
  std::vector<LakeFiles> files_;
  LakeOffsets progress_;  // ends of what was copied
  Duration deadline_{0};
  bool is_forced_ = false;
  bool is_committing_ = false;
  bool is_table_gone_ = false;
  std::optional<Error> cancelled_;
  client::LogScanner* scanner_ = nullptr;  // that is polled now
};

}  // namespace lakestream::tiering
