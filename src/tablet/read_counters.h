#pragma once

#include <cstdint>

// How much of a table's logs readers looked at and got. A batch is read wholly, in parts, or
// skipped after a look at its head, because no row of it can match. A fetch that waits for more
// counts each of its reads.
//
// Thread rule: shard-local.
//
//   ++table->reads().rows_skipped;
namespace lakestream {

struct ReadCounters {
  uint64_t bytes_read = 0;  // of files or memory, heads of skipped batches included
  uint64_t rows_skipped = 0;
  uint64_t bytes_skipped = 0;
  uint64_t rows_sent = 0;
  uint64_t bytes_sent = 0;

  ReadCounters& operator+=(const ReadCounters& other) {
    bytes_read += other.bytes_read;
    rows_skipped += other.rows_skipped;
    bytes_skipped += other.bytes_skipped;
    rows_sent += other.rows_sent;
    bytes_sent += other.bytes_sent;
    return *this;
  }
  friend bool operator==(const ReadCounters&, const ReadCounters&) = default;
};

}  // namespace lakestream
