#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/config.h"
#include "cli/commands.h"
#include "cli/input/row_source.h"
#include "cli/interrupt.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "client/appender.h"
#include "format/arrow_schema.h"
#include "format/batch_builder.h"

namespace lakestream::cli {
namespace {

using client::Appender;
using client::AppenderCounters;

constexpr int64_t kBatchBytesMin = 1 << 10;
constexpr int64_t kBatchBytesMax = 32 << 20;
constexpr Duration kDeliveryTimeout = std::chrono::minutes(2);

struct Options {
  std::string server;
  OutputFormat format = OutputFormat::kTable;
  TablePath table;
  std::string file = "-";
  std::optional<InputFormat> input_format;
  SourceOptions source;
  bool has_csv_options = false;
  client::AppenderOptions appender;
  std::optional<int32_t> bucket;
  bool skip_bad_rows = false;
};

// ---- on the shard

// The pointers outlive the tasks: the main thread waits for their end.
Task<Result<AppenderCounters>> append_rows(Appender* appender,
                                           std::shared_ptr<arrow::RecordBatch> rows) {
  CO_ASSIGN_OR_RETURN(client::Delivery delivery, co_await appender->append(std::move(rows)));
  co_return appender->counters();
}

Task<Result<AppenderCounters>> append_batch(Appender* appender, BucketId bucket, Bytes batch) {
  CO_ASSIGN_OR_RETURN(client::Delivery delivery,
                      co_await appender->append_encoded(bucket, std::move(batch)));
  co_return appender->counters();
}

Task<Status> close_appender(Appender* appender, AppenderCounters* counters) {
  Status closed = co_await appender->close();
  *counters = appender->counters();
  co_return closed;
}

// ---- on the main thread

BatchOptions batch_options_of(const client::TableInfo& table) {
  BatchOptions options;
  options.format = table.options.log_format;
  options.schema_id = table.schema_id;
  options.append_only = true;
  options.compression = table.options.compression;
  options.zstd_level = table.options.zstd_level;
  return options;
}

// A batch of the rows, for a bucket that the user chose.
Result<Bytes> encode(const client::TableInfo& table,
                     const std::shared_ptr<arrow::RecordBatch>& rows) {
  const Schema& schema = table.descriptor.schema;
  BatchOptions options = batch_options_of(table);
  if (options.format == LogFormat::kArrow) {
    return build_arrow_batch(*rows, {}, schema, options, BatchWriter{});
  }
  BatchBuilder builder(schema, options);
  ASSIGN_OR_RETURN(ArrowRows cells, ArrowRows::make(rows, schema));
  Arena arena;
  for (int64_t i = 0; i < cells.size(); ++i) {
    arena.clear();
    ASSIGN_OR_RETURN(std::span<const Value> row, cells.row(i, &arena));
    RETURN_IF_ERROR(builder.append(ChangeType::kAppend, row));
  }
  return builder.finish(BatchWriter{});
}

Status check_bucket(const client::TableInfo& table, int32_t bucket) {
  std::vector<std::string> keys = table.descriptor.bucket_keys();
  if (!keys.empty()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table {} has the bucket key {}, so its rows go to the bucket of their key; "
                      "leave out --bucket",
                      table.path,
                      fmt::join(keys, ", "));
  }
  int32_t count = table.descriptor.bucket_count().value_or(1);
  if (bucket < count) return ok();
  return make_error(ErrorCode::kUnknownTableOrBucketException,
                    "bucket {}: table {} has the buckets 0 to {}",
                    bucket,
                    table.path,
                    count - 1);
}

struct PutResult {
  AppenderCounters counters;
  uint64_t skipped = 0;
  uint64_t bytes = 0;
  double seconds = 0;
};

Result<AppenderCounters> send(const Options& options,
                              ClientSession& session,
                              Appender* appender,
                              std::shared_ptr<arrow::RecordBatch> rows) {
  if (!options.bucket) return session.run(append_rows(appender, std::move(rows)));
  ASSIGN_OR_RETURN(Bytes batch, encode(appender->table(), rows));
  return session.run(append_batch(appender, BucketId(*options.bucket), std::move(batch)));
}

// Rows from the source to the appender until either ends.
Status copy_rows(const Options& options,
                 ClientSession& session,
                 Appender* appender,
                 Input& input,
                 BadRows* bad_rows,
                 Progress* progress) {
  SourceOptions source_options = options.source;
  source_options.format = *options.input_format;
  const Schema& schema = appender->table().descriptor.schema;
  ASSIGN_OR_RETURN(auto source, open_source(source_options, &schema, &input, bad_rows));
  for (;;) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, source->next());
    if (rows == nullptr) return ok();
    ASSIGN_OR_RETURN(AppenderCounters counters, send(options, session, appender, std::move(rows)));
    progress->update(counters.rows_acknowledged, input.bytes_read());
    if (counters.rows_failed > 0) return ok();  // close() tells why
  }
}

