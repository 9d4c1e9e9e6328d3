#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "format/batch.h"

// What a fetch answered for a bucket, cut into batches and checked as far as that goes without the
// schema: whole batches with possible headers, in a row without repetitions, and without gaps
// unless the server was asked for some.
//
// Thread rule: plain functions over values.
//
//   FetchedBatches fetched = cut_batches(records, next_offset, rules);
//   if (fetched.error) report(*fetched.error);
namespace lakestream::client {

struct FetchedBatch {
  BatchView view;
  bool projected = false;  // the server has left out columns
  Bytes records;           // that the batch is part of
  size_t position = 0;     // in them
};

struct FetchedBatches {
  std::deque<FetchedBatch> batches;
  Offset next;                 // behind the last; as it was when nothing new came
  std::optional<Error> error;  // of the batch that follows them
};

struct FetchRules {
  bool check_crc = true;  // never of projected batches, whose checksum may be the old one
  bool projected = false;
  bool filtered = false;  // the server leaves out batches
};

// Batches that end before `next` are left out; the first may begin before it. Errors:
// kCorruptRecordException for a checksum, kUnknownServerError for an impossible header, offsets
// that are missing or that are not in order.
FetchedBatches cut_batches(const BytesChain& records, Offset next, FetchRules rules);

}  // namespace lakestream::client
