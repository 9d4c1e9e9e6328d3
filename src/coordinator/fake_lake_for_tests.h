#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lake/lake_catalog.h"

// A lake that remembers the tables that were made in it, and fails when told to.
//
// Thread rule: as the simulated pool: one thread.
//
//   auto lake = std::make_shared<FakeLake>();
//   options.lake = lake;
namespace lakestream::coordinator {

class FakeLake final : public LakeCatalog {
 public:
  struct Table {
    TableDescriptor descriptor;
    bool has_snapshot = false;
  };

  Result<bool> table_exists(const TablePath& path, const TableDescriptor&) override {
    if (fault) return fail(*fault);
    return tables.contains(path);
  }

  Status create_table(const TablePath& path,
                      const TableDescriptor& descriptor,
                      LakeTableUse use) override {
    ++creations;
    if (fault) return fail(*fault);
    auto found = tables.find(path);
    if (found == tables.end()) {
      tables[path] = {descriptor, false};
      return ok();
    }
    bool fits = found->second.descriptor.schema == descriptor.schema;
    if (fits && (use == LakeTableUse::kExistingTable || !found->second.has_snapshot)) return ok();
    return make_error(ErrorCode::kLakeTableAlreadyExist, "lake table {} does not fit", path);
  }

  Status alter_table(const TablePath& path,
                     const TableDescriptor& before,
                     const TableDescriptor& after) override {
    ++alterations;
    if (fault) return fail(*fault);
    auto found = tables.find(path);
    if (found == tables.end()) return make_error(ErrorCode::kTableNotExist, "no {}", path);
    TableDescriptor& known = found->second.descriptor;
    if (known.schema == before.schema || known.schema == after.schema) {
      known = after;
      return ok();
    }
    return make_error(ErrorCode::kInvalidAlterTableException, "lake table {} is another", path);
  }

  std::map<TablePath, Table> tables;
  std::optional<Error> fault;
  int creations = 0;
  int alterations = 0;
};

}  // namespace lakestream::coordinator
