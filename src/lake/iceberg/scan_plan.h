#pragma once

#include "base/result.h"
#include "lake/iceberg/live_files.h"
#include "lake/iceberg/metadata_files.h"
#include "lake/iceberg/table_metadata.h"
#include "lake/lake.h"
#include "table/partition.h"

// Which files a reader of a snapshot needs: one split a partition and bucket.
//
// Thread rule: pure but for the files of the table; calls block.
//
//   RETURN_IF_ERROR(plan_splits(files, cache, metadata, snapshot, {{"dt", "2026"}}, &scan));
namespace lakestream::iceberg {

// Fills splits and pruned_files. Errors: kPartitionSpecInvalidException for a key that is none;
// kInvalidTableException for files of another format than Parquet.
Status plan_splits(const MetadataFiles& files,
                   LiveCache& cache,
                   const TableMetadata& metadata,
                   const IcebergSnapshot& snapshot,
                   const PartitionSpec& partitions,
                   LakeScan* scan);

}  // namespace lakestream::iceberg
