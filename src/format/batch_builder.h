#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/batch.h"
#include "format/value.h"
#include "table/schema.h"
#include "table/table_choices.h"

// Makes log batches: BatchBuilder row by row in any log format, build_arrow_batch() from whole
// columns. Base offset and commit time are left for the server to stamp.
//
// Thread rule: a BatchBuilder belongs to one thread; the functions are pure.
//
//   BatchBuilder builder(schema, {.format = LogFormat::kArrow, .schema_id = SchemaId(1)});
//   RETURN_IF_ERROR(builder.append(ChangeType::kInsert, row));
//   ASSIGN_OR_RETURN(Bytes batch, builder.finish({WriterId(7), 0}));
namespace lakestream {

struct BatchOptions {
  LogFormat format = LogFormat::kArrow;
  SchemaId schema_id;
  // Only kAppend changes; ARROW then stores none.
  bool append_only = false;
  ArrowCompression compression = ArrowCompression::kZstd;  // of ARROW
  int32_t zstd_level = 3;
  int8_t magic = 0;
  // Positions of the columns to gather statistics of; ARROW of magic 1 and 2 only.
  std::vector<int32_t> statistics_columns = {};
};

// Who wrote a batch and as which of its batches.
struct BatchWriter {
  WriterId id = kNoWriter;
  int32_t sequence = -1;
};

// A batch of the rows. `changes` has one entry a row, or is empty for append-only options. Without
// rows the batch is its header. Errors: kUnknownServerError when the columns are not those of the
// schema or a NOT NULL column has nulls; kInvalidConfigException for a compression level that does
// not exist.
Result<Bytes> build_arrow_batch(const arrow::RecordBatch& rows,
                                std::span<const ChangeType> changes,
                                const Schema& schema,
                                const BatchOptions& options,
                                const BatchWriter& writer);

class BatchBuilder {
 public:
  BatchBuilder(const Schema& schema, BatchOptions options);
  ~BatchBuilder();
  BatchBuilder(BatchBuilder&&) noexcept;
  BatchBuilder& operator=(BatchBuilder&&) noexcept;

  // Errors: kUnknownServerError when a value does not fit its type. Requires: kAppend when
  // append-only.
  Status append(ChangeType change, std::span<const Value> row);
  // A row that is already encoded in the row format of the log format. Requires: not ARROW.
  void append_encoded(ChangeType change, std::span<const uint8_t> row);

  int32_t record_count() const;
  // Bytes of the row formats so far; 0 for ARROW, whose size shows when it is built.
  size_t encoded_size() const;
  // The batch of the rows so far; the builder starts anew. Without rows it is an empty batch.
  Result<Bytes> finish(const BatchWriter& writer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lakestream
