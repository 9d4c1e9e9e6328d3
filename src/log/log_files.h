#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/disk.h"

// The files of a log's directory as a listing finds them, and the removal of whole segments.
//
// Thread rule: blocks, so on the pool.
//
//   ASSIGN_OR_RETURN(LogFiles files, list_log_files(disk, directory));
//   RETURN_IF_ERROR(remove_segment(disk, directory, files.segments.begin()->first));
namespace lakestream::log_internal {

struct SegmentFiles {
  uint64_t size = 0;
  size_t index_points = 0;
};

struct LogFiles {
  std::map<Offset, SegmentFiles> segments;
  std::vector<Offset> snapshots;     // ascending
  std::vector<std::string> strays;   // left behind by something that did not end
  std::vector<std::string> unknown;  // not ours
};

Result<LogFiles> list_log_files(Disk& disk, const std::string& directory);

// The batches go last, so that an interrupted removal is seen as a whole segment or none. The
// directory is not synced.
Status remove_segment(Disk& disk, const std::string& directory, Offset base);

// Not synced: whoever reads it checks the checksum.
Status write_writer_snapshot(Disk& disk,
                             const std::string& directory,
                             Offset offset,
                             const Bytes& content);

}  // namespace lakestream::log_internal
