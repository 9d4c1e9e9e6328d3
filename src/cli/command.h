#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

// A subcommand of `lakestream`: one file each, listed in commands.cc. `declare` adds its options to
// `app`; when the command line names it, the function that declare gave back runs and its result is
// the exit code: 0 success, 1 a refused operation, 2 wrong usage. What can be judged by its text
// alone is refused while the command line is read (option_rules.h).
//
// Thread rule: the main thread.
//
//   constexpr Command kTableCommands[] = {{"create", "create tables from DDL", declare_create}};
//   std::function<int()> declare_table(CLI::App& app) {
//     return declare_commands(app, kTableCommands);
//   }
namespace lakestream::cli {

struct Command {
  std::string_view name;
  std::string_view description;
  std::function<int()> (*declare)(CLI::App& app);
};

inline constexpr int kSuccess = 0;
inline constexpr int kRefused = 1;
inline constexpr int kWrongUsage = 2;

// Adds the commands below `app`, which then needs one of them.
std::function<int()> declare_commands(CLI::App& app, std::span<const Command> commands);

}  // namespace lakestream::cli
