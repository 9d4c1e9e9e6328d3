#include "format/arrow_layout.h"

namespace lakestream {
namespace {

template <typename... Args>
tl::unexpected<Error> broken(fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError,
                    "arrow message: {}",
                    fmt::format(format, std::forward<Args>(args)...));
}

// Width of a fixed-width value in bits, 0 for others. The mapping of types is in
// format/arrow_types.cc.
int64_t fixed_bits(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return 1;
    case TypeRoot::kTinyint:
      return 8;
    case TypeRoot::kSmallint:
      return 16;
    case TypeRoot::kInteger:
    case TypeRoot::kFloat:
    case TypeRoot::kDate:
      return 32;
    case TypeRoot::kBigint:
    case TypeRoot::kDouble:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return 64;
    case TypeRoot::kTime:
      return type.precision() <= 3 ? 32 : 64;
    case TypeRoot::kDecimal:
      return 128;
    case TypeRoot::kBinary:
      return int64_t{8} * type.length();
    default:
      return 0;
  }
}

// The most that one byte of a frame can expand to: an RLE block of ZSTD makes 128 KiB of 4 bytes
// (RFC 8878, 3.1.1.2), a token byte of LZ4 255 bytes; and the smallest frame of each.
constexpr int64_t kZstdExpansionMax = 32768;
constexpr int64_t kLz4ExpansionMax = 255;

int64_t needed_length(const ArrowBufferShape& shape, const ArrowNode& node) {
  switch (shape.kind) {
    case ArrowBufferShape::Kind::kValidity:
      return node.null_count == 0 ? 0 : (node.length + 7) / 8;
    case ArrowBufferShape::Kind::kOffsets:
      return node.length == 0 ? 0 : 4 * (node.length + 1);
    case ArrowBufferShape::Kind::kFixed:
      return shape.bits % 8 == 0 ? node.length * (shape.bits / 8)
                                 : (node.length * shape.bits + 7) / 8;
    case ArrowBufferShape::Kind::kVariable:
      return 0;
  }
  return 0;
}

}  // namespace

Result<int64_t> uncompressed_length(const ArrowMessage& message,
                                    std::span<const uint8_t> payload,
                                    size_t index) {
  ArrowBuffer buffer = message.buffer(index);
  if (message.codec == ArrowCodec::kNone || buffer.length == 0) return buffer.length;
  if (buffer.length < 8)
    return broken("compressed buffer {} of {} bytes has no length", index, buffer.length);
  int64_t frame = buffer.length - 8;
  int64_t length = load_le<int64_t>(payload.data() + message.body_position + buffer.offset);
  if (length == -1) return frame;  // stored as it is
  int64_t expansion = message.codec == ArrowCodec::kZstd ? kZstdExpansionMax : kLz4ExpansionMax;
  if (length < -1 || length > frame * expansion) {
    return broken("compressed buffer {} of {} bytes can not hold {}", index, buffer.length, length);
  }
  return length;
}

ArrowLayout::ArrowLayout(const Schema& schema) {
  columns_.reserve(schema.size());
  for (const Column& column : schema.columns()) {
    ArrowColumnShape shape;
    shape.first_node = node_count_;
    shape.first_buffer = static_cast<uint32_t>(buffers_.size());
    shape.nullable = column.type.nullable();
    add(column.type);
    shape.node_count = node_count_ - shape.first_node;
    shape.buffer_count = static_cast<uint32_t>(buffers_.size()) - shape.first_buffer;
    columns_.push_back(shape);
  }
}

void ArrowLayout::add(const DataType& type) {
  using Kind = ArrowBufferShape::Kind;
  uint32_t node = node_count_++;
  buffers_.push_back({Kind::kValidity, node});
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kString:
    case TypeRoot::kBytes:
      buffers_.push_back({Kind::kOffsets, node});
      buffers_.push_back({Kind::kVariable, node});
      break;
    case TypeRoot::kArray:
      buffers_.push_back({Kind::kOffsets, node});
      add(type.element_type());
      break;
    case TypeRoot::kMap:
      buffers_.push_back({Kind::kOffsets, node});
      buffers_.push_back({Kind::kValidity, node_count_++});  // the struct of the entries
      add(type.key_type());
      add(type.value_type());
      break;
    case TypeRoot::kRow:
      for (const Field& field : type.fields()) add(field.type);
      break;
    default:
      buffers_.push_back({Kind::kFixed, node, fixed_bits(type)});
      break;
  }
}

Status ArrowLayout::check_counts(const ArrowMessage& message) const {
  if (message.node_count == node_count_ && message.buffer_count == buffers_.size()) return ok();
  return broken("{} nodes and {} buffers where {} columns of the schema have {} and {}",
                message.node_count,
                message.buffer_count,
                columns_.size(),
                node_count_,
                buffers_.size());
}

Status ArrowLayout::check(const ArrowMessage& message,
                          std::span<const uint8_t> payload,
                          int32_t record_count) const {
  RETURN_IF_ERROR(check_counts(message));
  if (message.length != record_count) {
    return broken("{} rows where the header says {}", message.length, record_count);
  }
  for (size_t i = 0; i < message.node_count; ++i) {
    ArrowNode node = message.node(i);
    if (node.length < 0 || node.length > INT32_MAX || node.null_count < 0 ||
        node.null_count > node.length) {
      return broken("node {} has {} values and {} nulls", i, node.length, node.null_count);
    }
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    ArrowNode node = message.node(columns_[i].first_node);
    if (node.length != record_count) {
      return broken("column {} has {} values where {} rows are", i, node.length, record_count);
    }
    if (!columns_[i].nullable && node.null_count != 0) {
      return broken("column {} is NOT NULL and has {} nulls", i, node.null_count);
    }
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    ASSIGN_OR_RETURN(int64_t length, uncompressed_length(message, payload, i));
    int64_t needed = needed_length(buffers_[i], message.node(buffers_[i].node));
    if (length < needed) {
      return broken("buffer {} has {} bytes where its node needs {}", i, length, needed);
    }
  }
  return ok();
}

}  // namespace lakestream
