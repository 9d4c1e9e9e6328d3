#pragma once

#include "base/result.h"
#include "lake/lake.h"
#include "lake/paimon/live_files.h"
#include "lake/paimon/partitions.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/table_files.h"
#include "table/partition.h"

// Which files a reader of a snapshot needs: one split a partition and bucket.
//
// Thread rule: pure but for the files of the table; calls block.
//
//   RETURN_IF_ERROR(plan_splits(files, schema, partitioning, live, {{"dt", "2026"}}, &scan));
namespace lakestream::paimon {

// Fills splits and pruned_files. `schema` is the one that readers show the rows in. Errors:
// kPartitionSpecInvalidException for a key that is none; kUnknownServerError for files of a schema
// whose columns have other names or types in `schema`.
Status plan_splits(const TableFiles& files,
                   const PaimonSchema& schema,
                   const Partitioning& partitioning,
                   const LiveFiles& live,
                   const PartitionSpec& partitions,
                   LakeScan* scan);

}  // namespace lakestream::paimon
