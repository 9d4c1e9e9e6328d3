#pragma once

#include <functional>

#include "cli/command.h"

namespace lakestream::cli {

// `lakestream server`: runs until SIGTERM or SIGINT.
std::function<int()> declare_server(CLI::App& app);

}  // namespace lakestream::cli
