#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "coordinator/kv_snapshots.h"
#include "meta/meta.h"
#include "meta/records.h"

// Reads everything that the coordinator has to know out of the metadata store.
//
// Thread rule: blocks; on the pool.
//
//   ASSIGN_OR_RETURN(LoadedMetadata loaded, load_metadata(store));
namespace lakestream::coordinator {

struct LoadedMetadata {
  // Databases, tables and partitions, without servers. Leaders are as they were written: whether
  // they live is not known.
  std::shared_ptr<const CatalogSnapshot> catalog;
  TableId next_table_id;
  PartitionId next_partition_id;
  // Assignments of tables and partitions that do not exist any more: their replicas have to be
  // removed.
  std::map<PhysicalTableId, AssignmentRecord> dropped;
  // Of the buckets of tables with a primary key.
  std::map<TableBucket, BucketSnapshots> snapshots;
  std::map<TableBucket, RemoteLogRecord> remote_logs;
  std::map<TableId, LakeTableRecord> lake_tables;
  ServerTagsRecord server_tags;
  std::optional<RebalanceRecord> rebalance;
  // Nodes of tables whose creation was not finished, by path.
  std::vector<std::string> unfinished;
};

// Makes the nodes that have to exist, such as the one above all databases.
Status prepare_metadata(MetaStore& store);

// An error names the node that can not be read; nothing is left out silently.
Result<LoadedMetadata> load_metadata(MetaStore& store);

}  // namespace lakestream::coordinator
