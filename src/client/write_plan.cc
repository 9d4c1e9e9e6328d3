#include "client/write_plan.h"

#include <cstring>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "client/appender.h"
#include "format/arrow_error.h"
#include "format/statistics.h"

namespace lakestream::client {
namespace {

std::vector<int32_t> statistics_columns(const StatisticsColumns& wanted, const Schema& schema) {
  std::vector<int32_t> columns;
  if (wanted.all) {
    for (size_t i = 0; i < schema.size(); ++i) {
      if (has_statistics(schema.column(i).type)) columns.push_back(static_cast<int32_t>(i));
    }
    return columns;
  }
  for (const std::string& name : wanted.names) {
    std::optional<size_t> index = schema.index_of(name);
    // Statistics are a hint: what the table says amiss is left out.
    if (index && has_statistics(schema.column(*index).type)) {
      columns.push_back(static_cast<int32_t>(*index));
    }
  }
  return columns;
}

}  // namespace

BatchOptions batch_options_of(const TableInfo& table) {
  BatchOptions options;
  options.format = table.options.log_format;
  options.schema_id = table.schema_id;
  options.append_only = true;
  options.compression = table.options.compression;
  options.zstd_level = table.options.zstd_level;
  if (options.format == LogFormat::kArrow && table.options.statistics.enabled()) {
    options.statistics_columns =
        statistics_columns(table.options.statistics, table.descriptor.schema);
    if (!options.statistics_columns.empty()) options.magic = 1;
  }
  return options;
}

Result<std::shared_ptr<const WritePlan>> WritePlan::make(const TableMetadata& table) {
  const TableDescriptor& descriptor = table.info.descriptor;
  if (descriptor.has_primary_key()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table {} has a primary key; rows are put into it, not appended",
                      table.info.path);
  }
  if (table.buckets.empty() && !descriptor.is_partitioned()) {
    return make_error(ErrorCode::kUnknownServerError, "table {} has no buckets", table.info.path);
  }
  auto plan = std::make_shared<WritePlan>();
  plan->table_ = table.info;
  for (const Column& column : descriptor.schema.columns()) plan->types_.push_back(column.type);
  plan->arrow_schema_ = arrow_schema_of(descriptor.schema);
  plan->batch_options_ = batch_options_of(table.info);
  TableKeyOptions keys;
  keys.partition_keys = descriptor.partition_keys;
  keys.bucket_keys = descriptor.bucket_keys();
  keys.lake_format = table.info.options.lake.format;
  ASSIGN_OR_RETURN(plan->keys_, TableKeys::of(descriptor.schema, keys));
  plan->partitions_ = PartitionNamer(descriptor);
  return std::shared_ptr<const WritePlan>(std::move(plan));
}

Result<BucketId> WritePlan::bucket_of(std::span<const Value> row,
                                      size_t bucket_count,
                                      ByteWriter* scratch) const {
  scratch->clear();
  RETURN_IF_ERROR(keys_.bucket_key()->encode(row, scratch));
  return lakestream::bucket_of(
      keys_.bucketing(), scratch->span(), static_cast<int32_t>(bucket_count));
}

Result<std::shared_ptr<arrow::RecordBatch>> WritePlan::check(
    std::shared_ptr<arrow::RecordBatch> rows) const {
  ASSIGN_OR_RETURN(ArrowRows typed, ArrowRows::make(rows, schema()));
  RETURN_IF_ERROR(from_arrow(rows->ValidateFull()));
  for (size_t i = 0; i < types_.size(); ++i) {
    int64_t nulls = rows->column(static_cast<int>(i))->null_count();
    if (types_[i].nullable() || nulls == 0) continue;
    return make_error(ErrorCode::kUnknownServerError,
                      "column {} is NOT NULL and has {} nulls",
                      schema().column(i).name,
                      nulls);
  }
  return arrow::RecordBatch::Make(arrow_schema_, rows->num_rows(), rows->columns());
}

RowGather::RowGather(std::shared_ptr<const WritePlan> plan) : plan_(std::move(plan)) {
  if (!plan_->is_arrow()) builder_.emplace(plan_->schema(), plan_->batch_options());
}

Status RowGather::append_row(std::span<const Value> row, size_t bytes) {
  if (builder_) {
    RETURN_IF_ERROR(builder_->append(ChangeType::kAppend, row));
    bytes_ = builder_->encoded_size();
  } else {
    if (!rows_) rows_.emplace(plan_->schema());
    RETURN_IF_ERROR(rows_->append(row));
    bytes_ += bytes;
  }
  ++row_count_;
  return ok();
}

Status RowGather::end_piece() {
  if (!rows_ || rows_->size() == 0) return ok();
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> piece, rows_->finish());
  pieces_.push_back(std::move(piece));
  return ok();
}

Status RowGather::append_columns(std::shared_ptr<arrow::RecordBatch> rows, size_t bytes) {
  RETURN_IF_ERROR(end_piece());
  row_count_ += static_cast<int32_t>(rows->num_rows());
  bytes_ += bytes;
  pieces_.push_back(std::move(rows));
  return ok();
}

Result<Bytes> RowGather::finish(const BatchWriter& writer) {
  if (builder_) return builder_->finish(writer);
  RETURN_IF_ERROR(end_piece());
  CHECK(!pieces_.empty(), "a batch has rows");
  std::shared_ptr<arrow::RecordBatch> all = pieces_[0];
  if (pieces_.size() > 1) {
    ASSIGN_OR_RETURN(all, from_arrow(arrow::ConcatenateRecordBatches(pieces_)));
  }
  return build_arrow_batch(*all, {}, plan_->schema(), plan_->batch_options(), writer);
}

Bytes with_writer(const Bytes& batch, const BatchWriter& writer) {
  MutableBytes copy = MutableBytes::allocate(batch.size());
  std::memcpy(copy.data(), batch.data(), batch.size());
  auto magic = static_cast<int8_t>(batch[kBatchLengthEnd]);
  uint8_t* fields = copy.data() + batch_crc_position(magic);
  store_le<int64_t>(fields + 11, writer.id.value());
  store_le<int32_t>(fields + 19, writer.sequence);
  seal_batch(copy.span());
  return std::move(copy).freeze();
}

}  // namespace lakestream::client
