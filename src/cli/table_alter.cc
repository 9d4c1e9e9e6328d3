#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/session.h"
#include "client/admin.h"
#include "table/ddl.h"

namespace lakestream::cli {
namespace {

using Connected = std::shared_ptr<client::Connection>;

constexpr const char* kCommand = "table alter";

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  TablePath table;
  std::vector<std::string> changes;
  bool if_exists = false;
};

using Change = std::variant<client::TableChange, AddPartition, DropPartition>;

// Of the text after "ALTER TABLE name"; places in errors are those of this text.
Result<Change> parse_change(const TablePath& table, const std::string& text) {
  std::string head = fmt::format(
      "ALTER TABLE {}.{} ", quote_identifier(table.database), quote_identifier(table.table));
  std::string sql = head + text;
  ASSIGN_OR_RETURN(Statement statement, parse_ddl({sql, 1, 1 - static_cast<int>(head.size())}));
  if (auto* add = std::get_if<AddPartition>(&statement)) return Change(std::move(*add));
  if (auto* drop = std::get_if<DropPartition>(&statement)) return Change(std::move(*drop));
  client::TableChange change;
  if (auto* add = std::get_if<AddColumns>(&statement)) {
    change.columns.add = std::move(add->columns);
  } else if (auto* rename = std::get_if<RenameColumn>(&statement)) {
    change.columns.rename.push_back({std::move(rename->column), std::move(rename->new_name)});
  } else if (auto* drop = std::get_if<DropColumn>(&statement)) {
    change.columns.drop.push_back(std::move(drop->column));
  } else if (auto* set = std::get_if<SetOptions>(&statement)) {
    for (auto& [key, value] : set->options) change.set[key] = value;
  } else if (auto* reset = std::get_if<ResetOptions>(&statement)) {
    change.reset = std::move(reset->keys);
  } else {
    return make_error(ErrorCode::kUnknownServerError,
                      "'{}' is no change that tables have; there are ADD (column type, …), "
                      "RENAME COLUMN name TO name, DROP COLUMN name, SET ('key' = 'value', …), "
                      "RESET ('key', …), ADD PARTITION (key = 'value', …) and DROP PARTITION "
                      "(key = 'value', …)",
                      text);
  }
  return Change(std::move(change));
}

Task<Status> make(client::Admin* admin,
                  TablePath table,
                  Change change,
                  client::IfAbsent if_absent) {
  if (auto* add = std::get_if<AddPartition>(&change)) {
    auto if_exists = add->if_not_exists ? client::IfExists::kKeep : client::IfExists::kFail;
    return admin->create_partition(std::move(table), std::move(add->partition), if_exists);
  }
  if (auto* drop = std::get_if<DropPartition>(&change)) {
    auto if_gone = drop->if_exists ? client::IfAbsent::kIgnore : client::IfAbsent::kFail;
    return admin->drop_partition(std::move(table), std::move(drop->partition), if_gone);
  }
  return admin->alter_table(
      std::move(table), std::get<client::TableChange>(std::move(change)), if_absent);
}

Task<Status> alter(Connected connection,
                   std::shared_ptr<Options> options,
                   std::vector<Change> changes) {
  client::Admin admin(connection);
  bool is_there = true;
  if (options->if_exists) {
    CO_ASSIGN_OR_RETURN(is_there, co_await admin.table_exists(options->table));
  }
  auto if_absent = options->if_exists ? client::IfAbsent::kIgnore : client::IfAbsent::kFail;
  for (size_t i = 0; i < changes.size() && is_there; ++i) {
    Status done = co_await make(&admin, options->table, std::move(changes[i]), if_absent);
    if (done) continue;
    if (changes.size() == 1) co_return done;
    co_return fail(std::move(done).error().with_context(
        fmt::format("'{}' ({} of {} were made)", options->changes[i], i, changes.size())));
  }
  std::string_view action = is_there ? "altered" : "there was no";
  if (options->format == OutputFormat::kJson) {
    print_json({{"database", options->table.database},
                {"table", options->table.table},
                {"action", action}});
  } else {
    print_line(fmt::format("{} table {}", action, options->table));
  }
  co_return ok();
}

// All changes are read before the first one is made.
int run(std::shared_ptr<Options> options) {
  std::vector<Change> changes;
  for (const std::string& text : options->changes) {
    auto change = parse_change(options->table, text);
    if (!change) return refuse(kCommand, change.error(), options->format);
    changes.push_back(*std::move(change));
  }
  return run_with_session(
      kCommand, options->server, options->format, [options, &changes](Connected connection) {
        return alter(std::move(connection), options, std::move(changes));
      });
}

}  // namespace

std::function<int()> declare_table_alter(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_table_argument(app, &options->table);
  app.add_option("CHANGE", options->changes, "what to change, in the words of ALTER TABLE")
      ->type_name("")
      ->required();
  app.add_flag("--if-exists", options->if_exists, "do nothing when it does not exist");
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer(
      "Changes:\n"
      "  \"ADD COLUMN note STRING\" · \"ADD (note STRING, price DECIMAL(10, 2))\"\n"
      "  \"RENAME COLUMN note TO remark\" · \"DROP COLUMN price\"\n"
      "  \"ADD PARTITION (day = '20261130')\" · \"DROP IF EXISTS PARTITION (day = '20261101')\"\n"
      "  \"SET ('table.log.ttl' = '3 d', 'owner' = 'me')\" · \"RESET ('owner')\"");
  return [options] { return run(options); };
}

}  // namespace lakestream::cli
