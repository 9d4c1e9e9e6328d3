#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <arrow/array/builder_binary.h>
#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "io/real_env.h"
#include "query/ddl_runner.h"
#include "query/engine.h"
#include "query/explain.h"
#include "query/insert_runner.h"
#include "query/names.h"
#include "query/query.h"
#include "query/scan_function.h"
#include "table/insert.h"

namespace lakestream::query {
namespace {

Error at_user_lines(const Error& error, int first_line) {
  return Error(error.code(), with_user_lines(error.message(), first_line));
}

// ---- answers

class MessageAnswer final : public Answer {
 public:
  explicit MessageAnswer(std::string message) : message_(std::move(message)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return nullptr; }
  Result<std::shared_ptr<arrow::RecordBatch>> next() override { return nullptr; }
  const std::string& message() const override { return message_; }

 private:
  std::string message_;
};

// Rows that are there already.
class ReadyAnswer final : public Answer {
 public:
  explicit ReadyAnswer(std::shared_ptr<arrow::RecordBatch> rows)
      : schema_(rows->schema()), rows_(std::move(rows)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    std::shared_ptr<arrow::RecordBatch> rows = std::exchange(rows_, nullptr);
    return rows != nullptr && rows->num_rows() > 0 ? rows : nullptr;
  }
  const std::string& message() const override { return message_; }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> rows_;
  std::string message_;
};

class QueryAnswer final : public Answer {
 public:
  QueryAnswer(std::unique_ptr<EngineAnswer> rows, int first_line)
      : rows_(std::move(rows)), first_line_(first_line) {}
  std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    auto rows = rows_->next();
    if (!rows) return fail(at_user_lines(rows.error(), first_line_));
    return rows;
  }
  const std::string& message() const override { return message_; }

 private:
  std::unique_ptr<EngineAnswer> rows_;
  int first_line_;  // of the statement
  std::string message_;
};

using Cells = std::vector<std::vector<std::optional<std::string>>>;

Result<std::unique_ptr<Answer>> ready_answer(const Schema& schema, const Cells& cells) {
  ArrowAppender rows(schema);
  for (const auto& cell_row : cells) {
    std::vector<Value> row;
    for (const auto& cell : cell_row) {
      row.push_back(cell ? Value::bytes(std::string_view(*cell)) : Value());
    }
    RETURN_IF_ERROR(rows.append(row));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, rows.finish());
  batch = arrow::RecordBatch::Make(arrow_schema_of(schema), batch->num_rows(), batch->columns());
  return std::make_unique<ReadyAnswer>(std::move(batch));
}

// ---- which statement it is

// Statements that begin as ours do, and are about what the engine keeps for the session.
bool is_for_engine(const SqlText& statement) {
  for (std::string_view first : {"CREATE", "DROP"}) {
    for (std::string_view second : {"TEMP", "TEMPORARY", "VIEW", "MACRO", "OR"}) {
      if (begins_with(statement, {first, second})) return true;
    }
  }
  for (std::string_view first : {"DESCRIBE", "DESC"}) {
    for (std::string_view second : {"SELECT", "WITH", "FROM", "VALUES"}) {
      if (begins_with(statement, {first, second})) return true;
    }
  }
  return false;
}

Status refuse_changes(const SqlText& statement) {
  for (std::string_view word : {"UPDATE", "DELETE", "MERGE", "TRUNCATE"}) {
    if (!begins_with(statement, {word})) continue;
    return make_error(ErrorCode::kUnknownServerError,
                      "line {}, column {}: {} is no statement here; change rows of a primary-key "
                      "table with INSERT INTO, remove them with `lakestream put --delete`",
                      statement.line,
                      statement.column,
                      word);
  }
  return ok();
}

}  // namespace

struct Session::Parts {
  Shard& shard;
  std::shared_ptr<client::Connection> connection;
  std::string database;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<EngineTables> tables;

  Result<std::unique_ptr<Answer>> run_definition(const SqlText& text);
  Result<std::unique_ptr<Answer>> run_insert(const SqlText& text);
  Result<std::unique_ptr<Answer>> run_explain(const SqlText& text);
  Result<std::unique_ptr<Answer>> run_query(const SqlText& text);
  Error explained(const Error& error, int first_line) const;
};

