#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/types.h"
#include "io/env.h"
#include "io/object_store.h"
#include "lake/lake.h"

// The lake tables behind tables, opened as the table's own properties say.
//
// Thread rule: the thread that runs statements, which waits; a LakeTable is for any.
//
//   LakeTables lakes(env);
//   if (has_lake(info)) {
//     ASSIGN_OR_RETURN(std::shared_ptr<LakeTable> table, lakes.open(info));
//   }
namespace lakestream::query {

bool has_lake(const client::TableInfo& table);

class LakeTables {
 public:
  explicit LakeTables(Env& env) : env_(env) {}

  // Requires: has_lake(). Errors: those of the format; kInvalidConfigException when the server does
  // not say where the lake is.
  Result<std::shared_ptr<LakeTable>> open(const client::TableInfo& table);

 private:
  struct Catalog {
    std::unique_ptr<ObjectStore> objects;
    std::unique_ptr<LakeFormat> format;
  };

  Env& env_;
  std::map<std::pair<LakeFormatKind, Properties>, Catalog> catalogs_;
};

}  // namespace lakestream::query
