#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "table/schema.h"

// A table of 20 columns of the usual kinds, batches of it, and the Parquet library alone as a peer.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(Schema schema, twenty_columns(false));
//   ASSIGN_OR_RETURN(RecordBatches batches, twenty_column_batches(schema, 1'000'000, 10'000));
//   ASSIGN_OR_RETURN(uint64_t bytes, write_parquet(batches));
namespace lakestream::bench {

using RecordBatches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// The key, if there is one, is the first column.
Result<Schema> twenty_columns(bool has_key);
// The same rows each time.
Result<RecordBatches> twenty_column_batches(const Schema& schema, int64_t rows, int64_t batch_rows);
// Into memory, with zstd of level 1 and the row groups that lake tables have: the size of the file.
Result<uint64_t> write_parquet(const RecordBatches& batches);

}  // namespace lakestream::bench
