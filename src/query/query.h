#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "format/arrow_fwd.h"
#include "io/env.h"
#include "io/shard.h"
#include "table/ddl.h"
#include "table/schema.h"

// SQL over the tables of a cluster. A Session is one user's: it has a current database and
// settings, and runs a statement at a time. Queries see a table under its name; "t$changelog" and
// "t$binlog" show how it came about. A row that was acknowledged is in every statement that begins
// later, and a statement sees one state of a log however often it names the table. Rows travel as
// columns; of a table only the columns and, as far as servers can tell, the rows that a query
// wants.
//
// Statements are those of table/ddl.h, INSERT, and everything that DuckDB reads (SELECT, WITH,
// VALUES, EXPLAIN, SUMMARIZE, SET, COPY … TO, …). Names may stand in double quotes or backticks.
//
// The engine is loaded by the first Session of a process.
//
// Thread rule: a Session and its Answer belong to one thread at a time, which waits and is no
// shard's; cancel() and progress() may be called from any.
//
//   ASSIGN_OR_RETURN(auto session, query::Session::open(env, shard, connection, {}));
//   ASSIGN_OR_RETURN(auto answer, session->execute({"SELECT count(*) FROM orders"}));
//   for (;;) {
//     ASSIGN_OR_RETURN(auto rows, answer->next());
//     if (rows == nullptr) break;
//   }
namespace lakestream::query {

struct SessionOptions {
  std::string database = "fluss";
  // For how long servers may fail before a statement does.
  std::chrono::nanoseconds retry_timeout = std::chrono::minutes(2);
};

// What a statement gives: rows, or a sentence that says what it did. Requires: its session lives,
// and no other statement begins before the rows are over or the answer is gone.
class Answer {
 public:
  virtual ~Answer() = default;

  // nullptr when there are no rows.
  virtual std::shared_ptr<arrow::Schema> schema() const = 0;
  // At least one row; nullptr at the end.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> next() = 0;
  // "created table fluss.t", "inserted 3 rows into fluss.t"; empty when there is nothing to say.
  virtual const std::string& message() const = 0;
};

class Session {
 public:
  // `shard` is the connection's. Errors: kUnknownServerError when the engine can not be loaded.
  static Result<std::unique_ptr<Session>> open(Env& env,
                                               Shard& shard,
                                               std::shared_ptr<client::Connection> connection,
                                               SessionOptions options);
  struct Parts;
  explicit Session(std::unique_ptr<Parts> parts);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // One statement (split_sql()); places in errors are those of its text. Errors: those of the
  // cluster; kUnknownServerError with the engine's message, which shows the place.
  Result<std::unique_ptr<Answer>> execute(const SqlText& statement);
  // The statement that runs ends with an error soon.
  void cancel();
  bool was_cancelled() const;
  // How much of the statement that runs is done, 0 to 1; nothing when that is not known.
  std::optional<double> progress() const;

  const std::string& database() const;

 private:
  std::unique_ptr<Parts> parts_;
};

// ---- answers as text

// The columns of an answer in the types of tables, with names that differ; STRING for types that
// tables do not have.
Result<Schema> shown_schema_of(const arrow::Schema& schema);
// Rows of an answer in these types.
Result<std::shared_ptr<arrow::RecordBatch>> shown_rows_of(
    const std::shared_ptr<arrow::RecordBatch>& rows, const Schema& schema);

}  // namespace lakestream::query
