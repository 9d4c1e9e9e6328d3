#include <algorithm>
#include <array>
#include <string_view>

#include "lake/iceberg/catalog/rest_catalog.h"
#include "lake/iceberg/catalog/sql_catalog.h"
#include "lake/iceberg/hadoop_catalog.h"
#include "lake/iceberg/iceberg_catalog.h"

namespace lakestream::iceberg {
namespace {

struct CatalogType {
  std::string_view name;
  Result<std::unique_ptr<IcebergCatalog>> (*make)(const Properties&, Env&, ObjectStore&);
};

// One line a name.
constexpr std::array<CatalogType, 4> kTypes = {{
    {"hadoop", &make_hadoop_catalog},
    {"jdbc", &make_sql_catalog},
    {"sql", &make_sql_catalog},
    {"rest", &make_rest_catalog},
}};

}  // namespace

Result<std::unique_ptr<IcebergCatalog>> make_iceberg_catalog(const Properties& options,
                                                             Env& env,
                                                             ObjectStore& objects) {
  if (auto own = options.find("catalog-impl"); own != options.end()) {
    return make_error(
        ErrorCode::kInvalidConfigException,
        "iceberg catalog: catalog-impl '{}' is a class of Java, which this server can "
        "not load; use type = rest, jdbc or hadoop, or the catalog's own REST service",
        own->second);
  }
  auto option = options.find("type");
  std::string_view name = option == options.end() ? "hadoop" : std::string_view(option->second);
  auto type = std::find_if(
      kTypes.begin(), kTypes.end(), [&](const CatalogType& known) { return known.name == name; });
  if (type != kTypes.end()) return type->make(options, env, objects);
  std::vector<std::string_view> names;
  for (const CatalogType& known : kTypes) names.push_back(known.name);
  return make_error(ErrorCode::kInvalidConfigException,
                    "iceberg catalog: type is '{}', there are: {}",
                    name,
                    fmt::join(names, ", "));
}

}  // namespace lakestream::iceberg
