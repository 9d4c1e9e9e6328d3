#include "query/scan_function.h"

#include <algorithm>
#include <utility>

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "format/arrow_error.h"
#include "io/real_env.h"
#include "query/conform.h"
#include "query/filter.h"

namespace lakestream::query {
namespace {

constexpr std::string_view kFunction = "lakestream_scan";
// Rows of one chunk, as many as the engine works on at once.
constexpr uint64_t kChunkRows = 2048;
// More threads than this wait for the one that decodes.
constexpr uint64_t kThreadsMax = 4;

// What one call site of the function is about.
struct Site {
  EngineTables* tables;
  std::shared_ptr<TablePlan> plan;
};

template <typename T>
void destroy(void* data) {
  std::unique_ptr<T> owned(static_cast<T*>(data));
}

template <typename T>
duck::Opaque opaque(std::unique_ptr<T> owned) {
  return {owned.release(), destroy<T>, nullptr};
}

// A pointer that a function of the engine gives back.
template <typename T, typename Info>
Result<T*> data_of(duck::Code (*duck::Api::*getter)(Info, void**, duck::ErrorInfo*), Info info) {
  void* data = nullptr;
  RETURN_IF_ERROR(duck::call(getter, info, &data));
  return static_cast<T*>(data);
}

// An importer for chunks of a schema.
Result<duck::Owned<duck::Importer>> make_importer(duck::Context context,
                                                  const arrow::Schema& schema) {
  ArrowSchema exported{};
  RETURN_IF_ERROR(from_arrow(arrow::ExportSchema(schema, &exported)));
  duck::Owned<duck::Importer> importer(&duck::Api::arrow_importer_destroy);
  Status made =
      duck::call(&duck::Api::arrow_importer_create, context, &exported, kChunkRows, importer.out());
  if (exported.release != nullptr) exported.release(&exported);
  if (!made) return fail(std::move(made).error());
  return importer;
}

// ---- bind: the columns

Status declare_columns(duck::TableBindInfo result, duck::Context context, const Schema& schema) {
  ASSIGN_OR_RETURN(auto importer, make_importer(context, *engine_schema_of(schema)));
  duck::Owned<duck::Columns> columns(&duck::Api::schema_destroy);
  RETURN_IF_ERROR(duck::call(&duck::Api::arrow_importer_get_schema, importer.get(), columns.out()));
  for (uint64_t i = 0; i < schema.size(); ++i) {
    duck::Text name{};
    duck::LogicalType type = nullptr;
    RETURN_IF_ERROR(duck::call(&duck::Api::schema_get_field, columns.get(), i, &name, &type));
    RETURN_IF_ERROR(
        duck::call(&duck::Api::table_function_bind_add_result_column, result, &name, type));
  }
  return ok();
}

Status bind_site(EngineTables& tables,
                 duck::BindInfo info,
                 duck::TableBindInfo result,
                 duck::Context context) {
  duck::Owned<duck::Value> argument(&duck::Api::value_destroy);
  RETURN_IF_ERROR(
      duck::call(&duck::Api::function_bind_get_arg_value, info, uint64_t{0}, argument.out()));
  int64_t number = -1;
  RETURN_IF_ERROR(duck::call(&duck::Api::value_get_bigint, argument.get(), &number));
  // The engine binds anew what it copies, such as a query that is named and used twice.
  ASSIGN_OR_RETURN(std::shared_ptr<TablePlan> plan, tables.use(number));
  RETURN_IF_ERROR(declare_columns(result, context, plan->schema));
  if (plan->row_count) {
    RETURN_IF_ERROR(duck::call(
        &duck::Api::table_function_bind_set_cardinality, result, *plan->row_count, false));
  }
  auto site = std::make_unique<Site>();
  site->tables = &tables;
  site->plan = plan;
  duck::Opaque data = opaque(std::move(site));
  return duck::call(&duck::Api::function_bind_set_bind_data, info, &data);
}

// ---- push-down: the rows

// A column of the table that a reference in a condition means.
const Column* referenced(duck::FilterInfo info, const TablePlan& plan, uint64_t reference) {
  uint64_t index = 0;
  Status known = duck::call(
      &duck::Api::table_function_filter_pushdown_get_column_index, info, reference, &index);
  return known ? plan.table_column(index) : nullptr;
}

Status push_down(duck::FilterInfo info, TablePlan& plan) {
  uint64_t count = 0;
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_filter_pushdown_get_filter_count, info, &count));
  ColumnOfReference column_of = [&](uint64_t reference) {
    return referenced(info, plan, reference);
  };
  for (uint64_t i = 0; i < count; ++i) {
    duck::Expression expression = nullptr;
    RETURN_IF_ERROR(
        duck::call(&duck::Api::table_function_filter_pushdown_get_filter, info, i, &expression));
    Filter filter = filter_of(expression, column_of);
    if (filter.text.empty()) continue;
    bool is_kept = plan.add_condition(filter.predicate, filter.text);
    // What is exact is left to us, so that columns which only it needs do not travel.
    if (is_kept && filter.is_exact) {
      RETURN_IF_ERROR(duck::call(&duck::Api::table_function_filter_pushdown_accept, info, i));
    }
  }
  return ok();
}

