#include "format/project.h"

#include <algorithm>

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/checksum.h"
#include "format/arrow_error.h"
#include "format/arrow_layout.h"
#include "format/arrow_message.h"
#include "format/arrow_schema.h"
#include "format/arrow_write.h"

namespace lakestream {
namespace {

// A compressed batch may have very many rows, and a null takes up to 16 bytes.
constexpr int64_t kNullRowsMax = 4 << 20;

ArrowCompression compression_of(ArrowCodec codec) {
  switch (codec) {
    case ArrowCodec::kNone:
      return ArrowCompression::kNone;
    case ArrowCodec::kLz4Frame:
      return ArrowCompression::kLz4Frame;
    case ArrowCodec::kZstd:
      return ArrowCompression::kZstd;
  }
  return ArrowCompression::kNone;
}

// Nulls in all columns, as a message of their own.
Result<MutableBytes> null_message(const std::shared_ptr<arrow::Schema>& schema,
                                  const ArrowMessage& like) {
  if (like.length > kNullRowsMax) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} rows lack projected columns, at most {} at once are filled up with "
                      "nulls; read all columns and choose in the client",
                      like.length,
                      kNullRowsMax);
  }
  arrow::ArrayVector columns;
  for (const std::shared_ptr<arrow::Field>& field : schema->fields()) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> nulls,
                     from_arrow(arrow::MakeArrayOfNull(field->type(), like.length)));
    columns.push_back(std::move(nulls));
  }
  auto rows = arrow::RecordBatch::Make(schema, like.length, std::move(columns));
  constexpr int32_t kFast = 1;
  ASSIGN_OR_RETURN(ArrowMessageWriter writer,
                   ArrowMessageWriter::make(*rows, compression_of(like.codec), kFast));
  MutableBytes message = MutableBytes::allocate(writer.size());
  writer.write(message.data());
  return message;
}

}  // namespace

struct Projection::Plan {
  ArrowLayout layout;  // of the source
  std::vector<int32_t> columns;
  // The selected columns that the source lacks.
  std::shared_ptr<arrow::Schema> absent;  // nullptr when it has all
  // Of the selected columns; neighbours are one range.
  struct Range {
    size_t first_node;
    size_t node_count;
    size_t first_buffer;
    size_t buffer_count;
  };
  std::vector<Range> ranges;
  size_t node_count = 0;  // of the ranges
  size_t buffer_count = 0;
  ArrowMetadataTemplate metadata;

  explicit Plan(const Schema& written) : layout(written) {}
  Status prepare(const Schema& schema);
  // Fills the nodes and buffers of the metadata, adds the ranges of a body that begins at
  // `body_position` and gives their sum.
  size_t select(const ArrowMessage& message,
                size_t body_position,
                uint8_t* target,
                std::vector<BatchRange>* chosen) const;
  // Sets the nulls of a batch whose other columns take `body_size` bytes.
  Status add_absent(const ArrowMessage& message,
                    size_t body_size,
                    uint8_t* target,
                    ProjectedBatch* begun) const;
  // Sets front, nulls and size, adds the ranges.
  Status rewrite(const BatchHeaderView& header,
                 std::span<const uint8_t> front,
                 const ArrowMessage& message,
                 size_t payload_position,
                 ProjectedBatch* begun) const;
};

Status Projection::Plan::prepare(const Schema& schema) {
  SchemaBuilder lacking;
  for (int32_t column : columns) {
    auto position = static_cast<size_t>(column);
    if (position >= layout.columns().size()) {
      lacking.column_with_ids(schema.column(position));
      continue;
    }
    const ArrowColumnShape& shape = layout.columns()[position];
    node_count += shape.node_count;
    buffer_count += shape.buffer_count;
    if (!ranges.empty() &&
        ranges.back().first_node + ranges.back().node_count == shape.first_node) {
      ranges.back().node_count += shape.node_count;
      ranges.back().buffer_count += shape.buffer_count;
    } else {
      ranges.push_back(
          {shape.first_node, shape.node_count, shape.first_buffer, shape.buffer_count});
    }
  }
  ASSIGN_OR_RETURN(Schema missing, lacking.build());
  ArrowLayout nulls(missing);
  if (missing.size() > 0) absent = arrow_schema_of(missing);
  metadata =
      ArrowMetadataTemplate(node_count + nulls.node_count(), buffer_count + nulls.buffer_count());
  return ok();
}

