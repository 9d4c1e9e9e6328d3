#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "client/leader_calls.h"
#include "client/row_reader.h"

// What scans of whole buckets share: a limit scan of a bucket, and rows out of a value batch.
//
// Thread rule: shard-local.
//
//   AskLimit ask{limit};
//   auto answers = co_await ask_leaders<LimitAnswer, AskLimit>(session, path, one_bucket, ask);
namespace lakestream::client {

struct LimitAnswer {
  bool is_log = false;
  BytesChain records;  // log batches, or a value batch
};

// Of each bucket up to `limit` rows.
struct AskLimit {
  int32_t limit;

  Task<Result<BucketAnswers<LimitAnswer>>> operator()(std::shared_ptr<Session> session,
                                                      std::shared_ptr<const TableMetadata> table,
                                                      ServerId leader,
                                                      std::vector<BucketId> buckets) const;
};

// The first `limit` rows of a value batch. Errors: kUnknownServerError.
Task<Result<std::shared_ptr<arrow::RecordBatch>>> rows_of_values(std::shared_ptr<RowReader> reader,
                                                                 BytesChain records,
                                                                 int64_t limit);

}  // namespace lakestream::client