// The first error, with how many rows are in the table in spite of it.
Status outcome_of(Status copied, Status closed, const AppenderCounters& counters) {
  Status& first = closed ? copied : closed;
  if (first) return ok();
  if (counters.rows_acknowledged == 0) return first;
  std::string_view told = first.error().message();
  return make_error(first.error().code(),
                    "{}; {} written before",
                    told,
                    counters.rows_acknowledged == 1
                        ? "1 row was"
                        : fmt::format("{} rows were", with_separators(counters.rows_acknowledged)));
}

void tell_that_it_ends() {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\nwaiting for acknowledgements; Ctrl-C again ends at once\n");
}

Status run(const Options& options, ClientSession& session, Input& input, PutResult* result) {
  BadRows bad_rows(options.skip_bad_rows);
  ASSIGN_OR_RETURN(
      auto appender,
      session.run(Appender::open(session.connection(), options.table, options.appender)));
  Status copied = ok();
  if (options.bucket) copied = check_bucket(appender->table(), *options.bucket);
  Progress progress(&session.env().clock, input.size());
  if (copied) {
    copied = copy_rows(options, session, appender.get(), input, &bad_rows, &progress);
  }
  if (input.was_interrupted()) tell_that_it_ends();
  Status closed = session.run(close_appender(appender.get(), &result->counters));
  progress.clear();
  session.release(std::move(appender));
  result->seconds = progress.seconds();
  result->bytes = input.bytes_read();
  result->skipped = bad_rows.count();
  return outcome_of(std::move(copied), std::move(closed), result->counters);
}

void print_result(const Options& options, const PutResult& result, bool interrupted) {
  uint64_t rows = result.counters.rows_acknowledged;
  if (options.format == OutputFormat::kJson) {
    print_json({{"table", fmt::format("{}", options.table)},
                {"rows", rows},
                {"skipped", result.skipped},
                {"bytes", result.bytes},
                {"seconds", result.seconds},
                {"interrupted", interrupted}});
    return;
  }
  std::string skipped =
      result.skipped > 0 ? fmt::format("; {} left out", count_of(result.skipped, "bad row")) : "";
  print_line(fmt::format("put {} into {} in {:.2f} s ({}){}",
                         count_of(rows, "row"),
                         options.table,
                         result.seconds,
                         rates_of(rows, result.bytes, result.seconds),
                         skipped));
}

int put(Options options) {
  if (!options.input_format) options.input_format = input_format_of(options.file);
  if (!options.input_format) {
    std::string name = options.file == "-" ? "standard input" : options.file;
    return misuse("put",
                  fmt::format("the format of {} is not known; give it with --input-format "
                              "csv, ndjson or arrow",
                              name));
  }
  if (options.has_csv_options && options.input_format != InputFormat::kCsv) {
    return misuse("put", "--columns, --delimiter and --null are for CSV; leave them out");
  }
  auto session = ClientSession::open(options.server);
  if (!session) return refuse("put", session.error(), options.format);
  Interrupt interrupt;
  auto input = Input::open(options.file, &interrupt);
  if (!input) return refuse("put", input.error(), options.format);
  PutResult result;
  Status done = run(options, **session, **input, &result);
  if (!done) return refuse("put", done.error(), options.format);
  print_result(options, result, interrupt.requested());
  // A stream is over when it is ended; a file was not put as a whole.
  return interrupt.requested() && (*input)->size() ? kRefused : kSuccess;
}

