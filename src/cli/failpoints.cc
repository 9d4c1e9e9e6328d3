#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/failpoint.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace lakestream::cli {

std::function<int()> declare_failpoints(CLI::App& app) {
  auto format = std::make_shared<OutputFormat>();
  add_format_option(app, format.get());
  return [format] {
    TextTable table({"failpoint", "reached when"});
    auto rows = nlohmann::ordered_json::array();
    for (const FailpointInfo& info : kFailpoints) {
      table.add({std::string(info.name), std::string(info.meaning)});
      rows.push_back({{"failpoint", info.name}, {"meaning", info.meaning}});
    }
    if (*format == OutputFormat::kJson) {
      print_json(rows);
    } else {
      table.print();
    }
    return kSuccess;
  };
}

}  // namespace lakestream::cli
