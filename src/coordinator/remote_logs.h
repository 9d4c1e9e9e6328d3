#pragma once

#include <string>

#include "base/ids.h"
#include "table/path.h"

// What tablet servers tell the coordinator of logs in remote storage.
//
// Thread rule: values.
//
//   RemoteLogCommit commit{bucket, manifest_path, end_offset, coordinator_epoch, leader_epoch};
namespace lakestream::coordinator {

struct RemoteLogCommit {
  TableBucket bucket;
  std::string manifest_path;
  Offset end_offset;              // of what was copied
  int32_t coordinator_epoch = 0;  // the highest that the sender knows
  LeaderEpoch leader_epoch;       // of the sender
};

struct RemoteLogManifestPlace {
  TableBucket bucket;
  std::string manifest_path;
  Offset end_offset;
};

}  // namespace lakestream::coordinator
