#include "lake/lake_path.h"

#include <string_view>

namespace lakestream {
namespace {

constexpr std::string_view kDatabaseName = "table.datalake.database-name";
constexpr std::string_view kTableName = "table.datalake.table-name";

}  // namespace

TablePath lake_path_of(const TablePath& path, const TableDescriptor& descriptor) {
  TablePath place = path;
  auto take = [&](std::string_view key, std::string* name) {
    auto property = descriptor.properties.find(key);
    if (property != descriptor.properties.end() && !property->second.empty()) {
      *name = property->second;
    }
  };
  take(kDatabaseName, &place.database);
  take(kTableName, &place.table);
  return place;
}

}  // namespace lakestream
