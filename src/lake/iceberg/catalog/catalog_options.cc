#include "lake/iceberg/catalog/catalog_options.h"

#include "io/object_stores.h"

namespace lakestream::iceberg {

Result<std::string> required_option(const Properties& options, std::string_view name) {
  auto option = options.find(name);
  if (option != options.end() && !option->second.empty()) return option->second;
  return make_error(ErrorCode::kInvalidConfigException,
                    "iceberg catalog: option '{}' is missing; set datalake.iceberg.{}",
                    name,
                    name);
}

Result<std::string> warehouse_of(const Properties& options) {
  ASSIGN_OR_RETURN(std::string warehouse, required_option(options, "warehouse"));
  Result<std::string> root = object_root(warehouse);
  if (!root) return fail(std::move(root).error().with_context("iceberg catalog: warehouse"));
  while (warehouse.size() > 1 && warehouse.ends_with('/')) warehouse.pop_back();
  return warehouse;
}

}  // namespace lakestream::iceberg
