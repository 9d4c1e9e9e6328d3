#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/input/input.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/session.h"
#include "client/admin.h"
#include "table/ddl.h"

namespace lakestream::cli {
namespace {

using client::Admin;
using client::IfExists;
using Connected = std::shared_ptr<client::Connection>;

constexpr const char* kCommand = "table create";
constexpr size_t kDdlBytesMax = size_t{16} << 20;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  std::string ddl;
  std::string file;
  std::string database = kDefaultDatabase;
};

struct Step {
  int line = 1;  // of the DDL
  Statement statement;
};

// What a statement did.
struct Outcome {
  std::string action;  // created, or kept when it was there
  std::string kind;
  std::string name;
};

Result<std::string> read_ddl(const Options& options) {
  if (!options.ddl.empty()) return options.ddl;
  Interrupt interrupt;
  ASSIGN_OR_RETURN(auto input, Input::open(options.file.empty() ? "-" : options.file, &interrupt));
  std::string ddl;
  char chunk[64 << 10];
  for (;;) {
    ASSIGN_OR_RETURN(size_t count, input->read(chunk));
    if (count == 0) break;
    ddl.append(chunk, count);
    if (ddl.size() > kDdlBytesMax) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{} is larger than 16 mb; is it a file of DDL",
                        input->name());
    }
  }
  return ddl;
}

bool creates(const Statement& statement) {
  return std::holds_alternative<CreateTable>(statement) ||
         std::holds_alternative<CreateTableLike>(statement) ||
         std::holds_alternative<CreateDatabase>(statement) ||
         std::holds_alternative<UseDatabase>(statement);
}

// All statements are read before the first one is carried out.
Result<std::vector<Step>> parse_steps(const std::string& ddl) {
  ASSIGN_OR_RETURN(std::vector<SqlText> parts, split_sql(ddl));
  std::vector<Step> steps;
  for (const SqlText& part : parts) {
    ASSIGN_OR_RETURN(Statement statement, parse_ddl(part));
    if (!creates(statement)) {
      return make_error(
          ErrorCode::kUnknownServerError,
          "line {}, column {}: this statement creates nothing; here are CREATE TABLE, "
          "CREATE DATABASE and USE allowed",
          part.line,
          part.column);
    }
    steps.push_back({part.line, std::move(statement)});
  }
  if (steps.empty()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the DDL is empty; give CREATE TABLE name (column type, …)");
  }
  return steps;
}

TablePath path_of(const TableName& name, const std::string& database) {
  return {name.database.value_or(database), name.table};
}

Task<Result<Outcome>> create_database(Connected connection, CreateDatabase statement) {
  Admin admin(connection);
  bool was_there = false;
  if (statement.if_not_exists) {
    CO_ASSIGN_OR_RETURN(was_there, co_await admin.database_exists(statement.name));
  }
  auto if_exists = statement.if_not_exists ? IfExists::kKeep : IfExists::kFail;
  CO_RETURN_IF_ERROR(
      co_await admin.create_database(statement.name, std::move(statement.descriptor), if_exists));
  co_return Outcome{was_there ? "kept" : "created", "database", statement.name};
}

Task<Result<Outcome>> create_table(Connected connection,
                                   TablePath path,
                                   TableDescriptor descriptor,
                                   bool if_not_exists) {
  Admin admin(connection);
  bool was_there = false;
  if (if_not_exists) {
    CO_ASSIGN_OR_RETURN(was_there, co_await admin.table_exists(path));
  }
  auto if_exists = if_not_exists ? IfExists::kKeep : IfExists::kFail;
  CO_RETURN_IF_ERROR(co_await admin.create_table(path, std::move(descriptor), if_exists));
  co_return Outcome{was_there ? "kept" : "created", "table", fmt::format("{}", path)};
}

Task<Result<Outcome>> create_like(Connected connection,
                                  CreateTableLike statement,
                                  std::string database) {
  Admin admin(connection);
  TablePath source = path_of(statement.source, database);
  CO_ASSIGN_OR_RETURN(client::TableInfo info, co_await admin.table_info(source));
  info.descriptor.schema = info.descriptor.schema.visible();
  CO_ASSIGN_OR_RETURN(TableDescriptor descriptor,
                      apply_with(std::move(info.descriptor), statement.with));
  TablePath path = path_of(statement.name, database);
  co_return co_await create_table(
      connection, std::move(path), std::move(descriptor), statement.if_not_exists);
}

