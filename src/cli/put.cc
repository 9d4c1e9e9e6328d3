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
#include "cli/put_sink.h"
#include "cli/session.h"

namespace lakestream::cli {
namespace {

using client::WriteCounters;

constexpr int64_t kBatchBytesMin = 1 << 10;
constexpr int64_t kBatchBytesMax = 32 << 20;
constexpr Duration kDeliveryTimeout = std::chrono::minutes(2);

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  SinkOptions sink;
  std::string file = "-";
  std::optional<InputFormat> input_format;
  SourceOptions source;
  std::vector<std::string> columns;
  bool has_header = false;
  bool has_csv_options = false;
  bool skip_bad_rows = false;
};

struct PutResult {
  WriteCounters counters;
  uint64_t skipped = 0;
  uint64_t bytes = 0;
  double seconds = 0;
};

// Rows from the source to the sink until either ends.
Status copy_rows(
    const Options& options, PutSink* sink, Input& input, BadRows* bad_rows, Progress* progress) {
  SourceOptions source_options = options.source;
  source_options.format = *options.input_format;
  if (!options.has_header) source_options.columns = options.columns;
  ASSIGN_OR_RETURN(auto source, open_source(source_options, &sink->schema(), &input, bad_rows));
  for (;;) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, source->next());
    if (rows == nullptr) return ok();
    ASSIGN_OR_RETURN(WriteCounters counters, sink->send(std::move(rows)));
    progress->update(counters.rows_acknowledged, input.bytes_read());
    if (counters.rows_failed > 0) return ok();  // close() tells why
  }
}

// The first error, with how many rows are in the table in spite of it.
Status outcome_of(Status copied, Status closed, const WriteCounters& counters) {
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
  ASSIGN_OR_RETURN(std::unique_ptr<PutSink> sink, open_sink(session, options.sink));
  Progress progress(&session.env().clock, input.size());
  Status copied = copy_rows(options, sink.get(), input, &bad_rows, &progress);
  if (input.was_interrupted()) tell_that_it_ends();
  Status closed = sink->close(&result->counters);
  progress.clear();
  result->seconds = progress.seconds();
  result->bytes = input.bytes_read();
  result->skipped = bad_rows.count();
  return outcome_of(std::move(copied), std::move(closed), result->counters);
}

void print_result(const Options& options, const PutResult& result, bool interrupted) {
  uint64_t rows = result.counters.rows_acknowledged;
  if (options.format == OutputFormat::kJson) {
    print_json({{"table", fmt::format("{}", options.sink.table)},
                {"rows", rows},
                {"skipped", result.skipped},
                {"bytes", result.bytes},
                {"seconds", result.seconds},
                {"interrupted", interrupted}});
    return;
  }
  std::string skipped =
      result.skipped > 0 ? fmt::format("; {} left out", count_of(result.skipped, "bad row")) : "";
  print_line(fmt::format("{} {} {} in {:.2f} s ({}){}",
                         options.sink.remove ? "deleted" : "put",
                         count_of(rows, options.sink.remove ? "key" : "row") +
                             (options.sink.remove ? " from" : " into"),
                         options.sink.table,
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
    return misuse("put", "--header, --delimiter and --null are for CSV; leave them out");
  }
  if (options.has_header && options.columns.empty()) {
    return misuse("put", "--header is for --columns; without them CSV has a header line anyway");
  }
  options.sink.columns = options.columns;
  bool keeps_others = !options.columns.empty() && options.input_format != InputFormat::kCsv;
  options.sink.keyed_option = options.sink.remove      ? "--delete"
                              : options.sink.overwrite ? "--overwrite"
                              : keeps_others           ? "--columns"
                                                       : "";
  // Rows that are deleted may come whole.
  if (options.sink.remove) options.source.skip_unknown = true;
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
  app.add_option("--columns",
                 options->columns,
                 "the columns that the input has; CSV has then no header line. Of a primary-key "
                 "table only these are written, the others keep their values")
      ->type_name("A,B")
      ->delimiter(',');
  app.add_flag_function(
      "--header",
      [options](int64_t) {
        options->has_header = true;
        options->has_csv_options = true;
      },
      "with --columns: CSV has a header line all the same");
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

void declare_write_options(CLI::App& app, Options* options) {
  app.add_option_function<std::string>(
         "--acks",
         [options](const std::string& text) { options->sink.write.acks = acks_of(text); },
         "who has rows before they count: all in-sync replicas (default), the leader, nobody")
      ->type_name("all|leader|none")
      ->check(one_of({"all", "leader", "none", "-1", "1", "0"}));
  options->sink.write.delivery_timeout = kDeliveryTimeout;
  add_duration_option(app,
                      "--timeout",
                      &options->sink.write.delivery_timeout,
                      "give up when rows are not acknowledged for so long, 2 min by default; 0 s: "
                      "never");
  add_size_option(app,
                  "--batch-bytes",
                  &options->sink.write.batch_bytes,
                  "rows gathered to a batch, 2mb by default",
                  kBatchBytesMin,
                  kBatchBytesMax);
  app.add_flag("--delete",
               options->sink.remove,
               "delete the rows of these keys; other columns of the input are left out");
  app.add_flag("--overwrite",
               options->sink.overwrite,
               "replace rows as they are, past the merge engine of the table");
  app.add_option(
         "--bucket", options->sink.bucket, "all rows to this bucket; for tables without a key")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int32_t>::max()));
}

}  // namespace

std::function<int()> declare_put(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_table_argument(app, &options->sink.table);
  app.add_option("FILE", options->file, "what to read; - or nothing is standard input")
      ->type_name("");
  declare_input_options(app, options.get());
  declare_write_options(app, options.get());
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer(
      "CSV has a header line that names its columns, or --columns. Times are ISO 8601, bytes\n"
      "base64, nested values JSON. Columns that the input lacks are NULL. Rows of a primary-key\n"
      "table replace those of the same key.\n"
      "  lakestream put trips trips.csv --null NA\n"
      "  lakestream put riders moved.ndjson --columns id,city\n"
      "  lakestream put riders gone.csv --delete\n"
      "  producer | lakestream put trips --input-format ndjson");
  return [options] { return put(*options); };
}

}  // namespace lakestream::cli
