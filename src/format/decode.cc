#include "format/decode.h"

#include <algorithm>

#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/message.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_buffer.h"
#include "format/arrow_error.h"
#include "format/arrow_layout.h"
#include "format/arrow_message.h"
#include "format/arrow_schema.h"
#include "format/row_records.h"
#include "format/rows.h"

namespace lakestream {
namespace {

tl::unexpected<Error> broken(const BatchView& batch, Error error) {
  return fail(std::move(error).with_context(
      fmt::format("decoding the log batch at offset {}", batch.base_offset())));
}

tl::unexpected<Error> broken(const BatchView& batch, std::string_view rule) {
  return broken(batch, Error(ErrorCode::kUnknownServerError, std::string(rule)));
}

// A copy of the flatbuffer: at an aligned address, and with the compressed buffers that hold
// nothing set to no length. The official writer gives an empty buffer the 8 bytes of its length, 0,
// and no frame, which Arrow's library refuses for LZ4.
Bytes own_metadata(const ArrowMessage& message, std::span<const uint8_t> payload) {
  std::span<const uint8_t> flat =
      payload.subspan(kArrowPrefixSize, message.body_position - kArrowPrefixSize);
  MutableBytes copy = MutableBytes::allocate(flat.size());
  std::copy(flat.begin(), flat.end(), copy.data());
  if (message.codec == ArrowCodec::kNone) return std::move(copy).freeze();
  uint8_t* buffers = copy.data() + (message.buffers - flat.data());
  for (size_t i = 0; i < message.buffer_count; ++i) {
    ArrowBuffer buffer = message.buffer(i);
    const uint8_t* body = payload.data() + message.body_position;
    if (buffer.length == 8 && load_le<int64_t>(body + buffer.offset) <= 0) {
      store_le<int64_t>(buffers + 16 * i + 8, 0);
    }
  }
  return std::move(copy).freeze();
}

arrow::ipc::IpcReadOptions read_options() {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = false;
  options.max_recursion_depth = 2 * kMaxTypeDepth;  // a MAP takes two levels
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  return options;
}

Result<std::shared_ptr<arrow::RecordBatch>> read_columns(
    const ArrowMessage& message,
    const Bytes& payload,
    const std::shared_ptr<arrow::Schema>& schema) {
  std::shared_ptr<arrow::Buffer> metadata = buffer_of(own_metadata(message, payload.span()));
  std::shared_ptr<arrow::Buffer> body = buffer_of(payload.slice(message.body_position));
  ASSIGN_OR_RETURN(std::unique_ptr<arrow::ipc::Message> opened,
                   from_arrow(arrow::ipc::Message::Open(metadata, body)));
  arrow::ipc::DictionaryMemo memo;
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows,
                   from_arrow(arrow::ipc::ReadRecordBatch(*opened, schema, &memo, read_options())));
  RETURN_IF_ERROR(from_arrow(rows->ValidateFull()));
  return rows;
}

Result<std::shared_ptr<arrow::RecordBatch>> no_rows(const std::shared_ptr<arrow::Schema>& schema) {
  return from_arrow(arrow::RecordBatch::MakeEmpty(schema));
}

}  // namespace

BatchDecoder::BatchDecoder(LogFormat format, const Schema& schema)
    : schema_(schema), arrow_schema_(arrow_schema_of(schema)) {
  if (format == LogFormat::kArrow) {
    layout_ = std::make_shared<const ArrowLayout>(schema);
  } else {
    RowFormat rows = format == LogFormat::kIndexed ? RowFormat::kIndexed : RowFormat::kCompacted;
    codec_ = std::make_shared<const RowCodec>(rows, schema);
  }
}

Result<DecodedBatch> BatchDecoder::decode(const BatchView& batch) const {
  if (batch.record_count() < 0) return broken(batch, "its record count is negative");
  if (batch.record_count() == 0) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, no_rows(arrow_schema_));
    return DecodedBatch{std::move(rows), {}};
  }
  auto decoded = layout_ ? decode_arrow(batch) : decode_rows(batch);
  if (!decoded) return broken(batch, std::move(decoded).error());
  return decoded;
}

Result<DecodedBatch> BatchDecoder::decode_arrow(const BatchView& batch) const {
  DecodedBatch decoded;
  Bytes payload = batch.records();
  if (!batch.append_only()) {
    auto count = static_cast<size_t>(batch.record_count());
    if (count > payload.size()) {
      return make_error(ErrorCode::kUnknownServerError, "{} change types do not fit", count);
    }
    decoded.changes.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (payload[i] > kChangeTypeMax) {
        return make_error(ErrorCode::kUnknownServerError, "change type {} is above 4", payload[i]);
      }
      decoded.changes[i] = static_cast<ChangeType>(payload[i]);
    }
    payload = payload.slice(count);
  }
  ASSIGN_OR_RETURN(ArrowMessage message, read_arrow_message(payload.span()));
  RETURN_IF_ERROR(layout_->check(message, payload.span(), batch.record_count()));
  ASSIGN_OR_RETURN(decoded.rows, read_columns(message, payload, arrow_schema_));
  return decoded;
}

Result<DecodedBatch> BatchDecoder::decode_rows(const BatchView& batch) const {
  DecodedBatch decoded;
  RowReader reader(batch);
  ArrowAppender appender(schema_);
  Arena arena;
  while (!reader.at_end()) {
    ASSIGN_OR_RETURN(RowRecord record, reader.next());
    arena.clear();
    ASSIGN_OR_RETURN(std::span<const Value> row, codec_->decode(record.row, &arena));
    RETURN_IF_ERROR(appender.append(row));
    if (!batch.append_only()) decoded.changes.push_back(record.change);
  }
  ASSIGN_OR_RETURN(decoded.rows, appender.finish());
  return decoded;
}

}  // namespace lakestream
