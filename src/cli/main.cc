#include <CLI/CLI.hpp>
#include <functional>
#include <map>

#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace lakestream::cli;
  CLI::App app("Lakestream: one table as stream, key-value store and lake table");
  app.name("lakestream");
  app.require_subcommand(1);
  std::map<const CLI::App*, std::function<int()>> actions;
  for (const Command& command : commands()) {
    CLI::App* sub =
        app.add_subcommand(std::string(command.name), std::string(command.description));
    actions[sub] = command.declare(*sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int code = app.exit(error);
    return code == 0 ? kSuccess : kWrongUsage;
  }
  for (const auto& [sub, action] : actions) {
    if (sub->parsed()) return action();
  }
  return kWrongUsage;
}
