#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/input/input.h"
#include "cli/interrupt.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/print/row_format.h"
#include "cli/session.h"
#include "cli/sql_runner.h"
#include "cli/sql_shell.h"
#include "query/query.h"
#include "table/ddl.h"

namespace lakestream::cli {
namespace {

constexpr size_t kScriptBytesMax = size_t{64} << 20;

struct Options {
  ServerAccess server;
  std::string data;
  std::vector<std::string> settings;
  std::string command;
  std::string file;
  std::string database = kDefaultDatabase;
  RowFormat format = RowFormat::kTable;
};

RowFormat format_of(const std::string& text) {
  if (text == "csv") return RowFormat::kCsv;
  if (text == "json") return RowFormat::kJson;
  if (text == "ndjson") return RowFormat::kNdjson;
  return text == "arrow" ? RowFormat::kArrow : RowFormat::kTable;
}

Result<std::string> read_script(const Options& options) {
  if (!options.command.empty()) return options.command;
  Interrupt interrupt;
  ASSIGN_OR_RETURN(auto input, Input::open(options.file.empty() ? "-" : options.file, &interrupt));
  std::string script;
  char chunk[64 << 10];
  for (;;) {
    ASSIGN_OR_RETURN(size_t count, input->read(chunk));
    if (count == 0) return script;
    script.append(chunk, count);
    if (script.size() > kScriptBytesMax) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{} is larger than 64 mb; is it a file of SQL",
                        input->name());
    }
  }
}

Result<std::unique_ptr<ClientSession>> open_session(const Options& options) {
  if (options.data.empty()) return ClientSession::open(options.server);
  TextMap settings;
  for (const std::string& setting : options.settings) {
    auto [key, value] = split_key_and_value(setting);
    settings[key] = value;
  }
  return ClientSession::open_data(options.data, std::move(settings));
}

Status run(const Options& options, bool is_interactive) {
  std::string script;
  if (!is_interactive) {
    ASSIGN_OR_RETURN(script, read_script(options));
  }
  ASSIGN_OR_RETURN(auto session, open_session(options));
  query::SessionOptions sql_options;
  sql_options.database = options.database;
  ASSIGN_OR_RETURN(
      auto sql,
      query::Session::open(
          session->env(), session->shard(), session->connection(), std::move(sql_options)));
  SqlRunner runner(*session, *sql, options.format);
  if (is_interactive) return run_sql_shell(runner);
  ASSIGN_OR_RETURN(std::vector<SqlText> statements, split_sql(script));
  // Of the whole script: between two statements it counts, too.
  Interrupt interrupt;
  for (const SqlText& statement : statements) RETURN_IF_ERROR(runner.run(statement, interrupt));
  return ok();
}

int sql(const Options& options) {
  if (disturbs_terminal(options.format)) return misuse("sql", kBinaryOutput);
  bool is_interactive =
      options.command.empty() && options.file.empty() && ::isatty(STDIN_FILENO) == 1;
  Status result = run(options, is_interactive);
  if (result) return kSuccess;
  bool is_json = options.format == RowFormat::kJson || options.format == RowFormat::kNdjson;
  return refuse("sql", result.error(), is_json ? OutputFormat::kJson : OutputFormat::kTable);
}

}  // namespace

std::function<int()> declare_sql(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_option("-c,--command", options->command, "the statements");
  command->type_name("SQL");
  app.add_option("-f,--file", options->file, "a file of statements; - is stdin")
      ->type_name("FILE")
      ->excludes(command);
  app.add_option_function<std::string>(
         "--format",
         [options](const std::string& text) { options->format = format_of(text); },
         "how to print rows, table by default")
      ->type_name("table|csv|json|ndjson|arrow")
      ->check(one_of({"table", "csv", "json", "ndjson", "arrow"}));
  app.add_option("--database", options->database, "where names without one are, fluss by default")
      ->type_name("NAME");
  auto* data = app.add_option(
      "--data", options->data, "a data directory that no server uses, instead of a server");
  data->type_name("DIR");
  app.add_option("-o", options->settings, "with --data: a setting of servers")
      ->type_name("KEY=VALUE")
      ->check(key_and_value())
      ->needs(data);
  add_server_options(app, &options->server);
  app.footer(
      "Without -c and -f statements are read from stdin, at a prompt when it is a terminal. Ctrl-C "
      "stops a statement.\n"
      "  lakestream sql -c \"SELECT city, count(*) FROM trips GROUP BY city\"\n"
      "  lakestream sql -c 'SELECT * FROM \"riders$changelog\"' --format ndjson\n"
      "  lakestream sql -f report.sql --format csv > report.csv\n"
      "  lakestream sql --data ./data -c \"SHOW TABLES\"");
  return [options] { return sql(*options); };
}

}  // namespace lakestream::cli
