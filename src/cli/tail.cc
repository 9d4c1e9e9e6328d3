#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/print/row_format.h"
#include "cli/print/row_writer.h"
#include "cli/session.h"
#include "cli/start_position.h"
#include "client/scanner.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

using client::LogScanner;
using client::OffsetSpec;
using client::ScanBatch;

// How soon an interrupt is seen.
constexpr Duration kPollTimeout = std::chrono::milliseconds(100);

struct Options {
  std::string server;
  TablePath table;
  std::optional<OffsetSpec> from;
  std::vector<std::string> columns;
  RowFormat format = RowFormat::kTable;
  std::optional<int64_t> limit;
  std::optional<int32_t> bucket;
  bool follow = true;
  Duration timeout = std::chrono::minutes(2);
  bool with_position = false;
};

// ---- on the shard

// The pointer outlives the tasks: the main thread waits for their end.
Task<Status> subscribe(LogScanner* scanner, std::shared_ptr<const Options> options) {
  OffsetSpec from =
      options->from.value_or(options->follow ? OffsetSpec::latest() : OffsetSpec::earliest());
  if (options->bucket) {
    if (*options->bucket >= scanner->bucket_count()) {
      co_return make_error(ErrorCode::kUnknownTableOrBucketException,
                           "bucket {}: table {} has the buckets 0 to {}",
                           *options->bucket,
                           options->table,
                           scanner->bucket_count() - 1);
    }
    CO_RETURN_IF_ERROR(co_await scanner->subscribe(BucketId(*options->bucket), from));
  } else {
    CO_RETURN_IF_ERROR(co_await scanner->subscribe_all(from));
  }
  if (options->follow) co_return ok();
  co_return co_await scanner->stop_at_latest();
}

struct Polled {
  std::vector<ScanBatch> batches;
  bool is_finished = false;
};

Task<Result<Polled>> poll(LogScanner* scanner) {
  Polled polled;
  if (!scanner->is_finished()) {
    CO_ASSIGN_OR_RETURN(polled.batches, co_await scanner->poll(kPollTimeout));
  }
  polled.is_finished = scanner->is_finished();
  co_return polled;
}

// ---- columns in front of the table's

std::string_view change_name(ChangeType change) {
  switch (change) {
    case ChangeType::kUpdateBefore:
      return "update_before";
    case ChangeType::kUpdateAfter:
      return "update_after";
    case ChangeType::kDelete:
      return "delete";
    case ChangeType::kAppend:
    case ChangeType::kInsert:
      break;
  }
  return "insert";
}

// What is shown before the columns of the table: of a primary-key table what happened to the row,
// and with --with-position where it stands. The names are those of the table's changelog in SQL.
class LeadingColumns {
 public:
  LeadingColumns(bool has_change, bool has_position)
      : has_change_(has_change), has_position_(has_position) {}

  Result<Schema> schema_with(const Schema& columns) const {
    SchemaBuilder schema;
    if (has_change_) schema.column("_change_type", DataType::string().not_null());
    if (has_position_) {
      schema.column("_bucket", DataType::integer().not_null());
      schema.column("_log_offset", DataType::bigint().not_null());
      schema.column("_commit_timestamp", DataType::timestamp_ltz(3).not_null());
    }
    for (const Column& column : columns.columns()) schema.column(column);
    return schema.build();
  }

  // The first `count` rows of the batch.
  Result<std::shared_ptr<arrow::RecordBatch>> rows_of(const ScanBatch& batch, int64_t count) const {
    std::shared_ptr<arrow::RecordBatch> rows = batch.rows->Slice(0, count);
    if (!has_change_ && !has_position_) return rows;
    std::vector<std::shared_ptr<arrow::Array>> columns;
    if (has_change_) RETURN_IF_ERROR(from_arrow(add_changes(batch, count, &columns)));
    if (has_position_) RETURN_IF_ERROR(from_arrow(add_positions(batch, count, &columns)));
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (const auto& column : columns) fields.push_back(arrow::field("", column->type()));
    for (const auto& field : rows->schema()->fields()) fields.push_back(field);
    for (const auto& column : rows->columns()) columns.push_back(column);
    return arrow::RecordBatch::Make(arrow::schema(fields), count, columns);
  }

 private:
  using Columns = std::vector<std::shared_ptr<arrow::Array>>;

  static arrow::Status add_changes(const ScanBatch& batch, int64_t count, Columns* columns) {
    arrow::StringBuilder changes;
    for (int64_t i = 0; i < count; ++i) {
      ChangeType change =
          batch.changes.empty() ? ChangeType::kAppend : batch.changes[static_cast<size_t>(i)];
      ARROW_RETURN_NOT_OK(changes.Append(change_name(change)));
    }
    ARROW_ASSIGN_OR_RAISE(columns->emplace_back(), changes.Finish());
    return arrow::Status::OK();
  }

