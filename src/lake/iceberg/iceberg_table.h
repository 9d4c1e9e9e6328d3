#pragma once

#include <memory>

#include "base/result.h"
#include "lake/file_names.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "lake/lake.h"
#include "table/path.h"
#include "table/schema.h"

// One Iceberg table, opened with the columns of ours at that time.
//
// Thread rule: as LakeTable.
//
//   ASSIGN_OR_RETURN(auto table, open_iceberg_table({.env = env, .objects = objects, …}));
namespace lakestream::iceberg {

struct IcebergTableOptions {
  Env& env;
  ObjectStore& objects;
  std::shared_ptr<FileNames> names;
  std::shared_ptr<IcebergCatalog> catalog;
  TablePath path;  // in the catalog
  LoadedTable loaded;
  Schema columns;  // ours
};

// kInvalidTableException for a table that can not be written here.
Result<std::shared_ptr<LakeTable>> open_iceberg_table(IcebergTableOptions options);

}  // namespace lakestream::iceberg
