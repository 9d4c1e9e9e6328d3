#pragma once

#include <cstdint>
#include <span>

#include "base/ids.h"

// Chooses the whole batches that a read answers with, out of bytes that begin with a batch.
//
// Thread rule: pure functions.
//
//   Selection found = select_batches(bytes, from, limit, budget, true);
//   chain.append(slab.slice(found.begin, found.end - found.begin));
namespace lakestream::log_internal {

struct Selection {
  size_t begin = 0;  // [begin, end) are the bytes of the chosen batches
  size_t end = 0;
  Offset first_offset;  // of the first chosen batch
  Offset end_offset;    // behind the last chosen batch
  // How many bytes the next batch has, when it is wanted and does not lie wholly in the bytes; it
  // begins at `end`. Zero when nothing more is wanted.
  size_t cut_short = 0;
  bool damaged = false;  // no batch begins at `end`

  bool empty() const { return begin == end; }
};

// The batches that end above `from` and begin below `limit`, as many as fit `bytes_max`; with
// `at_least_one` the first may be larger.
Selection select_batches(
    std::span<const uint8_t> bytes, Offset from, Offset limit, size_t bytes_max, bool at_least_one);

}  // namespace lakestream::log_internal
