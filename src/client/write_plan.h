#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "base/result.h"
#include "client/partition_namer.h"
#include "client/types.h"
#include "format/arrow_schema.h"
#include "format/batch_builder.h"
#include "format/byte_writer.h"
#include "format/keys.h"
#include "format/value.h"

// How rows of one log table become batches: WritePlan is what the table says (immutable), RowGather
// the rows of one bucket that wait to become a batch.
//
// Thread rule: WritePlan any thread; a RowGather belongs to one.
//
//   ASSIGN_OR_RETURN(auto plan, WritePlan::make(table));
//   RowGather gather(plan);
//   RETURN_IF_ERROR(gather.append_row(row, bytes));
//   ASSIGN_OR_RETURN(Bytes batch, gather.finish({writer, sequence}));
namespace lakestream::client {

class WritePlan {
 public:
  // Errors: kInvalidTableException for a table with a primary key.
  static Result<std::shared_ptr<const WritePlan>> make(const TableMetadata& table);

  const TableInfo& table() const { return table_; }
  const Schema& schema() const { return table_.descriptor.schema; }
  const std::vector<DataType>& types() const { return types_; }
  const std::shared_ptr<arrow::Schema>& arrow_schema() const { return arrow_schema_; }
  const BatchOptions& batch_options() const { return batch_options_; }
  bool is_arrow() const { return batch_options_.format == LogFormat::kArrow; }
  const PartitionNamer& partitions() const { return partitions_; }
  bool has_bucket_key() const { return keys_.bucket_key().has_value(); }
  // Requires: has_bucket_key() and a row of all columns. Errors: kUnknownServerError for a key that
  // has no bucket, such as one with a null.
  Result<BucketId> bucket_of(std::span<const Value> row,
                             size_t bucket_count,
                             ByteWriter* scratch) const;

  // The columns under the names of the schema. Errors: kUnknownServerError when they are not the
  // schema's or not valid.
  Result<std::shared_ptr<arrow::RecordBatch>> check(std::shared_ptr<arrow::RecordBatch> rows) const;

 private:
  TableInfo table_;
  std::vector<DataType> types_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  BatchOptions batch_options_;
  TableKeys keys_;
  PartitionNamer partitions_;
};

// Rows of one bucket on their way into a batch.
class Gather {
 public:
  virtual ~Gather() = default;
  virtual int32_t row_count() const = 0;
  // Of the rows before compression, about.
  virtual size_t bytes() const = 0;
  // Whether the batch is still to be encoded, so that it is worth a place in the pool.
  virtual bool is_costly() const = 0;
  // The batch of the rows so far. The gather is of no more use.
  virtual Result<Bytes> finish(const BatchWriter& writer) = 0;
};

class RowGather : public Gather {
 public:
  explicit RowGather(std::shared_ptr<const WritePlan> plan);

  // Requires: the row was found to fit (row_check.h), which gave `bytes`.
  Status append_row(std::span<const Value> row, size_t bytes);
  // Requires: the table's format is ARROW and the columns were checked by the plan.
  Status append_columns(std::shared_ptr<arrow::RecordBatch> rows, size_t bytes);

  int32_t row_count() const override { return row_count_; }
  size_t bytes() const override { return bytes_; }
  bool is_costly() const override { return true; }
  Result<Bytes> finish(const BatchWriter& writer) override;

 private:
  Status end_piece();

  std::shared_ptr<const WritePlan> plan_;
  int32_t row_count_ = 0;
  size_t bytes_ = 0;
  std::optional<BatchBuilder> builder_;  // of the row formats
  // Of ARROW: columns in a row, and rows that follow them.
  std::vector<std::shared_ptr<arrow::RecordBatch>> pieces_;
  std::optional<ArrowAppender> rows_;
};

// A copy of the batch under another writer and sequence. Requires: a whole batch.
Bytes with_writer(const Bytes& batch, const BatchWriter& writer);

}  // namespace lakestream::client
