#pragma once

#include <functional>
#include <span>

#include "cli/command.h"

// The list of the subcommands.
//
// Thread rule: immutable.
//
//   for (const Command& command : commands()) show(command.name, command.description);
namespace lakestream::cli {

// All subcommands, in the order of the help text.
std::span<const Command> commands();

// Each is in the file of its name.
std::function<int()> declare_server(CLI::App& app);
std::function<int()> declare_database(CLI::App& app);
std::function<int()> declare_table(CLI::App& app);
std::function<int()> declare_put(CLI::App& app);
std::function<int()> declare_tail(CLI::App& app);
std::function<int()> declare_lookup(CLI::App& app);
std::function<int()> declare_scan(CLI::App& app);
std::function<int()> declare_sql(CLI::App& app);
std::function<int()> declare_offsets(CLI::App& app);
std::function<int()> declare_tiering(CLI::App& app);
std::function<int()> declare_bench(CLI::App& app);
std::function<int()> declare_config(CLI::App& app);
std::function<int()> declare_failpoints(CLI::App& app);
std::function<int()> declare_version(CLI::App& app);
std::function<int()> declare_completion(CLI::App& app);

// Subcommands of `table`, in table_create.cc and table_alter.cc.
std::function<int()> declare_table_create(CLI::App& app);
std::function<int()> declare_table_alter(CLI::App& app);

}  // namespace lakestream::cli
