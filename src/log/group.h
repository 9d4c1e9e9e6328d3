#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/disk.h"
#include "log/segment_index.h"

// A group: the appends that wait for the disk together, as the plain orders that carry it out. It
// touches one segment, or several when the log rolled meanwhile.
//
//   shard                                   pool
//   append: stamp, gather ...
//   the queue is free: GroupPlan  ------->  epochs, if they changed
//                                           each segment: write, sync, index and snapshot when
//                                           sealed new files: sync the directory
//   durable end moves             <-------  GroupOutcome
//   or everything is undone       <-------  files cut back to where the group began
//
// Thread rule: write_group blocks, so on the pool.
//
//   GroupOutcome outcome = write_group(disk, plan);
namespace lakestream::log_internal {

struct GroupStep {
  Offset base_offset;          // of the segment
  bool create = false;         // its file does not exist yet
  std::shared_ptr<File> file;  // empty: open it
  uint64_t position = 0;       // where the bytes go
  std::vector<Bytes> parts;
  uint64_t reserve = 0;  // so many bytes shall have blocks before these are written; 0: as it is
  bool release = false;  // blocks beyond the bytes are given back: none will follow
  // Index points that the files lack; written afterwards, as far as it goes.
  size_t points_begin = 0;
  std::vector<IndexPoint> points;
  // The writer states behind this segment, when the log rolls there.
  std::optional<Bytes> snapshot;
  Offset snapshot_offset;

  uint64_t end() const {
    uint64_t end = position;
    for (const Bytes& part : parts) end += part.size();
    return end;
  }
};

struct GroupPlan {
  std::string directory;
  bool sync = false;
  std::optional<Bytes> manifest;
  std::vector<GroupStep> steps;
};

struct GroupOutcome {
  std::optional<Error> error;
  bool undone = false;  // after an error: the files are as before and can be written again
  std::vector<std::shared_ptr<File>> files;  // for each step
  std::vector<bool> points_written;          // for each step
};

GroupOutcome write_group(Disk& disk, GroupPlan& plan);

}  // namespace lakestream::log_internal
