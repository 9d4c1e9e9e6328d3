#pragma once

#include <string_view>

#include "cli/print/row_writer.h"

namespace CLI {
class App;
}

// The option of the commands that print rows.
//
// Thread rule: the main thread.
//
//   add_row_format_option(app, &options->format);
//   if (disturbs_terminal(options->format)) return misuse("tail", kBinaryOutput);
namespace lakestream::cli {

// --format table|csv|ndjson|arrow
void add_row_format_option(CLI::App& app, RowFormat* format);

// Rows of a binary format on a terminal.
bool disturbs_terminal(RowFormat format);
inline constexpr std::string_view kBinaryOutput =
    "--format arrow is binary; redirect it into a file or a pipe";

}  // namespace lakestream::cli
