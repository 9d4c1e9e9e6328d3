#include "format/batch_builder.h"

#include <algorithm>
#include <optional>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_schema.h"
#include "format/arrow_write.h"
#include "format/byte_writer.h"
#include "format/rows.h"
#include "format/statistics.h"

namespace lakestream {
namespace {

Status check_columns(const arrow::RecordBatch& rows, const Schema& schema) {
  if (static_cast<size_t>(rows.num_columns()) != schema.size()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} arrow columns where the schema has {}",
                      rows.num_columns(),
                      schema.size());
  }
  for (size_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema.column(i);
    const auto& array = rows.column(static_cast<int>(i));
    if (!array->type()->Equals(*arrow_type_of(column.type))) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} of type {}: its arrow type is {}",
                        column.name,
                        column.type,
                        array->type()->ToString());
    }
    if (!column.type.nullable() && array->null_count() != 0) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} is NOT NULL and has {} nulls",
                        column.name,
                        array->null_count());
    }
  }
  return ok();
}

BatchHeader header_of(const BatchOptions& options, const BatchWriter& writer, int32_t records) {
  return {.magic = options.magic,
          .schema_id = options.schema_id,
          .append_only = options.append_only,
          .writer_id = writer.id,
          .batch_sequence = writer.sequence,
          .record_count = records,
          .statistics_size = 0};
}

Status check_size(size_t size) {
  if (size <= INT32_MAX) return ok();
  return make_error(ErrorCode::kRecordTooLargeException,
                    "log batch of {} bytes: {} is the limit",
                    size,
                    INT32_MAX);
}

}  // namespace

Result<Bytes> build_arrow_batch(const arrow::RecordBatch& rows,
                                std::span<const ChangeType> changes,
                                const Schema& schema,
                                const BatchOptions& options,
                                const BatchWriter& writer) {
  CHECK(options.append_only ? changes.empty()
                            : changes.size() == static_cast<size_t>(rows.num_rows()),
        "one change a row");
  BatchHeader header = header_of(options, writer, static_cast<int32_t>(rows.num_rows()));
  if (rows.num_rows() == 0) return build_empty_batch(header);
  RETURN_IF_ERROR(check_columns(rows, schema));
  ByteWriter statistics;
  if (!options.statistics_columns.empty() && options.magic > 0) {
    RETURN_IF_ERROR(write_statistics(rows, schema, options.statistics_columns, &statistics));
    header.statistics_size = static_cast<int32_t>(statistics.size());
  }
  ASSIGN_OR_RETURN(ArrowMessageWriter message,
                   ArrowMessageWriter::make(rows, options.compression, options.zstd_level));
  size_t message_at = batch_header_size(options.magic) + statistics.size() + changes.size();
  RETURN_IF_ERROR(check_size(message_at + message.size()));
  MutableBytes batch = MutableBytes::allocate(message_at + message.size());
  write_batch_header(batch.data(), header);
  uint8_t* at = batch.data() + batch_header_size(options.magic);
  at = std::copy(statistics.span().begin(), statistics.span().end(), at);
  for (ChangeType change : changes) *at++ = static_cast<uint8_t>(change);
  message.write(at);
  seal_batch(batch.span());
  return std::move(batch).freeze();
}

struct BatchBuilder::State {
  Schema schema;
  BatchOptions options;
  int32_t record_count = 0;
  // ARROW
  std::optional<ArrowAppender> appender;
  std::vector<ChangeType> changes;
  // row formats
  std::optional<RowCodec> codec;
  ByteWriter records;  // behind room for the header

  void start() {
    record_count = 0;
    changes.clear();
    if (codec) records.put_zeros(batch_header_size(options.magic));
  }
};

BatchBuilder::BatchBuilder(const Schema& schema, BatchOptions options)
    : state_(std::make_unique<State>()) {
  state_->schema = schema;
  if (options.format == LogFormat::kArrow) {
    state_->appender.emplace(schema);
  } else {
    bool indexed = options.format == LogFormat::kIndexed;
    state_->codec.emplace(indexed ? RowFormat::kIndexed : RowFormat::kCompacted, schema);
  }
  state_->options = std::move(options);
  state_->start();
}

BatchBuilder::~BatchBuilder() = default;
BatchBuilder::BatchBuilder(BatchBuilder&&) noexcept = default;
BatchBuilder& BatchBuilder::operator=(BatchBuilder&&) noexcept = default;

Status BatchBuilder::append(ChangeType change, std::span<const Value> row) {
  DCHECK(!state_->options.append_only || change == ChangeType::kAppend, "append-only batch");
  if (state_->appender) {
    RETURN_IF_ERROR(state_->appender->append(row));
    if (!state_->options.append_only) state_->changes.push_back(change);
  } else {
    ByteWriter& records = state_->records;
    size_t start = records.size();
    records.put<int32_t>(0);
    records.put(static_cast<int8_t>(change));
    Status status = state_->codec->encode(row, &records);
    if (!status) {
      records.truncate(start);
      return status;
    }
    records.patch(start, static_cast<int32_t>(records.size() - start - 4));
  }
  ++state_->record_count;
  return ok();
}

void BatchBuilder::append_encoded(ChangeType change, std::span<const uint8_t> row) {
  CHECK(state_->codec.has_value(), "ARROW takes no encoded rows");
  DCHECK(!state_->options.append_only || change == ChangeType::kAppend, "append-only batch");
  state_->records.put(static_cast<int32_t>(row.size() + 1));
  state_->records.put(static_cast<int8_t>(change));
  state_->records.put_bytes(row);
  ++state_->record_count;
}

int32_t BatchBuilder::record_count() const { return state_->record_count; }

size_t BatchBuilder::encoded_size() const { return state_->codec ? state_->records.size() : 0; }

Result<Bytes> BatchBuilder::finish(const BatchWriter& writer) {
  if (state_->appender) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, state_->appender->finish());
    auto batch = build_arrow_batch(*rows, state_->changes, state_->schema, state_->options, writer);
    state_->start();
    return batch;
  }
  ByteWriter records = std::exchange(state_->records, ByteWriter());
  int32_t record_count = state_->record_count;
  state_->start();
  RETURN_IF_ERROR(check_size(records.size()));
  write_batch_header(records.mutable_span().data(),
                     header_of(state_->options, writer, record_count));
  seal_batch(records.mutable_span());
  return std::move(records).finish();
}

}  // namespace lakestream
