#include "cli/commands.h"

#include "cli/server.h"

namespace lakestream::cli {
namespace {

constexpr Command kCommands[] = {
    {"server", "run a server", declare_server},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace lakestream::cli
