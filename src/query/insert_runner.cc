#include "query/insert_runner.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/admin.h"
#include "client/appender.h"
#include "client/upserter.h"
#include "format/arrow_schema.h"
#include "io/real_env.h"
#include "query/conform.h"
#include "query/names.h"

namespace lakestream::query {
namespace {

using client::Appender;
using client::Delivery;
using client::TableInfo;
using client::Upserter;
using Rows = std::shared_ptr<arrow::RecordBatch>;

// Takes rows and waits for their arrival in the end.
class Writer {
 public:
  Writer(Shard& shard, std::unique_ptr<Appender> appender, std::unique_ptr<Upserter> upserter)
      : shard_(shard), appender_(std::move(appender)), upserter_(std::move(upserter)) {}
  ~Writer() { (void)run_blocking(shard_, release(this)); }

  Status write(Rows rows) { return run_blocking(shard_, add(this, std::move(rows))); }
  Status finish() { return run_blocking(shard_, close(this)); }

 private:
  static Task<Status> add(Writer* self, Rows rows) {
    if (self->appender_ != nullptr) {
      CO_ASSIGN_OR_RETURN(Delivery added, co_await self->appender_->append(std::move(rows)));
    } else {
      CO_ASSIGN_OR_RETURN(Delivery added, co_await self->upserter_->upsert(std::move(rows)));
    }
    co_return ok();
  }
  static Task<Status> close(Writer* self) {
    return self->appender_ != nullptr ? self->appender_->close() : self->upserter_->close();
  }
  static Task<bool> release(Writer* self) {
    self->appender_.reset();
    self->upserter_.reset();
    co_return true;
  }

  Shard& shard_;
  std::unique_ptr<Appender> appender_;
  std::unique_ptr<Upserter> upserter_;
};

// The columns that rows are made for, and where in the query's row each value stands.
struct Target {
  Schema schema;
  std::vector<std::optional<size_t>> sources;  // absent: NULL
};

Status check_names(const InsertInto& statement, const TableInfo& table) {
  Schema visible = table.descriptor.schema.visible();
  std::set<std::string> seen;
  for (const std::string& name : statement.columns) {
    if (visible.find(name) == nullptr) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "line {}: table {} has no column {}; it has {}",
                        statement.place.line,
                        table.path,
                        name,
                        fmt::join(visible.visible_names(), ", "));
    }
    if (!seen.insert(name).second) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "line {}: column {} is named twice, name it once",
                        statement.place.line,
                        name);
    }
  }
  return ok();
}

Result<Target> target_of(const InsertInto& statement, const TableInfo& table) {
  RETURN_IF_ERROR(check_names(statement, table));
  const Schema& all = table.descriptor.schema;
  std::vector<std::string> names = statement.columns;
  if (names.empty()) names = all.visible_names();
  auto position_of = [&names](const std::string& name) -> std::optional<size_t> {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<size_t>(found - names.begin());
  };
  Target target;
  bool is_partial = table.descriptor.has_primary_key() && names.size() < all.visible_names().size();
  if (is_partial) {
    SchemaBuilder builder;
    for (const std::string& name : names) builder.column_with_ids(*all.find(name));
    ASSIGN_OR_RETURN(target.schema, builder.build());
  } else {
    target.schema = table.descriptor.has_primary_key() ? all.visible() : all;
  }
  for (const Column& column : target.schema.columns()) {
    target.sources.push_back(position_of(column.name));
    if (!target.sources.back() && !column.type.nullable()) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "line {}: column {} of table {} is NOT NULL, give it a value",
                        statement.place.line,
                        column.name,
                        table.path);
    }
  }
  return target;
}

size_t width_of(const InsertInto& statement, const TableInfo& table) {
  return statement.columns.empty() ? table.descriptor.schema.visible_names().size()
                                   : statement.columns.size();
}

// The query with a cast of each value to its column.
std::string query_of(const std::string& source, size_t width, const Target& target) {
  std::vector<std::string> values;
  for (size_t i = 0; i < target.sources.size(); ++i) {
    const Column& column = target.schema.column(i);
    std::string value = target.sources[i] ? fmt::format("c{}", *target.sources[i]) : "NULL";
    values.push_back(fmt::format(
        "CAST({} AS {}) AS {}", value, engine_type_name(column.type), quoted_name(column.name)));
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < width; ++i) names.push_back(fmt::format("c{}", i));
  return fmt::format("SELECT {} FROM ({}\n) AS source({})",
                     fmt::join(values, ", "),
                     source,
                     fmt::join(names, ", "));
}

Task<Result<std::unique_ptr<Appender>>> open_appender(
    std::shared_ptr<client::Connection> connection, TablePath path) {
  client::AppenderOptions options;
  co_return co_await Appender::open(connection, path, options);
}

Task<Result<std::unique_ptr<Upserter>>> open_upserter(
    std::shared_ptr<client::Connection> connection,
    TablePath path,
    std::vector<std::string> columns) {
  client::UpserterOptions options;
  options.columns = std::move(columns);
  co_return co_await Upserter::open(connection, path, std::move(options));
}

Task<Result<TableInfo>> info_of(std::shared_ptr<client::Connection> connection, TablePath path) {
  client::Admin admin(connection);
  co_return co_await admin.table_info(path);
}

Status copy_rows(EngineAnswer& answer, Writer& writer, const Schema& schema, int64_t* count) {
  std::shared_ptr<arrow::Schema> columns = arrow_schema_of(schema);
  for (;;) {
    ASSIGN_OR_RETURN(Rows rows, answer.next());
    if (rows == nullptr) return writer.finish();
    ASSIGN_OR_RETURN(Rows given, conform(rows, columns));
    RETURN_IF_ERROR(writer.write(std::move(given)));
    *count += rows->num_rows();
  }
}

}  // namespace

Result<int64_t> InsertRunner::run(const InsertInto& statement, TablePath path) {
  ASSIGN_OR_RETURN(TableInfo table, run_blocking(shard_, info_of(connection_, path)));
  ASSIGN_OR_RETURN(Target target, target_of(statement, table));
  ASSIGN_OR_RETURN(std::string source, engine_text(statement.source));
  size_t width = width_of(statement, table);
  ASSIGN_OR_RETURN(size_t given, engine_.column_count_of(source));
  if (given != width) {
    return make_error(ErrorCode::kInvalidColumnProjection,
                      "line {}: INSERT gives {} values a row, {} takes {}; name the columns "
                      "behind the table",
                      statement.source.line,
                      given,
                      statement.columns.empty() ? fmt::format("table {}", path) : "its list",
                      width);
  }
  std::unique_ptr<Appender> appender;
  std::unique_ptr<Upserter> upserter;
  if (table.descriptor.has_primary_key()) {
    std::vector<std::string> columns;
    if (target.schema.size() < table.descriptor.schema.visible_names().size()) {
      columns = target.schema.visible_names();
    }
    ASSIGN_OR_RETURN(upserter,
                     run_blocking(shard_, open_upserter(connection_, path, std::move(columns))));
  } else {
    ASSIGN_OR_RETURN(appender, run_blocking(shard_, open_appender(connection_, path)));
  }
  Writer writer(shard_, std::move(appender), std::move(upserter));
  ASSIGN_OR_RETURN(auto answer, engine_.run(query_of(source, width, target)));
  int64_t count = 0;
  Status copied = copy_rows(*answer, writer, target.schema, &count);
  if (copied) return count;
  if (count == 0) return fail(std::move(copied).error());
  (void)writer.finish();
  return fail(std::move(copied).error().with_context(
      fmt::format("some of the first {} rows may be written", count)));
}

}  // namespace lakestream::query
