#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/engine.h"
#include "query/feed.h"
#include "query/lake_tables.h"
#include "query/table_plan.h"
#include "query/union_read.h"

// Our tables as the engine sees them. A name that the engine does not know is looked up among the
// tables of the cluster (a "replacement scan") and read by a table function that is told which
// columns and rows are wanted. What one statement reads is kept together here.
//
// Which files of a lake a table stands for is decided when its name is looked up, before the engine
// knows what is asked of the table. So a statement that names such a table is planned twice: first
// with a plain scan in its place, to which the engine tells its conditions; then with what these
// leave of the table.
//
// Thread rule: begin() and the rest on the thread that runs statements; the engine calls back from
// its own threads.
//
//   ASSIGN_OR_RETURN(auto tables, EngineTables::install(*engine, env, shard, connection));
//   tables->begin("fluss");
//   ASSIGN_OR_RETURN(auto answer, tables->run("SELECT count(*) FROM orders"));
namespace lakestream::query {

// What the engine reads in place of a name: a scan of ours, or a query.
struct TableClaim {
  int64_t scan = 0;
  std::string query;  // empty: the scan
};

class EngineTables {
 public:
  static Result<std::unique_ptr<EngineTables>> install(
      Engine& engine,
      Env& env,
      Shard& shard,
      std::shared_ptr<client::Connection> connection,
      Duration retry_timeout);
  EngineTables(Engine& engine, Env& env, FeedSource source);

  // A new statement, whose names without a database are in this one.
  void begin(std::string database);
  // Runs it. As Engine::run().
  Result<std::unique_ptr<EngineAnswer>> run(const std::string& sql);
  // Ends what the statement waits for. Any thread.
  void cancel();
  bool is_cancelled() const { return cancelled_->load(); }

  // What the engine has made of the tables that the statement names. Some may be of no use: it
  // copies and drops parts of queries while it plans.
  const std::vector<std::shared_ptr<TablePlan>>& plans() const { return used_; }
  const FeedSource& source() const { return source_; }
  // Why a name of the statement is no table, when one is none.
  const std::optional<Error>& missing() const { return missing_; }

  duck::Factory factory() const { return factory_; }
  // Snapshots of the lake that it reads, a sentence each.
  const std::vector<std::string>& lake_notes() const { return lake_notes_; }

  // For the callbacks: what stands for a name in its parts; nothing when it is no table of ours.
  // And a plan of its own for each use that the engine makes of a scan.
  Result<std::optional<TableClaim>> find(const std::vector<std::string>& parts);
  Result<std::shared_ptr<TablePlan>> use(int64_t number);

 private:
  enum class Step : uint8_t {
    kOnly,       // nothing is known, nor will be
    kFirst,      // a name that wants conditions ends it
    kRehearsal,  // to learn conditions
    kSecond,     // they are known
  };
  // A name of the rehearsal.
  struct Rehearsed {
    std::string name;
    int64_t scan;
    Predicate condition = {};
  };

  // Forgets what the engine was given.
  void begin_step(Step step);
  // Whether the plan is a scan that conditions are learned of; sets them when they are.
  Result<bool> rehearse(TablePlan& plan);
  void learn();
  Result<std::shared_ptr<TablePlan>> plan_of(const TablePath& path, TableView view);
  Result<TableClaim> claim(std::shared_ptr<TablePlan> plan);
  Result<TableClaim> claim_rows(std::shared_ptr<TablePlan> plan);
  Result<TableClaim> claim_lake(std::shared_ptr<TablePlan> plan);
  Result<TableClaim> claim_snapshots(std::shared_ptr<TablePlan> plan);
  // The snapshot that readers may use, if there is one.
  Result<std::shared_ptr<const LakePart>> readable_part(const TablePlan& plan);
  Result<std::shared_ptr<const LakePart>> newest_part(const TablePlan& plan);
  Result<bool> has_changes_since(const TablePlan& plan);
  Status add_changes(const TablePlan& plan, LakePart* part);
  // The query, which it makes known.
  TableClaim claim_query(const TablePlan& plan, LakeQuery query);
  int64_t add_scan(std::shared_ptr<TablePlan> plan);
  std::string scan_text(std::shared_ptr<TablePlan> plan);

  Status register_function();
  Status register_names();

  Engine& engine_;
  FeedSource source_;
  LakeTables lakes_;
  duck::Factory factory_ = nullptr;
  std::shared_ptr<std::atomic<bool>> cancelled_;
  std::string database_;
  // Of the statement, so that a table is the same in all of it.
  std::map<std::pair<TablePath, TableView>, std::shared_ptr<const TablePlan>> known_;
  std::map<std::pair<TablePath, TableView>, std::shared_ptr<const LakePart>> parts_;
  Step step_ = Step::kOnly;
  bool wants_rehearsal_ = false;
  std::vector<Rehearsed> rehearsed_;
  size_t next_rehearsed_ = 0;
  std::vector<std::shared_ptr<const TablePlan>> named_;
  std::vector<std::shared_ptr<TablePlan>> used_;
  std::vector<int64_t> used_scans_;  // which one each of used_ is of
  std::vector<std::string> lake_notes_;
  std::optional<Error> missing_;
};

}  // namespace lakestream::query
