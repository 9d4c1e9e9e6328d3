#pragma once

#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/live_files.h"
#include "lake/paimon/partitions.h"
#include "lake/paimon/schema.h"

// Which partitions are too old, as the options of the table say: partition.expiration-time and
// -strategy (values-time, by the time that the values of the partition name; update-time, by its
// newest file), partition.timestamp-pattern ("$year-$month-$day") and -formatter ("yyyyMMdd") for
// the former, partition.expiration-max-num at once. Times in partitions are UTC. A partition whose
// values name no time stays.
//
// Thread rule: pure functions, any thread.
//
//   ASSIGN_OR_RETURN(auto gone, expired_partitions(schema, partitioning, live, now));
//   commit_files(files, live, clock, {.files = gone, .kind = "OVERWRITE", …});
namespace lakestream::paimon {

// kInvalidTableException for a value of these options that is none or is not supported.
Status check_partition_expiry(const PaimonSchema& schema);

// All files of these partitions as removed, one entry a bucket; none without the option. Errors as
// check_partition_expiry.
Result<std::vector<WrittenFiles>> expired_partitions(const PaimonSchema& schema,
                                                     const Partitioning& partitioning,
                                                     const LiveFiles& live,
                                                     TimestampMs now);

}  // namespace lakestream::paimon