// ---- the command line

client::Acks acks_of(const std::string& text) {
  if (text == "none" || text == "0") return client::Acks::kNone;
  return text == "leader" || text == "1" ? client::Acks::kLeader : client::Acks::kAll;
}

std::string why_no_delimiter(const std::string& text) {
  bool is_one = text.size() == 1 && text != "\"" && text != "\n" && text != "\r";
  return is_one || text == "\\t" ? "" : fmt::format("'{}' is no single character, or \\t", text);
}

void declare_input_options(CLI::App& app, Options* options) {
  app.add_option_function<std::string>(
         "--input-format",
         [options](const std::string& text) {
           options->input_format = text == "csv"      ? InputFormat::kCsv
                                   : text == "ndjson" ? InputFormat::kNdjson
                                                      : InputFormat::kArrow;
         },
         "of the input; by default the one that the file's name ends with")
      ->type_name("csv|ndjson|arrow")
      ->check(one_of({"csv", "ndjson", "arrow"}));
  app.add_option_function<std::vector<std::string>>(
         "--columns",
         [options](const std::vector<std::string>& names) {
           options->source.columns = names;
           options->has_csv_options = true;
         },
         "the columns of CSV without a header line")
      ->type_name("A,B")
      ->delimiter(',');
  app.add_option_function<std::string>(
         "--delimiter",
         [options](const std::string& text) {
           options->source.delimiter = text == "\\t" ? '\t' : text[0];
           options->has_csv_options = true;
         },
         "between the fields of CSV, a comma by default")
      ->type_name("C")
      ->check(why_no_delimiter);
  app.add_option_function<std::string>(
         "--null",
         [options](const std::string& text) {
           options->source.null_text = text;
           options->has_csv_options = true;
         },
         "an unquoted field of CSV that is NULL, the empty one by default")
      ->type_name("TEXT");
  app.add_flag("--ignore-unknown",
               options->source.skip_unknown,
               "leave out columns and fields that the table does not have");
  app.add_option_function<std::string>(
         "--on-error",
         [options](const std::string& text) { options->skip_bad_rows = text == "skip"; },
         "at a row that does not fit: stop (default), or leave it out and count it")
      ->type_name("stop|skip")
      ->check(one_of({"stop", "skip"}));
}

void declare_append_options(CLI::App& app, Options* options) {
  app.add_option_function<std::string>(
         "--acks",
         [options](const std::string& text) { options->appender.acks = acks_of(text); },
         "who has rows before they count: all in-sync replicas (default), the leader, nobody")
      ->type_name("all|leader|none")
      ->check(one_of({"all", "leader", "none", "-1", "1", "0"}));
  options->appender.delivery_timeout = kDeliveryTimeout;
  add_duration_option(app,
                      "--timeout",
                      &options->appender.delivery_timeout,
                      "give up when rows are not acknowledged for so long, 2 min by default; 0 s: "
                      "never");
  add_size_option(app,
                  "--batch-bytes",
                  &options->appender.batch_bytes,
                  "rows gathered to a batch, 2mb by default",
                  kBatchBytesMin,
                  kBatchBytesMax);
  app.add_option("--bucket", options->bucket, "all rows to this bucket; for tables without a key")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int32_t>::max()));
}

}  // namespace

std::function<int()> declare_put(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_table_argument(app, &options->table);
  app.add_option("FILE", options->file, "what to read; - or nothing is standard input")
      ->type_name("");
  declare_input_options(app, options.get());
  declare_append_options(app, options.get());
  add_server_option(app, &options->server);
  add_format_option(app, &options->format);
  app.footer(
      "CSV has a header line that names its columns, or --columns. Times are ISO 8601, bytes\n"
      "base64, nested values JSON. Columns that the input lacks are NULL.\n"
      "  lakestream put trips trips.csv --null NA\n"
      "  producer | lakestream put trips --input-format ndjson");
  return [options] { return put(*options); };
}

}  // namespace lakestream::cli
