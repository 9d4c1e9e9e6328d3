#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "log/log.h"

// Segments outside of the log's directory, in remote storage: what a copy needs beside the batches,
// and reads of a copy.
//
// Thread rule: blocks, so on the pool; any thread.
//
//   ASSIGN_OR_RETURN(SegmentExtras extras, check_segment(disk, segment, 4096));
//   put the file at segment.path and the extras
//   ASSIGN_OR_RETURN(LogRead read, read_remote_segment(objects, place, extras.index, request));
namespace lakestream {

class Disk;
class ObjectStore;

// Points of a segment, as its local index files have them (big-endian): i32 relative offset and
// i32 position in one, i64 commit time and i32 relative offset in the other. Both may be empty.
struct RemoteIndex {
  Bytes offsets;
  Bytes times;

  size_t bytes() const { return offsets.size() + times.size(); }
};

struct SegmentExtras {
  RemoteIndex index;
  std::optional<Bytes> writer_snapshot;  // the writers known at its end
};

// Reads a sealed segment from end to end. kCorruptRecordException when it is not the batches from
// its base to its end with their checksums: then it must not be copied.
Result<SegmentExtras> check_segment(Disk& disk,
                                    const LogSegment& segment,
                                    uint64_t index_interval_bytes);

// A copy.
struct RemoteSegment {
  std::string path;  // of the batches
  Offset base_offset;
  Offset end_offset;
  uint64_t size = 0;
};

// The position of a batch at or before the offset; 0 where the index does not know.
uint64_t remote_position(const RemoteSegment& segment, const RemoteIndex& index, Offset offset);

// Batches of this segment alone. Requires: `request.from` is inside of it. kStorageException, also
// when the object is gone; kCorruptRecordException.
Result<LogRead> read_remote_segment(ObjectStore& objects,
                                    const RemoteSegment& segment,
                                    const RemoteIndex& index,
                                    const ReadRequest& request);

// The first offset whose commit time is at or after `timestamp`; the end when all are before it.
Result<Offset> find_remote_time(ObjectStore& objects,
                                const RemoteSegment& segment,
                                const RemoteIndex& index,
                                TimestampMs timestamp);

}  // namespace lakestream
