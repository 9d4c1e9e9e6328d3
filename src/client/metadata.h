#pragma once

#include "base/result.h"
#include "client/types.h"
#include "wire/messages.h"

// From the messages of a server to what the client knows. Nothing is trusted: an answer that can
// not be is kUnknownServerError.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(ClusterNodes nodes, nodes_of(response));
namespace lakestream::client {

Result<ClusterNodes> nodes_of(const wire::MetadataResponse& response);
Result<TableMetadata> table_of(const wire::PbTableMetadata& message);
// The partition of that name among those of an answer.
Result<TableMetadata> partition_of(TableMetadata table,
                                   const std::string& name,
                                   const std::vector<wire::PbPartitionMetadata>& messages);
Result<TableInfo> table_info_of(TablePath path, const wire::GetTableInfoResponse& message);

wire::PbTablePath to_message(const TablePath& path);

// The error of a part of an answer (PbProduceLogRespForBucket and its like), if it has one.
template <typename Message>
std::optional<Error> error_of(const Message& message) {
  if (!message.error_code || *message.error_code == 0) return std::nullopt;
  return Error(error_code_of(*message.error_code), message.error_message.value_or(""));
}

}  // namespace lakestream::client
