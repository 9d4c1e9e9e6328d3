#include "query/lake_tables.h"

#include <utility>

#include <fmt/format.h>

#include "io/object_stores.h"

namespace lakestream::query {
namespace {

// What servers put before the options of their lake when they tell clients.
std::string prefix_of(LakeFormatKind kind) {
  return fmt::format("table.datalake.{}.", name_of(kind));
}

Properties catalog_of(const client::TableInfo& table, LakeFormatKind kind) {
  Properties catalog;
  std::string prefix = prefix_of(kind);
  for (const auto& [key, value] : table.descriptor.properties) {
    if (key.starts_with(prefix)) catalog[key.substr(prefix.size())] = value;
  }
  return catalog;
}

std::string value_of(const Properties& catalog, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (auto found = catalog.find(key); found != catalog.end()) return found->second;
  }
  return "";
}

// Servers keep secrets to themselves: keys are those of this process's environment.
ObjectStoreOptions store_options(const Properties& catalog) {
  ObjectStoreOptions options;
  options.s3.endpoint = value_of(catalog, {"s3.endpoint"});
  options.s3.region = value_of(catalog, {"s3.region", "client.region"});
  std::string path_style =
      value_of(catalog, {"s3.path-style-access", "s3.path.style.access", "s3.path-style"});
  if (!path_style.empty()) options.s3.path_style = path_style == "true";
  return options;
}

}  // namespace

bool has_lake(const client::TableInfo& table) {
  return table.options.lake.enabled && table.options.lake.format.has_value();
}

Result<std::shared_ptr<LakeTable>> LakeTables::open(const client::TableInfo& table) {
  LakeFormatKind kind = *table.options.lake.format;
  Properties options = catalog_of(table, kind);
  if (options.empty()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "table {} has a lake, but the server does not say where it is; set "
                      "datalake.{}.warehouse at the server",
                      table.path,
                      name_of(kind));
  }
  Catalog& catalog = catalogs_[{kind, options}];
  if (catalog.format == nullptr) {
    catalog.objects = make_object_stores(env_.disk, store_options(options));
    LakeFormatOptions format_options;
    format_options.catalog = options;
    ASSIGN_OR_RETURN(catalog.format,
                     make_lake_format(kind, std::move(format_options), env_, *catalog.objects));
  }
  return catalog.format->open_table(table.path, table.descriptor);
}

}  // namespace lakestream::query
