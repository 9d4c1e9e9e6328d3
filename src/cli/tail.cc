#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arrow/record_batch.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/print/row_format.h"
#include "cli/print/row_writer.h"
#include "cli/session.h"
#include "cli/start_position.h"
#include "cli/where.h"
#include "client/change_rows.h"
#include "client/scanner.h"
#include "table/condition.h"

namespace lakestream::cli {
namespace {

using client::ChangeKind;
using client::ChangeRows;
using client::ChangeView;
using client::LogScanner;
using client::OffsetSpec;
using client::ScanBatch;

// How often new partitions are looked for.
constexpr Duration kPartitionsInterval = std::chrono::seconds(1);
// How soon an interrupt is seen.
constexpr Duration kPollTimeout = std::chrono::milliseconds(100);

struct Options {
  ServerAccess server;
  TablePath table;
  std::optional<OffsetSpec> from;
  std::vector<std::string> columns;
  RowFormat format = RowFormat::kTable;
  std::optional<int64_t> limit;
  std::optional<int32_t> bucket;
  PartitionSpec partitions;
  bool follow = true;
  Duration timeout = std::chrono::minutes(2);
  bool with_position = false;
  ChangeView view = ChangeView::kRows;
  std::optional<SqlCondition> where;
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

Task<Status> follow_partitions(LogScanner* scanner, std::shared_ptr<const Options> options) {
  std::optional<BucketId> bucket;
  if (options->bucket) bucket = BucketId(*options->bucket);
  return scanner->follow_partitions(bucket);
}

struct Polled {
  std::vector<ScanBatch> batches;
  bool is_finished = false;
};

Task<Result<Polled>> poll(LogScanner* scanner, bool for_ever) {
  Polled polled;
  if (for_ever || !scanner->is_finished()) {
    CO_ASSIGN_OR_RETURN(polled.batches, co_await scanner->poll(kPollTimeout));
  }
  polled.is_finished = !for_ever && scanner->is_finished();
  co_return polled;
}

// ---- on the main thread

Status print_rows(const std::shared_ptr<const Options>& shared,
                  ClientSession& session,
                  LogScanner* scanner) {
  const Options& options = *shared;
  ChangeKind kind{
      options.view, scanner->table().descriptor.has_primary_key(), options.with_position};
  ASSIGN_OR_RETURN(std::unique_ptr<ChangeRows> shown, make_change_rows(kind, scanner->schema()));
  std::unique_ptr<RowWriter> writer = make_row_writer(options.format, shown->schema());
  // More partitions may come.
  bool for_ever = options.follow && scanner->table().descriptor.is_partitioned();
  Duration next_look = session.env().clock.monotonic() + kPartitionsInterval;
  Interrupt interrupt;
  int64_t left = options.limit.value_or(std::numeric_limits<int64_t>::max());
  bool is_finished = false;
  while (!is_finished && left > 0 && !interrupt.requested() && !writer->is_closed()) {
    if (for_ever && session.env().clock.monotonic() >= next_look) {
      RETURN_IF_ERROR(session.run(follow_partitions(scanner, shared)));
      next_look = session.env().clock.monotonic() + kPartitionsInterval;
    }
    ASSIGN_OR_RETURN(Polled polled, session.run(poll(scanner, for_ever)));
    for (const ScanBatch& batch : polled.batches) {
      if (left == 0) break;
      ASSIGN_OR_RETURN(auto rows, shown->rows_of(batch));
      int64_t count = std::min(left, rows->num_rows());
      if (count > 0) RETURN_IF_ERROR(writer->write(rows->Slice(0, count)));
      left -= count;
    }
    is_finished = polled.is_finished;
  }
  return writer->finish();
}

Status run(std::shared_ptr<const Options> options) {
  ASSIGN_OR_RETURN(auto session, ClientSession::open(options->server));
  ASSIGN_OR_RETURN(auto table, session->run(session->connection()->table(options->table)));
  const TableDescriptor& descriptor = table->info.descriptor;
  RETURN_IF_ERROR(check_columns(options->columns, descriptor.schema));
  if (options->view == ChangeView::kBinlog && !descriptor.has_primary_key()) {
    return make_error(ErrorCode::kNonPrimaryKeyTableException,
                      "--binlog: table {} has no primary key, so its rows are never changed; use "
                      "--changelog",
                      options->table);
  }
  client::ScannerOptions scanner_options;
  scanner_options.columns = options->columns;
  scanner_options.partitions = options->partitions;
  if (options->where) {
    auto condition = predicate_of(*options->where, descriptor.schema);
    if (!condition) return fail(std::move(condition).error().with_context("--where"));
    scanner_options.condition = *std::move(condition);
  }
  // Who follows goes on when the server is back; a read that has an end has to come to it.
  if (!options->follow) scanner_options.retry_timeout = options->timeout;
  ASSIGN_OR_RETURN(
      auto scanner,
      session->run(LogScanner::open(session->connection(), options->table, scanner_options)));
  Status result = session->run(subscribe(scanner.get(), options));
  if (result) result = print_rows(options, *session, scanner.get());
  session->release(std::move(scanner));
  return result;
}

int tail(const std::shared_ptr<Options>& options) {
  if (disturbs_terminal(options->format)) return misuse("tail", kBinaryOutput);
  if (options->view == ChangeView::kBinlog && options->where) {
    return misuse("tail",
                  "--where is for rows, and --binlog shows two in one; use --changelog with it");
  }
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
  app.add_option_function<std::string>(
         "--where",
         [options](const std::string& text) { options->where = *parse_condition(text); },
         "only rows of which this is true, in SQL: \"id > 7 AND name LIKE 'a%'\"; the server "
         "leaves out what it can")
      ->type_name("CONDITION")
      ->check([](const std::string& text) {
        auto condition = parse_condition(text);
        return condition ? "" : condition.error().message();
      });
  auto* changelog = app.add_flag_callback(
      "--changelog",
      [options] { options->view = ChangeView::kChangelog; },
      "show what happened to each row, its offset and time: the columns of t$changelog");
  app.add_flag_callback(
         "--binlog",
         [options] { options->view = ChangeView::kBinlog; },
         "of a primary-key table: show each change with the row before and after it: the columns "
         "of "
         "t$binlog")
      ->excludes(changelog);
  add_row_format_option(app, &options->format);
  app.add_option("--limit", options->limit, "end after so many rows")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int64_t>::max()));
  app.add_option("--bucket", options->bucket, "only this bucket")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int32_t>::max()));
  add_partition_option(app, &options->partitions);
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
  add_server_options(app, &options->server);
  app.footer(
      "Ctrl-C ends it. The rows of a primary-key table are its changes. Partitions that come "
      "later are read from their beginning.\n"
      "  lakestream tail trips --columns id,city --from earliest\n"
      "  lakestream tail trips --where \"city = 'Oslo' AND fare > 20\" --from earliest\n"
      "  lakestream tail riders --binlog --format ndjson\n"
      "  lakestream tail trips --partition day=20261130,city=Basel\n"
      "  lakestream tail trips --no-follow --format csv > trips.csv");
  return [options] { return tail(options); };
}

}  // namespace lakestream::cli
