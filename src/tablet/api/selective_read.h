#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "format/predicate.h"
#include "log/log.h"
#include "tablet/replica.h"
#include "tablet/table_context.h"

// Reads that leave something out: columns, batches of which no row can match, or both. Large
// batches in files are read in parts, so that what is left out costs little.
//
// Thread rule: on the home of the replica.
//
//   ReadChoice choice{.columns = &columns, .predicate = predicate};
//   auto read = co_await read_selected(replica, table, choice, request);
namespace lakestream {

struct ReadChoice {
  const std::vector<int32_t>* columns = nullptr;  // none: all
  Predicate predicate = {};
  size_t batches_max = 0;  // that are looked at in one read, with a predicate

  bool is_everything() const {
    return columns == nullptr && predicate.kind() == Predicate::Kind::kAnything;
  }
};

struct SelectedRead {
  BytesChain records;
  Offset records_end;     // behind the last batch in it; the beginning when there is none
  Offset end_offset;      // what lies between can not match
  bool has_more = false;  // batches_max ended it
};

// Requires: the columns and the request outlive the task. Errors: kInvalidColumnProjection, also
// when nothing is there to be read, and those of the log.
Task<Result<SelectedRead>> read_selected(std::shared_ptr<Replica> replica,
                                         std::shared_ptr<TableContext> table,
                                         ReadChoice choice,
                                         ReadRequest request);

// The whole batches of a request, without waiting when they are at hand.
Task<Result<LogRead>> read_log(std::shared_ptr<Replica> replica, ReadRequest request);

}  // namespace lakestream
