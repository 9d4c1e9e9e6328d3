#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/endian.h"
#include "base/result.h"

// The encapsulated Arrow IPC message inside an ARROW batch: one RecordBatch message, read without
// trust and without copying, and written for projections. Only what the log format uses is known
// here; columns are decoded by Arrow's own library in format/arrow_decode.cc.
//
//   ff ff ff ff | i32 metadata size | flatbuffer Message | body
//
// Thread rule: values over foreign memory; they may not outlive it.
//
//   ASSIGN_OR_RETURN(ArrowMessage message, read_arrow_message(payload));
//   ArrowBuffer first = message.buffer(0);
namespace lakestream {

enum class ArrowCodec : int8_t { kNone = -1, kLz4Frame = 0, kZstd = 1 };

inline constexpr size_t kArrowPrefixSize = 8;

struct ArrowNode {
  int64_t length;
  int64_t null_count;
};

// A slice of the body.
struct ArrowBuffer {
  int64_t offset;
  int64_t length;
};

struct ArrowMessage {
  int64_t length = 0;  // rows
  ArrowCodec codec = ArrowCodec::kNone;
  size_t node_count = 0;
  size_t buffer_count = 0;
  const uint8_t* nodes = nullptr;    // at any address
  const uint8_t* buffers = nullptr;  // at any address
  size_t body_position = 0;          // from the start of the payload
  size_t body_size = 0;

  ArrowNode node(size_t index) const {
    const uint8_t* at = nodes + 16 * index;
    return {load_le<int64_t>(at), load_le<int64_t>(at + 8)};
  }
  ArrowBuffer buffer(size_t index) const {
    const uint8_t* at = buffers + 16 * index;
    return {load_le<int64_t>(at), load_le<int64_t>(at + 8)};
  }
  // Where the padded extent of a buffer ends: at the next one, or with the body.
  int64_t extent_end(size_t index) const {
    return index + 1 < buffer_count ? buffer(index + 1).offset : static_cast<int64_t>(body_size);
  }
};

// Reads the metadata and checks that it is a RecordBatch message whose nodes and buffers can be
// read and whose body is exactly the rest of the payload. Buffers are checked one by one: aligned
// to 8 bytes, in ascending order, each inside its extent. Errors: kUnknownServerError.
Result<ArrowMessage> read_arrow_message(std::span<const uint8_t> payload);
// The same from the front of a payload of `payload_size` bytes, whose body may be elsewhere.
// Requires: at least arrow_front_size() bytes.
Result<ArrowMessage> read_arrow_front(std::span<const uint8_t> front, size_t payload_size);
// Where the body begins; when the prefix is not there, the size of the prefix.
Result<size_t> arrow_front_size(std::span<const uint8_t> front, size_t payload_size);
// The same of the flatbuffer alone, whose body is elsewhere and not looked at. body_position is 0.
Result<ArrowMessage> read_arrow_metadata(std::span<const uint8_t> metadata);

// The metadata of a RecordBatch message of a fixed number of nodes and buffers, laid out once and
// filled for each batch. Thread rule: immutable after construction, any thread.
class ArrowMetadataTemplate {
 public:
  ArrowMetadataTemplate() = default;
  ArrowMetadataTemplate(size_t node_count, size_t buffer_count);

  // Prefix and metadata, a multiple of 8.
  size_t size() const { return bytes_.size(); }
  // write_frame() writes everything but the nodes and buffers, which are set one by one, in any
  // order. Requires: size() bytes at `target`.
  void write_frame(uint8_t* target, int64_t length, int64_t body_size, ArrowCodec codec) const;
  void set_node(uint8_t* target, size_t index, const uint8_t* node) const {
    std::memcpy(target + nodes_ + 16 * index, node, 16);
  }
  void set_buffer(uint8_t* target, size_t index, ArrowBuffer buffer) const {
    store_le<int64_t>(target + buffers_ + 16 * index, buffer.offset);
    store_le<int64_t>(target + buffers_ + 16 * index + 8, buffer.length);
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t nodes_ = 0;
  size_t buffers_ = 0;
};

}  // namespace lakestream
