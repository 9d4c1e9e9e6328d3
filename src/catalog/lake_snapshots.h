#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "meta/records.h"
#include "table/remote_documents.h"

// The snapshots of a table's lake that are known, as the metadata store and remote storage have
// them.
//
// Thread rule: calls block; on the pool.
//
//   ASSIGN_OR_RETURN(std::optional<LakeTableRecord> record, load_lake_table(store, table));
//   if (!record) return nothing();
//   ASSIGN_OR_RETURN(LakeOffsets end, read_lake_offsets(objects, table, path_of(*record)));
namespace lakestream {

class MetaStore;
class ObjectStore;

// Empty when no snapshot was ever made known. An error names the node that is damaged.
Result<std::optional<LakeTableRecord>> load_lake_table(MetaStore& store, TableId table);
// kLakeSnapshotNotExist when the document is missing, damaged or about another table.
Result<LakeOffsets> read_lake_offsets(ObjectStore& objects, TableId table, const std::string& path);

}  // namespace lakestream
