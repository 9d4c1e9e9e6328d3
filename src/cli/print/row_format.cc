#include "cli/print/row_format.h"

#include <string>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/option_rules.h"

namespace lakestream::cli {
namespace {

RowFormat format_of(const std::string& text) {
  if (text == "csv") return RowFormat::kCsv;
  if (text == "ndjson") return RowFormat::kNdjson;
  return text == "arrow" ? RowFormat::kArrow : RowFormat::kTable;
}

}  // namespace

void add_row_format_option(CLI::App& app, RowFormat* format) {
  app.add_option_function<std::string>(
         "--format",
         [format](const std::string& text) { *format = format_of(text); },
         "how to print rows, table by default")
      ->type_name("table|csv|ndjson|arrow")
      ->check(one_of({"table", "csv", "ndjson", "arrow"}));
}

bool disturbs_terminal(RowFormat format) {
  return format == RowFormat::kArrow && ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace lakestream::cli