// ---- scan

struct Scan {
  EngineTables* tables;
  std::unique_ptr<Feed> feed;
};

// Of one thread.
class Worker {
 public:
  Worker(Scan* scan, duck::Owned<duck::Importer> importer)
      : scan_(scan), importer_(std::move(importer)), chunk_(&duck::Api::data_chunk_destroy) {}

  // Fills the chunk; leaves it empty at the end.
  Status fill(duck::Chunk out) {
    if (scan_->feed->schema()->num_fields() == 0) return fill_length(out);
    ASSIGN_OR_RETURN(bool has_rows, advance());
    if (!has_rows) return ok();
    uint64_t count = 0;
    RETURN_IF_ERROR(duck::call(&duck::Api::data_chunk_get_vector_count, out, &count));
    for (uint64_t i = 0; i < count; ++i) {
      duck::Vector from = nullptr;
      duck::Vector to = nullptr;
      RETURN_IF_ERROR(duck::call(&duck::Api::data_chunk_get_vector, chunk_.get(), i, &from));
      RETURN_IF_ERROR(duck::call(&duck::Api::data_chunk_get_vector, out, i, &to));
      RETURN_IF_ERROR(duck::call(&duck::Api::vector_reference, to, from));
    }
    return ok();
  }

 private:
  // Moves to the next chunk. What is left of a batch waits for the next one, so that many small
  // batches do not make many small chunks.
  Result<bool> advance() {
    for (;;) {
      RETURN_IF_ERROR(
          duck::call(&duck::Api::arrow_importer_next_chunk, importer_.get(), chunk_.out()));
      if (chunk_.get() != nullptr) return true;
      if (is_over_) return false;
      ASSIGN_OR_RETURN(auto rows, scan_->feed->take(cursor_));
      if (rows == nullptr) {
        is_over_ = true;
        RETURN_IF_ERROR(
            duck::call(&duck::Api::arrow_importer_append, importer_.get(), nullptr, false, true));
        continue;
      }
      ArrowArray exported{};
      RETURN_IF_ERROR(from_arrow(arrow::ExportRecordBatch(*rows, &exported)));
      Status added =
          duck::call(&duck::Api::arrow_importer_append, importer_.get(), &exported, true, false);
      if (exported.release != nullptr) exported.release(&exported);
      if (!added) return fail(std::move(added).error());
    }
  }

  // Rows without columns: only their number counts.
  Status fill_length(duck::Chunk out) {
    while (rows_left_ == 0 && !is_over_) {
      ASSIGN_OR_RETURN(auto rows, scan_->feed->take(cursor_));
      is_over_ = rows == nullptr;
      if (rows != nullptr) rows_left_ = static_cast<uint64_t>(rows->num_rows());
    }
    uint64_t count = std::min(rows_left_, kChunkRows);
    rows_left_ -= count;
    duck::Vector vector = nullptr;
    RETURN_IF_ERROR(duck::call(&duck::Api::data_chunk_get_vector, out, uint64_t{0}, &vector));
    return duck::call(&duck::Api::vector_set_size, vector, count);
  }