// Nothing for USE, which changes *database.
Task<Result<std::optional<Outcome>>> carry_out(Connected connection,
                                               Statement statement,
                                               std::string* database) {
  std::optional<Outcome> outcome;
  if (auto* use = std::get_if<UseDatabase>(&statement)) {
    Admin admin(connection);
    CO_ASSIGN_OR_RETURN(bool exists, co_await admin.database_exists(use->name));
    if (!exists) {
      co_return make_error(ErrorCode::kDatabaseNotExist,
                           "database {} does not exist; create it with CREATE DATABASE",
                           use->name);
    }
    *database = use->name;
  } else if (auto* create = std::get_if<CreateDatabase>(&statement)) {
    CO_ASSIGN_OR_RETURN(outcome, co_await create_database(connection, std::move(*create)));
  } else if (auto* table = std::get_if<CreateTable>(&statement)) {
    TablePath path = path_of(table->name, *database);
    CO_ASSIGN_OR_RETURN(
        outcome,
        co_await create_table(
            connection, std::move(path), std::move(table->descriptor), table->if_not_exists));
  } else if (auto* like = std::get_if<CreateTableLike>(&statement)) {
    CO_ASSIGN_OR_RETURN(outcome, co_await create_like(connection, std::move(*like), *database));
  }
  co_return outcome;
}

void print_outcomes(const std::vector<Outcome>& outcomes, OutputFormat format) {
  auto document = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) {
    document.push_back(
        {{"action", outcome.action}, {"kind", outcome.kind}, {"name", outcome.name}});
    if (format == OutputFormat::kJson) continue;
    std::string_view note = outcome.action == "kept" ? ", which was there already" : "";
    print_line(fmt::format("{} {} {}{}", outcome.action, outcome.kind, outcome.name, note));
  }
  if (format == OutputFormat::kJson) print_json(document);
}

Task<Status> run(Connected connection,
                 std::vector<Step> steps,
                 std::string database,
                 OutputFormat format) {
  std::vector<Outcome> outcomes;
  Status result = ok();
  for (Step& step : steps) {
    auto outcome = co_await carry_out(connection, std::move(step.statement), &database);
    if (!outcome) {
      result = fail(steps.size() == 1 ? std::move(outcome).error()
                                      : std::move(outcome).error().with_context(
                                            fmt::format("statement of line {}", step.line)));
      break;
    }
    if (*outcome) outcomes.push_back(**std::move(outcome));
  }
  print_outcomes(outcomes, format);
  co_return result;
}

int create(const Options& options) {
  auto ddl = read_ddl(options);
  if (!ddl) return refuse(kCommand, ddl.error(), options.format);
  auto steps = parse_steps(*ddl);
  if (!steps) return refuse(kCommand, steps.error(), options.format);
  return run_with_session(
      kCommand, options.server, options.format, [&options, &steps](Connected connection) {
        return run(std::move(connection), *std::move(steps), options.database, options.format);
      });
}

}  // namespace

std::function<int()> declare_table_create(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto* ddl = app.add_option("DDL", options->ddl, "the statements; without them and -f: stdin");
  ddl->type_name("");
  app.add_option("-f,--file", options->file, "a file of statements")
      ->type_name("FILE")
      ->excludes(ddl);
  app.add_option("--database", options->database, "where tables without one go, fluss by default")
      ->type_name("NAME");
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer(
      "Statements, separated by ';':\n"
      "  CREATE TABLE [IF NOT EXISTS] trips (id BIGINT NOT NULL, city STRING, …)\n"
      "    [PARTITIONED BY (…)] [WITH ('bucket.num' = '4', 'bucket.key' = 'id', …)]\n"
      "  CREATE TABLE copy LIKE trips · CREATE DATABASE name · USE name");
  return [options] { return create(*options); };
}

}  // namespace lakestream::cli
