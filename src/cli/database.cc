#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/session.h"
#include "client/admin.h"

namespace lakestream::cli {
namespace {

using client::Admin;
using Connected = std::shared_ptr<client::Connection>;
using Json = nlohmann::ordered_json;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  std::string name;
  std::optional<std::string> comment;
  std::vector<std::string> set;
  std::vector<std::string> reset;
  bool if_exists = false;  // or if not exists
  bool cascade = false;
};

// Options that all have, and the name of a database.
std::shared_ptr<Options> shared_options(CLI::App& app, bool has_name) {
  auto options = std::make_shared<Options>();
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  if (has_name) {
    app.add_option("DATABASE", options->name, "the database")
        ->type_name("")
        ->required()
        ->check([](const std::string& text) -> std::string {
          auto why = why_no_name(text);
          return why ? fmt::format("'{}': {}", text, *why) : "";
        });
  }
  return options;
}

// "created database x", or what JSON has for it.
void print_done(const Options& options, std::string_view action) {
  if (options.format == OutputFormat::kJson) {
    print_json({{"database", options.name}, {"action", action}});
  } else {
    print_line(fmt::format("{} database {}", action, options.name));
  }
}

Properties pairs_of(const std::vector<std::string>& texts) {
  Properties pairs;
  for (const std::string& text : texts) {
    auto [key, value] = split_key_and_value(text);
    pairs[key] = value;
  }
  return pairs;
}

Task<Status> create(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  DatabaseDescriptor descriptor{options->comment, pairs_of(options->set)};
  bool was_there = false;
  if (options->if_exists) {
    CO_ASSIGN_OR_RETURN(was_there, co_await admin.database_exists(options->name));
  }
  auto if_exists = options->if_exists ? client::IfExists::kKeep : client::IfExists::kFail;
  CO_RETURN_IF_ERROR(
      co_await admin.create_database(options->name, std::move(descriptor), if_exists));
  print_done(*options, was_there ? "kept" : "created");
  co_return ok();
}

Task<Status> alter(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  client::DatabaseChange change;
  for (auto& [key, value] : pairs_of(options->set)) change.set[key] = value;
  change.reset = options->reset;
  change.comment = options->comment;
  auto if_absent = options->if_exists ? client::IfAbsent::kIgnore : client::IfAbsent::kFail;
  CO_RETURN_IF_ERROR(co_await admin.alter_database(options->name, std::move(change), if_absent));
  print_done(*options, "altered");
  co_return ok();
}

Task<Status> drop(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  bool is_there = true;
  if (options->if_exists) {
    CO_ASSIGN_OR_RETURN(is_there, co_await admin.database_exists(options->name));
  }
  auto if_absent = options->if_exists ? client::IfAbsent::kIgnore : client::IfAbsent::kFail;
  auto content = options->cascade ? client::DropContent::kCascade : client::DropContent::kRefuse;
  CO_RETURN_IF_ERROR(co_await admin.drop_database(options->name, if_absent, content));
  print_done(*options, is_there ? "dropped" : "there was no");
  co_return ok();
}

Task<Status> list(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  CO_ASSIGN_OR_RETURN(auto databases, co_await admin.list_database_summaries());
  Json document = Json::array();
  TextTable table({"database", "tables", "created"});
  for (const client::DatabaseSummary& database : databases) {
    document.push_back({{"database", database.name},
                        {"tables", database.table_count},
                        {"created", time_text(database.created)}});
    table.add({database.name, std::to_string(database.table_count), time_text(database.created)});
  }
  if (options->format == OutputFormat::kJson) {
    print_json(document);
  } else {
    table.print();
  }
  co_return ok();
}

Task<Status> describe(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  CO_ASSIGN_OR_RETURN(client::DatabaseInfo info, co_await admin.database_info(options->name));
  CO_ASSIGN_OR_RETURN(auto tables, co_await admin.list_tables(options->name));
  const DatabaseDescriptor& descriptor = info.descriptor;
  if (options->format == OutputFormat::kJson) {
    Json document{{"database", info.name},
                  {"comment", nullptr},
                  {"created", time_text(info.created)},
                  {"modified", time_text(info.modified)},
                  {"properties", descriptor.custom_properties},
                  {"tables", tables}};
    if (descriptor.comment) document["comment"] = *descriptor.comment;
    print_json(document);
    co_return ok();
  }
  print_line(fmt::format("database {}", info.name));
  if (descriptor.comment) print_line(fmt::format("comment   {}", *descriptor.comment));
  print_line(fmt::format("created   {}", time_text(info.created)));
  print_line(fmt::format("modified  {}", time_text(info.modified)));
  for (const auto& [key, value] : descriptor.custom_properties) {
    print_line(fmt::format("property  {} = {}", key, value));
  }
  print_line(fmt::format("tables    {}",
                         tables.empty() ? "none" : fmt::format("{}", fmt::join(tables, ", "))));
  co_return ok();
}

template <Task<Status> (*work)(Connected, std::shared_ptr<Options>)>
std::function<int()> action(std::string command, std::shared_ptr<Options> options) {
  return [command = std::move(command), options] {
    return run_with_session(
        command, options->server, options->format, [options](Connected connection) {
          return work(std::move(connection), options);
        });
  };
}

void add_properties_option(CLI::App& app, const std::string& name, Options* options) {
  app.add_option(name, options->set, "a property of one's own")
      ->type_name("KEY=VALUE")
      ->check(key_and_value());
}

void add_comment_option(CLI::App& app, Options* options, const std::string& meaning) {
  app.add_option_function<std::string>(
         "--comment", [options](const std::string& text) { options->comment = text; }, meaning)
      ->type_name("TEXT");
}

std::function<int()> declare_create(CLI::App& app) {
  auto options = shared_options(app, true);
  app.add_flag("--if-not-exists", options->if_exists, "keep one that is there already");
  add_comment_option(app, options.get(), "what it is for");
  add_properties_option(app, "--property", options.get());
  return action<create>("database create", options);
}

std::function<int()> declare_alter(CLI::App& app) {
  auto options = shared_options(app, true);
  app.add_flag("--if-exists", options->if_exists, "do nothing when it does not exist");
  add_comment_option(app, options.get(), "what it is for; an empty text takes it away");
  add_properties_option(app, "--set", options.get());
  app.add_option("--reset", options->reset, "a property to take away")->type_name("KEY");
  std::function<int()> run = action<alter>("database alter", options);
  return [options, run] {
    if (options->comment || !options->set.empty() || !options->reset.empty()) return run();
    return misuse("database alter", "nothing to change; give --comment, --set or --reset");
  };
}

std::function<int()> declare_drop(CLI::App& app) {
  auto options = shared_options(app, true);
  app.add_flag("--if-exists", options->if_exists, "do nothing when it does not exist");
  app.add_flag("--cascade", options->cascade, "with its tables and their data");
  return action<drop>("database drop", options);
}

std::function<int()> declare_list(CLI::App& app) {
  return action<list>("database list", shared_options(app, false));
}

std::function<int()> declare_describe(CLI::App& app) {
  return action<describe>("database describe", shared_options(app, true));
}

constexpr Command kDatabaseCommands[] = {
    {"create", "create a database", declare_create},
    {"alter", "change the comment and the properties of a database", declare_alter},
    {"list", "list the databases", declare_list},
    {"describe", "show a database and the names of its tables", declare_describe},
    {"drop", "drop a database", declare_drop},
};

}  // namespace

std::function<int()> declare_database(CLI::App& app) {
  return declare_commands(app, kDatabaseCommands);
}

}  // namespace lakestream::cli
