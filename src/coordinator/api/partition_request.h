#pragma once

#include <utility>

#include "coordinator/coordinator.h"

// What a request to create or to drop a partition names.
//
// Thread rule: pure functions.
namespace lakestream::coordinator {

struct PartitionRequest {
  TablePath path;
  PartitionSpec spec;
  bool ignore = false;  // its creation when it exists, its removal when it does not
};

// `message` is a CreatePartitionRequest or a DropPartitionRequest: both name the flag alike.
template <typename Message>
PartitionRequest to_partition_request(Message message) {
  PartitionRequest request{{.database = std::move(message.table_path.database_name),
                            .table = std::move(message.table_path.table_name)},
                           {},
                           message.ignore_if_not_exists};
  for (auto& entry : message.partition_spec.partition_key_values) {
    request.spec.emplace_back(std::move(entry.key), std::move(entry.value));
  }
  return request;
}

}  // namespace lakestream::coordinator
