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
#include "query/table_plan.h"

// Our tables as the engine sees them. A name that the engine does not know is looked up among the
// tables of the cluster (a "replacement scan") and read by a table function that is told which
// columns and rows are wanted. What one statement reads is kept together here.
//
// Thread rule: begin() and the rest on the thread that runs statements; the engine calls back from
// its own threads.
//
//   ASSIGN_OR_RETURN(auto tables, EngineTables::install(*engine, shard, connection));
//   tables->begin("fluss");
//   ASSIGN_OR_RETURN(auto answer, engine->run("SELECT count(*) FROM orders"));
namespace lakestream::query {

class EngineTables {
 public:
  static Result<std::unique_ptr<EngineTables>> install(
      Engine& engine,
      Shard& shard,
      std::shared_ptr<client::Connection> connection,
      Duration retry_timeout);
  EngineTables(Engine& engine, FeedSource source);

  // A new statement, whose names without a database are in this one.
  void begin(std::string database);
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
  // For the callbacks: the number of a table, by a name in its parts; nothing when it is no table
  // of ours. And a plan of its own for each use that the engine makes of it.
  Result<std::optional<int64_t>> find(const std::vector<std::string>& parts);
  Result<std::shared_ptr<TablePlan>> use(int64_t number);

 private:
  Status register_function();
  Status register_names();

  Engine& engine_;
  FeedSource source_;
  duck::Factory factory_ = nullptr;
  std::shared_ptr<std::atomic<bool>> cancelled_;
  std::string database_;
  std::vector<std::shared_ptr<const TablePlan>> named_;
  std::vector<std::shared_ptr<TablePlan>> used_;
  std::optional<Error> missing_;
};

}  // namespace lakestream::query