  Scan* scan_;
  duck::Owned<duck::Importer> importer_;
  duck::Owned<duck::Chunk> chunk_;  // the engine works on it until the next one is wanted
  FeedCursor cursor_;
  uint64_t rows_left_ = 0;
  bool is_over_ = false;
};

Status begin_scan(duck::GlobalInfo info, Site& site) {
  uint64_t count = 0;
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_init_global_get_column_count, info, &count));
  std::vector<size_t> columns;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index = 0;
    RETURN_IF_ERROR(
        duck::call(&duck::Api::table_function_init_global_get_column_index, info, i, &index));
    // Beyond the columns stands the number of a row, for who wants no column.
    if (index < site.plan->schema.size()) columns.push_back(index);
  }
  auto scan = std::make_unique<Scan>();
  scan->tables = site.tables;
  site.plan->counters.was_read = true;
  ASSIGN_OR_RETURN(scan->feed, Feed::open(site.tables->source(), site.plan, std::move(columns)));
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_init_global_set_max_threads, info, kThreadsMax));
  duck::Opaque data = opaque(std::move(scan));
  return duck::call(&duck::Api::table_function_init_global_set_global_state, info, &data);
}

Status begin_worker(duck::LocalInfo info, duck::Context context, Scan& scan) {
  ASSIGN_OR_RETURN(auto importer, make_importer(context, *scan.feed->schema()));
  duck::Opaque data = opaque(std::make_unique<Worker>(&scan, std::move(importer)));
  return duck::call(&duck::Api::table_function_init_local_set_local_state, info, &data);
}

// ---- callbacks

template <typename Work>
void run_callback(duck::ErrorInfo* error, Work work) {
  Status done = work();
  if (!done) duck::report(done.error(), error);
}

void on_bind(duck::BindInfo info,
             duck::TableBindInfo result,
             duck::Context context,
             duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* tables,
                     data_of<EngineTables>(&duck::Api::function_bind_get_user_data, info));
    return bind_site(*tables, info, result, context);
  });
}

void on_filter(duck::FilterInfo info, duck::Context, duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* site,
                     data_of<Site>(&duck::Api::table_function_filter_pushdown_get_bind_data, info));
    return push_down(info, *site->plan);
  });
}

void on_begin(duck::GlobalInfo info, duck::Context, duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* site,
                     data_of<Site>(&duck::Api::table_function_init_global_get_bind_data, info));
    return begin_scan(info, *site);
  });
}

void on_begin_worker(duck::LocalInfo info, duck::Context context, duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* scan,
                     data_of<Scan>(&duck::Api::table_function_init_local_get_global_state, info));
    return begin_worker(info, context, *scan);
  });
}

void on_rows(duck::ExecInfo info, duck::Context, duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* worker,
                     data_of<Worker>(&duck::Api::table_function_exec_get_local_state, info));
    duck::Chunk out = nullptr;
    RETURN_IF_ERROR(duck::call(&duck::Api::table_function_exec_get_output_chunk, info, &out));
    return worker->fill(out);
  });
}

void on_progress(duck::ProgressInfo info, duck::Context, duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* scan,
                     data_of<Scan>(&duck::Api::table_function_progress_get_global_state, info));
    if (scan == nullptr) return ok();
    return duck::call(
        &duck::Api::table_function_progress_set_progress, info, scan->feed->progress());
  });
}

// ---- names