  static arrow::Status add_positions(const ScanBatch& batch, int64_t count, Columns* columns) {
    arrow::Int32Builder buckets;
    arrow::Int64Builder offsets;
    arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MILLI),
                                  arrow::default_memory_pool());
    for (int64_t i = 0; i < count; ++i) {
      ARROW_RETURN_NOT_OK(buckets.Append(batch.bucket.bucket.value()));
      ARROW_RETURN_NOT_OK(offsets.Append(batch.base_offset.value() + i));
      ARROW_RETURN_NOT_OK(times.Append(batch.timestamp.value()));
    }
    ARROW_ASSIGN_OR_RAISE(columns->emplace_back(), buckets.Finish());
    ARROW_ASSIGN_OR_RAISE(columns->emplace_back(), offsets.Finish());
    ARROW_ASSIGN_OR_RAISE(columns->emplace_back(), times.Finish());
    return arrow::Status::OK();
  }

  bool has_change_;
  bool has_position_;
};

// ---- on the main thread

Status print_rows(const Options& options, ClientSession& session, LogScanner* scanner) {
  LeadingColumns leading(scanner->table().descriptor.has_primary_key(), options.with_position);
  ASSIGN_OR_RETURN(Schema schema, leading.schema_with(scanner->schema()));
  std::unique_ptr<RowWriter> writer = make_row_writer(options.format, std::move(schema));
  Interrupt interrupt;
  int64_t left = options.limit.value_or(std::numeric_limits<int64_t>::max());
  bool is_finished = false;
  while (!is_finished && left > 0 && !interrupt.requested() && !writer->is_closed()) {
    ASSIGN_OR_RETURN(Polled polled, session.run(poll(scanner)));
    for (const ScanBatch& batch : polled.batches) {
      int64_t count = std::min(left, batch.rows->num_rows());
      if (count == 0) break;
      ASSIGN_OR_RETURN(auto rows, leading.rows_of(batch, count));
      RETURN_IF_ERROR(writer->write(rows));
      left -= count;
    }
    is_finished = polled.is_finished;
  }
  return writer->finish();
}

Status run(std::shared_ptr<const Options> options) {
  ASSIGN_OR_RETURN(auto session, ClientSession::open(options->server));
  ASSIGN_OR_RETURN(auto table, session->run(session->connection()->table(options->table)));
  RETURN_IF_ERROR(check_columns(options->columns, table->info.descriptor.schema));
  client::ScannerOptions scanner_options;
  scanner_options.columns = options->columns;
  // Who follows goes on when the server is back; a read that has an end has to come to it.
  if (!options->follow) scanner_options.retry_timeout = options->timeout;
  ASSIGN_OR_RETURN(
      auto scanner,
      session->run(LogScanner::open(session->connection(), options->table, scanner_options)));
  Status result = session->run(subscribe(scanner.get(), options));
  if (result) result = print_rows(*options, *session, scanner.get());
  session->release(std::move(scanner));
  return result;
}

int tail(const std::shared_ptr<Options>& options) {
  if (disturbs_terminal(options->format)) return misuse("tail", kBinaryOutput);
  Status result = run(options);
  return result ? kSuccess : refuse("tail", result.error(), OutputFormat::kTable);
}

}  // namespace

std::function<int()> declare_tail(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_table_argument(app, &options->table);
  app.add_option_function<std::string>(
         "--from",
         [options](const std::string& text) { options->from = parse_start(text); },
         "where to begin: earliest, latest, offset:N in each bucket, timestamp:MS, or an ISO time; "
         "latest by default, earliest with --no-follow")
      ->type_name("START")
      ->check(start_rule());
  app.add_option("--columns", options->columns, "only these; the server sends no others")
      ->type_name("A,B")
      ->delimiter(',');
  add_row_format_option(app, &options->format);
  app.add_option("--limit", options->limit, "end after so many rows")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int64_t>::max()));
  app.add_option("--bucket", options->bucket, "only this bucket")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int32_t>::max()));
  app.add_flag("--follow,!--no-follow",
               options->follow,
               "wait for new rows (default), or end at the present end with --no-follow");
  add_duration_option(app,
                      "--timeout",
                      &options->timeout,
                      "with --no-follow: give up when the server fails for so long, 2 min by "
                      "default; 0 s: never");
  app.add_flag(
      "--with-position", options->with_position, "show bucket, offset and time of each row");
  add_server_option(app, &options->server);
  app.footer(
      "Ctrl-C ends it. The rows of a primary-key table are its changes.\n"
      "  lakestream tail trips --columns id,city --from earliest\n"
      "  lakestream tail trips --no-follow --format csv > trips.csv");
  return [options] { return tail(options); };
}

}  // namespace lakestream::cli
