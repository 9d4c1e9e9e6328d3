#include "cli/version.h"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <arrow/config.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"

namespace lakestream::cli {
namespace {

constexpr std::string_view kVersion = "0.1.0";
// The released client whose protocol the server speaks.
constexpr std::string_view kProtocol = "Fluss 1.0.0";

}  // namespace

std::string version_line() { return fmt::format("lakestream {}", kVersion); }

std::function<int()> declare_version(CLI::App& app) {
  auto format = std::make_shared<OutputFormat>();
  add_format_option(app, format.get());
  return [format] {
    std::string arrow = arrow::GetBuildInfo().version_string;
    if (*format == OutputFormat::kJson) {
      print_json({{"version", kVersion}, {"protocol", kProtocol}, {"arrow", arrow}});
    } else {
      std::printf("%s (protocol of %s, Arrow %s)\n",
                  version_line().c_str(),
                  std::string(kProtocol).c_str(),
                  arrow.c_str());
    }
    return kSuccess;
  };
}

}  // namespace lakestream::cli