Status claim_name(EngineTables& tables, duck::ReplacementInfo info) {
  duck::Owned<duck::Name> name(&duck::Api::qname_destroy);
  RETURN_IF_ERROR(duck::call(&duck::Api::replacement_scan_get_name, info, name.out()));
  uint64_t count = 0;
  RETURN_IF_ERROR(duck::call(&duck::Api::qname_get_part_count, name.get(), &count));
  std::vector<std::string> parts;
  for (uint64_t i = 0; i < count; ++i) {
    duck::Text part{};
    RETURN_IF_ERROR(duck::call(&duck::Api::qname_get_part, name.get(), i, &part));
    parts.emplace_back(duck::view_of(part));
  }
  ASSIGN_OR_RETURN(std::optional<TableClaim> claim, tables.find(parts));
  if (!claim) return ok();
  if (!claim->query.empty()) {
    duck::Text query = duck::text_of(claim->query);
    RETURN_IF_ERROR(duck::call(&duck::Api::replacement_scan_set_subquery, info, &query));
    duck::Text alias = duck::text_of(parts.back());
    return duck::call(&duck::Api::replacement_scan_set_alias, info, &alias);
  }
  duck::Text function_text = duck::text_of(kFunction);
  duck::Owned<duck::Name> function(&duck::Api::qname_destroy);
  RETURN_IF_ERROR(
      duck::call(&duck::Api::qname_create, &function_text, uint64_t{1}, function.out()));
  RETURN_IF_ERROR(duck::call(&duck::Api::replacement_scan_set_function_name, info, function.get()));
  duck::Owned<duck::Value> argument(&duck::Api::value_destroy);
  RETURN_IF_ERROR(
      duck::call(&duck::Api::value_create_bigint, tables.factory(), claim->scan, argument.out()));
  return duck::call(&duck::Api::replacement_scan_add_argument, info, argument.get());
}

void on_name(duck::ReplacementInfo info, duck::Context, duck::ErrorInfo* error) {
  run_callback(error, [&]() -> Status {
    ASSIGN_OR_RETURN(auto* tables,
                     data_of<EngineTables>(&duck::Api::replacement_scan_get_user_data, info));
    return claim_name(*tables, info);
  });
}

// A file's name, which the engine reads by itself.
bool is_file(const std::string& name) { return name.find_first_of("./*") != std::string::npos; }

}  // namespace

Result<std::unique_ptr<EngineTables>> EngineTables::install(
    Engine& engine,
    Env& env,
    Shard& shard,
    std::shared_ptr<client::Connection> connection,
    Duration retry_timeout) {
  FeedSource source;
  source.shard = &shard;
  source.connection = std::move(connection);
  source.retry_timeout = retry_timeout;
  auto tables = std::make_unique<EngineTables>(engine, env, std::move(source));
  ASSIGN_OR_RETURN(tables->factory_, engine.factory());
  RETURN_IF_ERROR(tables->register_function());
  RETURN_IF_ERROR(tables->register_names());
  return tables;
}

EngineTables::EngineTables(Engine& engine, Env& env, FeedSource source)
    : engine_(engine),
      source_(std::move(source)),
      lakes_(env),
      cancelled_(std::make_shared<std::atomic<bool>>(false)) {
  source_.cancelled = cancelled_;
}

void EngineTables::begin(std::string database) {
  database_ = std::move(database);
  known_.clear();
  parts_.clear();
  rehearsed_.clear();
  begin_step(Step::kOnly);
  cancelled_->store(false);
  source_.ends = std::make_shared<LogEnds>(source_.connection);
}

void EngineTables::cancel() {
  cancelled_->store(true);
  engine_.interrupt();
}

Result<std::optional<TableClaim>> EngineTables::find(const std::vector<std::string>& parts) {
  if (parts.empty() || parts.size() > 2) return std::nullopt;
  std::optional<TableReference> reference = table_reference_of(parts.back());
  if (!reference || (parts.size() == 1 && is_file(parts[0]))) return std::nullopt;
  TablePath path{parts.size() == 2 ? parts[0] : database_, reference->table};
  auto plan = plan_of(path, reference->view);
  if (!plan) {
    ErrorCode code = plan.error().code();
    bool is_missing = code == ErrorCode::kTableNotExist || code == ErrorCode::kDatabaseNotExist;
    if (!is_missing) return fail(std::move(plan).error());
    // The engine says where it stands in the statement.
    missing_ = std::move(plan).error();
    return std::nullopt;
  }
  return claim(*std::move(plan));
}