size_t Projection::Plan::select(const ArrowMessage& message,
                                size_t body_position,
                                uint8_t* target,
                                std::vector<BatchRange>* chosen) const {
  int64_t written = 0;
  size_t node = 0;
  size_t buffer = 0;
  for (const Range& range : ranges) {
    for (size_t i = 0; i < range.node_count; ++i) {
      metadata.set_node(target, node++, message.nodes + 16 * (range.first_node + i));
    }
    int64_t begin = message.buffer(range.first_buffer).offset;
    for (size_t i = 0; i < range.buffer_count; ++i) {
      ArrowBuffer source = message.buffer(range.first_buffer + i);
      metadata.set_buffer(target, buffer++, {written + source.offset - begin, source.length});
    }
    int64_t end = message.extent_end(range.first_buffer + range.buffer_count - 1);
    auto size = static_cast<size_t>(end - begin);
    if (size > 0) chosen->push_back({body_position + static_cast<size_t>(begin), size});
    written += end - begin;
  }
  return static_cast<size_t>(written);
}

Status Projection::Plan::add_absent(const ArrowMessage& message,
                                    size_t body_size,
                                    uint8_t* target,
                                    ProjectedBatch* begun) const {
  ASSIGN_OR_RETURN(MutableBytes bytes, null_message(absent, message));
  ASSIGN_OR_RETURN(ArrowMessage nulls, read_arrow_message(bytes.span()));
  size_t padding = (8 - body_size % 8) % 8;
  for (size_t i = 0; i < nulls.node_count; ++i) {
    metadata.set_node(target, node_count + i, nulls.nodes + 16 * i);
  }
  auto begin = static_cast<int64_t>(body_size + padding);
  for (size_t i = 0; i < nulls.buffer_count; ++i) {
    ArrowBuffer buffer = nulls.buffer(i);
    metadata.set_buffer(target, buffer_count + i, {begin + buffer.offset, buffer.length});
  }
  MutableBytes body = MutableBytes::allocate(padding + nulls.body_size);
  std::memset(body.data(), 0, padding);
  std::memcpy(body.data() + padding, bytes.data() + nulls.body_position, nulls.body_size);
  begun->nulls = std::move(body).freeze();
  return ok();
}

Status Projection::Plan::rewrite(const BatchHeaderView& header,
                                 std::span<const uint8_t> front,
                                 const ArrowMessage& message,
                                 size_t payload_position,
                                 ProjectedBatch* begun) const {
  // Side by side in one allocation; the change types go between them.
  size_t header_size = header.header_size();
  begun->front = MutableBytes::allocate(header_size + metadata.size());
  uint8_t* fields = begun->front.data();
  uint8_t* frame = fields + header_size;
  std::memcpy(fields, front.data(), header_size);
  size_t changes_size = begun->has_changes ? begun->ranges.front().size : 0;
  size_t body_size =
      select(message, payload_position + message.body_position, frame, &begun->ranges);
  if (absent != nullptr) {
    RETURN_IF_ERROR(add_absent(message, body_size, frame, begun));
    body_size += begun->nulls.size();
  }
  metadata.write_frame(frame, message.length, static_cast<int64_t>(body_size), message.codec);
  begun->size = begun->front.size() + changes_size + body_size;
  store_le<int32_t>(fields + 8, static_cast<int32_t>(begun->size - kBatchLengthEnd));
  if (header.magic() != 0) store_le<int32_t>(fields + header_size - 4, 0);  // statistics
  return ok();
}

Result<Projection> Projection::make(const Schema& schema, std::span<const int32_t> columns) {
  return make(schema, schema, columns);
}

Result<Projection> Projection::make(const Schema& schema,
                                    const Schema& written,
                                    std::span<const int32_t> columns) {
  if (columns.empty()) {
    return make_error(ErrorCode::kInvalidColumnProjection,
                      "projection of no column: at least one of {} is the rule",
                      schema.size());
  }
  int32_t previous = -1;
  for (int32_t column : columns) {
    if (column <= previous || column >= static_cast<int64_t>(schema.size())) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "projected column {} after {}: ascending positions below {} are the rule",
                        column,
                        previous,
                        schema.size());
    }
    previous = column;
  }
  auto plan = std::make_shared<Plan>(written);
  plan->columns.assign(columns.begin(), columns.end());
  RETURN_IF_ERROR(plan->prepare(schema));
  return Projection(std::move(plan));
}

