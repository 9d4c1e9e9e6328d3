#pragma once

#include <span>

#include "cli/command.h"

namespace lakestream::cli {

// All subcommands, in the order of the help text.
std::span<const Command> commands();

}  // namespace lakestream::cli
