#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "query/duckdb_api.h"

// One instance of DuckDB in memory, and a connection to it that runs a statement at a time.
//
// Errors are what DuckDB says, with the line that it points to.
//
// Thread rule: belongs to one thread at a time; interrupt() and progress() from any.
//
//   ASSIGN_OR_RETURN(auto engine, Engine::open());
//   ASSIGN_OR_RETURN(auto answer, engine->run("SELECT 42 AS answer"));
//   ASSIGN_OR_RETURN(auto rows, answer->next());
namespace lakestream::query {

// What a statement gives. Its engine runs nothing else as long as it is there.
class EngineAnswer {
 public:
  explicit EngineAnswer(duck::Owned<duck::ArrowAnswer> answer);
  ~EngineAnswer();

  // Whether it has rows: a statement that changes something has none.
  bool has_rows() const { return has_rows_; }
  // Requires: it has rows.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  // At least one row; nullptr at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> next();
  // Lets a statement without rows take effect.
  Status finish();

 private:
  friend class Engine;
  Status open();

  duck::Owned<duck::ArrowAnswer> answer_;
  bool has_rows_ = false;
  std::shared_ptr<arrow::Schema> schema_;
};

struct EngineProgress {
  double share = 0;  // 0 to 1
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> open();
  Engine() = default;
  ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  duck::Connection connection() const { return connection_.get(); }
  // Borrowed.
  Result<duck::Factory> factory() const;

  // Requires: one statement.
  Result<std::unique_ptr<EngineAnswer>> run(const std::string& sql);
  // How many columns the rows of a query have.
  Result<size_t> column_count_of(const std::string& sql);
  // The statement that runs ends with an error soon.
  void interrupt();
  // Of the statement that runs; nothing when that is not known.
  std::optional<EngineProgress> progress() const;

 private:
  Status start();
  Status set(const std::string& sql);
  Result<duck::Owned<duck::Statement>> parse(const std::string& sql);

  duck::Owned<duck::Environment> environment_{&duck::Api::environment_destroy};
  duck::Owned<duck::Instance> instance_{&duck::Api::instance_destroy};
  duck::Owned<duck::Connection> connection_{&duck::Api::connection_destroy};
};

}  // namespace lakestream::query
