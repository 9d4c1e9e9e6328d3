#include "format/project.h"

#include <algorithm>

#include "base/checksum.h"
#include "format/arrow_layout.h"
#include "format/arrow_message.h"

namespace lakestream {

struct Projection::Plan {
  ArrowLayout layout;
  std::vector<int32_t> columns;
  // Of the selected columns; neighbours are one range.
  struct Range {
    size_t first_node;
    size_t node_count;
    size_t first_buffer;
    size_t buffer_count;
  };
  std::vector<Range> ranges;
  ArrowMetadataTemplate metadata;

  explicit Plan(const Schema& schema) : layout(schema) {}
  void prepare();
  // Fills metadata and gives the slices of the body.
  BytesChain select(const ArrowMessage& message, const Bytes& body, uint8_t* target) const;
};

void Projection::Plan::prepare() {
  size_t nodes = 0;
  size_t buffers = 0;
  for (int32_t column : columns) {
    const ArrowColumnShape& shape = layout.columns()[static_cast<size_t>(column)];
    nodes += shape.node_count;
    buffers += shape.buffer_count;
    if (!ranges.empty() &&
        ranges.back().first_node + ranges.back().node_count == shape.first_node) {
      ranges.back().node_count += shape.node_count;
      ranges.back().buffer_count += shape.buffer_count;
    } else {
      ranges.push_back(
          {shape.first_node, shape.node_count, shape.first_buffer, shape.buffer_count});
    }
  }
  metadata = ArrowMetadataTemplate(nodes, buffers);
}

BytesChain Projection::Plan::select(const ArrowMessage& message,
                                    const Bytes& body,
                                    uint8_t* target) const {
  BytesChain slices;
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
    slices.append(body.slice(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
    written += end - begin;
  }
  return slices;
}

Result<Projection> Projection::make(const Schema& schema, std::span<const int32_t> columns) {
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
  auto plan = std::make_shared<Plan>(schema);
  plan->columns.assign(columns.begin(), columns.end());
  plan->prepare();
  return Projection(std::move(plan));
}

const std::vector<int32_t>& Projection::columns() const { return plan_->columns; }

Result<BytesChain> Projection::apply(const BatchView& batch) const {
  if (batch.record_count() == 0) return BytesChain(batch.bytes());
  Bytes changes;
  Bytes payload = batch.records();
  if (!batch.append_only()) {
    size_t count = static_cast<size_t>(std::max(batch.record_count(), 0));
    if (count > payload.size()) {
      return make_error(ErrorCode::kUnknownServerError,
                        "projection of the log batch at offset {}: {} change types do not fit",
                        batch.base_offset(),
                        count);
    }
    changes = payload.slice(0, count);
    payload = payload.slice(count);
  }
  auto message = read_arrow_message(payload.span());
  Status counts = message ? plan_->layout.check_counts(*message) : Status();
  if (!message || !counts) {
    Error error = message ? std::move(counts).error() : std::move(message).error();
    return fail(std::move(error).with_context(
        fmt::format("projection of the log batch at offset {}", batch.base_offset())));
  }

  // Header and metadata side by side in one allocation; the change types go between them.
  size_t header_size = batch.header_size();
  MutableBytes fresh = MutableBytes::allocate(header_size + plan_->metadata.size());
  uint8_t* header = fresh.data();
  uint8_t* metadata = fresh.data() + header_size;
  std::memcpy(header, batch.bytes().data(), header_size);
  BytesChain body = plan_->select(*message, payload.slice(message->body_position), metadata);
  plan_->metadata.write_frame(
      metadata, message->length, static_cast<int64_t>(body.size()), message->codec);

  size_t size = fresh.size() + changes.size() + body.size();
  size_t crc_position = batch_crc_position(batch.magic());
  store_le<int32_t>(header + 8, static_cast<int32_t>(size - kBatchLengthEnd));
  if (batch.magic() != 0) store_le<int32_t>(header + header_size - 4, 0);  // statistics
  uint32_t crc = crc32c(fresh.span().subspan(crc_position + 4, header_size - crc_position - 4));
  crc = crc32c_extend(crc, changes.span());
  crc = crc32c_extend(crc, fresh.span().subspan(header_size));
  for (const Bytes& part : body.parts()) crc = crc32c_extend(crc, part.span());
  store_le<uint32_t>(header + crc_position, crc);

  Bytes frozen = std::move(fresh).freeze();
  BytesChain chain;
  if (changes.empty()) {
    chain.append(std::move(frozen));
  } else {
    chain.append(frozen.slice(0, header_size));
    chain.append(std::move(changes));
    chain.append(frozen.slice(header_size));
  }
  chain.append(std::move(body));
  return chain;
}

}  // namespace lakestream