int64_t EngineTables::add_scan(std::shared_ptr<TablePlan> plan) {
  named_.push_back(std::move(plan));
  return static_cast<int64_t>(named_.size() - 1);
}

std::string EngineTables::scan_text(std::shared_ptr<TablePlan> plan) {
  return fmt::format("{}({})", kFunction, add_scan(std::move(plan)));
}

Result<std::shared_ptr<TablePlan>> EngineTables::use(int64_t number) {
  if (number < 0 || static_cast<size_t>(number) >= named_.size()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{}({}) is not for use in statements; name the table",
                      kFunction,
                      number);
  }
  auto plan = std::make_shared<TablePlan>(*named_[static_cast<size_t>(number)]);
  used_.push_back(plan);
  used_scans_.push_back(number);
  return plan;
}

Result<std::shared_ptr<TablePlan>> EngineTables::plan_of(const TablePath& path, TableView view) {
  std::shared_ptr<const TablePlan>& known = known_[{path, view}];
  if (known == nullptr) {
    ASSIGN_OR_RETURN(
        known,
        run_blocking(*source_.shard, plan_table(source_.ends, source_.connection, path, view)));
  }
  return std::make_shared<TablePlan>(*known);
}

Status EngineTables::register_function() {
  duck::Owned<duck::TableFunction> function(&duck::Api::table_function_destroy);
  RETURN_IF_ERROR(duck::call(&duck::Api::table_function_create, factory_, function.out()));
  duck::Text name = duck::text_of(kFunction);
  RETURN_IF_ERROR(duck::call(&duck::Api::table_function_set_name, function.get(), &name));
  duck::Signature signature = nullptr;
  RETURN_IF_ERROR(duck::call(&duck::Api::table_function_get_signature, function.get(), &signature));
  duck::Owned<duck::LogicalType> bigint(&duck::Api::logical_type_destroy);
  RETURN_IF_ERROR(duck::call(&duck::Api::factory_create_type_from_id,
                             factory_,
                             duck::TypeId::kBigint,
                             nullptr,
                             nullptr,
                             uint64_t{0},
                             bigint.out()));
  duck::Text parameter = duck::text_of("plan");
  RETURN_IF_ERROR(duck::call(&duck::Api::function_signature_add_parameter,
                             signature,
                             &parameter,
                             bigint.get(),
                             nullptr,
                             duck::ParameterKind::kPositionalOnly));
  duck::Opaque self{this, nullptr, nullptr};
  RETURN_IF_ERROR(duck::call(&duck::Api::table_function_set_user_data, function.get(), &self));
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_set_projection_pushdown, function.get(), true));
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_set_bind_callback, function.get(), on_bind));
  RETURN_IF_ERROR(duck::call(
      &duck::Api::table_function_set_filter_pushdown_callback, function.get(), on_filter));
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_set_init_global_callback, function.get(), on_begin));
  RETURN_IF_ERROR(duck::call(
      &duck::Api::table_function_set_init_local_callback, function.get(), on_begin_worker));
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_set_exec_callback, function.get(), on_rows));
  RETURN_IF_ERROR(
      duck::call(&duck::Api::table_function_set_progress_callback, function.get(), on_progress));
  return duck::call(
      &duck::Api::connection_register_table_function, engine_.connection(), function.get());
}

Status EngineTables::register_names() {
  duck::Owned<duck::ReplacementScan> names(&duck::Api::replacement_scan_destroy);
  RETURN_IF_ERROR(duck::call(&duck::Api::replacement_scan_create, factory_, names.out()));
  RETURN_IF_ERROR(duck::call(&duck::Api::replacement_scan_set_callback, names.get(), on_name));
  duck::Opaque self{this, nullptr, nullptr};
  RETURN_IF_ERROR(duck::call(&duck::Api::replacement_scan_set_user_data, names.get(), &self));
  return duck::call(
      &duck::Api::connection_register_replacement_scan, engine_.connection(), names.get());
}

}  // namespace lakestream::query