const std::vector<int32_t>& Projection::columns() const { return plan_->columns; }

Result<ProjectedBatch> Projection::begin(std::span<const uint8_t> front, size_t batch_size) const {
  ASSIGN_OR_RETURN(BatchHeaderView header, BatchHeaderView::parse(front));
  auto named = [&](Error error) {
    return fail(std::move(error).with_context(
        fmt::format("projection of the log batch at offset {}", header.base_offset())));
  };
  ProjectedBatch begun;
  if (header.record_count() == 0) {
    begun.ranges.push_back({0, batch_size});
    begun.size = batch_size;
    return begun;
  }
  int64_t change_count = header.append_only() ? 0 : std::max(header.record_count(), 0);
  int64_t payload_begin =
      static_cast<int64_t>(header.header_size()) + header.statistics_size() + change_count;
  if (header.announced_size() != static_cast<int64_t>(batch_size) || header.statistics_size() < 0 ||
      payload_begin > header.announced_size()) {
    return named(Error(
        ErrorCode::kUnknownServerError,
        fmt::format("statistics of {} bytes and {} change types do not fit its {} of {} bytes",
                    header.statistics_size(),
                    change_count,
                    batch_size,
                    header.announced_size())));
  }
  auto payload_position = static_cast<size_t>(payload_begin);
  std::span<const uint8_t> payload = front.subspan(std::min(payload_position, front.size()));
  Result<size_t> needed = arrow_front_size(payload, batch_size - payload_position);
  if (!needed) return named(std::move(needed).error());
  if (*needed > payload.size()) {
    begun.front_needed = payload_position + *needed;
    return begun;
  }
  auto message = read_arrow_front(payload, batch_size - payload_position);
  if (!message) return named(std::move(message).error());
  Status counts = plan_->layout.check_counts(*message);
  if (!counts) return named(std::move(counts).error());
  if (change_count > 0) {
    auto changes_size = static_cast<size_t>(change_count);
    begun.has_changes = true;
    begun.ranges.push_back({payload_position - changes_size, changes_size});
  }
  Status rewritten = plan_->rewrite(header, front, *message, payload_position, &begun);
  if (!rewritten) return named(std::move(rewritten).error());
  return begun;
}

BytesChain Projection::finish(ProjectedBatch begun, std::vector<Bytes> parts) {
  BytesChain chain;
  if (begun.front.size() == 0) {
    for (Bytes& part : parts) chain.append(std::move(part));
    return chain;
  }
  auto magic = load_le<int8_t>(begun.front.data() + kBatchLengthEnd);
  size_t header_size = batch_header_size(magic);
  size_t crc_position = batch_crc_position(magic);
  std::span<uint8_t> front = begun.front.span();
  size_t next = begun.has_changes ? 1 : 0;
  uint32_t crc = crc32c(front.subspan(crc_position + 4, header_size - crc_position - 4));
  if (begun.has_changes) crc = crc32c_extend(crc, parts.front().span());
  crc = crc32c_extend(crc, front.subspan(header_size));
  if (!begun.nulls.empty()) parts.push_back(std::move(begun.nulls));
  for (size_t i = next; i < parts.size(); ++i) crc = crc32c_extend(crc, parts[i].span());
  store_le<uint32_t>(front.data() + crc_position, crc);

  Bytes frozen = std::move(begun.front).freeze();
  if (begun.has_changes) {
    chain.append(frozen.slice(0, header_size));
    chain.append(std::move(parts.front()));
    chain.append(frozen.slice(header_size));
  } else {
    chain.append(std::move(frozen));
  }
  for (size_t i = next; i < parts.size(); ++i) chain.append(std::move(parts[i]));
  return chain;
}

Result<BytesChain> Projection::apply(const BatchView& batch) const {
  ASSIGN_OR_RETURN(ProjectedBatch begun, begin(batch.bytes().span(), batch.size()));
  CHECK(begun.front_needed == 0, "a whole batch has its front");
  std::vector<Bytes> parts;
  parts.reserve(begun.ranges.size());
  for (const BatchRange& range : begun.ranges) {
    parts.push_back(batch.bytes().slice(range.offset, range.size));
  }
  return finish(std::move(begun), std::move(parts));
}

}  // namespace lakestream
