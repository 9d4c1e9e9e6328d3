#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "format/arrow_message.h"
#include "table/schema.h"

// How the columns of a schema are flattened to nodes and buffers of an Arrow message, depth first.
// Prepared once a schema; a message is then checked in O(nodes + buffers) without looking at types.
//
// Thread rule: immutable, any thread.
//
//   ArrowLayout layout(schema);
//   RETURN_IF_ERROR(layout.check(message, payload, record_count));
namespace lakestream {

struct ArrowBufferShape {
  enum class Kind : uint8_t { kValidity, kOffsets, kFixed, kVariable };
  Kind kind;
  uint32_t node;     // whose values the buffer holds
  int64_t bits = 0;  // of a kFixed value
};

// The nodes and buffers of one column and of all its descendants.
struct ArrowColumnShape {
  uint32_t first_node = 0;
  uint32_t node_count = 0;
  uint32_t first_buffer = 0;
  uint32_t buffer_count = 0;
  bool nullable = true;
};

class ArrowLayout {
 public:
  explicit ArrowLayout(const Schema& schema);

  const std::vector<ArrowColumnShape>& columns() const { return columns_; }
  size_t node_count() const { return node_count_; }
  size_t buffer_count() const { return buffers_.size(); }

  // The message has exactly the nodes and buffers of the schema.
  Status check_counts(const ArrowMessage& message) const;
  // The counts, the row count, and that every buffer is long enough for its node, also after
  // decompression. Values are not looked at. Requires: `message` was read from `payload`.
  Status check(const ArrowMessage& message,
               std::span<const uint8_t> payload,
               int32_t record_count) const;

 private:
  void add(const DataType& type);

  std::vector<ArrowColumnShape> columns_;
  std::vector<ArrowBufferShape> buffers_;
  uint32_t node_count_ = 0;
};

// The length of a buffer before compression, as its frame says. A length that no frame of that size
// can hold is refused, so what it costs to read a message is bounded by its size.
Result<int64_t> uncompressed_length(const ArrowMessage& message,
                                    std::span<const uint8_t> payload,
                                    size_t buffer);

}  // namespace lakestream
