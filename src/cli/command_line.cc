#include "cli/command_line.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/nearest.h"
#include "cli/version.h"

namespace lakestream::cli {
namespace {

constexpr size_t kHelpColumn = 34;

struct Example {
  std::string_view command;
  std::string_view meaning;
};
constexpr Example kExamples[] = {
    {"lakestream server --data ./data", "run a server on 127.0.0.1:9123"},
    {"lakestream table create -f tables.sql", "create the tables of a file of DDL"},
    {"lakestream put trips trips.csv", "write rows; also NDJSON, Arrow, stdin"},
    {"lakestream tail trips --columns id,city", "read two columns as rows arrive"},
    {"lakestream sql -c 'SELECT * FROM trips'", "query tables with SQL"},
};

std::string main_help() {
  std::string text =
      "Lakestream: one table as stream, key-value store and lake table\n\n"
      "Usage: lakestream COMMAND [OPTIONS]\n\nExamples:\n";
  for (const Example& example : kExamples) {
    text += fmt::format("  {:<40}  {}\n", example.command, example.meaning);
  }
  text += "\nCommands:\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<12}{}\n", command.name, command.description);
  }
  text +=
      "\n`lakestream COMMAND --help` shows its options. Commands talk to the server of --server\n"
      "HOST:PORT, or of the variable LAKESTREAM_SERVER, or to 127.0.0.1:9123.\n";
  return text;
}

// "lakestream table create" for the innermost command that was named.
const CLI::App* innermost(const CLI::App* app, std::string* path) {
  for (;;) {
    *path += app->get_name();
    std::vector<CLI::App*> parsed = app->get_subcommands();
    if (parsed.empty()) return app;
    app = parsed.front();
    *path += ' ';
  }
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What could not be read, and what was perhaps meant.
std::string unknown_word(const CLI::App& app, std::string_view path) {
  std::vector<std::string> words = app.remaining(true);
  std::string word = words.empty() ? "" : words.front();
  bool is_option = word.starts_with("-");
  std::vector<std::string> known = is_option ? option_names(app) : subcommand_names(app);
  std::string text = is_option       ? fmt::format("'{}' is no option of `{}`", word, path)
                     : known.empty() ? fmt::format("'{}' is more than `{}` takes", word, path)
                                     : fmt::format("'{}' is no command of `{}`", word, path);
  std::string_view nearest = nearest_word(word, known);
  return nearest.empty() ? text : fmt::format("{}, did you mean '{}'", text, nearest);
}

std::string wrong_usage_text(const CLI::App& app, std::string_view path, const CLI::Error& error) {
  auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (code != CLI::ExitCodes::ExtrasError && code != CLI::ExitCodes::RequiredError) {
    return error.what();
  }
  if (!app.remaining(true).empty()) return unknown_word(app, path);
  std::vector<std::string> subs = subcommand_names(app);
  if (subs.empty()) return error.what();
  return fmt::format("a command is missing, one of {}", fmt::join(subs, ", "));
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string path;
  const CLI::App* at = innermost(&app, &path);
  std::fprintf(stderr,
               "%s: %s; see `%s --help`\n",
               path.c_str(),
               wrong_usage_text(*at, path, error).c_str(),
               path.c_str());
  return kWrongUsage;
}

}  // namespace

std::function<int()> declare_commands(CLI::App& app, std::span<const Command> commands) {
  app.require_subcommand(1);
  auto actions = std::make_shared<std::vector<std::pair<CLI::App*, std::function<int()>>>>();
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.description));
    actions->emplace_back(sub, command.declare(*sub));
  }
  return [actions] {
    for (const auto& [sub, action] : *actions) {
      if (sub->parsed()) return action();
    }
    return kWrongUsage;
  };
}

int run_command_line(int argc, const char* const* argv) {
  CLI::App app;
  app.name("lakestream");
  app.get_formatter()->column_width(kHelpColumn);
  std::function<int()> action = declare_commands(app, commands());
  // Only of this level: those of the commands keep theirs.
  app.formatter_fn([](const CLI::App*, std::string, CLI::AppFormatMode) { return main_help(); });
  app.set_version_flag("--version", version_line());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
  }
  return action();
}

}  // namespace lakestream::cli
