#include "query/engine.h"

#include <utility>

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"

namespace lakestream::query {
namespace {

constexpr uint64_t kBatchRows = 65'536;

struct Setting {
  std::string_view name;
  std::string_view value;
};

// Nothing is fetched from the network behind the user's back; times with a zone are shown and cut
// into days in UTC wherever the program runs.
constexpr Setting kStartSettings[] = {
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
};
constexpr const char* kSessionSettings[] = {
    "SET TimeZone = 'UTC'",
    // It takes two reads of one table for the same when they differ in the conditions that were
    // pushed down.
    "SET disabled_optimizers = 'common_subplan'",
    // Without a bar of its own; it makes the progress known.
    "SET enable_progress_bar = true",
    "SET enable_progress_bar_print = false",
};

}  // namespace

// ---- EngineAnswer

EngineAnswer::EngineAnswer(duck::Owned<duck::ArrowAnswer> answer) : answer_(std::move(answer)) {}

EngineAnswer::~EngineAnswer() = default;

Status EngineAnswer::open() {
  duck::ResultType type{};
  RETURN_IF_ERROR(duck::call(&duck::Api::arrow_result_get_result_type, answer_.get(), &type));
  has_rows_ = type == duck::ResultType::kRows;
  if (!has_rows_) return ok();
  ArrowSchema exported{};
  RETURN_IF_ERROR(duck::call(&duck::Api::arrow_result_get_schema, answer_.get(), &exported));
  ASSIGN_OR_RETURN(schema_, from_arrow(arrow::ImportSchema(&exported)));
  return ok();
}

Result<std::shared_ptr<arrow::RecordBatch>> EngineAnswer::next() {
  std::shared_ptr<arrow::RecordBatch> rows;
  while (rows == nullptr || rows->num_rows() == 0) {
    ArrowArray exported{};
    RETURN_IF_ERROR(duck::call(&duck::Api::arrow_result_fetch_array, answer_.get(), &exported));
    if (exported.release == nullptr) return nullptr;
    ASSIGN_OR_RETURN(rows, from_arrow(arrow::ImportRecordBatch(&exported, schema_)));
  }
  return rows;
}

Status EngineAnswer::finish() {
  uint64_t changed = 0;
  return duck::call(&duck::Api::arrow_result_drain, answer_.get(), &changed);
}

// ---- Engine

Result<std::unique_ptr<Engine>> Engine::open() {
  RETURN_IF_ERROR(duck::load());
  auto engine = std::make_unique<Engine>();
  RETURN_IF_ERROR(engine->start());
  return engine;
}

Status Engine::start() {
  RETURN_IF_ERROR(duck::call(&duck::Api::environment_create, environment_.out()));
  std::vector<duck::Text> names;
  std::vector<duck::Text> values;
  for (const Setting& setting : kStartSettings) {
    names.push_back(duck::text_of(setting.name));
    values.push_back(duck::text_of(setting.value));
  }
  RETURN_IF_ERROR(duck::call(&duck::Api::instance_create_with_options,
                             environment_.get(),
                             names.data(),
                             values.data(),
                             uint64_t{names.size()},
                             instance_.out()));
  duck::Text memory = duck::text_of(":memory:");
  RETURN_IF_ERROR(
      duck::call(&duck::Api::instance_attach, instance_.get(), nullptr, &memory, nullptr, true));
  RETURN_IF_ERROR(duck::call(&duck::Api::connection_create, instance_.get(), connection_.out()));
  for (const char* sql : kSessionSettings) RETURN_IF_ERROR(set(sql));
  return ok();
}

Status Engine::set(const std::string& sql) {
  ASSIGN_OR_RETURN(std::unique_ptr<EngineAnswer> answer, run(sql));
  return answer->finish();
}

Result<duck::Factory> Engine::factory() const {
  duck::Factory factory = nullptr;
  RETURN_IF_ERROR(duck::call(&duck::Api::connection_get_factory, connection_.get(), &factory));
  return factory;
}

Result<duck::Owned<duck::Statement>> Engine::parse(const std::string& sql) {
  duck::Owned<duck::Iterator> statements(&duck::Api::statement_iterator_destroy);
  RETURN_IF_ERROR(
      duck::call(&duck::Api::parse_sql, connection_.get(), sql.c_str(), statements.out()));
  duck::Owned<duck::Statement> statement(&duck::Api::sql_statement_destroy);
  RETURN_IF_ERROR(
      duck::call(&duck::Api::statement_iterator_next, statements.get(), statement.out()));
  if (statement.get() == nullptr) {
    return make_error(ErrorCode::kUnknownServerError, "the statement is empty");
  }
  return statement;
}

Result<size_t> Engine::column_count_of(const std::string& sql) {
  ASSIGN_OR_RETURN(duck::Owned<duck::Statement> statement, parse(sql));
  duck::Owned<duck::Columns> columns(&duck::Api::schema_destroy);
  RETURN_IF_ERROR(duck::call(
      &duck::Api::statement_bind, connection_.get(), statement.get(), columns.out(), nullptr));
  uint64_t count = 0;
  RETURN_IF_ERROR(duck::call(&duck::Api::schema_get_count, columns.get(), &count));
  return static_cast<size_t>(count);
}

Result<std::unique_ptr<EngineAnswer>> Engine::run(const std::string& sql) {
  ASSIGN_OR_RETURN(duck::Owned<duck::Statement> statement, parse(sql));
  duck::Owned<duck::ArrowAnswer> answer(&duck::Api::arrow_result_destroy);
  RETURN_IF_ERROR(duck::call(&duck::Api::statement_execute_arrow,
                             connection_.get(),
                             statement.get(),
                             nullptr,
                             nullptr,
                             uint64_t{0},
                             kBatchRows,
                             answer.out()));
  auto made = std::make_unique<EngineAnswer>(std::move(answer));
  RETURN_IF_ERROR(made->open());
  return made;
}

void Engine::interrupt() { (void)duck::call(&duck::Api::connection_interrupt, connection_.get()); }

std::optional<EngineProgress> Engine::progress() const {
  double percentage = -1;
  uint64_t rows = 0;
  uint64_t rows_total = 0;
  Status known = duck::call(
      &duck::Api::connection_progress_get, connection_.get(), &percentage, &rows, &rows_total);
  if (!known || percentage < 0) return std::nullopt;
  return EngineProgress{percentage / 100};
}

}  // namespace lakestream::query