Result<std::unique_ptr<Session>> Session::open(Env& env,
                                               Shard& shard,
                                               std::shared_ptr<client::Connection> connection,
                                               SessionOptions options) {
  RETURN_IF_ERROR(from_arrow(arrow::compute::Initialize()));
  auto parts = std::make_unique<Parts>(
      Parts{shard, std::move(connection), std::move(options.database), nullptr, nullptr});
  ASSIGN_OR_RETURN(parts->engine, Engine::open());
  ASSIGN_OR_RETURN(
      parts->tables,
      EngineTables::install(*parts->engine, env, shard, parts->connection, options.retry_timeout));
  return std::make_unique<Session>(std::move(parts));
}

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Session::~Session() = default;

const std::string& Session::database() const { return parts_->database; }

void Session::cancel() { parts_->tables->cancel(); }

bool Session::was_cancelled() const { return parts_->tables->is_cancelled(); }

std::optional<double> Session::progress() const {
  std::optional<EngineProgress> progress = parts_->engine->progress();
  if (!progress) return std::nullopt;
  return progress->share;
}

Result<std::unique_ptr<Answer>> Session::execute(const SqlText& statement) {
  parts_->tables->begin(parts_->database);
  RETURN_IF_ERROR(refuse_changes(statement));
  if (is_ddl(statement) && !is_for_engine(statement)) return parts_->run_definition(statement);
  if (begins_with(statement, {"INSERT"})) return parts_->run_insert(statement);
  if (begins_with(statement, {"EXPLAIN"})) return parts_->run_explain(statement);
  return parts_->run_query(statement);
}

Result<std::unique_ptr<Answer>> Session::Parts::run_definition(const SqlText& text) {
  ASSIGN_OR_RETURN(Statement statement, parse_ddl(text));
  ASSIGN_OR_RETURN(DdlOutcome outcome,
                   run_blocking(shard, run_ddl(connection, std::move(statement), database)));
  if (outcome.database) database = *std::move(outcome.database);
  if (outcome.schema) return ready_answer(*outcome.schema, outcome.rows);
  return std::make_unique<MessageAnswer>(std::move(outcome.message));
}

Result<std::unique_ptr<Answer>> Session::Parts::run_insert(const SqlText& text) {
  ASSIGN_OR_RETURN(InsertInto statement, parse_insert(text));
  TablePath path{statement.name.database.value_or(database), statement.name.table};
  auto count = InsertRunner(*engine, shard, connection).run(statement, path);
  if (!count) return fail(explained(count.error(), statement.source.line));
  return std::make_unique<MessageAnswer>(
      fmt::format("inserted {} row{} into {}", *count, *count == 1 ? "" : "s", path));
}

Result<std::unique_ptr<Answer>> Session::Parts::run_explain(const SqlText& text) {
  ASSIGN_OR_RETURN(std::string sql, engine_text(text));
  auto lines = explain(*tables, sql);
  if (!lines) return fail(explained(lines.error(), text.line));
  Cells cells;
  for (std::string& line : *lines) cells.push_back({std::move(line)});
  ASSIGN_OR_RETURN(Schema schema, SchemaBuilder().column("plan", DataType::string()).build());
  return ready_answer(schema, cells);
}

Result<std::unique_ptr<Answer>> Session::Parts::run_query(const SqlText& text) {
  ASSIGN_OR_RETURN(std::string sql, engine_text(text));
  auto answer = tables->run(sql);
  if (!answer) return fail(explained(answer.error(), text.line));
  if ((*answer)->has_rows()) return std::make_unique<QueryAnswer>(*std::move(answer), text.line);
  Status done = (*answer)->finish();
  if (!done) return fail(explained(done.error(), text.line));
  return std::make_unique<MessageAnswer>("");
}

// Our own words where the engine can only say that it does not know a name.
Error Session::Parts::explained(const Error& error, int first_line) const {
  Error placed = at_user_lines(error, first_line);
  if (!tables->missing()) return placed;
  const Error& missing = *tables->missing();
  std::string message = missing.message();
  if (message.find(';') == std::string::npos) message += "; SHOW TABLES lists those there are";
  size_t place = placed.message().find("\nLINE ");
  if (place != std::string::npos) message += "\n" + placed.message().substr(place);
  return Error(missing.code(), std::move(message));
}

}  // namespace lakestream::query
