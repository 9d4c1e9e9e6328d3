#include "cli/columns.h"

#include <vector>

#include <fmt/format.h>

#include "cli/nearest.h"

namespace lakestream::cli {

std::string why_no_column(std::string_view name, const Schema& schema) {
  std::vector<std::string> names = schema.visible_names();
  std::string_view nearest = nearest_word(name, names);
  std::string help = nearest.empty() ? fmt::format("its columns are {}", fmt::join(names, ", "))
                                     : fmt::format("did you mean '{}'", nearest);
  return fmt::format("the table has no column '{}', {}", name, help);
}

Status check_columns(std::span<const std::string> names, const Schema& schema) {
  for (const std::string& name : names) {
    if (schema.find(name) != nullptr) continue;
    return make_error(
        ErrorCode::kInvalidColumnProjection, "--columns: {}", why_no_column(name, schema));
  }
  return ok();
}

}  // namespace lakestream::cli
