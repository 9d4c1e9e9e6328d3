#pragma once

#include <cstddef>
#include <cstdint>

#include "io/clock.h"

// The settings of a server's logs. LogOptions holds for all logs of a data directory and is fixed
// while it is open; TableLogOptions belongs to a table and may change at any time.
//
// Thread rule: values, any thread.
//
//   LogOptions options;
//   options.durability = Durability::kSync;
//   ASSIGN_OR_RETURN(auto store, co_await LogStore::open(env, shard, data_directory, options));
namespace lakestream {

enum class Durability : uint8_t {
  kSync,  // what counts as durable has passed fdatasync
  kOs,  // the page cache counts: power loss may take the newest records, a crash of the process not
};

inline constexpr uint64_t kSegmentBytesLimit = uint64_t{1}
                                               << 30;  // positions in an index are 32 bits

struct LogOptions {
  Durability durability = Durability::kSync;

  // A segment is full at this size (at most kSegmentBytesLimit) or age; the age counts from the
  // first record of the segment and zero means no limit.
  uint64_t segment_bytes_max = kSegmentBytesLimit;
  Duration segment_age_max = Duration::zero();
  // One index entry for so many bytes of batches.
  uint64_t index_interval_bytes = 4 << 10;

  // A larger batch is refused with kRecordTooLargeException.
  uint64_t batch_bytes_max = 64 << 20;
  // Appends that wait for the disk, in one log; above it they are refused with a retriable error.
  uint64_t pending_bytes_max = 64 << 20;

  // A writer that was silent for so long is forgotten, and when a log knows more writers than
  // writers_max, the longest silent ones.
  Duration writer_expiration = std::chrono::hours(24 * 7);
  size_t writers_max = 100'000;

  // The newest batches stay in memory for readers at the end: so many bytes a log, and for all
  // logs of the directory together (the logs of a shard share its part, the least used give way).
  uint64_t tail_bytes_max = 4 << 20;
  uint64_t tail_bytes_total_max = 256 << 20;

  // Open files of all logs of the directory; the least used are closed.
  size_t open_files_max = 512;
};

struct TableLogOptions {
  // Segments whose newest record is older may go; zero or less means never.
  Duration ttl = std::chrono::hours(24 * 7);
  // Whether the newest segment may expire too: it is rolled first.
  bool expire_active_segment = false;
};

}  // namespace lakestream
