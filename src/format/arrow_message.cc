#include "format/arrow_message.h"

#include <optional>

#include "base/check.h"

namespace lakestream {
namespace {

// The numbers of Arrow's Message.fbs and Schema.fbs.
constexpr int16_t kMetadataV4 = 3;
constexpr int16_t kMetadataV5 = 4;
constexpr uint8_t kHeaderRecordBatch = 3;
enum MessageField : size_t { kVersion, kHeaderType, kHeader, kBodyLength };
enum RecordBatchField : size_t { kLength, kNodes, kBuffers, kCompression };
enum CompressionField : size_t { kCodec, kMethod };

template <typename... Args>
tl::unexpected<Error> broken(fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError,
                    "arrow message: {}",
                    fmt::format(format, std::forward<Args>(args)...));
}

// A flatbuffer table whose own bounds were checked once. A field that is absent or does not fit
// reads as nullopt; the format has no required field whose absence matters otherwise.
class FlatTable {
 public:
  static std::optional<FlatTable> at(std::span<const uint8_t> buffer, size_t position) {
    if (position > buffer.size() || buffer.size() - position < 4) return std::nullopt;
    int64_t vtable = static_cast<int64_t>(position) - load_le<int32_t>(buffer.data() + position);
    if (vtable < 0 || vtable + 4 > static_cast<int64_t>(buffer.size())) return std::nullopt;
    FlatTable table(buffer, position, static_cast<size_t>(vtable));
    bool fits = table.vtable_size_ >= 4 && table.vtable_size_ <= buffer.size() - table.vtable_ &&
                table.table_size_ >= 4 && table.table_size_ <= buffer.size() - position;
    return fits ? std::optional(table) : std::nullopt;
  }

  template <typename T>
  std::optional<T> scalar(size_t field) const {
    std::optional<size_t> position = field_position(field, sizeof(T));
    if (!position) return std::nullopt;
    return load_le<T>(buffer_.data() + *position);
  }
  // Where the table or vector stands that the field refers to.
  std::optional<size_t> reference(size_t field) const {
    std::optional<size_t> position = field_position(field, 4);
    if (!position) return std::nullopt;
    size_t target = *position + load_le<uint32_t>(buffer_.data() + *position);
    if (target > buffer_.size() - 4) return std::nullopt;
    return target;
  }
  std::optional<FlatTable> table(size_t field) const {
    std::optional<size_t> target = reference(field);
    return target ? at(buffer_, *target) : std::nullopt;
  }
  // A vector of 16-byte structs.
  std::optional<std::span<const uint8_t>> structs(size_t field) const {
    std::optional<size_t> target = reference(field);
    if (!target) return std::nullopt;
    uint64_t count = load_le<uint32_t>(buffer_.data() + *target);
    if (count * 16 > buffer_.size() - *target - 4) return std::nullopt;
    return buffer_.subspan(*target + 4, count * 16);
  }
  bool has(size_t field) const { return field_position(field, 1).has_value(); }

 private:
  FlatTable(std::span<const uint8_t> buffer, size_t position, size_t vtable)
      : buffer_(buffer),
        position_(position),
        vtable_(vtable),
        vtable_size_(load_le<uint16_t>(buffer.data() + vtable)),
        table_size_(load_le<uint16_t>(buffer.data() + vtable + 2)) {}

  std::optional<size_t> field_position(size_t field, size_t width) const {
    size_t entry = 4 + 2 * field;
    if (entry + 2 > vtable_size_) return std::nullopt;
    size_t offset = load_le<uint16_t>(buffer_.data() + vtable_ + entry);
    if (offset == 0 || offset + width > table_size_) return std::nullopt;
    return position_ + offset;
  }

