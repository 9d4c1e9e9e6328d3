#include "catalog/lake_snapshots.h"

#include <utility>

#include "io/object_store.h"
#include "meta/meta.h"

namespace lakestream {

Result<std::optional<LakeTableRecord>> load_lake_table(MetaStore& store, TableId table) {
  std::string path = paths::lake_table(table);
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
  if (!node) return std::optional<LakeTableRecord>();
  Result<LakeTableRecord> record = decode_lake_table(node->value);
  if (!record) return fail(std::move(record).error().with_context("metadata node " + path));
  return std::optional<LakeTableRecord>(std::move(*record));
}

Result<LakeOffsets> read_lake_offsets(ObjectStore& objects,
                                      TableId table,
                                      const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<Bytes> text, objects.get(path));
  if (!text) {
    return make_error(ErrorCode::kLakeSnapshotNotExist,
                      "table {}: {}, which says where a lake snapshot ends, is missing",
                      table,
                      path);
  }
  Result<TableBucketOffsets> document = table_bucket_offsets_from_json(text->view());
  if (!document) {
    return make_error(ErrorCode::kLakeSnapshotNotExist,
                      "table {}: {} is damaged: {}",
                      table,
                      path,
                      document.error().message());
  }
  if (document->table == table) return to_offsets(*document);
  return make_error(ErrorCode::kLakeSnapshotNotExist,
                    "table {}: {} is about table {}",
                    table,
                    path,
                    document->table);
}

}  // namespace lakestream
