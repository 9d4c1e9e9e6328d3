#pragma once

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

// A subcommand of `lakestream`: one file each, listed in commands.cc. `declare` adds its options to `app`;
// when the command line names it, the function that declare gave back runs and its result is the exit
// code: 0 success, 1 a refused operation, 2 wrong usage.
//
// Thread rule: the main thread.
//
//   const Command kServerCommand{"server", "run a server", declare_server};
namespace lakestream::cli {

struct Command {
  std::string_view name;
  std::string_view description;
  std::function<int()> (*declare)(CLI::App& app);
};

inline constexpr int kSuccess = 0;
inline constexpr int kRefused = 1;
inline constexpr int kWrongUsage = 2;

}  // namespace lakestream::cli