  std::span<const uint8_t> buffer_;
  size_t position_;
  size_t vtable_;
  size_t vtable_size_;
  size_t table_size_;
};

Result<ArrowCodec> read_codec(const FlatTable& batch) {
  if (!batch.has(kCompression)) return ArrowCodec::kNone;
  std::optional<FlatTable> compression = batch.table(kCompression);
  if (!compression) return broken("its compression can not be read");
  int8_t codec = compression->scalar<int8_t>(kCodec).value_or(0);
  int8_t method = compression->scalar<int8_t>(kMethod).value_or(0);
  if (codec < 0 || codec > 1 || method != 0) {
    return broken(
        "compression {} by method {}: only LZ4_FRAME (0) and ZSTD (1) by buffer (0) exist",
        codec,
        method);
  }
  return static_cast<ArrowCodec>(codec);
}

Status check_buffers(const ArrowMessage& message) {
  int64_t begin = 0;
  for (size_t i = 0; i < message.buffer_count; ++i) {
    ArrowBuffer buffer = message.buffer(i);
    int64_t end = message.extent_end(i);
    bool fits = buffer.offset >= begin && buffer.offset % 8 == 0 && buffer.length >= 0 &&
                end >= buffer.offset && end <= static_cast<int64_t>(message.body_size) &&
                buffer.length <= end - buffer.offset;
    if (!fits) {
      return broken(
          "buffer {} at {} of {} bytes does not lie between its neighbours in a body of {} bytes",
          i,
          buffer.offset,
          buffer.length,
          message.body_size);
    }
    begin = buffer.offset;
  }
  return ok();
}

}  // namespace

Result<ArrowMessage> read_arrow_metadata(std::span<const uint8_t> metadata) {
  if (metadata.size() < 8) return broken("metadata of {} bytes is no flatbuffer", metadata.size());
  std::optional<FlatTable> root = FlatTable::at(metadata, load_le<uint32_t>(metadata.data()));
  if (!root) return broken("metadata of {} bytes is no flatbuffer", metadata.size());
  int16_t version = root->scalar<int16_t>(kVersion).value_or(0);
  if (version != kMetadataV5 && version != kMetadataV4) {
    return broken("metadata version {} is neither V4 nor V5", version);
  }
  uint8_t kind = root->scalar<uint8_t>(kHeaderType).value_or(0);
  std::optional<FlatTable> batch = root->table(kHeader);
  if (kind != kHeaderRecordBatch || !batch)
    return broken("header type {} is no record batch", kind);
  std::optional<std::span<const uint8_t>> nodes = batch->structs(kNodes);
  std::optional<std::span<const uint8_t>> buffers = batch->structs(kBuffers);
  if (!nodes || !buffers) return broken("nodes or buffers can not be read");
  int64_t body_size = root->scalar<int64_t>(kBodyLength).value_or(0);
  if (body_size < 0) return broken("body of {} bytes", body_size);

  ArrowMessage message;
  message.length = batch->scalar<int64_t>(kLength).value_or(0);
  ASSIGN_OR_RETURN(message.codec, read_codec(*batch));
  message.node_count = nodes->size() / 16;
  message.nodes = nodes->data();
  message.buffer_count = buffers->size() / 16;
  message.buffers = buffers->data();
  message.body_size = static_cast<size_t>(body_size);
  return message;
}

Result<size_t> arrow_front_size(std::span<const uint8_t> front, size_t payload_size) {
  if (payload_size < kArrowPrefixSize) return broken("{} bytes hold no prefix", payload_size);
  if (front.size() < kArrowPrefixSize) return kArrowPrefixSize;
  if (load_le<uint32_t>(front.data()) != 0xffffffff) return broken("continuation mark is missing");
  int64_t metadata_size = load_le<int32_t>(front.data() + 4);
  int64_t rest = static_cast<int64_t>(payload_size - kArrowPrefixSize);
  if (metadata_size < 8 || metadata_size % 8 != 0 || metadata_size > rest) {
    return broken(
        "metadata of {} bytes: a multiple of 8 up to {} is the rule", metadata_size, rest);
  }
  return kArrowPrefixSize + static_cast<size_t>(metadata_size);
}

