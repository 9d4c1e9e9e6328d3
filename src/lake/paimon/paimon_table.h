#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "lake/file_names.h"
#include "lake/lake.h"
#include "lake/paimon/schema.h"
#include "table/schema.h"

// One Paimon table, opened with the columns of ours at that time.
//
// Thread rule: as LakeTable.
//
//   ASSIGN_OR_RETURN(auto table, open_paimon_table({.env = env, .objects = objects, …}));
namespace lakestream::paimon {

struct PaimonTableOptions {
  Env& env;
  ObjectStore& objects;
  std::shared_ptr<FileNames> names;
  std::string root;  // in the object store
  PaimonSchema schema;
  Schema columns;  // ours
};

// kInvalidTableException, naming the option, for a table that can not be written here.
Result<std::shared_ptr<LakeTable>> open_paimon_table(PaimonTableOptions options);

}  // namespace lakestream::paimon
