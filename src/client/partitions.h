#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "client/session.h"
#include "client/types.h"
#include "table/partition.h"

// Calls about the partitions of a table that several parts of the client make.
//
// Thread rule: shard-local.
//
//   auto partition = co_await open_partition(session, path, spec, IfMissing::kCreate);
namespace lakestream::client {

enum class IfMissing : uint8_t { kFail, kCreate };

// Those that have the values, in the order of their names; all when there are none. Errors:
// kTableNotPartitionedException, kPartitionSpecInvalidException.
Task<Result<std::vector<PartitionInfo>>> list_partitions(std::shared_ptr<Session> session,
                                                         TablePath path,
                                                         PartitionSpec spec);

// Errors: kPartitionAlreadyExists and those of values and limits.
Task<Status> create_partition(std::shared_ptr<Session> session,
                              TablePath path,
                              PartitionSpec spec,
                              bool ignore_if_exists);

// A fresh state of the partition. When it is not there, one is made, or kPartitionNotExists. It is
// no error when others make it at the same time.
Task<Result<std::shared_ptr<const TableMetadata>>> open_partition(std::shared_ptr<Session> session,
                                                                  TablePath path,
                                                                  ResolvedPartitionSpec spec,
                                                                  IfMissing if_missing);

// Those of the table, or of a table without partitions the table itself: all that has buckets.
Task<Result<std::vector<std::shared_ptr<const TableMetadata>>>> open_places(
    std::shared_ptr<Session> session,
    std::shared_ptr<const TableMetadata> table,
    PartitionSpec spec);

// Whether partitions of the table can have the values. Errors: kTableNotPartitionedException,
// kPartitionSpecInvalidException.
Status check_partition_filter(const TableInfo& table, const PartitionSpec& spec);

wire::PbPartitionSpec to_message(const PartitionSpec& spec);

}  // namespace lakestream::client