Result<ArrowMessage> read_arrow_front(std::span<const uint8_t> front, size_t payload_size) {
  ASSIGN_OR_RETURN(size_t body_position, arrow_front_size(front, payload_size));
  CHECK(front.size() >= body_position, "the front of an arrow message");
  size_t metadata_size = body_position - kArrowPrefixSize;
  ASSIGN_OR_RETURN(ArrowMessage message,
                   read_arrow_metadata(front.subspan(kArrowPrefixSize, metadata_size)));
  size_t rest = payload_size - body_position;
  if (message.body_size != rest) {
    return broken("body of {} bytes where {} follow the metadata", message.body_size, rest);
  }
  message.body_position = body_position;
  RETURN_IF_ERROR(check_buffers(message));
  return message;
}

Result<ArrowMessage> read_arrow_message(std::span<const uint8_t> payload) {
  return read_arrow_front(payload, payload.size());
}

// The layout is fixed but for the two vectors. Positions are from the start of the flatbuffer;
// every vtable stands directly before its table.
//
//    0 root → 16     4 vtable: header 12, table 20, fields at 4 6 16 8
//   16 Message       +0 vtable 12 · +4 version · +6 header type · +8 body length · +16 header → 48
//   36 vtable: header 12, table 24, fields at 8 4 16 20
//   48 RecordBatch   +0 vtable 12 · +4 nodes · +8 length · +16 buffers · +20 compression → 80
//   72 vtable: header 8, table 8, fields at 4 5
//   80 BodyCompression  +0 vtable 8 · +4 codec · +5 method
//   92 count of nodes, 96 nodes, 4 of padding, count of buffers, buffers
//
// Without compression the third field of RecordBatch is absent in its vtable.
ArrowMetadataTemplate::ArrowMetadataTemplate(size_t node_count, size_t buffer_count) {
  constexpr size_t kRecordBatch = 48;
  constexpr size_t kFirstNode = 96;
  size_t first_buffer = kFirstNode + 16 * node_count + 8;
  size_t metadata_size = first_buffer + 16 * buffer_count;
  bytes_.assign(kArrowPrefixSize + metadata_size, 0);
  nodes_ = kArrowPrefixSize + kFirstNode;
  buffers_ = kArrowPrefixSize + first_buffer;

  store_le<uint32_t>(bytes_.data(), 0xffffffff);
  store_le<int32_t>(bytes_.data() + 4, static_cast<int32_t>(metadata_size));
  uint8_t* flat = bytes_.data() + kArrowPrefixSize;
  auto put16 = [flat](size_t at, std::initializer_list<uint16_t> values) {
    for (uint16_t value : values) {
      store_le<uint16_t>(flat + at, value);
      at += 2;
    }
  };
  auto put32 = [flat](size_t at, size_t value) {
    store_le<uint32_t>(flat + at, static_cast<uint32_t>(value));
  };
  put32(0, 16);
  put16(4, {12, 20, 4, 6, 16, 8});
  put32(16, 12);
  put16(20, {static_cast<uint16_t>(kMetadataV5)});
  flat[22] = kHeaderRecordBatch;
  put32(32, kRecordBatch - 32);
  put16(36, {12, 24, 8, 4, 16, 20});
  put32(kRecordBatch, 12);
  put32(52, kFirstNode - 4 - 52);
  put32(64, first_buffer - 4 - 64);
  put32(68, 80 - 68);
  put16(72, {8, 8, 4, 5});
  put32(80, 8);
  put32(kFirstNode - 4, node_count);
  put32(first_buffer - 4, buffer_count);
}

void ArrowMetadataTemplate::write_frame(uint8_t* target,
                                        int64_t length,
                                        int64_t body_size,
                                        ArrowCodec codec) const {
  std::memcpy(target, bytes_.data(), nodes_);
  std::memcpy(target + buffers_ - 8, bytes_.data() + buffers_ - 8, 8);
  uint8_t* flat = target + kArrowPrefixSize;
  store_le<int64_t>(flat + 24, body_size);
  store_le<int64_t>(flat + 56, length);
  if (codec == ArrowCodec::kNone) {
    store_le<uint16_t>(flat + 46, 0);
  } else {
    flat[84] = static_cast<uint8_t>(codec);
  }
}

}  // namespace lakestream
